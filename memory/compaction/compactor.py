"""Compaction, the one entry for every trigger: choose a window, route it, word it, test it, then commit it at once.

The model is asked outside any transaction. The prompt changes with the commit and not before; the commit looks again
whether the window is still what was read. Whatever fails leaves the window where it is. Messages that arrive meanwhile
are untouched: a tail begins behind a message id, and theirs are higher.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.compaction.bodies import ResultBodies
from memory.compaction.compress import compressed
from memory.compaction.handoff import Covered, HandoffStore, ManifestLine
from memory.compaction.load import PromptLoad
from memory.compaction.outcome import Kept, Outcome, Preview
from memory.compaction.retention import Recollection, Retention, examine
from memory.compaction.route import Routed, route
from memory.compaction.window import URGENT_CHARS, WHOLE, Limits, Window, choose, key, message_id, size
from memory.compaction.wording import Body, accepted, compose, day_lines, excerpt, summary_request
from memory.errors import CompactionFailed, ModelBusy, ModelFault, ModelQuotaSpent
from memory.messages import Message
from memory.ports import Clock, Model
from memory.recall.segments import Segment, SegmentStore
from memory.store.database import Database, to_utc_text
from memory.store.jobs import COMPACT, JobStore
from memory.store.journal import JournalEntry, JournalStore
from memory.store.media import MediaStore
from memory.store.preferences import Zones
from memory.store.sessions import SessionStore

log = logging.getLogger(__name__)

Committing = Callable[[Outcome], Awaitable[None]]

PATIENCE = 2
"""So many times a job waits for a busy model; then the excerpt stands in."""


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
        media: MediaStore,
        *,
        model: Model | None,
        clock: Clock,
        zones: Zones,
        threshold_tokens: int,
        keep_turns: int,
        recall_tokens: int,
        compress: bool = False,
    ) -> None:
        self._db = database
        self._sessions = sessions
        self._handoffs = handoffs
        self._segments = segments
        self._recall = recall
        self._journal = journal
        self._jobs = JobStore(database, clock)
        self._bodies = ResultBodies(database, sessions, media)
        self._load = PromptLoad(database)
        self._zones = zones
        self._model = model
        self._clock = clock
        self._threshold_tokens = threshold_tokens
        self._limits = Limits.of(threshold_tokens=threshold_tokens, keep_turns=keep_turns)
        self._recall_tokens = recall_tokens
        self._compress = compress
        self._lock = asyncio.Lock()

    async def compact(
        self, session_id: int, *, whole: bool = False, is_urgent: bool = False, committing: Committing | None = None
    ) -> Outcome:
        """Hand off the oldest part of a session; `whole` (after `/new`) all of it that is settled.

        `is_urgent`: the model refused the prompt as too long. Then a small window leaves too, and nothing waits for a
        busy model. A second call waits for the first and then finds nothing left to do. `committing` is called with
        what is done, inside the transaction that does it.

        Raises: CompactionFailed or ModelFault when the window stays and a later try may work.
        """
        async with self._lock:
            is_cooling = await self._is_cooling()
            if is_cooling and not (whole or is_urgent):
                return Outcome("cooling")
            tail = await self._tail(session_id)
            window = await self._choose(tail, self._limits_for(whole=whole, is_urgent=is_urgent))
            if window is None:
                return await self._left_alone(session_id, tail, whole=whole)
            model = None if is_urgent and is_cooling else self._model
            return await self._hand_off(
                session_id, window, tail, model=model, whole=whole, may_wait=not is_urgent, committing=committing
            )

    async def _hand_off(
        self,
        session_id: int,
        window: Window,
        tail: Sequence[Message],
        *,
        model: Model | None,
        whole: bool,
        may_wait: bool,
        committing: Committing | None,
    ) -> Outcome:
        known = await self._handoffs.by_key(key(session_id, window))
        if known is not None:
            return Outcome("known", known.id, len(window.messages), known.window_chars, len(known.text))
        rules = route(await self._verified(window), window.messages)
        if whole and not any(item.is_named for item in rules):
            return Outcome("nothing")
        routed, body = await self._worded(window, rules, model, may_wait=may_wait and not whole)
        in_window = frozenset(message_id(message) for message in tail[len(window.messages) :])
        retention = await self._examined(routed, in_window)
        outcome = await self._commit(session_id, window, routed, body, retention, committing)
        await self._journal.project([day.date() for day in day_lines(routed, self._zones.zone)])
        return outcome

    async def set_aside(self, session_id: int) -> int:
        """Show the long tool results of a session short, all but the newest; return how many that were."""
        async with self._lock:
            return await self._bodies.set_aside(session_id, await self._tail(session_id))

    async def preview(self, session_id: int) -> Preview | None:
        """Return what `compact` would take out of the prompt now; None when that is nothing. Reads only."""
        tail = await self._tail(session_id)
        window = await self._choose(tail, self._limits)
        if window is None:
            return None
        rest = tail[len(window.messages) :]
        return Preview(
            messages=len(window.messages),
            turns=window.turns,
            chars=window.chars,
            first_at=window.messages[0].at,
            last_at=window.messages[-1].at,
            stays_messages=len(rest),
            stays_chars=sum(size(message) for message in rest),
        )

    async def kept(self, handoff_id: int) -> Kept:
        """Return what a handoff kept. Raises: UnknownId."""
        return Kept(
            await self._handoffs.handoff(handoff_id),
            await self._handoffs.routes(handoff_id),
            await self._handoffs.pinned_of(handoff_id),
        )

    # What leaves

    async def _tail(self, session_id: int) -> list[Message]:
        return await self._sessions.tail(session_id, after=await self._handoffs.last_covered(session_id))

    def _limits_for(self, *, whole: bool, is_urgent: bool) -> Limits:
        if whole:
            return WHOLE
        return Limits(self._limits.keep_turns, URGENT_CHARS) if is_urgent else self._limits

    async def _choose(self, tail: Sequence[Message], limits: Limits) -> Window | None:
        running = await self._sessions.running_turn()
        return choose(
            tail,
            limits,
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

    async def _worded(
        self, window: Window, routed: Sequence[Routed], model: Model | None, *, may_wait: bool
    ) -> tuple[Sequence[Routed], Body]:
        """Return what stands for the window: a checked summary, else an excerpt. Raises: ModelFault to wait."""
        summary = await self._summary(window, model, may_wait=may_wait) if model is not None else None
        if self._compress and model is not None:
            routed = await compressed(routed, model)
        return routed, summary or excerpt(routed, self._zones.zone)

    async def _summary(self, window: Window, model: Model, *, may_wait: bool) -> Body | None:
        """Return a checked summary, or None where an excerpt must do. Raises: ModelFault to wait for a busy model."""
        try:
            reply = await model.generate(summary_request(window))
        except (ModelBusy, ModelQuotaSpent):
            if may_wait and await self._attempts() < PATIENCE:
                raise
            return None
        except ModelFault as fault:
            log.warning("no summary, an excerpt stands in: %s", type(fault).__name__)
            return None
        return accepted("" if reply.was_cut else reply.text, window)

    async def _examined(self, routed: Sequence[Routed], in_window: frozenset[int]) -> Retention:
        budget = self._recall_tokens
        return await examine(routed, self._recall, budget_tokens=budget, in_window=in_window, zone=self._zones.zone)

    async def _commit(
        self,
        session_id: int,
        window: Window,
        routed: Sequence[Routed],
        body: Body,
        retention: Retention,
        committing: Committing | None,
    ) -> Outcome:
        async with self._db.transaction():
            await self._check_unchanged(session_id, window)
            handoff_id = await self._handoffs.next_id()
            text = compose(handoff_id, window, body, routed, self._zones.zone)
            await self._handoffs.add(
                handoff_id,
                await self._covered(session_id, window),
                text=text,
                origin=body.origin,
                manifest=[ManifestLine(r.segment.id, r.segment.sha256, r.short) for r in routed if r.is_named],
                pinned=retention.pinned,
            )
            for day, lines in day_lines(routed, self._zones.zone).items():
                last = _last_of_day(window, day, self._zones.zone)
                await self._journal.add(JournalEntry(day.date(), last, "\n".join(lines)), handoff_id=handoff_id)
            outcome = Outcome(
                "done",
                handoff_id,
                len(window.messages),
                window.chars,
                len(text),
                is_summary=body.origin == "summary",
                pinned=len(retention.pinned),
            )
            if committing is not None:
                await committing(outcome)
        log.info("compacted: handoff=%s asked=%s missed=%s", handoff_id, retention.asked, retention.missed)
        return outcome

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
        shortened = await self._bodies.set_aside(session_id, tail)
        if shortened and not await self._is_overfull(session_id, await self._tail(session_id)):
            return Outcome("nothing", set_aside=shortened)
        async with self._db.transaction():
            is_new = await self._handoffs.note_overfull(session_id)
        return Outcome("overfull", set_aside=shortened, threshold_tokens=self._threshold_tokens, must_be_told=is_new)

    async def _is_overfull(self, session_id: int, tail: Sequence[Message]) -> bool:
        """Tell whether what can never leave is over the threshold by itself.

        The last measured prompt says nothing here: it may be older than the last handoff, or hold a window that is
        still too small to leave.
        """
        leaves = choose(tail, Limits(self._limits.keep_turns, URGENT_CHARS))
        kept = tail[len(leaves.messages) :] if leaves else tail
        stays = await self._load.irreducible(session_id, kept, await self._handoffs.in_prompt())
        return await self._load.exceeds(stays, self._threshold_tokens)


def _last_of_day(window: Window, day: datetime, zone: ZoneInfo) -> datetime:
    return max(m.at for m in window.messages if m.at.astimezone(zone).date() == day.date())
