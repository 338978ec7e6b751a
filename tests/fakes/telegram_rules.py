"""What the Bot API refuses: texts, entities, keyboards, markup and commands, checked as strictly as Telegram would.

Where the real server quietly repairs or drops something (entities beyond the hundredth, odd nesting), these rules
refuse, because what is dropped is lost. Pure functions: each returns nothing or raises `Refused`.
"""

import json
import re
import struct
import unicodedata
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import combinations
from typing import Any
from urllib.parse import urlsplit

MAX_TEXT = 4096
MAX_CAPTION = 1024
MAX_ENTITIES = 100
MAX_CALLBACK_BYTES = 64
MAX_PHOTO_BYTES = 10 * 1024 * 1024
MAX_PHOTO_SIDES = 10_000
MAX_PHOTO_RATIO = 20

STYLES = {"bold", "italic", "underline", "strikethrough", "spoiler"}
QUOTES = {"blockquote", "expandable_blockquote"}
CODE = {"pre", "code"}
NEEDS = {"text_link": "url", "text_mention": "user", "custom_emoji": "custom_emoji_id", "date_time": "unix_time"}
FOUND_BY_SERVER = {"mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number"}
KNOWN_ENTITIES = STYLES | QUOTES | CODE | FOUND_BY_SERVER | set(NEEDS)

BLANK_LETTERS = set("\u115f\u1160\u17b4\u17b5\u180e\u2800\u3164\uffa0\ufe0e\ufe0f")
REACTIONS = set(
    "👍👎❤🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓🍾"
    "💋🖕😈😴😭🤓👻👀🎃🙈😇😨🤝✍🤗🫡🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾😡"
)
CHAT_ACTIONS = {
    "typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice", "upload_document",
    "choose_sticker", "find_location", "record_video_note", "upload_video_note",
}  # fmt: skip


