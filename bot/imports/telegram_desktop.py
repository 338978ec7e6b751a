"""The export of Telegram Desktop (`result.json`), of one chat or of an account: looked over, then read as messages.

The file is walked twice and never held whole: once to see which chats there are and who speaks in them, once to read
the chosen one. What is the member's own becomes theirs; a bot's answers become the assistant's; what others wrote, or
was forwarded, or made by an inline bot, is kept as other people's words, which write no facts. Service messages and
media without words are left out and counted. Nothing is stored here.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Literal
from zoneinfo import ZoneInfo

from bot.imports.json_stream import JsonStream, NotJson
from memory.messages import Message, Origin, Role, TextPart

SNIFFED_CHARS = 1 << 16
DIRECT = ("personal_chat", "bot_chat")
"""Kinds of chats that two have: `id` is that of the other one."""
_ITS_KEYS = re.compile(r'(?<!\\)"(?:messages|chats|left_chats|personal_information|about)"\s*:\s*[\[{"]')
_LINE_KEYS = re.compile(r'^\s*\{.*"at"\s*:.*\}\s*$')
_MEDIA_KEYS = ("photo", "file", "media_type", "location_information", "contact_information", "poll", "game_title")
_HALF = re.compile("[\ud800-\udfff]")

Skipped = Literal["media", "service", "unreadable"]


class BadExport(Exception):
    """The file is no export of Telegram Desktop that can be read; the message says why."""


@dataclass(frozen=True)
class Speaker:
    """Who wrote messages of a chat: `key` as the file has it (`user123`), and the name as last shown."""

    key: str
    name: str | None
    count: int

    @property
    def id(self) -> str:
        return re.sub(r"^\D+", "", self.key)

    @property
    def shown(self) -> str:
        return f"{self.name or 'deleted account'} ({self.id}, {self.count} messages)"


@dataclass
class _Seen:
    """A chat while it is walked over."""

    id: int = 0
    name: str | None = None
    kind: str = ""
    count: int = 0
    by: Counter[str] = field(default_factory=Counter)
    names: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Chat:
    """A chat of the file. `number` is its place there."""

    number: int
    id: int
    name: str | None
    kind: str
    count: int
    speakers: tuple[Speaker, ...]

    @property
    def title(self) -> str:
        return self.name or self.kind.replace("_", " ") or "chat"

    @property
    def shown(self) -> str:
        return f"{self.title} ({self.id}, {self.count} messages)"


@dataclass(frozen=True)
class Survey:
    """What a file holds. `owner` is the id of the account whose export it is, where the file says so."""

    chats: tuple[Chat, ...]
    owner: str | None


def is_telegram_export(head: str) -> bool:
    """Tell from its beginning whether a text is an export of Telegram Desktop, and not lines of JSON."""
    first = head.lstrip().split("\n", 1)[0]
    return head.lstrip().startswith("{") and not _LINE_KEYS.match(first) and _ITS_KEYS.search(head) is not None


def survey(file: IO[str]) -> Survey:
    """Look a file over. Raises: BadExport."""
    chats: list[Chat] = []
    owner: list[str] = []
    for number, seen in _walked(file, owner):
        speakers = tuple(Speaker(key, seen.names.get(key), count) for key, count in seen.by.most_common())
        chats.append(Chat(number, seen.id, seen.name, seen.kind, seen.count, speakers))
    if not chats:
        raise BadExport("it holds no chat: export one as JSON with its messages")
    return Survey(tuple(chats), owner[0] if owner else None)


class Reading:
    """The messages of one chat, in the order of the file; what was left out is counted in `skipped`.

    `me`: the key of the member; None where everybody who speaks is one, in a group's memory.
    """

    def __init__(self, chat: Chat, me: str | None, zone: ZoneInfo) -> None:
        self.skipped: Counter[Skipped] = Counter()
        self._chat = chat
        self._me = me
        self._zone = zone

    def messages(self, file: IO[str]) -> Iterator[Message]:
        """Yield each. Raises: BadExport."""
        for raw in _messages_of(file, self._chat.number):
            message = self._message(raw if isinstance(raw, Mapping) else {})
            if message is not None:
                yield message

    def _message(self, raw: Mapping[str, Any]) -> Message | None:
        why = self._left_out(raw)
        text, at = _text(raw), _moment(raw, self._zone)
        if why is not None or at is None:
            self.skipped[why or "unreadable"] += 1
            return None
        role, origin = self._whose(raw)
        sender = _key(raw.get("from_id"))
        return Message(
            role=role,
            parts=(TextPart(text=text),),
            at=at,
            origin=origin,
            author=_author(raw),
            author_id=int(sender[4:]) if sender and re.fullmatch(r"user[0-9]{1,18}", sender) else None,
            ref=f"{self._chat.id}/{raw.get('id')}",
        )

    def _whose(self, raw: Mapping[str, Any]) -> tuple[Role, Origin]:
        sender = _key(raw.get("from_id"))
        if any(key in raw for key in ("forwarded_from", "forwarded_from_id", "via_bot", "saved_from")):
            return "user", "forward"
        is_own = sender == self._me if self._me is not None else bool(sender and sender.startswith("user"))
        if is_own:
            return "user", "import"
        is_bot = self._chat.kind == "bot_chat" and sender == f"user{self._chat.id}"
        return ("model", "import") if is_bot else ("user", "forward")

    def _left_out(self, raw: Mapping[str, Any]) -> Skipped | None:
        if raw.get("type") != "message":
            return "service"
        if _text(raw).strip():
            return None
        return "media" if any(key in raw for key in _MEDIA_KEYS) else "unreadable"


def opened(path: Path) -> IO[str]:
    """Open a file as the text that these functions read; bytes that are no text become marks."""
    return path.open(encoding="utf-8-sig", errors="replace", newline="")


# Walking


def _walked(file: IO[str], owner: list[str]) -> Iterator[tuple[int, _Seen]]:
    """Yield each chat once it was walked over; put the account's id into `owner`."""
    stream, number = JsonStream(file), 0
    try:
        top = _Seen()
        for key in stream.fields():
            if key in ("chats", "left_chats"):
                for _ in _lists_in(stream, "list"):
                    seen = _Seen()
                    for inner in stream.fields():
                        _look_at(stream, inner, seen)
                    yield number, seen
                    number += 1
            elif key == "personal_information":
                about = stream.value()
                if isinstance(about, Mapping) and isinstance(about.get("user_id"), int):
                    owner.append(str(about["user_id"]))
            else:
                _look_at(stream, key, top)
        if top.count or top.kind:
            yield number, top
    except NotJson as error:
        raise BadExport(str(error)) from None


