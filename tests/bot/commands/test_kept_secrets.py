"""A secret said in words is not stored; for ten minutes the member can have it kept, as a private fact."""

import asyncio
import json
from pathlib import Path

from bot.commands.kept_secrets import GONE, NO_MESSAGE, NOTHING_HELD, TAKEN_BACK
from bot.terminal import Chat
from bot.views import facts_json
from memory.forget import confirmation
from memory.ledger.facts import Statement
from memory.store.entries import EntryKind
from memory.store.held_secrets import HELD_S
from memory.store.redaction import Redactor, strip_hidden
from memory.store.spoken_secrets import find_spoken
from tests.bot.turn.house import House, TaskModel, house
from tests.fakes.model import ScriptedModel, says

SECRET = "plum-otter-9"
SAID = f"My wifi password is {SECRET}, the router is upstairs."


def model(turns: int = 1) -> TaskModel:
    return TaskModel(ScriptedModel([says("ok")] * turns))


async def tell(h: House, text: str = SAID, *, kind: EntryKind = "message", **more: object) -> str:
    """Say something as it comes in from a chat, and return the source of the entry."""
    redacted = Redactor(()).redact(strip_hidden(text))
    await h.say(
        redacted.text,
        kind=kind,
        secrets=redacted.spoken,
        has_offer=bool(redacted.spoken),
        notices=("Not stored: a password.",) if redacted.kinds else (),
        author_id=7,
        **more,
    )
    (source,) = await h.space.db.fetch_all("SELECT source FROM inbox ORDER BY id DESC LIMIT 1")
    return str(source["source"])


async def press(h: House, source: str, *, author_id: int = 7) -> str:
    await h.say("", kind="press", press=f"keep-secret:{source}", author_id=author_id)
    return h.screen.delivered[-1]


def bytes_under(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())


