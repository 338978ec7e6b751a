"""Forgetting: the word is in no column, no file and no byte of the database, and everything else is as it was."""

from datetime import timedelta
from pathlib import Path

import pytest

from memory.errors import ReaderInTheWay, UnknownId
from memory.forget import effects, plan, rows
from memory.forget.masking import MASK
from memory.ledger.facts import Statement
from memory.messages import CallPart, Message, ResultPart, TextPart, text_message
from memory.store.database import Database
from tests.memory.forget.world import CANARY, QUOTE, TOLD, World, everywhere

LAYERS = {
    *("facts.value", "facts.value_key", "facts.quote", "facts.patterns", "messages.text"),
    *("messages.body", "segment_terms.body", "handoffs.text", "pinned_lines.text"),
    *("journal.text", "turns.block", "inbox.body", "outbox.body"),
}


async def test_a_forgotten_fact_is_in_no_column_no_file_and_no_byte(world: World) -> None:
    fact = await everywhere(world)
    assert set(await world.columns_with("zanzibar")) >= LAYERS, "the canary must stand in every layer first"
    assert world.files_with("zanzibar")
    assert await world.columns_with("77")

    await world.forget(fact.ref)

    for word in ("zanzibar", QUOTE, f"{CANARY}"):
        assert await world.columns_with(word) == {}, word
        assert world.files_with(word) == [], word
    assert await world.space.db.fetch_all("SELECT * FROM fact_terms") == []


async def test_a_forgotten_message_is_in_no_column_no_file_and_no_byte(world: World) -> None:
    await everywhere(world)

    await world.forget("m3")

    for word in ("zanzibar", "safe code is", "good that you ask", "box 9"):
        assert await world.columns_with(word) == {}, word
        assert world.files_with(word) == [], word


async def test_a_forgotten_turn_takes_the_answer_too(world: World) -> None:
    await everywhere(world)

    await world.forget("t2")

    assert await world.columns_with("zanzibar") == {}
    assert await world.columns_with("I see: your safe opens") == {}
    assert [m.text for m in await world.space.sessions.turn_messages(2) if m.text] == [MASK] * 2


async def test_what_was_not_forgotten_stands_unchanged(world: World) -> None:
    fact = await everywhere(world)
    before = await world.space.sessions.messages(range(1, 40))

    await world.forget(fact.ref)

    after = await world.space.sessions.messages(range(1, 40))
    assert [m for m in after if m.turn_id not in (2, 3)] == [m for m in before if m.turn_id not in (2, 3)]
    assert after[2].text == f"Good that you ask: the {MASK}. Box 9 stays in the attic."
    assert "Box 1 stands in the cellar" in (await world.space.journal.text(world.clock.now().date()))
    assert "Box 2 stands in the cellar" in (await world.space.handoffs.handoff(1)).text


async def test_a_touched_turn_is_text_alone(world: World) -> None:
    fact = await everywhere(world)

    await world.forget(fact.ref)

    messages = await world.space.sessions.turn_messages(2)
    parts = [part for message in messages for part in message.parts]
    assert all(isinstance(part, TextPart) and part.signature is None for part in parts)
    assert [m.role for m in messages] == ["user", "model", "tool", "model"]
    assert messages[-1].text == f"I see: your safe opens with {MASK}."


async def test_segments_manifests_and_index_fit_the_new_text(world: World) -> None:
    fact = await everywhere(world)

    await world.forget(fact.ref)

    db = world.space.db
    segments = await world.space.segments.of_messages(range(1, 40))
    assert len(segments) == len(await db.fetch_all("SELECT id FROM segments"))
    reasons = await db.fetch_all("SELECT DISTINCT reason FROM segments WHERE message_id IN (3, 6)")
    assert [row["reason"] for row in reasons] == ["forgotten"]
    stale = "SELECT 1 FROM manifest a JOIN segments s ON s.id = a.segment_id WHERE a.sha256 <> s.sha256"
    assert await db.fetch_all(stale) == []
    async with db.transaction():
        await db.execute("INSERT INTO segments_fts (segments_fts, rank) VALUES ('integrity-check', 1)")
    assert (await world.space.recall.search(CANARY)).items == []


async def test_no_handoff_keeps_the_hash_of_forgotten_words(world: World) -> None:
    """Who guesses the words could prove them by their hash."""
    fact = await everywhere(world)
    (old,) = await world.space.segments.of_messages([3])
    assert old.sha256[:10] in (await world.space.handoffs.handoff(1)).text

    await world.forget(fact.ref)

    assert old.sha256[:10] not in (await world.space.handoffs.handoff(1)).text


