"""Keeping a secret that was not stored: the button under the notice, and the command that does the same."""

from bot.quoting import literal
from bot.turn.answer import Answer
from bot.turn.told import receipt_buttons
from memory.catalogue import N_, _
from memory.ledger.facts import Fact
from memory.ledger.kept_secrets import keep_secrets
from memory.messages import Message
from memory.space import Space
from memory.store.entries import Buttons, Entry
from memory.store.held_secrets import Held

GONE = N_(
    "I no longer hold what you sent: I keep it in memory for ten minutes only, and not over a restart. If you want it "
    "kept, please send it once more and tap the button then."
)
NO_MESSAGE = N_("The message it stood in is not there any more, so I kept nothing. Please send it once more.")
TAKEN_BACK = N_("You took that back. If you want it kept after all, please send it once more.")
NOTHING_HELD = N_(
    "Nothing waits to be kept. When I leave a password or the like out of what I store, I say so, and for ten minutes "
    "/keepsecret keeps it all the same."
)


class SecretKeeper:
    """Keeps secrets of one space as private facts, on request."""

    def __init__(self, space: Space) -> None:
        self._space = space

    async def press(self, entry: Entry, source: str) -> Answer:
        """Answer the button; a second press says what is kept. Joins the caller's transaction.

        Raises: MemberMustAct.
        """
        held = self._space.held.find(source, author_id=entry.author_id)
        if held is None:
            kept = await self._kept(source)
            return _told(kept) if kept else Answer(_(GONE), is_spent=True)
        return await self._keep(held)

    async def command(self, rest: str, entry: Entry) -> Answer:
        """Keep what the member's newest message with a secret held. Joins the caller's transaction.

        Raises: MemberMustAct.
        """
        held = self._space.held.find("", author_id=entry.author_id)
        return await self._keep(held) if held else Answer(_(NOTHING_HELD))

    async def _keep(self, held: Held) -> Answer:
        message = await self._message(held)
        if message is None or message.id is None:
            return Answer(_(NO_MESSAGE), is_spent=True)
        receipts = await keep_secrets(self._space.facts, message, held.secrets)
        if not receipts:
            return Answer(_(TAKEN_BACK), is_spent=True)
        return _told([receipt.fact for receipt in receipts], receipt_buttons(receipts))

    async def _message(self, held: Held) -> Message | None:
        """Return the message of the entry; of an edit that changed only what is masked, the one it would change."""
        sessions = self._space.sessions
        stored = await sessions.message_from(held.source)
        return stored or (await sessions.message_at(held.place) if held.place else None)

    async def _kept(self, source: str) -> list[Fact]:
        message = await self._space.sessions.message_from(source)
        if message is None or message.id is None:
            return []
        facts = await self._space.facts.from_messages([message.id])
        return [fact for fact in facts if fact.private and fact.withdrawn_at is None and fact.status != "forgotten"]


def _told(facts: list[Fact], buttons: Buttons = ()) -> Answer:
    kept = _("🔒 Kept as a private fact: {subject} · {ref}")
    lines = [kept.format(subject=literal(fact.subject), ref=fact.ref) for fact in facts]
    lines.append(
        _("It stands in /facts and in what I answer from. `/forget {ref}` erases it.").format(ref=facts[-1].ref)
    )
    return Answer("\n".join(lines), buttons, is_spent=True)
