"""Extraction: one model call reads one message version and proposes changes; code verifies and enters them.

`run` calls the model outside any transaction and returns what withstood verification; `apply` joins the caller's
transaction and changes nothing when it is repeated. A member's own messages change the ledger; what they forwarded or
handed over only gives facts that wait for their yes; nothing else is read. Storing the job's state and what the call
cost is the caller's part.
"""

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from memory.errors import UnknownId
from memory.ledger.bearing import Around
from memory.ledger.fact_store import FactStore
from memory.ledger.facts import Fact
from memory.ledger.reading import proposed_changes, reading_request
from memory.ledger.receipts import Receipt, receipts
from memory.ledger.speakers import is_anothers, key_of
from memory.ledger.subjects import normalise_subject, share_words
from memory.ledger.support import NotSupported, Reason, Words, sentences
from memory.ledger.verify import Change, Retracting, Source, Stating, Verified, verified
from memory.messages import Message
from memory.ports import Clock, Model
from memory.store.preferences import Zones
from memory.store.sessions import SessionStore

OFFERED_FACTS = 24
CONTEXT_MESSAGES = 2
MAX_SUGGESTED = 6
"""How many facts of one message that somebody else wrote the member is asked about."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Extraction:
    """What one message version says of the ledger."""

    message_id: int
    changes: tuple[Verified, ...] = ()
    refused: tuple[Reason, ...] = ()


class Extractor:
    def __init__(self, facts: FactStore, sessions: SessionStore, model: Model, clock: Clock, zones: Zones) -> None:
        self._facts = facts
        self._sessions = sessions
        self._model = model
        self._clock = clock
        self._zones = zones

    async def run(self, message_id: int) -> Extraction:
        """Read a message and return the changes that its words support. No transaction may be open.

        Raises: UnknownId; ModelFault (ModelSilent also for an answer that is not the JSON asked for: try again).
        """
        message = await self._sessions.message(message_id)
        if not (is_own_statement(message) or is_foreign(message)) or await self._facts.is_outdated(message_id):
            return Extraction(message_id)
        earlier = await self._facts.versions_before(message_id)
        shared = self._facts.is_shared
        offered = await self._offered(earlier, message, speaker_of(message, is_shared=shared))
        said = await self._sessions.exchange_before(message_id, CONTEXT_MESSAGES + len(earlier))
        before = [one for one in said if one.id not in earlier][-CONTEXT_MESSAGES:]
        zone = self._zones.zone_at(message.at)
        request = reading_request(message, before, offered, zone, is_foreign=is_foreign(message))
        reply = await self._model.generate(request)
        changes, refused = [], []
        source = source_of(message, self._zones, self._clock.now(), around=around(before), is_shared=shared)
        for change in proposed_changes(reply):
            try:
                changes.append(verified(change, source, await known_to(change, source, offered, self._facts)))
            except NotSupported as refusal:
                refused.append(refusal.reason)
        if refused:
            _log.info("extraction of m%d: %d kept, refused %s", message_id, len(changes), refused)
        return Extraction(message_id, tuple(_as_said(changes, message.text)), tuple(refused))

    async def apply(self, extraction: Extraction) -> list[Receipt]:
        """Enter the changes and take back what only earlier versions of the message said. Joins the transaction.

        Returns a receipt for each subject whose current value changed; none when it was applied before.
        """
        if await self._facts.is_outdated(extraction.message_id):
            return []
        # The member may have had the message forgotten while the model was reading it.
        message = await self._sessions.message(extraction.message_id)
        changes = [change for change in extraction.changes if change.quote in message.text]
        if is_foreign(message):
            return await suggest_changes(self._facts, changes)
        return await apply_changes(self._facts, extraction.message_id, changes)

    async def _offered(self, earlier: Sequence[int], message: Message, speaker: int | None) -> list[Fact]:
        """Return the facts nearest to the message; of an edited one, as if its earlier versions had never been."""
        touched = await self._facts.touched_by(earlier)
        gone = {fact.id for fact in touched if set(await self._facts.sources(fact.id)) <= set(earlier)}
        before = [await self._facts.fact(fact.replaces) for fact in touched if fact.id in gone and fact.replaces]
        near = await self._facts.nearest(message.text, OFFERED_FACTS)
        offered = [fact for fact in [*before, *touched, *near] if not is_anothers(fact.subject_key, speaker)]
        return list({fact.id: fact for fact in offered if fact.id not in gone}.values())


def _as_said(changes: Iterable[Verified], text: str) -> list[Verified]:
    """Return the changes of a message in the order of its words: the last may set the first right."""

    def place(change: Verified) -> tuple[int, int]:
        start = text.find(change.quote)
        said = change.statement.value if isinstance(change, Stating) else ""
        return start, max(text.find(said, start, start + len(change.quote)), start)

    return sorted(changes, key=place)


def is_own_statement(message: Message) -> bool:
    """Tell whether a message may write facts by itself: a member's own words, said here or imported."""
    return message.role == "user" and message.origin in ("own", "import") and bool(message.text.strip())


