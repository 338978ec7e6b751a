"""A program that kills itself at the n-th commit of a compaction and goes on in a new process; for its kill test.

One talk is prepared and copied for each kill, just after the commit, before anything outside follows from it. (What a
kill just before a commit does to deliveries is the business of `crashes`.) One JSON line a kill says what the memory
and the member then hold. Forking keeps the imports; nothing runs before a fork.
"""

import json
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

from bot.turn.agent import Limits
from memory.ports import ModelReply, ModelRequest, OnText
from memory.store.entries import Entry
from tests.bot.turn.crashes import FileScreen, in_process
from tests.bot.turn.house import TaskModel, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import extracts, says

TURNS = 8
LIMITS = Limits(compact_at_tokens=50_000)


class Replies(TaskModel):
    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == "extract":
            return extracts()
        return says("" if request.task == "summarise" else "I see.")


def words(number: int) -> str:
    return f"On day {number} we looked at a house. " + "Then we talked about its garden at length and had tea. " * 30


async def prepare(home: Path) -> None:
    clock = FakeClock()
    async with house(home, model=Replies(), clock=clock, screen=FileScreen(home / "delivered"), limits=LIMITS) as h:
        for number in range(TURNS):
            await h.say(words(number))
        (home / "delivered").write_text("")
        entry = Entry(source="tg:1:compact", kind="command", text="/compact now", at=clock.now(), chat_id=1)
        await h.runner.receive(entry)


async def go_on(home: Path) -> None:
    screen = FileScreen(home / "delivered")
    async with house(home, model=Replies(), clock=FakeClock(), screen=screen, limits=LIMITS) as h:
        await h.runner.drain()


def outcome(home: Path) -> dict[str, Any]:
    lines = [json.loads(line) for line in (home / "delivered").read_text().splitlines()]
    db = sqlite3.connect(home / "spaces" / "1" / "memory.db")
    counts = {
        table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("handoffs", "journal", "manifest")
    }
    found = {
        **counts,
        "texts": db.execute("SELECT count(*) FROM messages").fetchone()[0],
        "open": db.execute("SELECT count(*) FROM jobs WHERE state <> 'done'").fetchone()[0],
        "told": [line["text"] for line in lines if not line["is_repeat"]],
        "repeated": sum(line["is_repeat"] for line in lines),
        "files": sorted(path.name for path in (home / "spaces" / "1" / "journal").glob("*")),
    }
    db.close()
    return found


def main(root: Path) -> None:
    talk = root / "talk"
    talk.mkdir()
    in_process(prepare, talk)
    for number in range(1, 100):
        home = root / str(number)
        shutil.copytree(talk, home)
        if in_process(go_on, home, number=number, after=True):
            break
        in_process(go_on, home)
        sys.stdout.write(json.dumps({"commit": number, **outcome(home)}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
