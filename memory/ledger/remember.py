"""Remembering on request: the assistant proposes subject and value, the member's words of this turn must support them.

The same gate as extraction, without a model: what no member said in this turn is refused with the rule it broke.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.ledger.bearing import Around
from memory.ledger.extract import (
    apply_changes,
    around,
    is_foreign,
    is_own_statement,
    known_to,
    source_of,
    suggest_changes,
)
from memory.ledger.fact_store import FactStore
from memory.ledger.facts import Fact
from memory.ledger.receipts import Receipt
from memory.ledger.subjects import terms
from memory.ledger.support import NotSupported, sentences
from memory.ledger.verify import Change, Source, Stating, verified
from memory.messages import Message
from memory.ports import Clock
from memory.store.preferences import Zones

_NEAR_FACTS = 12
_MAX_QUOTE_CHARS = 600


@dataclass(frozen=True)
class Proposal:
    """What the assistant would like to be remembered. `replaces` is the id of a fact ("f12") that it changes."""

    kind: str
    subject: str
    value: str
    replaces: str | None = None


@dataclass(frozen=True)
class Remembered:
    """The row as read back; no receipts when it said so before."""

    fact: Fact
    receipts: tuple[Receipt, ...]


class Rememberer:
    def __init__(self, facts: FactStore, clock: Clock, zones: Zones) -> None:
        self._facts = facts
        self._clock = clock
        self._zones = zones

    async def remember(self, proposal: Proposal, said: Sequence[Message], *, recalled: str = "") -> Remembered:
        """Store what the proposal says as far as `said`, the messages of this turn, supports it. Joins the transaction.

        The newest message that supports it is its source; what is not the member's own only shows what others brought
        up, as does `recalled`, the text that memory added to the turn.

        Raises: NotSupported; nothing is written then.
        """
        others = around(said)
        near = Around(others.asked, f"{others.told}\n{recalled}")
        refusal = NotSupported("quote")
        for message in reversed([one for one in said if is_own_statement(one)]):
            source = source_of(message, self._zones, self._clock.now(), around=near, is_shared=self._facts.is_shared)
            try:
                change = await self._supported(proposal, source)
            except NotSupported as error:
                refusal = error
                continue
            receipts = await apply_changes(self._facts, source.message_id, [change])
            return Remembered(await self._stored(change), tuple(receipts))
        raise refusal

    async def suggest(self, proposal: Proposal, message: Message) -> list[Receipt]:
        """Let what somebody else's words support wait for the member's yes; no receipt when it waits or holds already.

        Joins the transaction. Raises: NotSupported, also for a message of the member's own.
        """
        if not is_foreign(message):
            raise NotSupported("quote")
        source = source_of(message, self._zones, self._clock.now(), around=Around(), is_shared=self._facts.is_shared)
        return await suggest_changes(self._facts, [await self._supported(proposal, source)])

    async def _supported(self, proposal: Proposal, source: Source) -> Stating:
        near = await self._facts.nearest(f"{proposal.subject} {proposal.value}", _NEAR_FACTS)
        refusal = NotSupported("quote")
        for quote in _quotes(source.words.text, proposal):
            change = Change(
                op="add",
                replaces=proposal.replaces,
                kind=proposal.kind,
                subject=proposal.subject,
                value=proposal.value,
                quote=quote,
                question=f"{proposal.subject}?",
            )
            try:
                stating = verified(change, source, await known_to(change, source, near, self._facts))
            except NotSupported as error:
                refusal = error
                continue
            assert isinstance(stating, Stating)
            if stating.is_doubtful:
                raise NotSupported("hearsay")
            # Asked for in so many words: the newest message wins, whatever else was said in the same second.
            return replace(stating, is_change=True, twin=None)
        raise refusal

    async def _stored(self, change: Stating) -> Fact:
        statement = change.statement
        found = await self._facts.from_messages([statement.message_id])
        standing = [one for one in found if one.value_key == statement.value_key and one.withdrawn_at is None]
        if not standing:
            # The member took this very statement back; only saying it anew brings it in again.
            raise NotSupported("withdrawn")
        return standing[-1]


def _quotes(text: str, proposal: Proposal) -> list[str]:
    """Return what may be quoted: the sentences, most alike first, then the message as a whole."""
    wanted = set(terms(proposal.subject, proposal.value))
    ranked = sorted(sentences(text), key=lambda sentence: -len(wanted & set(terms(sentence))))
    whole = text.strip()
    return [*ranked, *([whole] if len(whole) <= _MAX_QUOTE_CHARS else [])]
