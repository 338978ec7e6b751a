"""Forgetting from the chat: several ids, everything with a word, and what is under way meanwhile."""

import asyncio
import re
import shutil
from pathlib import Path

from bot.__main__ import Remembrancer
from bot.settings import Settings
from memory.store.database import Database
from memory.store.tombstones import Tombstones
from tests.bot.turn.house import House, TaskModel, change, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, extracts, says

VET = change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.")


async def command(h: House, text: str) -> str:
    """Send a command and return the first answer to it."""
    before = len(h.screen.delivered)
    await h.say(text, kind="command")
    return h.screen.delivered[before]


def chats(turns: int) -> TaskModel:
    return TaskModel(ScriptedModel([says("ok")] * turns))


def files_with(home: Path, word: str) -> list[str]:
    paths = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in paths if word.casefold().encode() in path.read_bytes().lower()]


async def test_several_ids_go_together_and_each_has_its_receipt(tmp_path: Path) -> None:
    model = TaskModel(ScriptedModel([says("ok")] * 2), ScriptedModel([extracts(VET), extracts()]))
    async with house(tmp_path, model=model) as h:
        await h.say("Our vet is Dr. Brandt.")
        await h.say("The kayak lies in Lindau.")
        answer = await command(h, "/forget m1, m3 f1")
        assert [line.split(".")[0] for line in answer.splitlines() if line.startswith("Forgotten")] == [
            "Forgotten: m1, and with it what I noted from it (f1)",
            "Forgotten: m3",
        ]
        assert files_with(tmp_path, "brandt") == files_with(tmp_path, "kayak") == []


async def test_a_receipt_stays_readable_in_whichever_language_it_was_given(tmp_path: Path) -> None:
    async with house(tmp_path, model=chats(1)) as h:
        await h.say("The kayak lies in Lindau.")
        await command(h, "/settings language de")
        told = await command(h, "/forget m1")
        assert told.startswith("Vergessen: m1. Vorher gefunden: 1 Nachricht")
        await command(h, "/settings language en")
        await command(h, "/forget m1")
        rows = await h.space.db.fetch_all("SELECT json_extract(body, '$.text') AS text FROM outbox")
        assert told in [row["text"] for row in rows]


async def test_one_wrong_id_and_nothing_is_forgotten_not_even_by_the_next_import(tmp_path: Path) -> None:
    async with house(tmp_path, model=chats(1)) as h:
        said_at = h.clock.now()
        await h.say("The kayak lies in Lindau.")
        assert "there is no m77" in (await command(h, "/forget m1 m77")).lower()
        assert "kayak" in await command(h, "/recall kayak")
        shared = await Database.open(tmp_path / "bot.db", "bot", clock=h.clock, backups=tmp_path)
        assert not await Tombstones(shared, h.clock).covers("1", "The kayak lies in Lindau.", said_at=said_at)
        await shared.close()


async def test_everything_goes_only_with_the_word_that_was_shown(tmp_path: Path) -> None:
    async with house(tmp_path, model=chats(3)) as h:
        assert "nothing to forget" in await command(h, "/forget everything")
        await h.say("The kayak lies in Lindau.")
        asked = await command(h, "/forget everything")
        assert "2 messages" in asked
        (shown,) = re.findall(r"`(/forget everything [a-z]+)`", asked)
        assert "not the word" in await command(h, "/forget everything yes")
        await h.say("And the canoe in Bregenz.")
        assert "not the word" in await command(h, shown), "something new was said since"
        (shown,) = re.findall(r"`(/forget everything [a-z]+)`", await command(h, "/forget everything"))

        answer = await command(h, shown)

        assert re.fullmatch(r"Forgotten: everything\. Found before: .*4 messages.*; found after: 0\.", answer)
        assert h.screen.delivered[-1].startswith("Erased: ")
        assert files_with(tmp_path, "kayak") == files_with(tmp_path, "canoe") == []
        await h.say("Hello again.")
        (again,) = [m.text for m in h.model.chat.requests[-1].messages if m.role == "user"]
        assert again == "Hello again."


async def test_a_forgetting_that_comes_while_a_turn_runs_takes_its_answer_too(tmp_path: Path) -> None:
    may_answer = asyncio.Event()

    class Slow(TaskModel):
        async def generate(self, request, *, on_text=None):  # type: ignore[no-untyped-def]
            if request.task == "chat":
                await may_answer.wait()
            return await super().generate(request, on_text=on_text)

    async with house(tmp_path, model=Slow(ScriptedModel([says("The kayak, in Lindau, I see.")]))) as h:
        h.runner.start()
        await h.receive("The kayak lies in Lindau.")
        await h.receive("/forget t1", kind="command")
        may_answer.set()
        await h.screen.until(3)

        assert [text.split(":")[0] for text in h.screen.delivered[1:]] == ["Forgotten", "Erased"]
        assert files_with(tmp_path, "kayak") == []


async def test_a_memory_that_is_opened_after_a_restore_forgets_again(tmp_path: Path) -> None:
    backup = tmp_path / "backups" / "older.db"
    async with house(tmp_path, model=chats(1)) as h:
        await h.say("The kayak lies in Lindau.")
        await h.space.db.backup_to(backup)
        await h.say("/forget m1", kind="command")
    for path in (tmp_path / "spaces" / "1").glob("memory.db*"):
        path.unlink()
    shutil.move(backup, tmp_path / "spaces" / "1" / "memory.db")
    app = Remembrancer(Settings.model_validate({"REMEMBRANCER_HOME": str(tmp_path)}))
    app.clock = FakeClock()

    async with app.open_space("1", read_only=False) as space:
        assert "kayak" not in (await space.sessions.message(1)).text
        job = await space.jobs.next_ready()
        assert job is not None
        assert job.kind == "forget_effects"
