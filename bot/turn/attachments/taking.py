"""Taking in one attachment: it is fetched, and becomes a picture, words that were heard, or a document.

A recording that a member made is their own words; an audio file is somebody else's, like a document. Nothing is stored
here but what a document needs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.errors import words_for
from bot.models.media_types import MAX_INLINE_BYTES, is_read, picture_type, usual
from bot.quoting import literal
from bot.turn.attachments.documents import take_document
from bot.turn.attachments.downloads import MAX_DOWNLOAD_BYTES, MEGABYTE, NAMES, Downloads, NotFetched
from bot.turn.attachments.hearing import MAX_HEARD_S, Hearing
from bot.turn.topics import topic_of
from memory.catalogue import N_, _
from memory.errors import ModelFault
from memory.messages import MediaPart, Message, NotePart, Part, TextPart, media_part
from memory.space import Space
from memory.store.entries import Attachment, Entry
from memory.store.redaction import Redacted, Redactor, notice, strip_hidden

TOO_BIG = N_(
    "I could not take this in ({kind}, {size}): Telegram gives me files of up to {limit} MB. Send a smaller one, or "
    "tell me in words what matters in it."
)
TOO_BIG_TO_SHOW = N_(
    "I could not take this in ({kind}, {size}): I can look at and listen to files of up to {limit} MB. Send a shorter "
    "or smaller one, or tell me in words what matters in it."
)
TOO_LONG = N_(
    "I could not take this in ({kind}): I listen to recordings of up to {limit} minutes. Send it in parts, or tell me "
    "in words what matters in it."
)
GONE = N_("Telegram does not give this file out any more ({kind}). Please send it again.")
UNREACHABLE = N_("I could not fetch this from Telegram just now ({kind}). Please send it again in a few minutes.")
NOT_READ = N_("I can't read this ({kind}, {mime_type}). Tell me in words what matters in it.")
NOT_HEARD = N_(
    "I could not listen to this ({kind}), so I don't know what it says: {why} Send it again later, or write it to me."
)
NO_EARS = N_("I can't listen to this ({kind}) without a model: the operator can set one up. Please write it to me.")
NOBODY_SPEAKS = N_("I heard nobody speak in this ({kind}). If somebody does, please send it again or write it to me.")
HEARD = N_("🎤 I heard: «{words}»\nIf I misheard, reply with the right words.")
MORE = N_("… and {count} characters more, all kept.")
SHOWN_CHARS = 1_500

BARE = NotePart(text="[what came with this message was not taken in: the turn ended before]")
_TROUBLE = "[{kind}: {why}; the member was told]"
_QUOTED = "whoever speaks in an audio file that the member sent"
_RECORDED = frozenset({"voice", "video_note"})
_USUAL_TYPES = {"voice": "audio/ogg", "audio": "audio/mp3", "document": "application/octet-stream"}


@dataclass(frozen=True)
class Piece:
    """What became of one attachment."""

    media: MediaPart | None = None
    note: Message | None = None
    """What stands in the turn right before the message."""
    words: Redacted | None = None
    """What was heard, without secrets."""
    is_own: bool = True
    """What was heard are the words of whoever sent it."""
    trouble: str = ""
    """Why it could not be taken in, for the model."""
    told: str = ""


@dataclass(frozen=True)
class TakenIn:
    """An entry with what was taken in of its files: what stands in its message, before it and after it."""

    entry: Entry
    parts: tuple[Part, ...] = ()
    media: tuple[MediaPart, ...] = ()
    notes: tuple[Message, ...] = ()
    quoted: tuple[Entry, ...] = ()
    """What others say in it."""
    heard: tuple[str, ...] = ()
    """What the member is shown of what was heard."""
    told: tuple[str, ...] = ()
    is_answerable: bool = True


class AttachmentReader:
    """Takes in attachments of one space. `downloads` None: nothing can be fetched; `hearing` None: nobody listens."""

    def __init__(self, space: Space, downloads: Downloads | None, hearing: Hearing | None, redactor: Redactor) -> None:
        self._space = space
        self._downloads = downloads
        self._hearing = hearing
        self._redactor = redactor

    async def read(self, entry: Entry, attachment: Attachment, number: int) -> Piece:
        """Take in the attachment of that number of an entry. Raises: OperatorMustAct."""
        refused = _refusal(attachment)
        if refused is not None:
            return refused
        try:
            data = await self._fetched(attachment)
        except NotFetched as fault:
            return _not_fetched(attachment, fault)
        mime_type = _type_of(attachment, data)
        media = _media(attachment, data, mime_type)
        if attachment.kind in _RECORDED or media.noun == "audio":
            return await self._heard(attachment, media)
        if media.noun in ("photo", "video"):
            return _seen(attachment, media)
        taken = await take_document(
            self._space,
            data,
            name=attachment.name or "document",
            mime_type=mime_type,
            at=entry.at,
            source=f"{entry.source}/{number}",
            author_id=entry.author_id,
            topic=topic_of(entry),
        )
        return Piece(taken.shown, taken.note, told=taken.told)

    async def _fetched(self, attachment: Attachment) -> bytes:
        if self._downloads is None:
            raise NotFetched("gone")
        return await self._downloads.fetch(attachment)

    async def _heard(self, attachment: Attachment, media: MediaPart) -> Piece:
        if self._hearing is None:
            return replace(_trouble(attachment, "nobody can listen to it", NO_EARS), media=media)
        if not is_read(media.mime_type):
            return _trouble(attachment, "cannot be heard", NOT_READ, media.mime_type)
        if media.size > MAX_INLINE_BYTES:
            return _too_big_to_show(attachment)
        try:
            said = await self._hearing.words_in(media)
        except ModelFault as fault:
            why = words_for(fault).partition(". ")[0] + "."
            trouble = _trouble(attachment, "could not be heard", NOT_HEARD, why=why)
            return replace(trouble, media=media)
        words = self._redactor.redact(strip_hidden(said))
        if not words.text.strip():
            return replace(_trouble(attachment, "nobody speaks in it", NOBODY_SPEAKS), media=media)
        is_own = attachment.kind in _RECORDED
        return Piece(media.model_copy(update={"is_heard": True}), words=words, is_own=is_own)


def together(entry: Entry, pieces: Sequence[Piece]) -> TakenIn:
    """Return an entry with what became of its attachments."""
    own = [piece.words for piece in pieces if piece.words is not None and piece.is_own]
    others = [piece.words for piece in pieces if piece.words is not None and not piece.is_own]
    media = tuple(piece.media for piece in pieces if piece.media is not None)
    said = [TextPart(text=("\n" if entry.text or number else "") + one.text) for number, one in enumerate(own)]
    troubles = tuple(NotePart(text=piece.trouble) for piece in pieces if piece.trouble)
    has_content = bool(entry.text or entry.described or said or others)
    return TakenIn(
        _with_notices(entry, own),
        parts=(*said, *(part.model_copy(update={"data": None}) for part in media), *troubles),
        media=media,
        notes=tuple(piece.note for piece in pieces if piece.note is not None),
        quoted=tuple(_quoted(entry, one, number) for number, one in enumerate(others)),
        heard=tuple(_heard_line(one.text) for one in (*own, *others)),
        told=tuple(piece.told for piece in pieces if piece.told),
        is_answerable=has_content or any(not piece.trouble for piece in pieces),
    )


def _with_notices(entry: Entry, said: Sequence[Redacted]) -> Entry:
    """Return an entry that also tells what was masked in what was heard; its own can be kept where nobody else asks."""
    masked = [one for one in said if one.kinds]
    if not masked:
        return entry
    can_keep = entry.origin == "own" and (entry.chat_id or 0) > 0
    secrets = tuple(secret for one in masked for secret in one.spoken) if can_keep else ()
    notices = tuple(notice(one, can_keep=bool(secrets)) for one in masked)
    secrets = (*entry.secrets, *secrets)
    return entry.model_copy(
        update={
            "notices": (*notices, *entry.notices),
            "secrets": secrets,
            "has_offer": entry.has_offer or bool(secrets),
        }
    )


def _quoted(entry: Entry, words: Redacted, number: int) -> Entry:
    """Return what is said in an audio file as an entry of its own: somebody else's words."""
    return Entry(
        source=f"{entry.source}/heard{number}",
        kind="message",
        text=words.text,
        at=entry.at,
        origin="forward",
        author_id=entry.author_id,
        forwarded_from=_QUOTED,
    )


