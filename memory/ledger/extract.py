"""Extraction: one model call reads one message version and proposes changes; code verifies and enters them.

`run` calls the model outside any transaction and returns what withstood verification; `apply` joins the caller's
transaction and changes nothing when it is repeated. Only a member's own messages are read. Storing the job's state and
what the call cost is the caller's part.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.errors import UnknownId
from memory.ledger.facts import Fact, FactStore
from memory.ledger.reading import proposed_changes, reading_request
from memory.ledger.receipts import Receipt, receipts
from memory.ledger.subjects import normalise_subject, share_words
from memory.ledger.support import NotSupported, Reason, Words
from memory.ledger.verify import Change, Retracting, Source, Stating, Verified, verified
from memory.messages import Message
from memory.ports import Clock, Model
from memory.store.sessions import SessionStore

OFFERED_FACTS = 24
CONTEXT_MESSAGES = 2

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Extraction:
    """What one message version says of the ledger."""

    message_id: int
    changes: tuple[Verified, ...] = ()
    refused: tuple[Reason, ...] = ()


class Extractor:
    def __init__(self, facts: FactStore, sessions: SessionStore, model: Model, clock: Clock, zone: ZoneInfo) -> None:
        self._facts = facts
        self._sessions = sessions
        self._model = model
        self._clock = clock
        self._zone = zone

    async def run(self, message_id: int) -> Extraction:
        """Read a message and return the changes that its words support. No transaction may be open.

        Raises: UnknownId; ModelFault (ModelSilent also for an answer that is not the JSON asked for: try again).
        """
        message = await self._sessions.message(message_id)
        if not is_own_statement(message) or await self._facts.is_outdated(message_id):
            return Extraction(message_id)
        earlier = await self._facts.versions_before(message_id)
        offered = await self._offered(earlier, message.text)
        said = await self._sessions.exchange_before(message_id, CONTEXT_MESSAGES + len(earlier))
        before = [one for one in said if one.id not in earlier][-CONTEXT_MESSAGES:]
        reply = await self._model.generate(reading_request(message, before, offered, self._zone))
        changes, refused = [], []
        source = source_of(message, self._zone, self._clock.now())
        for change in proposed_changes(reply):
            try:
                changes.append(verified(change, source, await known_to(change, offered, self._facts)))
            except NotSupported as refusal:
                refused.append(refusal.reason)
        if refused:
            _log.info("extraction of m%d: %d kept, refused %s", message_id, len(changes), refused)
        return Extraction(message_id, tuple(changes), tuple(refused))

    async def apply(self, extraction: Extraction) -> list[Receipt]:
        """Enter the changes and take back what only earlier versions of the message said. Joins the transaction.

        Returns a receipt for each subject whose current value changed; none when it was applied before.
        """
        if await self._facts.is_outdated(extraction.message_id):
            return []
        # The member may have had the message forgotten while the model was reading it.
        words = (await self._sessions.message(extraction.message_id)).text
        changes = [c for c in extraction.changes if not isinstance(c, Stating) or c.statement.quote in words]
        return await apply_changes(self._facts, extraction.message_id, changes)

    async def _offered(self, earlier: Sequence[int], text: str) -> list[Fact]:
        """Return the facts nearest to the message; of an edited one, as if its earlier versions had never been."""
        touched = await self._facts.touched_by(earlier)
        gone = {fact.id for fact in touched if set(await self._facts.sources(fact.id)) <= set(earlier)}
        before = [await self._facts.fact(fact.replaces) for fact in touched if fact.id in gone and fact.replaces]
        near = await self._facts.nearest(text, OFFERED_FACTS)
        return list({fact.id: fact for fact in [*before, *touched, *near] if fact.id not in gone}.values())


def is_own_statement(message: Message) -> bool:
    """Tell whether a message may write facts by itself: a member's own words, said here or imported."""
    return message.role == "user" and message.origin in ("own", "import") and bool(message.text.strip())


def source_of(message: Message, zone: ZoneInfo, now: datetime) -> Source:
    """Return a stored message as what changes are held against."""
    assert message.id is not None
    return Source(message.id, Words(message.text, message.at, zone), message.author, now)


async def known_to(change: Change, offered: Sequence[Fact], facts: FactStore) -> list[Fact]:
    """Return the facts a change is verified against: the offered ones and the current one of its subject."""
    current = await facts.current(normalise_subject(change.subject))
    return [current, *(fact for fact in offered if fact.id != current.id)] if current else list(offered)


async def apply_changes(facts: FactStore, message_id: int, changes: Sequence[Verified]) -> list[Receipt]:
    """Enter verified changes of one message, in their order, and return receipts made from the rows read back."""
    earlier = await facts.versions_before(message_id)
    touched = await facts.touched_by([*earlier, message_id])
    before = {fact.subject_key: await facts.current(fact.subject_key) for fact in touched}
    for change in changes:
        key = await _subject_key(change, facts)
        if key is None:
            continue
        if key not in before:
            before[key] = await facts.current(key)
        await _enter(change, key, message_id, facts)
    for version in earlier:
        await facts.withdraw_message(version)
    return receipts(before, {key: await facts.current(key) for key in before})


async def _enter(change: Verified, key: str, message_id: int, facts: FactStore) -> None:
    match change:
        case Retracting():
            await facts.retract(change.target, at=change.at, message_id=message_id)
        case Stating():
            if not await _is_said_already(change, message_id, facts):
                await facts.add(change.statement, subject_key=key)


async def _is_said_already(change: Stating, message_id: int, facts: FactStore) -> bool:
    """Tell whether the message gave this value already under another wording of the subject (by a tool call, say)."""
    return any(
        fact.value_key == change.statement.value_key and share_words(fact.subject, change.statement.subject)
        for fact in await facts.from_messages([message_id])
    )


async def _subject_key(change: Verified, facts: FactStore) -> str | None:
    """Return the subject a change concerns; None when the fact it would end was forgotten since it was read."""
    if change.target is not None:
        with suppress(UnknownId):
            target = await facts.fact(change.target)
            if target.status != "forgotten":
                return target.subject_key
    return normalise_subject(change.statement.subject) if isinstance(change, Stating) else None
