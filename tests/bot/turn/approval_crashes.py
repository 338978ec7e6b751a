"""A program that kills itself at the n-th commit between a question, its answer and what comes of it; for a kill test.

Just before each commit: what reaches beyond the database has happened by then. A new process goes on with the same
files and gets every update again, and one JSON line a kill says what the member and the world outside then hold.
"""

import json
import shutil
import sqlite3
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from memory.ports import ModelReply, ModelRequest, OnText
from memory.store.entries import Entry
from memory.store.mailbox import OutRow
from tests.bot.turn.crashes import FileScreen, in_process
from tests.bot.turn.house import TaskModel, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import calls, extracts, says
from tools.approval import ASKED
from tools.tool import Arguments, Context, Effect, Tool

SAID = (("message", "Ring the bell, please."), ("command", "/approve a1"))


class BellArguments(Arguments):
    times: int


@dataclass
class BellTool(Tool):
    """Reaches beyond the program: every call leaves a trace outside."""

    outside: Path
    name: ClassVar[str] = "bell"
    description: ClassVar[str] = "Rings the bell."
    help_line: ClassVar[str] = "ring the bell"
    arguments: ClassVar[type[Arguments]] = BellArguments
    effect: ClassVar[Effect] = "external"

    async def asks(self, arguments: BellArguments, context: Context) -> bool:
        return True

    async def run(self, arguments: BellArguments, context: Context) -> dict[str, Any]:
        with self.outside.open("a") as file:
            file.write("rang\n")
        return {"rang": arguments.times}


class Replies(TaskModel):
    """Answers by what it is asked, so that it can be asked again after a crash."""

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task != "chat":
            return extracts()
        newest = request.messages[-1]
        if newest.role == "user":
            return calls(("bell", {"times": 1}))
        (result,) = newest.results
        return says("Asked." if ASKED in result.response else "Told.")


class NumberingScreen(FileScreen):
    """Puts each message where no other stands, also after a restart."""

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        place = row.place or f"tg:1:{1000 + row.id}"
        return await super().deliver(row.model_copy(update={"place": place}), is_repeat=is_repeat)


async def lay(home: Path) -> None:
    """Make the files, so that every kill falls into the talk."""
    async with house(home):
        pass


async def talk(home: Path) -> None:
    clock = FakeClock()
    tools = (BellTool(home / "outside"),)
    screen = NumberingScreen(home / "delivered")
    async with house(home, model=Replies(), clock=clock, screen=screen, tools=tools) as h:
        await h.runner.drain()
        for number, (kind, text) in enumerate(SAID):
            entry = Entry(source=f"tg:1:{number}", kind=kind, text=text, at=clock.now(), chat_id=1)
            await h.runner.receive(entry)
            await h.runner.drain()


def outcome(home: Path) -> dict[str, Any]:
    lines = [json.loads(line) for line in (home / "delivered").read_text().splitlines()]
    db = sqlite3.connect(home / "spaces" / "1" / "memory.db")
    found = {
        "delivered": [line["text"].partition("\n")[0] for line in lines if not line["is_repeat"]],
        "repeated": [line["text"].partition("\n")[0] for line in lines if line["is_repeat"]],
        "rings": len((home / "outside").read_text().splitlines()) if (home / "outside").exists() else 0,
        "was_cut_off": "may have happened" in "".join(body for (body,) in db.execute("SELECT body FROM messages")),
        "approvals": db.execute("SELECT state, outcome_turn_id FROM approvals").fetchall(),
        "in_doubt": db.execute("SELECT count(*) FROM calls_in_doubt").fetchone()[0],
        "open": [
            db.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0]
            for table, where in (
                ("inbox", "state <> 'done'"),
                ("outbox", "state <> 'sent'"),
                ("turns", "state <> 'done'"),
                ("calls_under_way", "1"),
            )
        ],
    }
    db.close()
    return found


def main(root: Path) -> None:
    empty = root / "empty"
    empty.mkdir()
    in_process(lay, empty)
    for number in range(1, 100):
        home = root / str(number)
        shutil.copytree(empty, home)
        if in_process(talk, home, number=number):
            break
        in_process(talk, home)
        sys.stdout.write(json.dumps({"commit": number, **outcome(home)}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