def _heard_line(words: str) -> str:
    shown = words if len(words) <= SHOWN_CHARS else words[:SHOWN_CHARS]
    line = _(HEARD).format(words=literal(shown))
    more = len(words) - len(shown)
    return f"{line}\n{_(MORE).format(count=more)}" if more else line


# Troubles


def _refusal(attachment: Attachment) -> Piece | None:
    """Return why an attachment is not even fetched; None for what may be."""
    size = attachment.size or 0
    if size > MAX_DOWNLOAD_BYTES:
        return _trouble(attachment, "larger than a bot can fetch", TOO_BIG, limit=MAX_DOWNLOAD_BYTES // 1024**2)
    if attachment.kind not in ("document", "photo") and size > MAX_INLINE_BYTES:
        return _too_big_to_show(attachment)
    is_heard = attachment.kind in ("voice", "audio", "video_note")
    if is_heard and (attachment.duration_s or 0) > MAX_HEARD_S:
        return _trouble(attachment, "too long to listen to", TOO_LONG, limit=MAX_HEARD_S // 60)
    return None


def _not_fetched(attachment: Attachment, fault: NotFetched) -> Piece:
    match fault.reason:
        case "too big":
            limit = MAX_DOWNLOAD_BYTES // 1024**2
            return _trouble(attachment, "larger than a bot can fetch", TOO_BIG, limit=limit)
        case "gone":
            return _trouble(attachment, "no longer given out by Telegram", GONE)
        case "unreachable":
            return _trouble(attachment, "could not be fetched", UNREACHABLE)


def _too_big_to_show(attachment: Attachment) -> Piece:
    return _trouble(attachment, "too large", TOO_BIG_TO_SHOW, limit=MAX_INLINE_BYTES // MEGABYTE)


def _trouble(attachment: Attachment, why_not: str, words: str, mime_type: str = "", **more: object) -> Piece:
    size = f"{attachment.size / MEGABYTE:.1f} MB" if attachment.size else "?"
    told = _(words).format(kind=_(NAMES[attachment.kind]), size=size, mime_type=mime_type, **more)
    return Piece(trouble=_TROUBLE.format(kind=NAMES[attachment.kind], why=why_not), told=told)


# Media


def _seen(attachment: Attachment, media: MediaPart) -> Piece:
    if not is_read(media.mime_type):
        return _trouble(attachment, "cannot be read", NOT_READ, media.mime_type)
    return Piece(media) if media.size <= MAX_INLINE_BYTES else _too_big_to_show(attachment)


def _type_of(attachment: Attachment, data: bytes) -> str:
    """Return the type of bytes: what they begin like for a picture, else what the sender's client says."""
    picture = picture_type(data)
    if picture is not None and attachment.kind in ("photo", "document"):
        return picture
    said = usual(attachment.mime_type or _USUAL_TYPES.get(attachment.kind, "video/mp4"))
    is_no_picture = attachment.kind == "photo" or said.startswith("image/")
    return "application/octet-stream" if is_no_picture else said


def _media(attachment: Attachment, data: bytes, mime_type: str) -> MediaPart:
    measures = {"width": attachment.width, "height": attachment.height, "duration_s": attachment.duration_s}
    return media_part(data, mime_type, name=attachment.name).model_copy(update=measures)
