"""Who may change what in a memory that several people share: each member their own words, the operator everything.

In a private space nothing is refused. Reads only; the commands ask here before they write.
"""

from collections.abc import Iterable

from memory.catalogue import N_
from memory.errors import MemberMustAct
from memory.ledger.facts import Fact
from memory.messages import Message
from memory.space import Space
from memory.store.entries import Entry
from memory.store.procedures import Procedure

ERASING = N_(
    "only the operator may erase the memory of a whole group; what you said yourself you can erase by its id "
    "(/facts shows the ids, /forget f12 erases one)"
)
NOT_YOURS = N_("in a group only the one who said something, or the operator, may change or erase it")
SETTING = N_("in a group only the operator changes the settings; /settings shows them")


class NotTheirs(MemberMustAct):
    """Somebody else said it."""

    def __init__(self) -> None:
        super().__init__(NOT_YOURS)


class OperatorOnly(MemberMustAct):
    """It concerns everybody."""


class Rights:
    """The rights in one space. `operator_id` is that of the person who runs the bot."""

    def __init__(self, space: Space, operator_id: int | None) -> None:
        self._space = space
        self._operator_id = operator_id

    def over_everything(self, entry: Entry) -> None:
        """Raises: OperatorOnly."""
        if not self.is_free(entry):
            raise OperatorOnly(ERASING)

    def over_settings(self, entry: Entry) -> None:
        """Raises: OperatorOnly."""
        if not self.is_free(entry):
            raise OperatorOnly(SETTING)

    def may_set(self, entry: Entry) -> bool:
        """Whether the settings may be changed by who did this."""
        return self.is_free(entry)

    async def over_fact(self, fact: Fact, entry: Entry) -> None:
        """Who said a fact may change it, be it that others said so too. Raises: NotTheirs."""
        if not self.is_free(entry) and entry.author_id not in await self._authors(
            await self._space.facts.sources(fact.id)
        ):
            raise NotTheirs

    def over_own(self, author_id: int | None, entry: Entry) -> None:
        """What somebody set up is theirs. Raises: NotTheirs."""
        if not self.is_free(entry) and entry.author_id != author_id:
            raise NotTheirs

    async def over_procedure(self, procedure: Procedure, entry: Entry) -> None:
        """Who taught or kept it may change it; before that, who had it proposed. Raises: NotTheirs."""
        shown = procedure.shown
        authors = {shown.by_id}
        if shown.status == "pending" and shown.turn_id is not None:
            authors = {one.author_id for one in await self._told_in(shown.turn_id)}
        if not self.is_free(entry) and entry.author_id not in authors:
            raise NotTheirs

    async def over_words(self, message_ids: Iterable[int], entry: Entry) -> None:
        """Words go only if all of them are one's own, with the answers to them. Raises: NotTheirs."""
        if not self.is_free(entry) and await self._authors(message_ids) != {entry.author_id}:
            raise NotTheirs

    def is_free(self, entry: Entry) -> bool:
        """Whether nothing is refused: in a private space, and to the operator."""
        is_operator = self._operator_id is not None and entry.author_id == self._operator_id
        return is_operator or not self._space.is_shared

    async def _authors(self, message_ids: Iterable[int]) -> set[int | None]:
        messages = await self._space.sessions.messages(sorted(message_ids))
        return {author for message in messages for author in await self._author(message)}

    async def _author(self, message: Message) -> set[int | None]:
        """Return who said a message; an answer belongs to those whom it answers."""
        if message.role == "user" or message.turn_id is None:
            return {message.author_id}
        return {one.author_id for one in await self._told_in(message.turn_id)}

    async def _told_in(self, turn_id: int) -> list[Message]:
        """Return what members said in a turn."""
        return [one for one in await self._space.sessions.turn_messages(turn_id) if one.role == "user"]
