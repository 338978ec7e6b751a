"""Recall by meaning, by hash, by manifest: what must be found, and what must not."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.recall.items import Scope
from memory.recall.search import Recall
from memory.store.preferences import Preferences
from tests.memory.recall.conftest import ZONE, Memory

TALK = [
    "The tax report is due on Friday 12 March at 17:30.",
    "We decided to use Postgres for the archive.",
    "Dr O'Brien moved the backup to a 10 GB/s line, don't ask why.",
    "Зелёная папка с паспортом лежит у Ольги.",
    "Die Schlüssel liegen bei Frau Größmann in der Lindenstraße.",
    "会议设备清单在东京的抽屉里。",
    "書類は大阪の倉庫にある。",
    "회의 자료는 서울 사무실에 있다.",
    "เอกสารการประชุมอยู่ที่กรุงเทพ",
    "موعد طبيب الأسنان يوم الخميس",
    "मेरी गाड़ी की चाबी दराज में है",
    "Bo called about the boat.",
    "The router's address is 10.0.0.12, its serial AB-1234-X.",
    "My dentist's number is +49 170 1234567.",
    "Party at noon 🎉",
]

ASKED = [
    ("When is the tax report due?", 0),
    ("archive database decision postgres", 1),
    ("O'Brien", 2),
    ("OBRIEN", 2),
    ("GB/s", 2),
    ("don't", 2),
    ("где зеленая папка?", 3),
    ("паспорт", 3),
    ("Ольга", 3),
    ("grossmann", 4),
    ("Lindenstrasse", 4),
    ("会议", 5),
    ("清单", 5),
    ("东", 5),
    ("大阪の倉", 6),
    ("회의", 7),
    ("서울", 7),
    ("ประชุม", 8),
    ("طَبِيب", 9),
    ("الموعد", 9),
    ("चाबी", 10),
    ("Bo", 11),
    ("10.0.0.12", 12),
    ("ab1234x", 12),
    ("0170 1234567", 13),
    ("01701234567", 13),
    ("🎉", 14),
    ("5:30 pm", 0),
    ("12.03.", 0),
    ("deadline of the tax reports", 0),
]

SIGNS = st.sampled_from("\"'`*:/()[]{}^-+~.,;!?<>&|%_\\ ")
TYPED = st.text(alphabet=SIGNS | st.characters(codec="utf-8"), max_size=60)
OPERATORS = st.sampled_from(["AND", "OR", "NOT", "NEAR", "NEAR(a b)", "body:", '"', '""', "*", "^x", "x*", "-x"])


async def tell(memory: Memory) -> None:
    """Say everything of the talk, each thing in a talk of its own."""
    for text in TALK:
        await memory.say(text)
        memory.clock.advance(7200)


async def test_every_question_finds_what_was_said_whatever_its_script_or_spelling(memory: Memory) -> None:
    await tell(memory)
    found = {query: await memory.found(query, k=1) for query, _ in ASKED}
    assert found == {query: [TALK[place]] for query, place in ASKED}


@pytest.mark.parametrize(
    "query", ["", " ", '"', "' OR 1=1 --", "NOT", "AND OR", "NEAR(", "*", "a:b", "(", "\0", "\ud800"]
)
async def test_an_odd_query_is_a_literal_search_and_no_error(memory: Memory, query: str) -> None:
    await tell(memory)
    assert (await memory.search(query)).query == query
    assert (await memory.pack(query)).items == []


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TYPED | OPERATORS, max_size=6).map(" ".join))
async def test_no_query_is_ever_read_as_search_syntax(memory: Memory, query: str) -> None:
    await memory.search(query)
    await memory.search(f"{query} tax")


async def test_quoted_text_that_was_said_is_found_by_quoting_it(memory: Memory) -> None:
    await tell(memory)
    for text in TALK:
        assert await memory.found(f'"{text}"', k=1) == [text]


async def test_words_and_stretches_that_were_never_said_find_nothing(memory: Memory) -> None:
    await tell(memory)
    for query in ("xylophone", "qwrtz asdfgh", "火山", "вулкан"):
        assert await memory.found(query) == []


async def test_a_speaker_named_in_the_query_counts_for_more(memory: Memory) -> None:
    await memory.say("I adopted a puppy, a beagle.", author="Maria")
    memory.clock.advance(7200)
    await memory.say("Maria, Maria, puppy, puppy: I adopted a puppy.", author="John")
    memory.clock.advance(7200)
    for number in range(10):
        await memory.say(f"Other things, number {number}.", author="Paul")
    assert await memory.found("Which puppy did Maria adopt?", k=1) == ["I adopted a puppy, a beagle."]


async def test_words_around_a_message_help_to_find_it(memory: Memory) -> None:
    await memory.say("What was the name of the hotel in Lisbon?", role="model")
    await memory.say("Miramar, I think.")
    memory.clock.advance(7200)
    for number in range(10):
        await memory.say(f"Other things, number {number}.")
    assert "Miramar, I think." in await memory.found("hotel Lisbon", k=2)


async def test_scope_is_applied_before_the_list_is_cut(memory: Memory) -> None:
    old = await memory.say("The garden gate code is 12.")
    since = memory.clock.now()
    for number in range(150):
        await memory.say(f"The garden gate squeaks, garden gate, code {number}.", role="model")
    found = await memory.recall.search("garden gate code", k=3, scope=Scope(until=since + timedelta(seconds=1)))
    assert [item.message for item in found.items] == [old]
    found = await memory.recall.search("garden gate code", k=200, scope=Scope(role="user"))
    assert [item.message for item in found.items] == [old]
    found = await memory.recall.search("garden gate code", k=200, scope=Scope(since=since + timedelta(seconds=1)))
    assert len(found.items) == 150
    assert old not in {item.message for item in found.items}


async def test_the_first_note_of_many_is_still_found(memory: Memory) -> None:
    await memory.say("The spare fuse is behind the piano.")
    for number in range(200):
        await memory.say(f"Note {number}: watered the plants.")
    assert await memory.found("where is the fuse?", k=1) == ["The spare fuse is behind the piano."]


async def test_what_lies_beyond_k_is_named(memory: Memory) -> None:
    for number in range(5):
        await memory.say(f"The boiler was serviced, visit {number}.")
    found = await memory.search("boiler", k=2)
    assert len(found.items) == 2
    assert [excluded.reason for excluded in found.excluded] == ["k", "k", "k"]


async def test_a_damaged_segment_is_named_and_never_returned(memory: Memory) -> None:
    message_id = await memory.say("The safe code is 8152.")
    async with memory.db.transaction():
        await memory.db.execute("UPDATE messages SET text = 'The safe code is 9999.' WHERE id = ?", (message_id,))
    found = await memory.search("safe code")
    assert found.items == []
    assert [(excluded.id, excluded.reason) for excluded in found.excluded] == [("s1", "hash")]
    assert [excluded.reason for excluded in (await memory.pack("safe code")).excluded] == ["hash"]


async def test_an_item_names_its_source(memory: Memory) -> None:
    message_id = await memory.say("The safe code is 8152.", ref="D1:3", author="Maria")
    (item,) = (await memory.search("safe code")).items
    assert (item.id, item.layer, item.message, item.turn) == ("s1", "segment", message_id, None)
    assert item.refs == ("D1:3",)
    assert item.at == datetime(2027, 3, 2, 9, 1, tzinfo=UTC)


async def test_an_active_fact_is_found_and_a_superseded_one_is_not(memory: Memory) -> None:
    first = await memory.say("We take MySQL.")
    second = await memory.say("No, we take Postgres.")
    await memory.add_fact("archive database", "MySQL", message_id=first)
    await memory.add_fact("archive database", "Postgres", message_id=second)
    facts = [item for item in (await memory.search("archive database")).items if item.layer == "fact"]
    assert [(item.id, item.text, item.message) for item in facts] == [("f2", "archive database: Postgres", second)]
    everything = await memory.recall.search("MySQL", scope=Scope(layers=frozenset({"fact"})))
    assert everything.items == []


async def test_a_message_whose_fact_has_changed_says_so_in_the_prompt(memory: Memory) -> None:
    first = await memory.say("For the archive database we take MySQL.")
    memory.clock.advance(7200)
    second = await memory.say("For the archive database we take Postgres after all.")
    await memory.add_fact("archive database", "MySQL", message_id=first)
    await memory.add_fact("archive database", "Postgres", message_id=second)
    lines = (await memory.pack("archive database")).text.splitlines()
    assert {line.split("] ")[0].endswith("changed since") for line in lines if "MySQL" in line} == {True}
    assert {line.split("] ")[0].endswith("changed since") for line in lines if "Postgres" in line} == {False}


async def test_a_hash_prefix_of_six_digits_or_more_finds_its_text(memory: Memory) -> None:
    await memory.say("The safe code is 8152.", ref="a")
    await memory.say("Something else.")
    await memory.say("The safe code is 8152.", ref="b")
    sha256 = (await memory.search("safe code")).items[0].sha256
    assert sha256 is not None
    for prefix in (sha256, sha256[:6], sha256[:12].upper()):
        item = await memory.recall.by_hash(prefix)
        assert item is not None
        assert item.text == "The safe code is 8152."
        assert item.refs == ("a", "b")


@pytest.mark.parametrize("prefix", ["", "abc", "zzzzzz", "000000", "%%%%%%", "a" * 65])
async def test_what_is_no_prefix_of_a_hash_finds_nothing(memory: Memory, prefix: str) -> None:
    await memory.say("The safe code is 8152.")
    assert await memory.recall.by_hash(prefix) is None


async def test_a_prefix_of_two_texts_finds_neither(memory: Memory) -> None:
    for text in ("one", "two"):
        await memory.say(text)
    async with memory.db.transaction():
        await memory.db.execute("UPDATE segments SET sha256 = 'abcdef' || substr(sha256, 7)")
    assert await memory.recall.by_hash("abcdef") is None


async def test_a_manifest_gives_what_left_the_prompt_in_order_without_what_was_dropped(memory: Memory) -> None:
    for text in ("First.", "Hello!", "Second.", "Changed."):
        await memory.say(text)
    async with memory.db.transaction():
        await memory.db.execute(
            "INSERT INTO handoffs (id, key, session_id, first_message_id, last_message_id, text, origin, window_chars,"
            " created_at) VALUES (7, 'k', 1, 1, 4, '', 'excerpt', 1, '')"
        )
        await memory.db.execute(
            "INSERT INTO manifest SELECT 7, id, sha256, iif(id = 2, 'DROP', 'KEEP') FROM segments ORDER BY id DESC"
        )
        await memory.db.execute("UPDATE segments SET sha256 = 'x' WHERE id = 4")
    assert [item.text for item in await memory.recall.by_manifest(7)] == ["First.", "Second."]
    assert await memory.recall.by_manifest(8) == []


async def test_an_earlier_identical_question_ranks_behind_what_answers_it(memory: Memory) -> None:
    for text in ("When is the tax report due?", "when is the tax report due ?", "The tax report is due on 12 March."):
        await memory.say(text)

    found = await memory.found("When is the tax report due?")

    assert found[0] == "The tax report is due on 12 March."
    assert len(found) == 3


async def test_a_question_that_says_more_than_the_query_keeps_its_rank(memory: Memory) -> None:
    await memory.say("Did you know that the tax report went to Olga?")
    await memory.say("We spoke about reports.")

    assert (await memory.found("tax report"))[0] == "Did you know that the tax report went to Olga?"


async def test_a_statement_made_twice_is_outdated_in_both_places_once_it_changed(memory: Memory) -> None:
    first = await memory.say("We use Postgres for the archive.")
    again = await memory.say("As I said, Postgres for the archive.")
    later = await memory.say("The archive is on SQLite.")
    await memory.add_fact("archive", "Postgres", message_id=first)
    await memory.add_fact("archive", "Postgres", message_id=again)
    await memory.add_fact("archive", "SQLite", message_id=later)

    found = await memory.search("archive")

    assert {item.message: item.is_outdated for item in found.items if item.layer == "segment"} == {
        first: True,
        again: True,
        later: False,
    }


async def test_a_larger_budget_is_filled_from_further_down_the_list(memory: Memory) -> None:
    for number in range(90):
        await memory.say(f"The garden gate squeaked, entry {number}.")
    few, many = [len((await memory.pack("garden gate", budget_tokens=tokens)).items) for tokens in (900, 3000)]
    assert few <= 40 < 60 < many


async def test_newer_words_rank_higher_where_age_counts(memory: Memory) -> None:
    old = await memory.say("The boiler, the boiler in the cellar, leaks.")
    memory.clock.advance(timedelta(days=90).total_seconds())
    new = await memory.say("Somebody came about the boiler and the chimney, and had a look at all of the roof as well.")
    aged = Recall(memory.db, Preferences(ZONE), memory.clock, recency=0.5)
    assert [item.message for item in (await memory.recall.search("boiler")).items] == [old, new]
    assert [item.message for item in (await aged.search("boiler")).items] == [new, old]
