"""What a message carries besides words: files to be fetched, and things that the program puts into words.

Pure. The descriptions are for the model, as notes of the program: nothing in them is the member's word.
"""

from collections.abc import Iterator
from typing import get_args

from bot.telegram.carried import Checklist, Contact, File, Poll, Sticker, Venue
from bot.telegram.updates import Message
from bot.turn.attachments.downloads import MAX_DOWNLOAD_BYTES
from memory.store.entries import Attachment, AttachmentKind

MAX_DESCRIBED_CHARS = 1_000


def attachments_of(message: Message) -> Iterator[Attachment]:
    """Yield the file of a message, if it has one; of a photo the largest size that a bot can fetch."""
    sizes = [size for size in message.sizes if (size.file_size or 0) <= MAX_DOWNLOAD_BYTES] or list(message.sizes)
    if sizes:
        yield _attachment("photo", max(sizes, key=lambda size: (size.width or 0) * (size.height or 0)))
        return
    # Some come with a second field (an animation is a document too): the first one here counts.
    for kind in get_args(AttachmentKind):
        file = getattr(message, kind)
        if isinstance(file, File):
            yield _attachment(kind, file)
            return


def _attachment(kind: AttachmentKind, file: File) -> Attachment:
    return Attachment(
        kind=kind,
        file_id=file.file_id,
        unique_id=file.file_unique_id,
        mime_type=file.mime_type,
        name=file.file_name,
        size=file.file_size,
        duration_s=file.duration,
        width=file.width or file.length,
        height=file.height or file.length,
    )


def descriptions_of(message: Message) -> Iterator[str]:
    """Yield what a message carries that is neither words nor file, in words."""
    if message.sticker is not None:
        yield _bracketed(_sticker(message.sticker))
    if message.venue is not None:
        yield _bracketed(_venue(message.venue))
    elif message.location is not None:
        live = "a live place" if message.location.live_period else "a place"
        yield _bracketed(f"{live}: {message.location.latitude:.5f}, {message.location.longitude:.5f}")
    if message.contact is not None:
        yield _bracketed(_contact(message.contact))
    if message.dice is not None:
        yield _bracketed(f"a throw of {message.dice.emoji}: {message.dice.value}")
    if message.poll is not None:
        yield _bracketed(_poll(message.poll))
    if message.checklist is not None:
        yield _bracketed(_checklist(message.checklist))


def _bracketed(text: str) -> str:
    flat = " ".join(text.split())
    return f"[{flat if len(flat) <= MAX_DESCRIBED_CHARS else flat[: MAX_DESCRIBED_CHARS - 1] + '…'}]"


def _sticker(sticker: Sticker) -> str:
    from_set = f", from the set «{sticker.set_name}»" if sticker.set_name else ""
    return f"a sticker: {sticker.emoji or 'no emoji'}{from_set}"


def _venue(venue: Venue) -> str:
    place = f"{venue.location.latitude:.5f}, {venue.location.longitude:.5f}"
    return f"a place: «{venue.title}», «{venue.address}», {place}"


def _contact(contact: Contact) -> str:
    return f"a contact: «{f'{contact.first_name} {contact.last_name}'.strip()}», {contact.phone_number}"


def _poll(poll: Poll) -> str:
    return f"a poll: «{poll.question}»; options: {', '.join(f'«{option.text}»' for option in poll.options)}"


def _checklist(checklist: Checklist) -> str:
    tasks = ", ".join(f"{'☑' if task.completion_date else '☐'} «{task.text}»" for task in checklist.tasks)
    return f"a checklist: «{checklist.title}»; {tasks}"