class Refused(Exception):
    """An answer with `ok` false."""

    def __init__(self, code: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters


def bad_request(reason: str) -> Refused:
    return Refused(400, f"Bad Request: {reason}")


def utf16_len(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def is_blank(text: str) -> bool:
    """Whether nothing of the text would be seen."""
    return all(unicodedata.category(c) in {"Zs", "Zl", "Zp", "Cc", "Cf"} or c in BLANK_LETTERS for c in text)


def check_text(text: Any, *, empty: str = "message text is empty", limit: int = MAX_TEXT) -> str:
    """Return the text; refuse one that is missing, blank or over the limit in UTF-16 units."""
    if not isinstance(text, str) or is_blank(text):
        raise bad_request(empty)
    if utf16_len(text) > limit:
        raise bad_request("message is too long" if limit == MAX_TEXT else "message caption is too long")
    return text


def check_entities(text: str, entities: Any) -> list[dict[str, Any]]:
    """Return the entities; refuse unknown types, ranges outside the text or through a surrogate pair, bad nesting."""
    if entities is None:
        return []
    if not isinstance(entities, list) or not all(isinstance(entity, dict) for entity in entities):
        raise bad_request("can't parse entities: expected an array of objects")
    if len(entities) > MAX_ENTITIES:
        raise bad_request("too many entities")
    units = text.encode("utf-16-le")
    for entity in entities:
        _check_kind(entity)
        _check_range(units, entity)
    for one, other in combinations(entities, 2):
        _check_nesting(one, other)
    return entities


def _check_kind(entity: dict[str, Any]) -> None:
    kind = entity.get("type")
    if kind not in KNOWN_ENTITIES:
        raise bad_request(f"can't parse entities: unknown type {kind!r}")
    need = NEEDS.get(kind)
    if need and not entity.get(need):
        raise bad_request(f"can't parse entities: {kind} without {need}")
    if kind == "text_link" and not is_web_address(entity["url"]):
        raise bad_request("Wrong message entity: URL is invalid")


def _check_range(units: bytes, entity: dict[str, Any]) -> None:
    offset, length = entity.get("offset"), entity.get("length")
    if type(offset) is not int or type(length) is not int or offset < 0 or length <= 0:
        raise bad_request("can't parse entities: bad offset or length")
    if (offset + length) * 2 > len(units):
        raise bad_request("can't parse entities: entity outside the text")
    for border in (offset, offset + length):
        if b"\xdc" <= units[border * 2 + 1 : border * 2 + 2] <= b"\xdf":
            raise bad_request("can't parse entities: entity cuts a surrogate pair")


def _check_nesting(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = sorted((one, other), key=lambda e: (e["offset"], -e["length"]))
    first_end, second_end = first["offset"] + first["length"], second["offset"] + second["length"]
    if second["offset"] >= first_end:
        return
    kinds = {first["type"], second["type"]}
    if second_end > first_end:
        raise bad_request(f"can't parse entities: {sorted(kinds)} cross")
    if len(kinds & QUOTES) == 2 or (kinds <= QUOTES):
        raise bad_request("can't parse entities: nested quotes")
    if kinds & CODE and not (first["type"] in QUOTES or second["type"] in QUOTES):
        raise bad_request(f"can't parse entities: {sorted(kinds)} overlap, code cannot be styled")
    if not kinds & (STYLES | QUOTES):
        raise bad_request(f"can't parse entities: {sorted(kinds)} cannot contain each other")


def is_web_address(url: Any) -> bool:
    if not isinstance(url, str) or re.search(r"[\s\x00-\x1f]", url):
        return False
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and "." in host.strip(".")


class _Tags(HTMLParser):
    ALLOWED = frozenset({"b", "strong", "i", "em", "u", "ins", "s", "strike", "del", "span", "tg-spoiler", "a",
                         "tg-emoji", "code", "pre", "blockquote"})  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.ALLOWED:
            raise bad_request(f'can\'t parse entities: Unsupported start tag "{tag}"')
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise bad_request(f'can\'t parse entities: Unmatched end tag "{tag}"')


def check_markup(text: str, parse_mode: Any) -> None:
    """Refuse markup that does not balance (the markup itself stays in the text of the fake)."""
    if parse_mode is None:
        return
    if parse_mode == "HTML":
        tags = _Tags()
        tags.feed(text)
        if tags.open:
            raise bad_request(
                f"can't parse entities: Can't find end tag corresponding to start tag \"{tags.open[-1]}\""
            )
        return
    if parse_mode not in {"Markdown", "MarkdownV2"}:
        raise bad_request("unsupported parse_mode")
    _check_markdown(text, is_second_version=parse_mode == "MarkdownV2")


def _check_markdown(text: str, *, is_second_version: bool) -> None:
    bare = re.sub(r"\\[\x01-\x7e]", "", text)
    bare = re.sub(r"```.*?```|`[^`]*`", "", bare, flags=re.DOTALL)
    bare = re.sub(r"\[[^\]]*\]\([^)]*\)", "", bare)
    for mark in "*_~`" if is_second_version else "*_`[":
        if (mark == "[" and mark in bare) or (mark != "[" and bare.count(mark) % 2):
            raise bad_request("can't parse entities: Can't find end of the entity")
    reserved = re.search(r"[\[\]()>#+\-=|{}.!]", bare) if is_second_version else None
    if reserved:
        raise bad_request(f"can't parse entities: Character '{reserved[0]}' is reserved and must be escaped")


def check_photo(photo: Any) -> bytes:
    """Return the bytes of an uploaded picture; refuse what is none, is too large or too narrow."""
    if not isinstance(photo, tuple):
        raise bad_request("there is no photo in the request")
    data = photo[1]
    if not data:
        raise bad_request("file must be non-empty")
    if len(data) > MAX_PHOTO_BYTES:
        raise bad_request("file is too big for a photo")
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
        raise bad_request("IMAGE_PROCESS_FAILED")
    width, height = struct.unpack(">II", data[16:24])
    is_too_narrow = not width or not height or max(width, height) > MAX_PHOTO_RATIO * min(width, height)
    if width + height > MAX_PHOTO_SIDES or is_too_narrow:
        raise bad_request("PHOTO_INVALID_DIMENSIONS")
    return bytes(data)


def check_keyboard(markup: Any) -> dict[str, Any] | None:
    """Return the inline keyboard as sent; refuse empty labels, odd actions and callback data over 64 bytes."""
    if markup is None:
        return None
    if not isinstance(markup, dict):
        raise bad_request("object expected as reply markup")
    for row in markup.get("inline_keyboard", []):
        for button in row:
            _check_button(button)
    return markup


def _check_button(button: dict[str, Any]) -> None:
    if is_blank(button.get("text", "")):
        raise bad_request("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    actions = set(button) - {"text", "style", "icon_custom_emoji_id"}
    if len(actions) != 1:
        raise bad_request("can't parse inline keyboard button: exactly one action is required")
    if "callback_data" in button and not 1 <= len(button["callback_data"].encode()) <= MAX_CALLBACK_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")
    if "url" in button and not is_web_address(button["url"]):
        raise bad_request("inline keyboard button URL is invalid")


@dataclass(eq=False)
class Webhook:
    """Where updates are brought. `failure` is what getWebhookInfo tells of the last attempt that failed."""

    url: str
    secret: str | None
    max_connections: int
    allowed: list[str]
    failure: dict[str, Any] = field(default_factory=dict)


def check_webhook(params: dict[str, Any]) -> Webhook | None:
    """Return the webhook that is asked for, None for an empty address; refuse what cannot be called."""
    url, secret = params.get("url") or "", params.get("secret_token")
    if not url:
        return None
    parts = urlsplit(url)
    # A server on the same machine takes plain addresses; Telegram's own would ask for https.
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    if secret is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", secret):
        raise bad_request("secret token contains unallowed characters")
    connections = int(params.get("max_connections") or 40)
    if not 1 <= connections <= 100:
        raise bad_request("max_connections must be between 1 and 100")
    return Webhook(url, secret, connections, list(params.get("allowed_updates") or []))


def check_commands(commands: Any) -> list[dict[str, str]]:
    """Return the commands; refuse bad names, empty or long descriptions, more than a hundred."""
    if not isinstance(commands, list) or len(commands) > 100:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not re.fullmatch(r"[a-z0-9_]{1,32}", command.get("command", "")):
            raise bad_request("BOT_COMMAND_INVALID")
        if not 1 <= len(command.get("description", "")) <= 256:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    return commands


def canonical(value: Any) -> str:
    """Equal for values that are the same JSON."""
    return json.dumps(value, sort_keys=True)
