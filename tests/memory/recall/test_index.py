"""The index: edits, repair, and whatever may go wrong between a text and its terms."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.messages import text_message
from memory.recall.terms import query, terms
from tests.memory.recall.conftest import Memory


async def test_storing_a_message_writes_its_own_rows_only(memory: Memory) -> None:
    for number in range(30):
        await memory.say(f"entry {number}")
    async with memory.db.transaction():
        await memory.db.execute("CREATE TABLE touched (id INTEGER)")
        for event in ("INSERT", "UPDATE"):
            await memory.db.execute(
                f"CREATE TRIGGER note_{event} AFTER {event} ON segment_terms"
                " BEGIN INSERT INTO touched VALUES (new.segment_id); END"
            )
    await memory.say("entry 30")
    assert [row["id"] for row in await memory.db.fetch_all("SELECT id FROM touched")] == [31]


async def test_an_edit_takes_the_place_of_the_version_before_it(memory: Memory) -> None:
    await memory.say("What do you drink?", role="model")
    first = await memory.say("I drink tea.")
    await memory.say("Noted.", role="model")
    await memory.say("I drink coffee.", replaces=first)
    await memory.say("I drink cocoa.", replaces=first)
    assert set(await memory.found("drink")) == {"I drink cocoa.", "What do you drink?", "Noted."}
    assert await memory.found("tea") == []
    assert await memory.found("coffee") == []
    assert await memory.found("cocoa") == ["I drink cocoa.", "Noted.", "What do you drink?"]
    assert [segment.text for segment in await memory.segments.of_messages([first])] == ["I drink tea."]


async def test_each_write_renews_the_epoch(memory: Memory) -> None:
    async with memory.db.transaction():
        await memory.db.execute(
            "INSERT INTO profile (only, space_id, zone, epoch, created_at) VALUES (1, 'x', 'UTC', x'00', '2027-03-02')"
        )
    seen = {b"\0"}
    for text in ("one", "two"):
        message_id = await memory.say(text)
        seen.add((await memory.db.fetch_all("SELECT epoch FROM profile"))[0][0])
    await memory.erase(message_id)
    seen.add((await memory.db.fetch_all("SELECT epoch FROM profile"))[0][0])
    assert len(seen) == 4


async def test_repair_indexes_what_was_stored_without(memory: Memory) -> None:
    async with memory.db.transaction():
        message = text_message("user", "The boiler key hangs in the shed.", memory.clock.now())
        await memory.sessions.append(message, session_id=await memory.sessions.current_session())
    assert await memory.found("boiler key") == []
    assert await memory.segments.repair() == 1
    assert await memory.found("boiler key") == ["The boiler key hangs in the shed."]
    assert await memory.segments.repair() == 0


async def test_repair_indexes_anew_what_older_rules_indexed(memory: Memory) -> None:
    await memory.say("The boiler key hangs in the shed.")
    async with memory.db.transaction():
        await memory.db.execute("UPDATE segment_terms SET body = 'old', normaliser = 0")
    assert await memory.segments.repair() == 1
    assert await memory.found("boiler key") == ["The boiler key hangs in the shed."]


async def test_repair_mends_a_full_text_table_with_missing_or_ghost_rows(memory: Memory) -> None:
    await memory.say("The boiler key hangs in the shed.")
    async with memory.db.transaction():
        await memory.db.execute("INSERT INTO segments_fts (segments_fts) VALUES ('delete-all')")
    assert await memory.found("boiler key") == []
    await memory.segments.repair()
    assert await memory.found("boiler key") == ["The boiler key hangs in the shed."]
    async with memory.db.transaction():
        await memory.db.execute("INSERT INTO segments_fts (rowid, body) VALUES (99, 'ghost')")
    await memory.segments.repair()
    assert await memory.db.fetch_all("SELECT rowid FROM segments_fts WHERE segments_fts MATCH 'ghost'") == []


WORDS = ["apple", "Bahnhof", "отчёт", "会议室", "17:30", "don't"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["say", "edit", "erase"]), st.integers(0, 30), st.lists(st.sampled_from(WORDS), min_size=1)
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
async def test_after_any_writes_the_index_finds_what_a_scan_finds(
    memory: Memory, steps: list[tuple[str, int, list[str]]]
) -> None:
    await _start_over(memory)
    current: dict[int, str] = {}
    newest: dict[int, int] = {}
    for action, pick, words in steps:
        text = " ".join(words)
        if action == "say" or not current:
            place = await memory.say(text)
            current[place], newest[place] = text, place
            continue
        place = sorted(current)[pick % len(current)]
        if action == "edit":
            newest[place] = await memory.say(text, replaces=place)
            current[place] = text
        else:
            await memory.erase(newest[place])
            del current[place]
    for word in WORDS:
        match = " AND ".join(f'body : "{term}"' for term in query(word).wanted)
        rows = await memory.db.fetch_all("SELECT count(*) FROM segments_fts WHERE segments_fts MATCH ?", (match,))
        assert rows[0][0] == sum(set(query(word).wanted) <= set(terms(text)) for text in current.values())
    async with memory.db.transaction():
        await memory.db.execute("INSERT INTO segments_fts (segments_fts, rank) VALUES ('integrity-check', 1)")


async def _start_over(memory: Memory) -> None:
    async with memory.db.transaction():
        for table in ("segment_terms", "segments", "messages"):
            await memory.db.execute(f"DELETE FROM {table}")
