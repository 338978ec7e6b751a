"""Compaction, the one entry for every trigger: choose a window, route it, word it, test it, then commit it at once.

The model is asked outside any transaction. The prompt changes with the commit and not before; the commit looks again
whether the window is still what was read. Whatever fails leaves the window where it is. Messages that arrive meanwhile
are untouched: a tail begins behind a message id, and theirs are higher.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from memory.compaction.handoff import Covered, HandoffStore, ManifestLine
from memory.compaction.retention import Recollection, Retention, examine
from memory.compaction.route import Routed, route
from memory.compaction.window import WHOLE, Limits, Window, choose, key, message_id
from memory.compaction.wording import Body, accepted, compose, day_lines, excerpt, summary_request
from memory.errors import CompactionFailed, ModelBusy, ModelFault, ModelQuotaSpent
from memory.messages import Message, estimate_message_tokens
from memory.ports import Clock, Model
from memory.recall.segments import Segment, SegmentStore
from memory.store.database import Database, to_utc_text
from memory.store.jobs import COMPACT, JobStore
from memory.store.journal import JournalEntry, JournalStore
from memory.store.sessions import SessionStore

log = logging.getLogger(__name__)

PATIENCE = 2
"""So many times a job waits for a busy model; then the excerpt stands in."""

State = Literal["done", "known", "nothing", "cooling", "overfull"]


@dataclass(frozen=True)
class Outcome:
    """What became of a request to compact. Counts only, no text."""

    state: State
    handoff_id: int | None = None
    messages: int = 0
    chars: int = 0
    handoff_chars: int = 0
    is_summary: bool = False
    pinned: int = 0
    must_be_told: bool = False
    """The member must hear of it even if they did not ask: once a session."""

    def words(self) -> str:
        """Return the line for the member."""
        match self.state:
            case "done" | "known":
                return (
                    f"Compacted: {self.messages} messages ({self.chars:,} characters) left the prompt; handoff "
                    f"h{self.handoff_id} ({self.handoff_chars:,} characters) stands for them. Nothing was deleted: "
                    "every word stays stored, and /recall finds it."
                )
            case "overfull":
                return (
                    "This conversation is over the size at which I compact, and what must stay (system text, facts, "
                    "the newest turns) fills it alone. I can't shorten it further; /new starts afresh with everything "
                    "remembered."
                )
            case "cooling":
                return "The model was busy a moment ago; I compact a little later. Nothing is lost meanwhile."
            case _:
                return "Nothing to compact: what stands in the prompt is short or still in use."


class Compactor:
    """Compacts the sessions of one space, one at a time. Without a model every handoff is an excerpt."""

    def __init__(
        self,
        database: Database,
        sessions: SessionStore,
        handoffs: HandoffStore,
        segments: SegmentStore,
        recall: Recollection,
        journal: JournalStore,
        *,
        model: Model | None,
        clock: Clock,
        zone: ZoneInfo,
        threshold_tokens: int,
        keep_turns: int,
        recall_tokens: int,
    ) -> None:
        self._db = database
        self._sessions = sessions
        self._handoffs = handoffs
        self._segments = segments
        self._recall = recall
        self._journal = journal
        self._jobs = JobStore(database, clock)
        self._zone = zone
        self._model = model
        self._clock = clock
        self._threshold_tokens = threshold_tokens
        self._limits = Limits.of(threshold_tokens=threshold_tokens, keep_turns=keep_turns)
        self._recall_tokens = recall_tokens
        self._lock = asyncio.Lock()

    async def compact(self, session_id: int, *, whole: bool = False) -> Outcome:
        """Hand off the oldest part of a session; `whole` (after `/new`) all of it that is settled.

        A second call waits for the first and then finds nothing left to do.

        Raises: CompactionFailed or ModelFault when the window stays and a later try may work.
        """
        async with self._lock:
            if not whole and await self._is_cooling():
                return Outcome("cooling")
            tail = await self._tail(session_id)
            window = await self._choose(tail, whole=whole)
            if window is None:
                return await self._left_alone(session_id, tail, whole=whole)
            return await self._hand_off(session_id, window, tail, whole=whole)

    async def _hand_off(self, session_id: int, window: Window, tail: Sequence[Message], *, whole: bool) -> Outcome:
        known = await self._handoffs.by_key(key(session_id, window))
        if known is not None:
            return Outcome("known", known.id, len(window.messages), known.window_chars, len(known.text))
        routed = route(await self._verified(window), window.messages)
        if whole and not any(item.route == "KEEP" for item in routed):
            return Outcome("nothing")
        body = await self._summary(window, whole=whole) or excerpt(routed, self._zone)
        retention = await examine(
            routed,
            self._recall,
            budget_tokens=self._recall_tokens,
            in_window=frozenset(message_id(message) for message in tail[len(window.messages) :]),
            zone=self._zone,
        )
        outcome = await self._commit(session_id, window, routed, body, retention)
        await self._journal.project([day.date() for day in day_lines(routed, self._zone)])
        return outcome

    # What leaves

    async def _tail(self, session_id: int) -> list[Message]:
        return await self._sessions.tail(session_id, after=await self._handoffs.last_covered(session_id))

    async def _choose(self, tail: Sequence[Message], *, whole: bool) -> Window | None:
        running = await self._sessions.running_turn()
        return choose(
            tail,
            WHOLE if whole else self._limits,
            running=frozenset({running.id}) if running else frozenset(),
            unread=await self._unread(),
        )

    async def _unread(self) -> frozenset[int]:
        """Return the messages whose extraction still waits: their facts are not in the ledger yet."""
        return frozenset(await self._jobs.waiting_reads())

    async def _verified(self, window: Window) -> Sequence[Segment]:
        """Return the window's segments. Raises: CompactionFailed unless every word is cut, hashed and indexed."""
        segments = await self._segments.of_messages(window.ids)
        cut: dict[int, str] = {}
        for segment in segments:
            cut[segment.message_id] = cut.get(segment.message_id, "") + segment.text
        wordy = [m for m in window.messages if m.role in ("user", "model") and m.text.strip()]
        if any(cut.get(message_id(message)) != message.text for message in wordy):
            raise CompactionFailed("the segments of a message are not its text")
        indexed = await self._db.fetch_one(
            "SELECT count(*) FROM segment_terms WHERE segment_id IN (SELECT value FROM json_each(?))",
            (json.dumps([segment.id for segment in segments]),),
        )
        if indexed is None or indexed[0] != len(segments):
            raise CompactionFailed("a segment is not indexed")
        return segments

    # What stands for it

    async def _summary(self, window: Window, *, whole: bool) -> Body | None:
        """Return a checked summary, or None where an excerpt must do. Raises: ModelFault to wait for a busy model."""
        if self._model is None:
            return None
        try:
            reply = await self._model.generate(summary_request(window))
        except (ModelBusy, ModelQuotaSpent):
            if not whole and await self._attempts() < PATIENCE:
                raise
            return None
        except ModelFault as fault:
            log.warning("no summary, an excerpt stands in: %s", type(fault).__name__)
            return None
        return accepted("" if reply.was_cut else reply.text, window)

    async def _commit(
        self, session_id: int, window: Window, routed: Sequence[Routed], body: Body, retention: Retention
    ) -> Outcome:
        async with self._db.transaction():
            await self._check_unchanged(session_id, window)
            handoff_id = await self._handoffs.next_id()
            text = compose(handoff_id, window, body, routed, self._zone)
            await self._handoffs.add(
                handoff_id,
                await self._covered(session_id, window),
                text=text,
                origin=body.origin,
                manifest=[ManifestLine(r.segment.id, r.segment.sha256) for r in routed if r.route == "KEEP"],
                pinned=retention.pinned,
            )
            for day, lines in day_lines(routed, self._zone).items():
                last = _last_of_day(window, day, self._zone)
                await self._journal.add(JournalEntry(day.date(), last, "\n".join(lines)), handoff_id=handoff_id)
        log.info("compacted: handoff=%s asked=%s missed=%s", handoff_id, retention.asked, retention.missed)
        return Outcome(
            "done",
            handoff_id,
            len(window.messages),
            window.chars,
            len(text),
            is_summary=body.origin == "summary",
            pinned=len(retention.pinned),
        )

    async def _check_unchanged(self, session_id: int, window: Window) -> None:
        tail = await self._tail(session_id)
        now = Window(tuple(tail[: len(window.messages)]), window.turns)
        if key(session_id, now) != key(session_id, window):
            raise CompactionFailed("the window changed meanwhile")

    async def _covered(self, session_id: int, window: Window) -> Covered:
        places = await self._handoffs.places(window.ids)
        return Covered(
            key=key(session_id, window),
            session_id=session_id,
            first_message_id=min(places.values()),
            last_message_id=max(places.values()),
            chars=window.chars,
        )

    # Why not

    async def _is_cooling(self) -> bool:
        """Tell whether a failed try waits: its job says until when, so that this survives a restart."""
        row = await self._db.fetch_one(
            "SELECT 1 FROM jobs WHERE kind = ? AND state = 'ready' AND error IS NOT NULL AND not_before > ?",
            (COMPACT, to_utc_text(self._clock.now())),
        )
        return row is not None

    async def _attempts(self) -> int:
        row = await self._db.fetch_one(
            "SELECT coalesce(max(attempts), 0) FROM jobs WHERE kind = ? AND state = 'ready'", (COMPACT,)
        )
        assert row is not None
        return int(row[0])

    async def _left_alone(self, session_id: int, tail: Sequence[Message], *, whole: bool) -> Outcome:
        """Say whether the prompt is too large although nothing may leave it: once a session."""
        if whole or not await self._is_overfull(session_id, tail):
            return Outcome("nothing")
        async with self._db.transaction():
            is_new = await self._handoffs.note_overfull(session_id)
        return Outcome("overfull", must_be_told=is_new)

    async def _is_overfull(self, session_id: int, tail: Sequence[Message]) -> bool:
        unheld = choose(tail, self._limits)
        if unheld is not None or await self._unread() & {message.id for message in tail}:
            return False  # something will leave once it is settled
        row = await self._db.fetch_one(
            "SELECT prompt_tokens FROM turns WHERE session_id = ? AND prompt_tokens IS NOT NULL"
            " ORDER BY id DESC LIMIT 1",
            (session_id,),
        )
        measured = int(row["prompt_tokens"]) if row else 0
        return max(measured, estimate_message_tokens(tail)) > self._threshold_tokens


def _last_of_day(window: Window, day: datetime, zone: ZoneInfo) -> datetime:
    return max(m.at for m in window.messages if m.at.astimezone(zone).date() == day.date())
