"""A program that kills itself at the n-th commit while a reminder is set and rings, for `test_reminder_kills`.

For every n, once just before and once just after the commit, a forked process dies by SIGKILL there; a second one, on
the same files and with the same updates, works to the end. One JSON line a kill says what then holds.
"""

import json
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

from memory.store.entries import Entry
from tests.bot.turn.crashes import FileScreen, in_process
from tests.bot.turn.house import house
from tests.fakes.clock import FakeClock

RINGS = "⏰ pills"


async def prepare(home: Path) -> None:
    """Make the files, so that the kills fall into what is looked at and not into the making of a schema."""
    async with house(home):
        pass


async def ring(home: Path) -> None:
    clock = FakeClock()
    async with house(home, clock=clock, screen=FileScreen(home / "delivered")) as h:
        entry = Entry(source="tg:1:1", kind="command", text="/remind daily at 10:20 pills", at=clock.now(), chat_id=1)
        await h.runner.receive(entry)
        await h.runner.drain()
        clock.advance(1200)
        await h.runner.drain()


def outcome(home: Path) -> dict[str, Any]:
    lines = [json.loads(line) for line in (home / "delivered").read_text().splitlines()]
    db = sqlite3.connect(home / "spaces" / "1" / "memory.db")
    found = {
        "delivered": [line["text"] for line in lines if not line["is_repeat"]],
        "repeated": [line["text"] for line in lines if line["is_repeat"]],
        "reminders": db.execute("SELECT text, state, next_at FROM reminders ORDER BY id").fetchall(),
        "open": db.execute("SELECT count(*) FROM outbox WHERE state <> 'sent'").fetchone()[0],
    }
    db.close()
    return found


def main(root: Path) -> None:
    (root / "made").mkdir()
    in_process(prepare, root / "made")
    for after in (False, True):
        for number in range(1, 1000):
            home = root / f"{number}-{after}"
            shutil.copytree(root / "made", home)
            if in_process(ring, home, number=number, after=after):
                break
            in_process(ring, home)
            sys.stdout.write(json.dumps({"commit": number, "after": after, **outcome(home)}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
