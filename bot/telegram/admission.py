"""Admission: who is served: the operator, those of the settings, and those whom the operator admitted by a button.

Rows of the installation's own database: ids, languages and times alone. Everybody else is a stranger, who can do no
more than ask. Asking is rationed, so that strangers can fill neither the database nor the operator's chat. Nobody is
told anything here, and no space is opened.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from bot.telegram.chats import ChatStore
from memory.ports import Clock
from memory.store.database import Database, Row, from_utc_text, to_utc_text

CODE_VALID = timedelta(hours=1)
DAY = timedelta(days=1)
REFUSED_FOR = timedelta(days=30)
"""How long somebody who was refused is not listened to."""
MOST_OPEN = 5
MOST_A_DAY = 20
MOST_OF_ONE_A_DAY = 3
MOST_ANSWERS = 3
"""How often one code is said again."""

_SIGNS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""None that is taken for another when it is read out."""
_CODE_LENGTH = 8

State = Literal["admitted", "refused", "removed"]


@dataclass(frozen=True)
class Request:
    """An open question to the operator. `code` is None for a group."""

    chat_id: int
    code: str | None
    at: datetime

    @property
    def until(self) -> datetime:
        """When the code of a person ends."""
        return self.at + CODE_VALID

    @property
    def key(self) -> str:
        """The name under which it is asked once."""
        return f"admission:{self.chat_id}:{to_utc_text(self.at)}"


@dataclass(frozen=True)
class Decision:
    """What the operator decided about a person or a group (a negative id), and when.

    `language` is what a person's chat program speaks, where it is one of ours.
    """

    chat_id: int
    state: State
    at: datetime
    language: str | None = None


