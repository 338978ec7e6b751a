"""The house of the day: the program in its own process, its people, and a clock that they move."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from sqlite3 import OperationalError, connect
from typing import Any
from zoneinfo import ZoneInfo

from memory.store.database import to_utc_text
from tests.day import brain
from tests.day.clock import SharedClock
from tests.day.transcript import Deed, bots, rendered
from tests.fakes.gemini import FakeGemini, Request
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_world import Shown
from tests.program import Program

JONAS, MIA, FAMILY = 4242, 4343, -100_777
NAMES = {JONAS: "Jonas", MIA: "Mia"}
CHATS = {JONAS: "Jonas, private chat", MIA: "Mia, private chat", FAMILY: "the group “Family”"}
ZONE = ZoneInfo("Europe/Berlin")
KEY = "AIza-not-a-key-of-anybody-0123456789abc"
NAME = "@remembrancer_bot"
QUIET_S = 1.0
"""How long the pieces of an album are waited for."""
WAIT_S = 60.0
LOOK_S = 0.05
"""Who waits for the program looks so often: it needs the processor more than we do."""


class Day:
    """A day of a family with the program. Times are those of their clocks."""

    def __init__(
        self, program: Program, telegram: FakeTelegram, gemini: FakeGemini, clock: SharedClock, notes: brain.Notes
    ) -> None:
        self.program = program
        self.telegram = telegram
        self.gemini = gemini
        self.clock = clock
        self.notes = notes
        self._deeds: list[Deed] = []

    # The clock

    def at(self, clock: str, *, day: int = 27) -> None:
        """Let it become a time of a day of March."""
        hour, minute = map(int, clock.split(":"))
        self.clock.move_to(datetime(2027, 3, day, hour, minute, tzinfo=ZONE))

    def pass_by(self, seconds: float) -> None:
        self.clock.move_to(datetime.fromtimestamp(self.clock.now().timestamp() + seconds, ZONE))

    # What people do

    def say(self, who: int, text: str | None, *, shown: str = "", chat_id: int | None = None, **fields: Any) -> int:
        """Send a message and return its id; `shown` is how the transcript tells what is no text."""
        chat = who if chat_id is None else chat_id
        self.telegram.say(who, text, chat_id=chat, **fields)
        newest = [message for message in self.telegram.messages(chat) if not message.is_bots][-1].message_id
        caption = fields.get("caption", "")
        self._note(newest, chat, NAMES[who], "\n".join(filter(None, [shown, text, caption])))
        return newest

    def ask(self, who: int, text: str | None, **fields: Any) -> list[Shown]:
        """Send a message, wait until all is done that follows, and return what came in that chat."""
        chat = int(fields.get("chat_id") or who)
        known = self._ids(chat)
        self.say(who, text, **fields)
        self.rest()
        return self._since(chat, known)

    def edit(self, who: int, message_id: int, text: str) -> list[Shown]:
        """Edit an earlier message and return what came of it."""
        known = self._ids(who)
        now = int(self.clock.now().timestamp())
        self.telegram.edit(who, message_id, text, edit_date=now)
        self._note(self._last() + 0.5, who, f"{NAMES[who]} (edits the message above)", text)
        self.rest()
        return self._since(who, known)

    def tap(self, who: int, shown: Shown, label: str) -> list[Shown]:
        """Press a button and return what came of it (the message itself may have changed, too)."""
        now = self.now(shown)
        rows = (now.keyboard or {}).get("inline_keyboard", [])
        data = {button["text"]: button["callback_data"] for row in rows for button in row}
        known = self._ids(shown.chat_id)
        self._note(self._last() + 0.5, shown.chat_id, NAMES[who], f"(taps [ {label} ])")
        self.telegram.press(who, now, data[label])
        self.rest()
        return self._since(shown.chat_id, known)

    def tell(self, text: str, chat_id: int = JONAS) -> None:
        """Put a line of the teller's into the transcript."""
        self._note(self._last() + 0.5, chat_id, "✻", text)

    def _note(self, place: float, chat_id: int, who: str, text: str) -> None:
        self._deeds.append(Deed(place, self.clock.now(), chat_id, who, text))

    # What is looked at

    def now(self, shown: Shown) -> Shown:
        """Return a message as it stands now."""
        return next(one for one in self.telegram.sent[shown.chat_id] if one.message_id == shown.message_id)

    def texts(self, chat_id: int) -> list[str]:
        return self.telegram.texts(chat_id)

    @property
    def prompts(self) -> list[Request]:
        return self.gemini.of_task("chat")

    def rows(self, space_id: int, sql: str) -> list[Any]:
        return self.program.rows(space_id, sql)

    def rest(self, *, passing_s: float = 0.0) -> None:
        """Wait until nothing is left to do; so much time passes between two looks."""

        def is_at_rest() -> bool:
            self.pass_by(passing_s)
            return all(map(self._is_idle, spaces))

        self.wait(lambda: not self.telegram.pending, "updates that are taken")
        spaces = [int(folder.name) for folder in (self.program.home / "spaces").iterdir()]
        self.wait(is_at_rest, "a program at rest")

    def wait(self, holds: Callable[[], object], what: str) -> None:
        """Look again and again until something holds. Raises: TimeoutError that names it."""
        ends = time.monotonic() + WAIT_S
        while not holds():
            if time.monotonic() > ends:
                raise TimeoutError(f"not within {WAIT_S:g} s: {what}")
            time.sleep(LOOK_S)

    def _is_idle(self, space_id: int) -> bool:
        """Whether nothing waits in a space but for a later time; one that is just being made is at work."""
        path = self.program.home / "spaces" / str(space_id) / "memory.db"
        now = to_utc_text(self.clock.now())
        with suppress(OperationalError), closing(connect(f"file:{path}?mode=ro", uri=True)) as database:
            counts = database.execute(
                "SELECT (SELECT count(*) FROM inbox WHERE state IN ('new', 'taken'))"
                " + (SELECT count(*) FROM turns WHERE state = 'running')"
                " + (SELECT count(*) FROM jobs WHERE state = 'ready' AND coalesce(not_before, '') <= ?)"
                " + (SELECT count(*) FROM outbox WHERE state IN ('streaming', 'waiting', 'sending'))",
                (now,),
            )
            return not counts.fetchone()[0]
        return False

    def _ids(self, chat_id: int) -> set[int]:
        return {shown.message_id for shown in self.telegram.sent.get(chat_id, [])}

    def _since(self, chat_id: int, known: set[int]) -> list[Shown]:
        return [shown for shown in self.telegram.sent.get(chat_id, []) if shown.message_id not in known]

    def _last(self) -> int:
        return max((message.message_id for chat in CHATS for message in self.telegram.messages(chat)), default=0)

    def transcript(self) -> str:
        """Return the day as its people saw it."""
        said = [bots(shown) for chat in CHATS for shown in self.telegram.sent.get(chat, [])]
        return rendered([*self._deeds, *said], CHATS, ZONE)


@contextmanager
def house_of(folder: Path, **more: str) -> Iterator[Day]:
    """Let the day begin: the program runs, nobody has said anything."""
    clock, notes = SharedClock(folder / "clock"), brain.Notes()
    clock.move_to(datetime(2027, 3, 27, 8, 50, tzinfo=ZONE))
    with (
        FakeTelegram(now=lambda: clock.now().timestamp()) as telegram,
        FakeGemini(api_key=KEY) as gemini,
    ):
        gemini.answer("chat", brain.chats).answer("extract", notes.read).answer("transcribe", brain.hears)
        gemini.answer("judge", brain.judges)
        for user_id, name in NAMES.items():
            telegram.name(user_id, name)
        command = ("-m", "tests.day.program", str(folder / "clock"))
        program = Program(folder / "home", telegram, gemini, JONAS, command=command, **more)
        program.start()
        try:
            yield Day(program, telegram, gemini, clock, notes)
        finally:
            program.stop()


def jpeg(content: str) -> bytes:
    return b"\xff\xd8\xff\xe0" + content.encode()
