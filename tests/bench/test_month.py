"""The scripted month is what it says it is, and the careful human who marks a ledger marks it rightly."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import pytest

from bench.measure import interval
from bench.month import Careful, Line, Said, month

OPENING = "opening of the exhibition"
FIRST, SECOND = "Thu 22 Apr 2027 18:00", "Fri 23 Apr 2027 18:00"


def test_the_month_holds_what_it_promises() -> None:
    messages = month()
    stated = [change for said in messages if said.what == "fact" for change in said.changes]

    assert len(messages) == 120
    assert len(stated) == 45
    assert Counter(said.what for said in messages).items() >= {
        "correction": 12, "retraction": 6, "ambiguous": 5, "nothing": 20,
    }.items()  # fmt: skip
    assert sum(change.is_plain for change in stated) >= 36


def test_the_month_runs_forward_over_a_change_of_clocks_and_says_nothing_twice() -> None:
    messages = month()

    assert all(one.at < other.at for one, other in pairwise(messages))
    assert {said.at.utcoffset() for said in messages} == {timedelta(hours=1), timedelta(hours=2)}
    assert len({said.text for said in messages}) == 120


def test_every_fourth_message_or_more_is_not_english() -> None:
    german = re.compile(r"[äöüß]|\b(?:ist|der|die|das|und|bis|kommt|unser\w*|gilt)\b", re.IGNORECASE)
    texts = [said.text for said in month()]

    assert sum(re.search("[а-я]", text) is not None for text in texts) >= 15
    assert sum(german.search(text) is not None for text in texts) >= 20


def test_the_words_of_a_value_stand_in_the_message_that_says_it() -> None:
    changes = [(said, change) for said in month() for change in said.changes if change.op != "retract"]

    assert [change.kept.subject for said, change in changes if change.kept.said.split()[0] not in said.text] == []


@pytest.fixture
def opening() -> tuple[Said, Said]:
    """Return the message that states the opening and the one that corrects it."""
    first, second = [
        said
        for said in month()
        if said.what != "again" and any(change.kept.subject.endswith("opening") for change in said.changes)
    ]
    return first, second


def line(said: Said, value: str, *, key: str = "opening") -> Line:
    return Line(key, "deadline", OPENING, value, said.at)


def marked(*steps: tuple[Said, Sequence[Line], Sequence[Line]]) -> Careful:
    """Return the careful human after messages, each with the entries there were and those there are now."""
    careful = Careful()
    for said, before, after in steps:
        careful.mark(said, before, after, [one for one in after if one not in before])
    return careful


def test_a_right_change_is_done_and_leaves_nothing_stale(opening: tuple[Said, Said]) -> None:
    first, second = opening
    was, now = line(first, FIRST), line(second, SECOND)

    careful = marked((first, [], [was]), (second, [was], [now]))

    assert [one.verdict for one in careful.entered] == ["right", "right"]
    assert (len(careful.done), careful.missed, careful.wrong_current) == (2, [], {})
    assert careful.stale([now]) == []
    assert careful.stale([was]) == [was]


def test_a_missed_correction_stands_wrong_and_stale(opening: tuple[Said, Said]) -> None:
    first, second = opening
    was = line(first, FIRST)

    careful = marked((first, [], [was]), (second, [was], [was]))

    assert [said for said, _ in careful.missed] == [second]
    assert [subject for subject, _ in careful.wrong_current] == ["comet exhibition opening"]


def test_a_correction_beside_the_old_value_is_not_done(opening: tuple[Said, Said]) -> None:
    first, second = opening
    was, now = line(first, FIRST), line(second, SECOND, key="another")

    careful = marked((first, [], [was]), (second, [was], [was, now]))

    assert [said for said, _ in careful.missed] == [second]


def test_a_wrong_value_a_second_entry_and_a_fact_from_nothing_are_marked_so(opening: tuple[Said, Said]) -> None:
    first, _ = opening
    thanks = next(said for said in month() if said.what == "nothing")
    right, wrong = line(first, FIRST), line(first, SECOND, key="wrong")
    idle = line(thanks, FIRST, key="idle")
    repeated = Said(thanks.at + timedelta(days=9), "It opens on 22 April.", "again", (), None, "any")
    again = Line("again", "deadline", OPENING, FIRST, repeated.at)

    careful = marked((first, [], [right, wrong]), (repeated, [right], [right, again]), (thanks, [], [idle]))

    assert [one.verdict for one in careful.entered] == ["right", "wrong", "twice", "from nothing"]


def test_the_interval_of_a_rate_is_wilsons() -> None:
    assert interval(81, 263) == pytest.approx((25.53, 36.62), abs=0.01)  # Newcombe 1998, table I
    assert interval(0, 20) == pytest.approx((0.0, 16.11), abs=0.01)
    assert interval(20, 20)[1] == pytest.approx(100.0)