def _look_at(stream: JsonStream, key: str, seen: _Seen) -> None:
    if key == "messages" and stream.peek() == "[":
        for _ in stream.items():
            raw = stream.value()
            seen.count += 1
            sender = _key(raw.get("from_id")) if isinstance(raw, Mapping) and raw.get("type") == "message" else None
            if sender:
                seen.by[sender] += 1
                if isinstance(raw.get("from"), str):
                    seen.names[sender] = raw["from"]
        return
    value = stream.value()
    if key == "id" and isinstance(value, int):
        seen.id = value
    elif key == "name" and isinstance(value, str):
        seen.name = value
    elif key == "type" and isinstance(value, str):
        seen.kind = value


def _messages_of(file: IO[str], wanted: int) -> Iterator[Any]:
    stream, number = JsonStream(file), 0
    try:
        for key in stream.fields():
            if key in ("chats", "left_chats"):
                for _ in _lists_in(stream, "list"):
                    for inner in stream.fields():
                        yield from _values(stream, is_wanted=number == wanted and inner == "messages")
                    number += 1
            else:
                yield from _values(stream, is_wanted=number == wanted and key == "messages")
    except NotJson as error:
        raise BadExport(str(error)) from None


def _values(stream: JsonStream, *, is_wanted: bool) -> Iterator[Any]:
    """Walk one value; yield its elements if they are wanted."""
    if stream.peek() != "[":
        stream.value()
        return
    for _ in stream.items():
        value = stream.value()
        if is_wanted:
            yield value


def _lists_in(stream: JsonStream, name: str) -> Iterator[None]:
    """Walk an object and yield before each object in its list of that name."""
    if stream.peek() != "{":
        stream.value()
        return
    for key in stream.fields():
        if key != name or stream.peek() != "[":
            stream.value()
            continue
        for _ in stream.items():
            if stream.peek() == "{":
                yield
            else:
                stream.value()


# Values


def _key(value: Any) -> str | None:
    """Return who sent it; files of before 2021 have the bare number."""
    if isinstance(value, bool) or value is None:
        return None
    return f"user{value}" if isinstance(value, int) else value if isinstance(value, str) else None


def _author(raw: Mapping[str, Any]) -> str | None:
    """Return whose words they are: of what was forwarded, the first writer's name."""
    name = raw["forwarded_from"] if raw.get("forwarded_from") else raw.get("from")
    return _HALF.sub("\ufffd", name) if isinstance(name, str) and name.strip() else None


def _text(raw: Mapping[str, Any]) -> str:
    """Return the words: `text` is a string, or a list of strings and of objects with `text`."""
    text = raw.get("text", "")
    pieces = text if isinstance(text, list) else [text]
    words = (piece.get("text") if isinstance(piece, Mapping) else piece for piece in pieces)
    return _HALF.sub("\ufffd", "".join(word for word in words if isinstance(word, str)))


def _moment(raw: Mapping[str, Any], zone: ZoneInfo) -> datetime | None:
    """Return when it was said: `date_unixtime`, else `date`, the wall time there, taken as of `zone`."""
    try:
        stamp = raw.get("date_unixtime")
        if stamp is not None:
            return datetime.fromtimestamp(int(stamp), UTC)
        moment = datetime.fromisoformat(str(raw["date"]))
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (KeyError, ValueError, OverflowError, TypeError, OSError):
        return None
