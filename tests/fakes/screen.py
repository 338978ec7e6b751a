"""A screen that keeps what it was shown, and fails where a test says so."""

import asyncio
from itertools import count

from bot.turn.progress import line
from bot.turn.screen import DeliveryFault
from memory.messages import CallPart
from memory.store.entries import Entry, Outgoing
from memory.store.mailbox import OutRow
from tests.fakes.clock import FakeClock


class FakeScreen:
    """Implements `Screen`. `delivered` holds the texts that arrived, `rows` all of each; `faults` are raised by the
    next deliveries.

    `seconds_a_tool` pass on the clock whenever a tool is shown.
    """

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.seconds_a_tool = 0.0
        self.delivered: list[str] = []
        self.rows: list[OutRow] = []
        self.repeats: list[str] = []
        self.shown: list[str] = []
        self.tools: list[tuple[str, bool]] = []
        self.said: list[str] = []
        self.faults: list[DeliveryFault | None] = []
        self._places = count(100)
        self._arrived = asyncio.Condition()

    async def until(self, number: int) -> None:
        """Wait until so many messages were delivered."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.delivered) >= number)

    def render(self, text: str, entry: Entry | None) -> list[Outgoing]:
        return [Outgoing(text=text)]

    async def begin(self, turn_id: int, entry: Entry) -> None:
        self.shown.append(f"begin t{turn_id}")

    async def show_text(self, text: str) -> None:
        self.shown.append(text)

    async def show_call(self, call: CallPart) -> None:
        self.shown.append(line(call))

    async def show_tool(self, call: CallPart, *, is_ok: bool) -> None:
        self._clock.advance(self.seconds_a_tool)
        self.tools.append((call.name, is_ok))

    async def show_work(self, what: str) -> None:
        self.shown.append(what)

    async def end(self) -> None:
        self.shown.append("end")

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None:
            raise fault
        async with self._arrived:
            (self.repeats if is_repeat else self.delivered).append(row.message.text)
            place = row.place or f"tg:1:{next(self._places)}"
            self.rows.append(row.model_copy(update={"place": place}))
            self._arrived.notify_all()
        return place

    async def say(self, text: str) -> None:
        self.said.append(text)
