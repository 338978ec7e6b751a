"""`/export`: all of the memory as a file in the chat, for its member; of a group's memory for the operator alone.

The file is made at the moment it is sent and kept nowhere: a copy that lies about would outlive a forgetting.
"""

from bot.commands.rights import Rights
from bot.turn.answer import Answer
from memory.catalogue import _
from memory.errors import MemberMustAct
from memory.space import Space
from memory.store.entries import Entry
from memory.transfer.export import media_bytes, words_bytes

MOST_BYTES = 45_000_000
"""What a file in a chat may take (Telegram takes 50 MB), with room for what is not reckoned here."""
PACKED = 3
"""How many times smaller texts become in the file, at least."""


class ExportRefused(MemberMustAct):
    """The memory of a group belongs to all who speak there."""


class ExportCommand:
    """Answers `/export` in one space."""

    def __init__(self, space: Space, rights: Rights) -> None:
        self._space = space
        self._rights = rights

    async def export(self, rest: str, entry: Entry) -> Answer:
        """Answer `/export`. Raises: ExportRefused."""
        if not self._rights.is_free(entry):
            raise ExportRefused(_("only the operator may export the memory of a whole group"))
        if rest:
            return Answer(_("/export alone sends everything I hold here as a file."))
        if entry.chat_id is None:
            return Answer(_("Here the command line does it: `remembrancer export` writes the file into this folder."))
        media = await media_bytes(self._space)
        others = sum(file.size for file in self._space.files.listed())
        others += await words_bytes(self._space) // PACKED
        if others > MOST_BYTES:
            return Answer(
                _(
                    "Everything I hold here is too large for a file on Telegram. On the machine I run on, "
                    "`remembrancer export` writes it; nothing is left out there."
                )
            )
        told = _("Everything I hold here, for you to read and keep; README.md in it explains. It is not encrypted.")
        if others + media <= MOST_BYTES:
            return Answer(told, export="whole")
        left_out = _("Photos and other media are left out: with them it would be too large to send.")
        return Answer(f"{told}\n{left_out}", export="without media")
