"""Showing: which media the model sees in a step of a turn: those that came with it, and those it asked to see again.

They stand right before the memory block, so that what comes before stays as it was; later turns name them only.
"""

from collections.abc import Iterable, Iterator, Sequence

from bot.models.media_types import MAX_INLINE_BYTES, is_read
from memory.messages import MediaPart, Message, Part, TextPart
from memory.store.media import MediaStore
from tools.files import shown_again

LEFT_OUT = "{label} is left out: a request holds no more media than those before it. Ask for it alone to see it."
NOT_READ = "{label} cannot be shown: nothing here reads {mime_type}."
GONE = "{label} cannot be shown: it is not kept any more."


async def shown_media(messages: Sequence[Message], media: MediaStore) -> tuple[Part, ...]:
    """Return what a turn's messages show, what was asked for first; texts say what is left out of it."""
    said = [message for message in messages if message.role == "user"]
    asked = [prefix for message in messages for one in message.results if (prefix := shown_again(one)) is not None]
    again = [part for prefix in reversed(asked) if (part := await media.kept(prefix)) is not None]
    came = [part for message in said for part in message.media if not part.is_heard and part.noun != "audio"]
    wanted = {part.sha256: part for part in (*again, *came)}
    return tuple(_within_limits(wanted.values(), media))


def _within_limits(parts: Iterable[MediaPart], media: MediaStore) -> Iterator[Part]:
    size = 0
    for part in parts:
        if not is_read(part.mime_type):
            yield TextPart(text=NOT_READ.format(label=part.label, mime_type=part.mime_type))
        elif size + part.size > MAX_INLINE_BYTES:
            yield TextPart(text=LEFT_OUT.format(label=part.label))
        elif (data := media.read(part.sha256)) is None:
            yield TextPart(text=GONE.format(label=part.label))
        else:
            size += part.size
            yield part.model_copy(update={"data": data})
