"""A program that kills itself at the n-th commit of a scripted talk and goes on in a new process, for `test_kills`.

For every n, once just before and once just after the commit, a forked process dies by SIGKILL there. A second one, on
the same files, gets every update again (as Telegram would deliver what was not confirmed) and works to the end. One
JSON line a kill says what a member and the database then hold. Forking keeps the imports; nothing runs before a fork.
"""

import asyncio
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

import aiosqlite

from memory.messages import TextPart
from memory.ports import ModelReply, ModelRequest, OnText
from memory.store.entries import Entry
from memory.store.mailbox import OutRow
from tests.bot.turn.house import TaskModel, change, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import calls, extracts, says
from tests.fakes.screen import FakeScreen

TALK = ("Our vet is Dr. Brandt.", "Please remember: the locker code is 4711.", "Who is our vet?")


class Replies(TaskModel):
    """Answers by what it is asked, so that it can be asked again after a crash."""

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == "extract":
            return _extracted(request)
        words = next(m.text for m in reversed(request.messages) if m.role == "user")
        last = request.messages[-1]
        if last.role == "tool":
            return says(f"reply to: {words}")
        if "locker" in words:
            fact = {"kind": "entity", "subject": "locker code", "value": "4711"}
            return calls(("remember", fact), ("clock", {}))
        if words.endswith("?"):
            return calls(("recall", {"query": words}))
        return says(f"reply to: {words}")


def _extracted(request: ModelRequest) -> ModelReply:
    part = request.messages[-1].parts[-1]
    assert isinstance(part, TextPart)
    if "vet is" in part.text:
        return extracts(change("vet", "Dr. Brandt", "Our vet is Dr. Brandt."))
    return extracts()


class FileScreen(FakeScreen):
    """Deliveries outlive the process: what was appended has reached the member."""

    def __init__(self, path: Path) -> None:
        super().__init__(FakeClock())
        self._path = path

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        line = json.dumps({"text": row.message.text, "is_repeat": is_repeat})
        with self._path.open("a") as file:
            file.write(f"{line}\n")
        return await super().deliver(row, is_repeat=is_repeat)


def die_at(number: int, *, after: bool) -> None:
    """Let this process die at its n-th commit. (The library is replaced, not a module of ours.)"""
    original = aiosqlite.Connection.execute_fetchall
    seen = 0

    def watched(self: aiosqlite.Connection, sql: str, *params: Any) -> Any:
        return _watched(self, sql, *params)

    async def _watched(self: aiosqlite.Connection, sql: str, *params: Any) -> Iterable[sqlite3.Row]:
        nonlocal seen
        is_commit = sql == "COMMIT"
        seen += is_commit
        if is_commit and seen == number and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        rows = await original(self, sql, *params)
        if is_commit and seen == number and after:
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

    aiosqlite.Connection.execute_fetchall = watched  # type: ignore[method-assign]


async def talk(home: Path) -> None:
    clock = FakeClock()
    async with house(home, model=Replies(), clock=clock, screen=FileScreen(home / "delivered")) as h:
        await h.runner.drain()
        for number, text in enumerate(TALK):
            entry = Entry(source=f"tg:1:{number}", kind="message", text=text, at=clock.now(), chat_id=1)
            await h.runner.receive(entry)
            await h.runner.drain()


def in_process(
    what: Callable[[Path], Coroutine[Any, Any, None]], home: Path, *, number: int = 0, after: bool = False
) -> bool:
    """Run something in a process of its own; False when it was killed."""
    child = os.fork()
    if child == 0:
        try:
            if number:
                die_at(number, after=after)
            asyncio.run(what(home))
        except BaseException as error:
            sys.stderr.write(f"{error!r}\n")
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return False
    if os.WEXITSTATUS(status):
        raise SystemExit(f"{what.__name__} failed at commit {number}, after={after}")
    return True


def outcome(home: Path) -> dict[str, Any]:
    lines = [json.loads(line) for line in (home / "delivered").read_text().splitlines()]
    db = sqlite3.connect(home / "spaces" / "1" / "memory.db")
    found = {
        "delivered": [line["text"] for line in lines if not line["is_repeat"]],
        "repeated": [line["text"] for line in lines if line["is_repeat"]],
        "said": [text for (text,) in db.execute("SELECT text FROM messages WHERE role = 'user' ORDER BY id")],
        "facts": sorted(value for (value,) in db.execute("SELECT value FROM facts")),
        "open": [
            db.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0]
            for table, where in (
                ("inbox", "state <> 'done'"),
                ("outbox", "state <> 'sent'"),
                ("turns", "state <> 'done'"),
                ("jobs", "state <> 'done'"),
            )
        ],
        "integrity": db.execute("PRAGMA integrity_check").fetchone()[0],
    }
    db.close()
    return found


def main(root: Path) -> None:
    for after in (False, True):
        for number in range(1, 1000):
            home = root / f"{number}-{after}"
            home.mkdir()
            if in_process(talk, home, number=number, after=after):
                break
            in_process(talk, home)
            sys.stdout.write(json.dumps({"commit": number, "after": after, **outcome(home)}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