def is_foreign(message: Message) -> bool:
    """Tell whether a message holds the words of somebody else: what it states may only wait for the member's yes."""
    return message.role == "user" and message.origin in ("forward", "document") and bool(message.text.strip())


def speaker_of(message: Message, *, is_shared: bool) -> int | None:
    """Return who says it where several people speak; None elsewhere, and for words that are not the sender's own."""
    return message.author_id if is_shared and is_own_statement(message) else None


def source_of(message: Message, zones: Zones, now: datetime, *, around: Around, is_shared: bool) -> Source:
    """Return a stored message as what changes are held against."""
    assert message.id is not None
    speaker = speaker_of(message, is_shared=is_shared)
    words = Words(message.text, message.at, zones.zone_at(message.at))
    return Source(message.id, words, message.author, now, around, speaker)


def around(messages: Iterable[Message]) -> Around:
    """Return what others said in messages: the assistant's questions, and all that is not the member's own."""
    asked: list[str] = []
    told: list[str] = []
    for message in messages:
        if message.role == "model":
            for sentence in sentences(message.text):
                (asked if sentence.endswith("?") else told).append(sentence)
        elif not is_own_statement(message):
            told += [message.text, *(str(result.response) for result in message.results)]
    return Around("\n".join(asked), "\n".join(told))


async def known_to(change: Change, source: Source, offered: Sequence[Fact], facts: FactStore) -> list[Fact]:
    """Return the facts a change is verified against: the offered ones and the current one of its subject."""
    current = await facts.current(key_of(change.kind, change.subject, change.quote, source.speaker))
    return [current, *(fact for fact in offered if fact.id != current.id)] if current else list(offered)


async def apply_changes(facts: FactStore, message_id: int, changes: Sequence[Verified]) -> list[Receipt]:
    """Enter verified changes of one message, in their order, and return receipts made from the rows read back."""
    earlier = await facts.versions_before(message_id)
    touched = await facts.touched_by([*earlier, message_id])
    before = {fact.subject_key: await facts.current(fact.subject_key) for fact in touched}
    asked: list[Receipt] = []
    for change in changes:
        key = await _subject_key(change, facts)
        if key is None:
            continue
        if key not in before:
            before[key] = await facts.current(key)
        asked += await _enter(change, key, message_id, facts)
    for version in earlier:
        await facts.withdraw_message(version, by=message_id)
    told = receipts(before, {key: await facts.current(key) for key in before})
    changed = [replace(one, undo=await facts.changes.note_said(one.fact.id, message_id)) for one in told]
    return [*changed, *asked]


async def suggest_changes(facts: FactStore, changes: Sequence[Verified]) -> list[Receipt]:
    """Let what somebody else stated wait for the member's yes; nothing of it changes what holds."""
    asked = []
    for change in changes[:MAX_SUGGESTED]:
        key = await _subject_key(change, facts)
        if key is None or not isinstance(change, Stating):
            continue
        current = await facts.current(key)
        if current is not None and current.value_key == change.statement.value_key:
            continue
        asked += _asking("suggested", await _suggest(change, key, current, facts), current)
    return asked


async def _enter(change: Verified, key: str, message_id: int, facts: FactStore) -> list[Receipt]:
    """Enter a change and return what the member must be asked about it."""
    if isinstance(change, Retracting):
        await facts.retract(change.target, at=change.at, message_id=message_id)
        return []
    if await _is_said_already(change, message_id, facts):
        return []
    current = await facts.current(key)
    if change.is_doubtful and (current is None or current.value_key != change.statement.value_key):
        return _asking("unsure", await _suggest(change, key, current, facts), current)
    if current is not None and await _is_unclear(change, current, message_id, facts):
        return _asking("unclear", await _suggest(change, key, current, facts), current)
    entered = await facts.add(change.statement, subject_key=key)
    for waiting in await facts.pending.waiting(key):
        if waiting.value_key == entered.value_key:
            await facts.pending.drop(waiting.id)
    twin = await facts.fact(change.twin) if change.twin is not None else None
    is_asked = current is None and twin is not None and twin.status == entered.status == "active"
    return _asking("twin", entered, twin) if is_asked else []


async def _is_unclear(change: Stating, current: Fact, message_id: int, facts: FactStore) -> bool:
    """Tell whether another value was said at the very same time and neither was read as a change of the other."""
    is_other = current.value_key != change.statement.value_key and not change.is_change
    if not is_other or current.since != change.statement.since or current.message_id is None:
        return False
    return current.message_id not in await facts.versions_before(message_id)


async def _suggest(change: Stating, key: str, current: Fact | None, facts: FactStore) -> Fact | None:
    return await facts.pending.suggest(change.statement, subject_key=key, rival=current.id if current else None)


def _asking(
    change: Literal["suggested", "unsure", "unclear", "twin"], fact: Fact | None, was: Fact | None
) -> list[Receipt]:
    return [Receipt(change, fact, was)] if fact is not None else []


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
    if not isinstance(change, Stating):
        return None
    return change.statement.subject_key or normalise_subject(change.statement.subject)
