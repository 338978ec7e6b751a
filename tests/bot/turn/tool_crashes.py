"""A program that kills itself at the n-th commit of a turn that works with files and the web; for its kill test.

Just before each commit: what reaches beyond the database has happened by then. A new process goes on with the same
files, and one JSON line a kill says what the folder, the member and the world outside then hold.
"""

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

from memory.ports import ModelReply, ModelRequest, OnText
from memory.store.entries import Entry
from tests.bot.turn.crashes import FileScreen, in_process
from tests.bot.turn.house import TaskModel, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import calls, extracts, says

PATH, TEXT = "trips/lisbon.md", "Tram 28\n"


class Replies(TaskModel):
    """Searches the web, writes and sends a file in one step, and answers; every search leaves a trace outside."""

    def __init__(self, outside: Path) -> None:
        super().__init__()
        self._outside = outside

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task == "web":
            with self._outside.open("a") as file:
                file.write("searched\n")
            return says("Tram 28 goes there.")
        if request.task == "extract":
            return extracts()
        if request.messages[-1].role == "tool":
            return says("There you are.")
        write = {"action": "write", "path": PATH, "text": TEXT}
        return calls(("web_search", {"query": "tram"}), ("files", write), ("files", {"action": "send", "path": PATH}))


async def talk(home: Path) -> None:
    clock = FakeClock()
    model, screen = Replies(home / "outside"), FileScreen(home / "delivered")
    async with house(home, model=model, clock=clock, screen=screen) as h:
        await h.runner.drain()
        entry = Entry(source="tg:1:1", kind="message", text="Note the tram.", at=clock.now(), chat_id=1)
        await h.runner.receive(entry)
        await h.runner.drain()


def outcome(home: Path) -> dict[str, Any]:
    lines = [json.loads(line) for line in (home / "delivered").read_text().splitlines()]
    folder = home / "spaces" / "1"
    db = sqlite3.connect(folder / "memory.db")
    found = {
        "delivered": [line["text"] for line in lines if not line["is_repeat"]],
        "repeated": [line["text"] for line in lines if line["is_repeat"]],
        "searches": len((home / "outside").read_text().splitlines()) if (home / "outside").exists() else 0,
        "was_cut_off": "may have happened" in "".join(body for (body,) in db.execute("SELECT body FROM messages")),
        "files": {
            str(path.relative_to(folder / "files")): path.read_text()
            for path in (folder / "files").rglob("*")
            if path.is_file()
        },
        "open": db.execute(
            "SELECT (SELECT count(*) FROM calls_under_way) + (SELECT count(*) FROM outbox WHERE state <> 'sent')"
        ).fetchone()[0],
    }
    db.close()
    return found


def main(root: Path) -> None:
    for number in range(1, 100):
        home = root / str(number)
        home.mkdir()
        if in_process(talk, home, number=number):
            break
        in_process(talk, home)
        sys.stdout.write(json.dumps({"commit": number, **outcome(home)}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
