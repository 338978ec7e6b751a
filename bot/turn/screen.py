"""Screen: the seam between a turn and the place where a member reads it (Telegram, the terminal)."""

from datetime import datetime
from typing import Protocol

from memory.messages import CallPart
from memory.store.entries import Entry, Outgoing
from memory.store.mailbox import OutRow


class DeliveryFault(Exception):
    """A message did not get its confirmation. Named by what may be done next."""


class DeliverLater(DeliveryFault):
    """It certainly did not arrive; try again then."""

    def __init__(self, not_before: datetime, reason: str) -> None:
        super().__init__(reason)
        self.not_before = not_before
        self.reason = reason


class DeliverNever(DeliveryFault):
    """The chat is gone, or the message can never be accepted."""


class DeliveryUnknown(DeliveryFault):
    """It may have arrived: it is sent once more, labelled."""


class Screen(Protocol):
    """One member's view of one space. The calls of a turn come in order: begin, show…, end; deliver at any time."""

    def render(self, text: str, entry: Entry | None) -> list[Outgoing]:
        """Return the messages that make up a reply (Markdown) to an entry, or a notice of the program (None).

        At least one, none of them blank.
        """
        ...

    async def begin(self, turn_id: int, entry: Entry) -> None:
        """A turn starts (or goes on after a restart): show that somebody is at work."""
        ...

    async def show_text(self, text: str) -> None:
        """Show the reply so far. May skip, never raises for a failed display."""
        ...

    async def show_call(self, call: CallPart) -> None:
        """A tool begins to work. Never raises for a failed display."""
        ...

    async def show_tool(self, call: CallPart, *, is_ok: bool) -> None:
        """A tool was called."""
        ...

    async def show_work(self, what: str) -> None:
        """Background work has begun that may take a while."""
        ...

    async def end(self) -> None:
        """The turn is over; nothing more is streamed. The reply follows by `deliver`."""
        ...

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        """Send a message (or complete the streamed one at `row.place`) and return its place, if places have names.

        `is_repeat`: an earlier copy may have arrived; the message says so.

        Raises: DeliveryFault.
        """
        ...

    async def say(self, text: str) -> None:
        """Show a notice at once, past the outbox: for when nothing can be stored. Never raises for a failed display."""
        ...


class QuietScreen:
    """The part of a `Screen` that shows nothing while a turn goes on: for whoever reads finished messages alone."""

    def render(self, text: str, entry: Entry | None) -> list[Outgoing]:
        return [Outgoing(text=text)]

    async def begin(self, turn_id: int, entry: Entry) -> None:
        """Nobody looks on."""

    async def show_text(self, text: str) -> None:
        """Nobody looks on."""

    async def show_call(self, call: CallPart) -> None:
        """Nobody looks on."""

    async def show_tool(self, call: CallPart, *, is_ok: bool) -> None:
        """Nobody looks on."""

    async def show_work(self, what: str) -> None:
        """Nobody looks on."""

    async def end(self) -> None:
        """Nobody looks on."""


def stream_key(turn_id: int, ordinal: int = 0) -> str:
    """Return the outbox key of a piece of a turn's reply; the first piece is the one that may be streamed."""
    return f"turn:{turn_id}:{ordinal}"
