"""A secret becomes a private fact, when the member who said it asks for that.

The transcript keeps its mask: the value stands in the fact alone. Its quote is the sentence as it is stored.
"""

import re
from collections.abc import Sequence

from memory.catalogue import N_
from memory.errors import MemberMustAct
from memory.ledger.fact_store import FactStore
from memory.ledger.facts import Statement
from memory.ledger.receipts import Receipt
from memory.ledger.support import sentence_around
from memory.messages import Message
from memory.store.redaction import mask_of
from memory.store.spoken_secrets import SpokenSecret


class NotThere(MemberMustAct):
    """The message does not hold the place of the secret any more: it was changed or forgotten since."""


async def keep_secrets(facts: FactStore, message: Message, secrets: Sequence[SpokenSecret]) -> list[Receipt]:
    """Enter each secret as a private fact that stands on the message. Joins the transaction.

    Returns a receipt for each that holds then, to be undone; what the member took back before stays taken back.

    Repeating it changes nothing.

    Raises: NotThere; nothing is written then.
    """
    statements = [_statement(message, secret) for secret in secrets]
    entered = [await facts.add(statement) for statement in statements]
    rows = [await facts.fact(fact.id) for fact in entered]
    return [
        Receipt("new", fact, None, undo=await facts.changes.note_said(fact.id, statement.message_id))
        for fact, statement in zip(rows, statements, strict=True)
        if fact.withdrawn_at is None
    ]


def _statement(message: Message, secret: SpokenSecret) -> Statement:
    assert message.id is not None
    value = " ".join(secret.value.split())
    return Statement(
        kind="entity",
        subject=secret.subject,
        value=value,
        quote=_quote(message.text, mask_of(secret.value)),
        question=f"{secret.subject}?",
        patterns=(r"(?<!\w)" + r"\s+".join(map(re.escape, value.split())) + r"(?!\w)",),
        since=message.at,
        message_id=message.id,
        by=message.author,
        value_key=value,  # capitals and signs count in a secret
        private=True,
    )


def _quote(text: str, mask: str) -> str:
    start = text.find(mask)
    if start < 0:
        raise NotThere(N_("the message has changed since"))
    return sentence_around(text, (start, start + len(mask)))