async def test_a_forgotten_fact_leaves_a_row_that_says_nothing(world: World) -> None:
    fact = await everywhere(world)

    await world.forget(fact.ref)

    (left,) = await world.space.facts.history()
    assert (left.status, left.subject, left.value, left.quote, left.patterns) == ("forgotten", "", "", "", ())
    assert (left.message_id, left.question) == (None, "")
    assert await world.space.facts.listed() == []
    with pytest.raises(UnknownId):
        await plan(world.space, fact.ref)


async def test_the_receipt_counts_before_and_after(world: World) -> None:
    fact = await everywhere(world)

    words = await world.forget(fact.ref)

    assert words.startswith(f"Forgotten: {fact.ref}. Found before: ")
    assert "1 fact" in words
    assert "1 handoff," in words
    assert "found after: 0" in words


async def test_planning_changes_nothing(world: World) -> None:
    fact = await everywhere(world)
    before = await world.columns_with("zanzibar")

    for ref in (fact.ref, "m3", "t2", "s3"):
        assert (await plan(world.space, ref)).found
    assert await world.columns_with("zanzibar") == before


async def test_a_mention_of_the_members_own_stands_and_is_named(world: World) -> None:
    fact = await everywhere(world)
    async with world.space.db.transaction():
        running = await world.space.sessions.running_turn()
        assert running is not None
        await world.space.sessions.end_turn(running.id, "done")
    await world.turn(f"My cat was born in {CANARY}, believe it or not.", world.answer("A fine place for a cat."))
    (mention,) = [m for m in await world.space.sessions.messages(range(1, 60)) if "My cat" in m.text]

    words = await world.forget(fact.ref)

    assert f"those stay:\n- m{mention.id} “My cat was born in {CANARY}, believe it or not.”" in words
    assert (await world.space.sessions.message(mention.id or 0)).text == mention.text


@pytest.mark.parametrize("held", ["f1", "m1", "s1", "h1"])
async def test_an_answer_goes_when_its_prompt_held_what_is_forgotten(world: World, held: str) -> None:
    await world.turn(f"{TOLD} {'Jam is good. ' * 40}", world.answer("Noted."))
    await world.learn(1)
    await world.turn("Anything else to say about the jam of Aunt Mathilda?", world.answer("Nothing else."))
    await world.compact()
    await world.turn("How do I open it?", world.answer(f"With {CANARY}."), trace=(held,))
    await world.turn("Where was my cat born?", world.answer(f"In {CANARY}, I guess."), trace=("f9",))

    await world.forget("f1")

    said = [message.text for message in await world.space.sessions.messages(range(1, 20)) if message.role == "model"]
    assert said[-2:] == [f"With {MASK}.", f"In {CANARY}, I guess."]


async def test_the_whole_history_of_a_fact_goes(world: World) -> None:
    await world.turn("The deadline is Friday 12 March at 17:30.", world.answer("12 March, half past five: understood."))
    old = await world.learn(
        1, value="12 March at 17:30", quote="The deadline is Friday 12 March at 17:30", subject="deadline"
    )
    await world.turn("The deadline moved to 19 March.", world.answer("So the 19th of March it is, not the 12th."))
    new = await world.learn(3, value="19 March", quote="The deadline moved to 19 March", subject="deadline")
    assert (await world.space.facts.fact(new.id)).replaces == old.id

    await world.forget(new.ref)

    assert await world.columns_with("12 march") == {}
    assert await world.columns_with("19 march") == {}
    assert [fact.status for fact in await world.space.facts.history()] == ["forgotten", "forgotten"]


async def test_a_fact_that_was_said_in_another_message_too_survives_the_message(world: World) -> None:
    await world.turn(f"{QUOTE}.", world.answer("Noted."))
    fact = await world.learn(1)
    await world.turn(f"Again: {QUOTE}!", world.answer("Yes."))
    await world.learn(3)

    await world.forget("m1")

    survivor = await world.space.facts.fact(fact.id)
    assert (survivor.status, survivor.value, survivor.message_id) == ("active", CANARY, 3)


async def test_what_a_forgotten_message_changed_is_no_change_to_undo(world: World) -> None:
    await world.turn(f"{QUOTE}.", world.answer("Noted."))
    fact = await world.learn(1)
    await world.turn("That is over.", world.answer("Yes."))
    async with world.space.db.transaction():
        await world.space.facts.retract(fact.id, at=world.clock.now(), message_id=3)
        await world.space.facts.changes.note_said(fact.id, 3)

    await world.forget("m3")

    assert (await world.space.facts.fact(fact.id)).status == "active"
    assert await world.space.facts.changes.last() is None


