"""A chat on the fake Telegram below the app: its screen, its outbox and a turn that runs."""

from dataclasses import dataclass
from typing import Any

import pytest

from bot.telegram.chats import ChatStore
from bot.telegram.screen import TelegramScreen
from bot.telegram.streaming import EDIT_S
from bot.turn.outbox import Delivery
from bot.turn.screen import stream_key
from memory.space import Space
from memory.store.entries import Entry, Outgoing
from memory.store.mailbox import OutRow
from tests.bot.telegram.house import GROUP, HeldClock
from tests.fakes.telegram import FakeTelegram

LONG = "A reply that is long enough to be worth showing while it grows, word for word. "

in_group = pytest.mark.parametrize("chat", [GROUP], indirect=True)


@dataclass
class Chat:
    """A chat on the fake Telegram with its screen, its outbox and a turn that runs."""

    telegram: FakeTelegram
    clock: HeldClock
    space: Space
    screen: TelegramScreen
    delivery: Delivery
    chats: ChatStore
    chat_id: int
    turn_id: int = 0

    def entry(self, **more: Any) -> Entry:
        values = {"source": "tg:1:1", "kind": "message", "text": "hi", "at": self.clock.now(), **more}
        return Entry.model_validate({"chat_id": self.chat_id, **values})

    async def begin(self, **more: Any) -> None:
        async with self.space.db.transaction():
            self.turn_id = (await self.space.sessions.begin_turn()).id
        await self.screen.begin(self.turn_id, self.entry(**more))

    async def pause(self, seconds: float = EDIT_S) -> None:
        """Wait until the stream looks again in so many seconds, and let them go by."""
        await self.clock.until_asleep(seconds)
        self.clock.advance(seconds)

    async def grow(self, text: str) -> None:
        """Stream a text into a message and wait until it is shown."""
        await self.screen.show_text(text)
        await self.telegram.until(lambda: self.texts[-1:] == [text.strip()])
        await self.pause()

    async def finish(self, text: str) -> None:
        """End the turn as the agent does and deliver the reply."""
        await self.screen.end()
        (piece,) = self.screen.render(text, self.entry())
        async with self.space.db.transaction():
            key = stream_key(self.turn_id)
            if not await self.space.mailbox.end_stream(key, piece):
                await self.space.mailbox.post(key, piece, turn_id=self.turn_id)
            await self.space.sessions.end_turn(self.turn_id, "done")
        await self.delivery.drain()

    async def post(self, text: str, **more: Any) -> None:
        async with self.space.db.transaction():
            await self.space.mailbox.post(text, Outgoing(text=text, **more))

    async def deliver(self, text: str = "hello", *, is_repeat: bool = False, **more: Any) -> str | None:
        """Deliver one message past the outbox."""
        message = Outgoing(text=text, **({"chat_id": self.chat_id} | more))
        row = OutRow(id=1, key="k", turn_id=None, state="sending", message=message, place=None, attempts=1)
        return await self.screen.deliver(row, is_repeat=is_repeat)

    @property
    def texts(self) -> list[str]:
        return self.telegram.texts(self.chat_id)

    def calls(self, method: str) -> int:
        return self.telegram.count(method)
