"""Downloads: the seam between a turn and the service that keeps the files which members send."""

from collections.abc import Mapping
from typing import Literal, Protocol

from memory.catalogue import N_
from memory.store.entries import Attachment, AttachmentKind

MEGABYTE = 1_000_000
MAX_DOWNLOAD_BYTES = 20 * 1024 * 1024
"""What Telegram gives out to bots."""

NAMES: Mapping[AttachmentKind, str] = {
    "photo": N_("photo"),
    "video": N_("video"),
    "animation": N_("animation"),
    "voice": N_("voice message"),
    "audio": N_("audio file"),
    "video_note": N_("video message"),
    "document": N_("document"),
}
"""What members call them."""


class NotFetched(Exception):
    """The bytes of an attachment did not come, and why: too large for a bot, not given out any more, not just now."""

    def __init__(self, reason: Literal["too big", "gone", "unreachable"]) -> None:
        super().__init__(reason)
        self.reason = reason


class Downloads(Protocol):
    """Gives out the bytes of attachments."""

    async def fetch(self, attachment: Attachment) -> bytes:
        """Return the bytes, after trying as often as it is worth.

        Raises: NotFetched, and nothing else but CancelledError.
        """
        ...