async def test_every_version_of_an_edited_message_goes(world: World) -> None:
    await world.turn(f"{QUOTE}.", world.answer("Noted."))
    async with world.space.db.transaction():
        edit = text_message("user", f"{QUOTE}, below the stairs.", world.clock.now())
        stored = await world.space.sessions.append(edit, session_id=1, turn_id=1, replaces=1)
        await world.space.segments.store(stored)

    assert "those stay" not in await world.forget("m1")

    assert await world.columns_with("zanzibar") == {}
    assert await world.columns_with("stairs") == {}


async def test_one_segment_of_a_long_message_goes_alone(world: World) -> None:
    paragraphs = [
        "The attic is full of boxes. " * 100,
        f"By the way, {QUOTE}. " + "So it is. " * 200,
        "The end is near. " * 150,
    ]
    await world.turn("\n\n".join(paragraphs), world.answer("A long letter."))
    segments = await world.space.segments.of_messages([1])
    (secret,) = [segment for segment in segments if CANARY in segment.text]

    await world.forget(f"s{secret.id}")

    text = (await world.space.sessions.message(1)).text
    assert CANARY not in text
    assert text.startswith("The attic is full of boxes.")
    assert text.endswith("The end is near. ")
    assert await world.columns_with("zanzibar") == {}


async def test_files_of_a_forgotten_message_go_unless_another_message_holds_them(world: World) -> None:
    space = world.space
    async with space.db.transaction():
        kept = await space.media.put(b"a photo", "image/jpeg", name=f"{CANARY}.jpg")
        gone = await space.media.put(f"a voice that says {CANARY}".encode(), "audio/ogg")
        session = await space.sessions.current_session()
        for parts in ((kept, gone), (kept,)):
            message = Message(
                role="user", parts=(TextPart(text="Look what I have here."), *parts), at=world.clock.now()
            )
            await space.sessions.append(message, session_id=session)

    await world.forget("m1")

    assert space.media.read(gone.sha256) is None
    assert space.media.read(kept.sha256) == b"a photo"
    assert world.files_with("a voice that says") == []


async def test_a_files_name_goes_with_the_words(world: World) -> None:
    """Of the forgotten message's files, and of one that an answer sent along."""
    space = world.space
    async with space.db.transaction():
        photo = await space.media.put(b"a photo", "image/jpeg", name=f"code {CANARY}.jpg")
        chart = await space.media.put(b"a chart", "image/png", name=f"{CANARY}.png")
    answer = Message(role="model", parts=(TextPart(text="Here you are."), chart), at=world.clock.now(), origin="model")
    await world.turn(TOLD, answer)
    fact = await world.learn(1)
    async with space.db.transaction():
        shown = Message(role="user", parts=(TextPart(text=f"So {QUOTE}."), photo), at=world.clock.now())
        await space.sessions.append(shown, session_id=1, turn_id=1, replaces=1)

    await world.forget(fact.ref)

    assert await world.columns_with("zanzibar") == {}
    assert world.files_with("zanzibar") == []
    assert space.media.read(photo.sha256) == b"a photo"


async def test_an_oversized_result_goes_with_its_turn(world: World) -> None:
    space = world.space
    async with space.db.transaction():
        part = await space.media.put(f"a long page with {CANARY}".encode(), "text/plain")
    call = Message(role="model", parts=(CallPart(call_id="c", name="web"),), at=world.clock.now())
    result = ResultPart(call_id="c", name="web", response={"output": "head … tail"}, whole=part.sha256)
    await world.turn(TOLD, call, Message(role="tool", parts=(result,), at=world.clock.now()))
    fact = await world.learn(1)

    await world.forget(fact.ref)

    assert space.media.read(part.sha256) is None


async def test_a_shortened_quotation_goes_as_well(world: World) -> None:
    await everywhere(world)
    async with world.space.db.transaction():
        await world.space.db.execute(
            "UPDATE handoffs SET text = text || char(10) || 'see “Good that you ask: the safe code is Zan…”'"
        )

    await world.forget("f1")

    assert "Zan" not in (await world.space.handoffs.handoff(1)).text


async def test_a_later_own_statement_counts_and_an_older_source_does_not(world: World) -> None:
    fact = await everywhere(world)

    await world.forget(fact.ref)

    now = world.clock.now()
    assert await world.tombstones.covers("ana", TOLD, said_at=now - timedelta(days=30))
    assert not await world.tombstones.covers("ana", TOLD, said_at=now + timedelta(minutes=1))
    assert not await world.tombstones.covers("ben", TOLD, said_at=now - timedelta(days=30))