class Admission:
    """The admitted of one bot. `always` are those of the settings; no decision takes them away.

    `news` is set when something was decided. Every write is a transaction.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        operator_id: int,
        always: frozenset[int] = frozenset(),
        make_code: Callable[[], str] | None = None,
    ) -> None:
        self._db = database
        self._clock = clock
        self._chats = ChatStore(database, clock)
        self.operator_id = operator_id
        self.always = always | {operator_id}
        self._make_code = make_code or random_code
        self.news = asyncio.Event()

    # Who is in

    async def has(self, chat_id: int) -> bool:
        """Whether a chat is served, be it under the number that it had before it moved."""
        if await self._admits(chat_id):
            return True
        space_id = await self._chats.space_of(chat_id)
        return space_id != str(chat_id) and await self.has_space(space_id)

    async def has_space(self, space_id: str) -> bool:
        """Whether a chat of the space is served."""
        rows = await self._db.fetch_all("SELECT chat_id FROM chats WHERE space_id = ?", (space_id,))
        chats = {int(row["chat_id"]) for row in rows}
        if space_id.removeprefix("-").isdecimal():
            chats.add(int(space_id))
        return any([await self._admits(chat_id) for chat_id in chats])

    async def _admits(self, chat_id: int) -> bool:
        if chat_id in self.always:
            return True
        decision = await self.decision(chat_id)
        return decision is not None and decision.state == "admitted"

    async def decision(self, chat_id: int) -> Decision | None:
        """Return what was decided about a chat."""
        row = await self._db.fetch_one("SELECT * FROM admissions WHERE chat_id = ?", (chat_id,))
        return _decision(row) if row else None

    async def admitted(self) -> list[Decision]:
        """Return whom the operator admitted, the newest first."""
        rows = await self._db.fetch_all("SELECT * FROM admissions WHERE state = 'admitted' ORDER BY at DESC, chat_id")
        return [_decision(row) for row in rows]

    # Who asks

    async def ask_for_person(self, user_id: int, *, language: str | None = None) -> Request | None:
        """Return the request of a stranger, the open one if there is one; None when it is not heard.

        A request that is not heard leaves nothing behind.
        """
        now = self._clock.now()
        decided = await self.decision(user_id)
        if decided is not None and decided.state == "refused" and now - decided.at < REFUSED_FOR:
            return None
        open_row = await self._open(user_id)
        if open_row is not None:
            return await self._say_again(open_row)
        if not await self._has_room(user_id, now):
            return None
        return await self._add(user_id, self._make_code(), language)

    async def ask_for_group(self, chat_id: int) -> Request:
        """Return the request for a group that the operator brought the bot to, the open one if there is one."""
        open_row = await self._open(chat_id)
        return _request(open_row) if open_row is not None else await self._add(chat_id, None)

    async def _open(self, chat_id: int) -> Row | None:
        """Return the newest request of a chat that can still be decided: a person's for an hour."""
        return await self._db.fetch_one(
            "SELECT * FROM admission_requests WHERE chat_id = ? AND (code IS NULL OR at > ?) ORDER BY id DESC LIMIT 1",
            (chat_id, to_utc_text(self._clock.now() - CODE_VALID)),
        )

    async def _say_again(self, row: Row) -> Request | None:
        if row["answers"] >= MOST_ANSWERS:
            return None
        async with self._db.transaction():
            await self._db.execute("UPDATE admission_requests SET answers = answers + 1 WHERE id = ?", (row["id"],))
        return _request(row)

    async def _has_room(self, user_id: int, now: datetime) -> bool:
        row = await self._db.fetch_one(
            "SELECT count(*) AS today, coalesce(sum(at > ?), 0) AS open, coalesce(sum(chat_id = ?), 0) AS own"
            " FROM admission_requests WHERE code IS NOT NULL AND at > ?",
            (to_utc_text(now - CODE_VALID), user_id, to_utc_text(now - DAY)),
        )
        assert row is not None
        return bool(row["open"] < MOST_OPEN and row["today"] < MOST_A_DAY and row["own"] < MOST_OF_ONE_A_DAY)

    async def _add(self, chat_id: int, code: str | None, language: str | None = None) -> Request:
        now = self._clock.now()
        async with self._db.transaction():
            await self._db.execute(
                "DELETE FROM admission_requests WHERE code IS NOT NULL AND at <= ?", (to_utc_text(now - DAY),)
            )
            await self._db.execute(
                "INSERT INTO admission_requests (chat_id, code, answers, language, at) VALUES (?, ?, 1, ?, ?)",
                (chat_id, code, language, to_utc_text(now)),
            )
        return Request(chat_id, code, now)

    # What is decided

    async def decide(self, chat_id: int, *, is_admitted: bool) -> Decision | None:
        """Decide an open request, or let in whom was refused; return what holds now, None when nothing was open.

        Who is in stays in: taking that back is `remove`.
        """
        if chat_id in self.always:
            return Decision(chat_id, "admitted", self._clock.now())
        decided = await self.decision(chat_id)
        state: State = "admitted" if is_admitted else "refused"
        if decided is not None and decided.state == "admitted":
            return decided
        open_row = await self._open(chat_id)
        if open_row is not None:
            return await self._write(chat_id, state, open_row["language"])
        if decided is None or decided.state == "removed":
            return None
        return decided if decided.state == state else await self._write(chat_id, state, decided.language)

    async def remove(self, chat_id: int) -> bool:
        """Serve somebody no longer; False when the operator had not admitted them. Their memory is not touched."""
        decided = await self.decision(chat_id)
        if decided is None or decided.state != "admitted":
            return False
        await self._write(chat_id, "removed", None)
        return True

    async def _write(self, chat_id: int, state: State, language: str | None) -> Decision:
        now = self._clock.now()
        async with self._db.transaction():
            await self._db.execute("DELETE FROM admission_requests WHERE chat_id = ?", (chat_id,))
            await self._db.execute(
                "INSERT INTO admissions (chat_id, state, language, at) VALUES (?, ?, ?, ?) ON CONFLICT (chat_id)"
                " DO UPDATE SET state = excluded.state, language = excluded.language, at = excluded.at,"
                " settled_at = NULL",
                (chat_id, state, language, to_utc_text(now)),
            )
        self.news.set()
        return Decision(chat_id, state, now, language)

    async def unsettled(self) -> list[Decision]:
        """Return the decisions of which what follows is not done yet, oldest first."""
        rows = await self._db.fetch_all("SELECT * FROM admissions WHERE settled_at IS NULL ORDER BY at, chat_id")
        return [_decision(row) for row in rows]

    async def settle(self, decision: Decision) -> None:
        """Note that what follows from a decision is done; of a removal nothing is kept. A newer one is not touched."""
        which = (decision.chat_id, decision.state, to_utc_text(decision.at))
        async with self._db.transaction():
            if decision.state == "removed":
                await self._db.execute("DELETE FROM admissions WHERE chat_id = ? AND state = ? AND at = ?", which)
            else:
                await self._db.execute(
                    "UPDATE admissions SET settled_at = ? WHERE chat_id = ? AND state = ? AND at = ?",
                    (to_utc_text(self._clock.now()), *which),
                )


def random_code() -> str:
    """Return eight signs that nobody can guess, in two halves: 30^8 of them."""
    signs = "".join(secrets.choice(_SIGNS) for _ in range(_CODE_LENGTH))
    return f"{signs[: _CODE_LENGTH // 2]}-{signs[_CODE_LENGTH // 2 :]}"


def _request(row: Row) -> Request:
    return Request(row["chat_id"], row["code"], from_utc_text(row["at"]))


def _decision(row: Row) -> Decision:
    return Decision(row["chat_id"], row["state"], from_utc_text(row["at"]), row["language"])