async def test_what_was_masked_stands_nowhere_and_the_notice_offers_to_keep_it(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        source = await tell(h)

        assert SECRET.encode() not in bytes_under(tmp_path)
        assert SECRET not in str(h.model.chat.requests)
        (notice,) = (row for row in h.screen.rows if row.message.text.startswith("Not stored"))
        assert [button.data for row in notice.message.buttons for button in row] == [f"keep-secret:{source}"]
        assert len(f"keep-secret:{source}".encode()) <= 64


async def test_a_press_keeps_it_as_a_private_fact_of_the_prompt(tmp_path: Path) -> None:
    async with house(tmp_path, model=model(2)) as h:
        told = await press(h, await tell(h))
        assert told.startswith("🔒 Kept as a private fact: wifi password · f1")
        assert SECRET not in told

        (fact,) = await h.space.facts.active()
        assert (fact.subject, fact.value, fact.private) == ("wifi password", SECRET, True)
        assert fact.quote in (await h.space.sessions.message(fact.message_id or 0)).text
        assert facts_json([fact])["facts"][0]["private"] is True
        await h.say("What is the wifi password?", author_id=7)
        assert f"- [entity] wifi password: {SECRET}" in (h.model.chat.requests[-1].memory_block or "")
        await h.say("/facts", kind="command")
        assert f"wifi password: {SECRET} 🔒" in h.screen.delivered[-1]


async def test_a_second_press_says_what_is_kept_and_writes_nothing(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        source = await tell(h)
        first = await press(h, source)

        assert await press(h, source) == first
        h.clock.advance(HELD_S)
        assert await press(h, source) == first
        assert len(await h.space.facts.history()) == 1


async def test_keeping_can_be_undone_and_then_a_press_brings_nothing_back(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        source = await tell(h)
        await press(h, source)
        assert [button.text for row in h.screen.rows[-1].message.buttons for button in row] == ["Undo"]
        await h.say("/undo", kind="command", author_id=7)
        assert await h.space.facts.active() == []

        assert await press(h, source) == TAKEN_BACK
        assert await h.space.facts.active() == []


async def test_after_ten_minutes_the_button_asks_to_send_it_again(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        source = await tell(h)
        h.clock.advance(600)

        assert await press(h, source) == GONE
        assert await h.space.facts.history() == []


async def test_just_before_ten_minutes_are_over_it_is_kept(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        source = await tell(h)
        h.clock.advance(599)

        assert "wifi password · f1" in await press(h, source)


async def test_a_restart_lets_go_of_what_was_held(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        source = await tell(h)
    async with house(tmp_path) as h:
        await h.say("", kind="press", press=f"keep-secret:{source}", author_id=7, source="tg:1:99")
        assert h.screen.delivered[-1] == GONE


async def test_what_is_held_goes_by_itself_when_its_time_has_come(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        await tell(h)
        assert h.space.held.next_time() is not None
        h.clock.advance(HELD_S)
        h.runner.start()
        async with asyncio.timeout(10):
            while h.space.held.next_time() is not None:
                await h.clock.sleep(0)


async def test_only_who_said_it_can_have_it_kept(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        source = await tell(h)

        assert await press(h, source, author_id=8) == GONE
        await h.say("/keepsecret", kind="command", author_id=8)
        assert h.screen.delivered[-1] == NOTHING_HELD
        assert await h.space.facts.history() == []


async def test_the_command_keeps_the_newest_without_a_button(tmp_path: Path) -> None:
    async with house(tmp_path, model=model(2)) as h:
        await tell(h, "The NAS password is Quince#4.")
        await tell(h)
        await h.say("/keepsecret", kind="command", author_id=7)

        assert [fact.value for fact in await h.space.facts.active()] == [SECRET]


async def test_several_secrets_of_one_message_are_kept_together(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        told = await press(h, await tell(h, f"{SAID} The NAS password is Quince#4."))

        assert "wifi password · f1" in told
        assert "NAS password · f2" in told
        assert [fact.value for fact in await h.space.facts.active()] == [SECRET, "Quince#4"]


async def test_a_new_password_takes_the_place_of_the_old_one_capitals_counting(tmp_path: Path) -> None:
    async with house(tmp_path, model=model(2)) as h:
        await press(h, await tell(h))
        h.clock.advance(60)
        await press(h, await tell(h, "The wifi password is now Plum-Otter-9."))

        assert [(fact.value, fact.status) for fact in await h.space.facts.history()] == [
            (SECRET, "superseded"),
            ("Plum-Otter-9", "active"),
        ]


async def test_a_new_value_of_a_private_subject_is_private_however_it_came(tmp_path: Path) -> None:
    async with house(tmp_path, model=model(2)) as h:
        await press(h, await tell(h))
        h.clock.advance(60)
        await h.say("It is opensesame now.")
        message = await h.space.sessions.message_at("tg:1:3")
        assert message is not None
        assert message.id is not None
        plain = Statement(
            "entity", "wifi password", "opensesame", "It is opensesame now.", "?", (), message.at, message.id
        )
        async with h.space.db.transaction():
            fact = await h.space.facts.add(plain)

        assert (fact.value, fact.private) == ("opensesame", True)


async def test_a_remembered_secret_can_be_kept_too(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        source = await tell(h, f"/remember the wifi password is {SECRET}", kind="command")

        assert "wifi password · f1" in await press(h, source)


async def test_nothing_is_kept_of_a_message_that_was_forgotten_meanwhile(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        source = await tell(h)
        await h.say("/forget m1", kind="command")

        assert "f1" not in await press(h, source)
        assert SECRET.encode() not in bytes_under(tmp_path)


async def test_forgetting_everything_lets_go_of_what_was_held_too(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        await tell(h)
        await h.say(f"/forget everything {await confirmation(h.space)}", kind="command")

        assert h.space.held.next_time() is None


async def test_a_secret_in_what_is_not_kept_as_a_message_cannot_be_kept(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        assert await press(h, await tell(h, f"/recall password {SECRET}", kind="command")) == NO_MESSAGE


async def test_an_edit_that_changes_only_the_secret_can_be_kept(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        await tell(h, message_id=50)
        source = await tell(h, SAID.replace("9", "8"), kind="edit", message_id=50)
        await press(h, source)

        assert [fact.value for fact in await h.space.facts.active()] == ["plum-otter-8"]


async def test_forgetting_a_kept_secret_takes_it_from_the_disk(tmp_path: Path) -> None:
    async with house(tmp_path, model=model()) as h:
        await press(h, await tell(h))
        assert SECRET.encode() in bytes_under(tmp_path)
        await h.say("/forget f1", kind="command")

        assert SECRET.encode() not in bytes_under(tmp_path)


async def test_an_entry_with_a_secret_shows_it_in_no_form(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        chat = Chat(h.runner, Redactor(()), make_id=lambda: "1")
        entry = chat._entry(SAID)

        assert [secret.value for secret in entry.secrets] == [find_spoken(SAID)[0].value]
        assert "/keepsecret" in entry.notices[0]
        for shown in (repr(entry), str(entry), entry.model_dump_json(), json.dumps(entry.model_dump(), default=str)):
            assert SECRET not in shown
