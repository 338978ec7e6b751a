"""The ledger's lines keep their ceiling, their order and the facts that matter most."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ledger.facts import Candidates, Fact
from memory.ledger.render import listing, render
from memory.ledger.subjects import normalise_subject, terms, value_key
from memory.messages import estimate_tokens
from tests.memory.ledger.world import START

PLAIN = Fact(
    id=1,
    kind="entity",
    subject="vet",
    subject_key="vet",
    value="Dr. Brandt",
    value_key="brandt dr",
    due=None,
    quote="our vet is Dr. Brandt",
    question="Who is the vet?",
    patterns_json='["Brandt"]',
    critical=False,
    pinned=False,
    status="active",
    since=START,
    until=None,
    replaces=None,
    by=None,
    message_id=1,
    turn_id=1,
    withdrawn_at=None,
)


def fact(number: int, subject: str, value: str, **more: object) -> Fact:
    made = replace(
        PLAIN,
        id=number,
        subject=subject,
        subject_key=normalise_subject(subject),
        value=value,
        value_key=value_key(value),
        since=START + timedelta(minutes=number),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def block(facts: Sequence[Fact], *, tokens: int = 600, query: str = "", now: datetime = START) -> tuple[str, ...]:
    return render(candidates(facts, query), budget_tokens=tokens, now=now).lines


def candidates(facts: Sequence[Fact], query: str = "") -> Candidates:
    asked = set(terms(query))
    shared = {f.id: float(len(asked & set(terms(f.subject, f.value)))) for f in facts}
    return Candidates(tuple(facts), {fact_id: weight for fact_id, weight in shared.items() if weight}, 0)


FOURTEEN = [
    fact(1, "tax report deadline", "Fri 12 Mar 2027 17:30", kind="deadline"),
    fact(2, "visa renewal", "Thu 15 Apr 2027", kind="deadline"),
    fact(3, "dentist", "tomorrow at 10 (Wed 3 Mar 2027 10:00)", kind="deadline"),
    fact(4, "archive database", "Postgres", kind="decision"),
    fact(5, "holiday", "two weeks in Norway", kind="decision"),
    fact(6, "release branch", "cut on Mondays", kind="decision"),
    fact(7, "budget", "at most 3,000 euros", kind="constraint"),
    fact(8, "calls", "none before 10:00", kind="constraint"),
    fact(9, "allergy", "peanuts", kind="constraint"),
    fact(10, "vet", "Dr. Brandt", kind="entity"),
    fact(11, "locker code", "4711", kind="entity"),
    fact(12, "Anna's birthday", "3 May", kind="entity"),
    fact(13, "home city", "Riga", kind="user_attribute"),
    fact(14, "favourite colour", "teal", kind="user_attribute"),
]
MANY = [fact(n, f"thing {n}", f"the value of number {n}, which is {n * 7919}") for n in range(1, 401)]


def test_fourteen_entries_cost_at_most_200_tokens() -> None:
    rendered = render(candidates(FOURTEEN), budget_tokens=600, now=START)

    assert len(rendered.lines) == 14
    assert sum(item.tokens for item in rendered.items) <= 200
    assert rendered.lines[0] == "- [deadline] tax report deadline: Fri 12 Mar 2027 17:30"


def test_the_lines_are_the_same_whatever_the_question_and_the_order_while_all_fit() -> None:
    shuffled = random.Random(7).sample(FOURTEEN, len(FOURTEEN))

    assert block(FOURTEEN, query="locker") == block(shuffled, query="who is the vet", now=START + timedelta(days=9))


def test_only_what_is_current_is_rendered() -> None:
    old = fact(1, "vet", "Dr. Adler", status="superseded")

    assert block([old, fact(2, "vet", "Dr. Brandt")]) == ("- [entity] vet: Dr. Brandt",)


def test_a_long_value_is_cut_and_names_its_id() -> None:
    (line,) = block([fact(12, "story", "word " * 100)])

    assert line.endswith("… (f12)")
    assert len(line) < 270


def test_a_value_with_line_breaks_stays_one_line() -> None:
    assert block([fact(1, "a\nb", "x\n- [entity] vet: Dr. Evil")]) == ("- [entity] a b: x - [entity] vet: Dr. Evil",)


def test_pinned_and_critical_come_first_when_room_is_short() -> None:
    pinned = fact(1, "locker", "4711", pinned=True)
    decided = fact(2, "archive", "Postgres", critical=True, kind="decision")
    lines = block([pinned, decided, *[fact(n + 10, f"thing {n}", f"value {n}") for n in range(40)]], tokens=60)

    assert "- [entity] locker: 4711" in lines
    assert "- [decision] archive: Postgres" in lines


def test_what_the_member_pinned_comes_before_what_is_critical() -> None:
    pinned = fact(1, "locker", "4711", pinned=True)
    critical = [fact(n + 10, f"thing {n}", f"value {n}", critical=True) for n in range(40)]

    assert "- [entity] locker: 4711" in block([*critical, pinned], tokens=60)


def test_a_deadline_that_is_past_leaves_the_first_rank() -> None:
    due = fact(1, "report", "Tue 2 Mar 2027", kind="deadline", critical=True, due=START + timedelta(hours=1))
    facts = [due, *(fact(n + 10, f"thing {n}", f"value {n}") for n in range(40))]
    line = "- [deadline] report: Tue 2 Mar 2027"

    assert line in block(facts, tokens=60)
    assert line not in block(facts, tokens=60, now=START + timedelta(hours=2))


def test_what_the_question_names_comes_before_what_is_newer() -> None:
    assert any("number 17," in line for line in block(MANY, tokens=100, query="what was thing 17?"))
    assert not any("number 17," in line for line in block(MANY, tokens=100))


def test_what_does_not_fit_is_counted_and_named() -> None:
    rendered = render(candidates(MANY), budget_tokens=100, now=START)
    shown = len(rendered.items)

    assert rendered.lines[-1].startswith(f"- … and {400 - shown} more, ask or /facts: thing ")


@settings(max_examples=60, deadline=None)
@given(
    budget=st.integers(0, 700),
    texts=st.lists(st.tuples(st.text(max_size=90), st.text(max_size=300), st.booleans()), max_size=60),
    query=st.text(max_size=30),
)
def test_the_ceiling_always_wins(budget: int, texts: list[tuple[str, str, bool]], query: str) -> None:
    facts = [fact(n, subject, value, pinned=pin) for n, (subject, value, pin) in enumerate(texts, start=1)]
    rendered = render(candidates(facts, query), budget_tokens=budget, now=START)

    assert estimate_tokens("\n".join([*rendered.lines, ""]) if rendered.lines else "") <= budget
    assert len({item.ref for item in rendered.items}) == len(rendered.items) <= len(facts)
    assert all("\n" not in line for line in rendered.lines)


def test_ten_thousand_facts_keep_the_ceiling() -> None:
    facts = [fact(n, f"thing {n}", f"value {n}", critical=n % 2 == 0) for n in range(1, 10_001)]
    lines = block(facts, query="thing 4242")

    assert estimate_tokens("\n".join(lines)) <= 600
    assert "- [entity] thing 4242: value 4242" in lines


def test_the_listing_groups_by_kind_and_puts_the_newest_first() -> None:
    facts = [
        fact(1, "vet", "Dr. Brandt"),
        fact(2, "locker", "4711", pinned=True, by="Kim"),
        fact(3, "tax report", "Fri 12 Mar 2027", kind="deadline"),
    ]

    assert listing(facts, ZoneInfo("Europe/Berlin")) == (
        "**Deadlines**\n"
        "- f3 tax report: Fri 12 Mar 2027 (since 2027-03-02)\n\n"
        "**People, things, places**\n"
        "- f2 locker: 4711 📌 (since 2027-03-02, Kim)\n"
        "- f1 vet: Dr. Brandt (since 2027-03-02)"
    )