async def test_an_imported_source_takes_the_answer_behind_it_along(world: World) -> None:
    space = world.space
    async with space.db.transaction():
        for role, text in (("user", TOLD), ("model", f"So it is {CANARY}."), ("user", "Thanks"), ("model", "Bye")):
            said = Message(role=role, parts=(TextPart(text=text),), at=world.clock.now(), origin="import")
            await space.segments.store(await space.sessions.append(said, session_id=None))
    fact = await world.learn(1)

    await world.forget(fact.ref)

    assert await world.columns_with("zanzibar") == {}
    assert [m.text for m in await space.sessions.messages([3, 4])] == ["Thanks", "Bye"]


async def test_a_short_word_does_not_tear_other_words_apart(world: World) -> None:
    await world.turn("ok", world.answer("Booking is ok, ok?"))
    await world.turn("Anything else?", world.answer("It is ok so far."), trace=("m1",))

    await world.forget("m1")

    assert (await world.space.sessions.message(2)).text == "Booking is ok, ok?"
    assert (await world.space.sessions.message(4)).text == "It is ok so far."


async def test_a_pattern_that_matches_anything_masks_nothing(world: World) -> None:
    await world.turn("My favourite colour is green.", world.answer("Green is a fine colour for a boat."))
    async with world.space.db.transaction():
        await world.space.facts.add(
            Statement(
                kind="user_attribute",
                subject="favourite colour",
                value="green",
                quote="My favourite colour is green",
                question="What is the favourite colour?",
                patterns=(".*", "colour", "(", "gr[ea]{1,2}n"),
                since=world.clock.now(),
                message_id=1,
            )
        )

    await world.forget("f1")

    assert (await world.space.sessions.message(2)).text == f"{MASK} is a fine colour for a boat."


async def test_effects_wait_for_a_reader_and_can_be_repeated(world: World, tmp_path: Path) -> None:
    fact = await everywhere(world)
    async with world.space.db.transaction():
        await rows(world.space, await plan(world.space, fact.ref), world.tombstones)
    reader = await Database.open(
        world.space.db.path, "memory", clock=world.clock, backups=tmp_path / "backups", read_only=True
    )
    await reader._connection.execute("BEGIN")
    await reader.fetch_all("SELECT * FROM messages")
    await world.space.db.fetch_all("PRAGMA busy_timeout=100")
    with pytest.raises(ReaderInTheWay):
        await effects(world.space)
    await reader.close()

    for _ in range(2):
        assert (await effects(world.space)).words().startswith("Erased:")
    assert world.files_with("zanzibar") == []


async def test_the_index_keeps_no_word_of_it_either(world: World) -> None:
    """A deleted term stands in the pages of a full-text index until they are merged."""
    pages = "SELECT 1 FROM segments_fts_data WHERE instr(block, CAST('zanzibar' AS BLOB))"
    await world.turn(TOLD, world.answer("Noted."))
    async with world.space.db.transaction():
        await rows(world.space, await plan(world.space, "m1"), world.tombstones)
    assert await world.space.db.fetch_all(pages)

    await effects(world.space)

    assert await world.space.db.fetch_all(pages) == []


async def test_a_failure_within_the_rows_forgets_nothing(world: World) -> None:
    fact = await everywhere(world)
    before = await world.columns_with("zanzibar")
    async with world.space.db.transaction():
        await world.space.db.execute(
            "CREATE TRIGGER broken BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'broken'); END"
        )

    with pytest.raises(Exception, match="broken"):
        await world.forget(fact.ref)

    assert await world.columns_with("zanzibar") == before


@pytest.mark.parametrize("body", [f'{{"text": "Again: {CANARY}"', f'{{"kind": "odd", "text": "Again: {CANARY}"}}'])
async def test_what_was_given_up_or_cannot_be_read_is_masked_too(world: World, body: str) -> None:
    fact = await everywhere(world)
    async with world.space.db.transaction():
        await world.space.db.execute(
            "INSERT INTO inbox (source, kind, state, body, received_at) VALUES ('tg:1', 'message', 'dead', ?, '2027')",
            (body,),
        )
        await world.space.db.execute("UPDATE outbox SET body = ? WHERE id = (SELECT min(id) FROM outbox)", (body,))

    await world.forget(fact.ref)

    assert world.files_with("zanzibar") == []


async def test_an_extraction_that_waits_for_a_forgotten_message_is_called_off(world: World) -> None:
    await world.turn(TOLD, world.answer("Noted."))
    async with world.space.db.transaction():
        await world.space.jobs.add("extract", "extract:1", {"message": 1})

    await world.forget("m1")

    assert await world.space.jobs.waiting_reads() == {}


@pytest.mark.parametrize("ref", ["f7", "m700", "s700", "t700", "x1", "", "f", "m-1", "12", "f1; DROP TABLE facts"])
async def test_an_unknown_id_says_so(world: World, ref: str) -> None:
    with pytest.raises(UnknownId):
        await plan(world.space, ref)
