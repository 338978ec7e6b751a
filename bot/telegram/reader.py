"""Reader: what an update means: who did what, as an `Entry` that holds no secret and says whose words it holds.

Reading is pure: no row, no call; only which albums of groups are addressed to us is remembered, because one of their
messages says it for all that follow, and which were passed over. Nobody's admission is decided here.
"""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from bot.telegram.attached import attachments_of, descriptions_of
from bot.telegram.entities import is_blank
from bot.telegram.updates import SOMEBODY, Arrival, Mark, Membership, Message, Press, Reacted, User
from bot.turn.attachments.downloads import NAMES
from memory.catalogue import N_, _
from memory.messages import Origin
from memory.ports import Clock
from memory.store.entries import Attachment, Entry, EntryKind, place_of
from memory.store.reactions import Reaction
from memory.store.redaction import Redactor, notice, strip_hidden

ONLY_CAPTION = N_("Only the words of this message were read, not what came with it ({kind}): that is not stored.")
NOT_READ = N_("I can't read this ({kind}): nothing of it was stored. Tell me in words what matters in it.")
NO_TEXT = N_("Your message shows no text, so there was nothing to read.")
MEMBERS_NAME = "the member"
BOTS_NAME = "the assistant"

ALBUM_CUT = N_(
    "Of this album I saw only what came from the message on that names me: nothing before it was read or stored. Name "
    "me in the caption of its first picture, and I see all of it."
)

REMEMBERED_ALBUMS = 32

_AWAY = frozenset({"kicked", "left"})
_COMMAND = re.compile(r"/[A-Za-z0-9_]{1,32}")


@dataclass(frozen=True)
class Presence:
    """The bot was let into a chat, or shut out of it."""

    is_away: bool


Reading = Entry | Presence | Reaction | None


class Reader:
    """Reads the arrivals of one bot. `commands` are the names that are ours even where other bots listen."""

    def __init__(self, me: User, commands: frozenset[str], redactor: Redactor, clock: Clock) -> None:
        self._me = me
        self._commands = commands
        self._redactor = redactor
        self._clock = clock
        self._albums: deque[tuple[int, str]] = deque(maxlen=REMEMBERED_ALBUMS)
        """Albums of groups that are addressed to us, by chat."""
        self._passed: deque[tuple[int, str]] = deque(maxlen=REMEMBERED_ALBUMS)
        """Albums of groups of which messages were passed over, as nothing had addressed us yet."""

    def read(self, arrival: Arrival, source: str) -> Reading:
        """Return what an arrival means; None when it means nothing to us.

        An entry of kind `message` without content is no turn: only its notices are for the member.

        Raises: ValidationError.
        """
        match arrival.kind:
            case "callback_query":
                return self._press(Press.model_validate(arrival.body), source)
            case "message_reaction":
                return _reaction(Reacted.model_validate(arrival.body))
            case "my_chat_member":
                return Presence(Membership.model_validate(arrival.body).new_chat_member.status in _AWAY)
            case "edited_message":
                return self._message(Message.model_validate(arrival.body), source, is_edit=True)
            case "message":
                return self._message(Message.model_validate(arrival.body), source, is_edit=False)

    def _press(self, press: Press, source: str) -> Entry:
        message = press.message
        return Entry(
            source=source,
            kind="press",
            text="",
            at=self._clock.now(),
            author=self._clean(press.user.first_name),
            author_id=press.user.id,
            language=press.user.language_code,
            chat_id=message.chat.id,
            thread_id=message.message_thread_id if message.is_topic_message else None,
            message_id=message.message_id,
            press=self._clean(press.data),
            press_id=press.id,
        )

    def _message(self, message: Message, source: str, *, is_edit: bool) -> Reading:
        if message.chat.is_group and (message.sender_chat is not None or not self._is_addressed(message)):
            return None
        if message.words is None and not (any(attachments_of(message)) if is_edit else _carries_something(message)):
            return None
        if message.words is None and message.unread and message.media_group_id:
            # An album is many messages, and one notice is enough for it.
            source = f"{source.rpartition(':')[0]}:album:{message.media_group_id}"
        command = None if is_edit or _is_foreign(message) else self._command(message)
        if command == "":
            return None
        kind: EntryKind = "edit" if is_edit else "command" if command else "message"
        return self._entry(message, source, kind, command or message.words or "")

    def _entry(self, message: Message, source: str, kind: EntryKind, words: str) -> Entry | None:
        redacted = self._redactor.redact(strip_hidden(words))
        text = "" if is_blank(redacted.text) else redacted.text.strip()
        if kind == "edit" and not text and not any(attachments_of(message)):
            return None  # a caption can be taken away, the words of a message cannot
        origin = _origin(message)
        # In a group nothing can be kept as private: what one keeps, all can ask for.
        secrets = redacted.spoken if origin == "own" and not message.chat.is_group else ()
        notices = (notice(redacted, can_keep=bool(secrets)),) if redacted.kinds else ()
        quote, quoted_from = self._quoted(message)
        attachments = tuple(self._attached(message)) if kind == "message" else ()
        described = tuple(self._described(message)) if kind == "message" else ()
        is_empty = kind != "edit" and not (text or attachments or described)
        return Entry(
            source=source,
            kind=kind,
            text=text,
            at=message.edit_date or message.date,
            origin=origin,
            author=self._clean(message.user.first_name) if message.user else None,
            author_id=message.user.id if message.user else None,
            language=message.user.language_code if message.user else None,
            chat_id=message.chat.id,
            thread_id=message.thread,
            message_id=message.message_id,
            reply_to=message.answered.message_id if message.answered else None,
            quote=self._clean(quote),
            quoted_from=self._clean(quoted_from),
            forwarded_from=self._clean(_forwarded_from(message)),
            notices=(*notices, *_about_unread(message, kind, is_empty=is_empty), *self._about_passed(message, kind)),
            secrets=secrets,
            has_offer=bool(secrets),
            attachments=attachments,
            album=message.media_group_id if attachments else None,
            described=described,
        )

    def _attached(self, message: Message) -> Iterator[Attachment]:
        for attachment in attachments_of(message):
            yield attachment.model_copy(update={"name": self._clean(attachment.name)})

    def _described(self, message: Message) -> Iterator[str]:
        for description in descriptions_of(message):
            yield self._clean(description) or ""

    def _clean(self, text: str | None) -> str | None:
        return self._redactor.redact(strip_hidden(text)).text if text else None

    def _quoted(self, message: Message) -> tuple[str | None, str | None]:
        """Return the words a message replies to (the marked part, if a part was marked) and whose they are."""
        marked = message.quote.text if message.quote else None
        if message.answered is not None:
            earlier = message.answered
            return marked or earlier.text or earlier.caption, self._name(earlier.user, message.user)
        if message.external_reply is not None:
            return marked, message.external_reply.origin.name
        return None, None

    def _name(self, user: User | None, member: User | None) -> str | None:
        if user is None:
            return None
        if user.id == self._me.id:
            return BOTS_NAME
        return MEMBERS_NAME if member is not None and user.id == member.id else user.first_name

    def _command(self, message: Message) -> str | None:
        """Return `/name` with its arguments, None when it is none, "" when another bot is meant."""
        if not any(mark.type == "bot_command" and mark.offset == 0 for mark in message.marks):
            return None
        words = message.words or ""
        first, *rest = words.split(maxsplit=1)
        name, _, bot = first.partition("@")
        if not _COMMAND.fullmatch(name):
            return None
        if bot and bot.lower() != (self._me.username or "").lower():
            return ""
        return " ".join([name.lower(), *rest])

    def _is_addressed(self, message: Message) -> bool:
        """Whether a message in a group is for us: a command of ours, a reply to us, or it names us."""
        answered = message.answered
        album = _album_of(message)
        units = (message.words or "").encode("utf-16-le")
        is_addressed = (
            (answered is not None and answered.user is not None and answered.user.id == self._me.id)
            or album in self._albums
            or any(self._names_us(mark, _cut(units, mark)) for mark in message.marks)
        )
        known = self._albums if is_addressed else self._passed
        if album is not None and album not in known:
            known.append(album)
        return is_addressed

    def _about_passed(self, message: Message, kind: EntryKind) -> Iterator[str]:
        """Yield, once, what the member must know where the beginning of an album was passed over."""
        album = _album_of(message)
        if kind == "message" and album is not None and album in self._passed:
            self._passed.remove(album)
            yield _(ALBUM_CUT)

    def _names_us(self, mark: Mark, words: str) -> bool:
        username = (self._me.username or "").lower()
        name, _, bot = words.lower().partition("@")
        match mark.type:
            case "mention":
                return bot == username
            case "text_mention":
                return mark.user is not None and mark.user.id == self._me.id
            case "bot_command":
                is_ours = bot == username if bot else name.removeprefix("/") in self._commands
                return mark.offset == 0 and is_ours
            case _:
                return False


def _reaction(reacted: Reacted) -> Reaction:
    place = place_of(reacted.chat.id, reacted.message_id)
    assert place is not None
    return Reaction(place, reacted.user.id, reacted.emoji, reacted.date)


def _album_of(message: Message) -> tuple[int, str] | None:
    return (message.chat.id, message.media_group_id) if message.media_group_id else None


def _cut(units: bytes, mark: Mark) -> str:
    """Return the words under an entity, whose measures are UTF-16 units."""
    return units[mark.offset * 2 : (mark.offset + mark.length) * 2].decode("utf-16-le", "replace")


def _is_foreign(message: Message) -> bool:
    """Whether the words are not the sender's own: forwarded, or made by another bot."""
    return message.forward_origin is not None or message.forward_date is not None or message.via_bot is not None


def _origin(message: Message) -> Origin:
    return "forward" if _is_foreign(message) else "own"


def _forwarded_from(message: Message) -> str | None:
    if message.forward_origin is not None:
        return message.forward_origin.name
    if message.via_bot is not None:
        return f"the bot {message.via_bot.first_name}"
    return SOMEBODY if message.forward_date is not None else None


def _carries_something(message: Message) -> bool:
    return bool(message.unread or any(attachments_of(message)) or any(descriptions_of(message)))


def _about_unread(message: Message, kind: EntryKind, *, is_empty: bool) -> Iterator[str]:
    """Yield what the member must know about that which was not read."""
    if kind == "command":
        for attachment in attachments_of(message):
            yield _(ONLY_CAPTION).format(kind=_(NAMES[attachment.kind]))
    elif message.unread is not None and kind == "message":
        yield _(NOT_READ if is_empty else ONLY_CAPTION).format(kind=_(message.unread))
    elif is_empty:
        yield _(NO_TEXT)
