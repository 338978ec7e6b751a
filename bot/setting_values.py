"""What the values of settings look like: each function turns the text of one into its value, or says what is wrong.

Text in, value out, and a complaint that never repeats the text. What is not text passes as it is. Nothing here knows
the name of a setting.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import time
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError


@dataclass(frozen=True)
class HostPort:
    host: str
    port: int


def wrong(what: str) -> PydanticCustomError:
    return PydanticCustomError("setting", "{what}", {"what": what})


def bot_token(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"[0-9]+:[A-Za-z0-9_-]+", value):
        raise wrong("is not a bot token (digits, a colon, then letters and digits)")
    return value


def key(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"[!-~]+", value):
        raise wrong("must be one word of plain characters")
    return value


def webhook_secret(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", value):
        raise wrong("must be 1 to 256 letters, digits, `_` or `-`")
    return value


def user_id(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"[1-9][0-9]{0,18}", value):
        raise wrong("must be the number of a Telegram user, not a name")
    return value


def chat_ids(value: object) -> object:
    if not isinstance(value, str):
        return value
    entries = [entry.strip() for entry in value.split(",") if entry.strip()]
    for place, entry in enumerate(entries, start=1):
        if not re.fullmatch(r"-?[1-9][0-9]{0,18}", entry):
            raise wrong(f"entry {place} is not the number of a user or a group")
    return tuple(dict.fromkeys(int(entry) for entry in entries))


def address(value: object) -> object:
    if isinstance(value, str):
        try:
            parts = urlsplit(value)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address:
            raise wrong("is not an http(s) address")
    return value


def host_port(value: object) -> object:
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})", value)
    if not match or not 0 < int(match[2]) < 65536:
        raise wrong("is not of the form host:port")
    return HostPort(match[1].strip("[]"), int(match[2]))


def unless(word: str, parse: Callable[[object], object]) -> Callable[[object], object]:
    """Return `parse`, but None for the word by which people switch the thing off."""

    def parse_or_none(value: object) -> object:
        return None if isinstance(value, str) and value.lower() == word else parse(value)

    return parse_or_none


def on_off(value: object) -> object:
    if not isinstance(value, str):
        return value
    words = {"on": True, "off": False, "true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
    if value.lower() not in words:
        raise wrong("must be `on` or `off`")
    return words[value.lower()]


def zone(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        raise wrong("is not an IANA time zone") from None


def local_time(value: object) -> object:
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"([01][0-9]|2[0-3]):([0-5][0-9])", value)
    if not match:
        raise wrong("is not a time of day (HH:MM)")
    return time(int(match[1]), int(match[2]))


def dollars(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", value):
        raise wrong("must be dollars (0 or more), or `none` for no ceiling")
    return float(value)


def whole_number(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"[0-9]{1,9}", value):
        raise wrong("must be a whole number")
    return value


def model_name(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/-]*", value):
        raise wrong("is not the name of a model")
    return value


def file(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return Path(value).expanduser().absolute()
    except RuntimeError:
        raise wrong("begins with the home folder of somebody who has none") from None


Address = Annotated[str | None, BeforeValidator(address)]
OnOff = Annotated[bool, BeforeValidator(on_off)]
Number = Annotated[int, BeforeValidator(whole_number)]
ModelName = Annotated[str, BeforeValidator(model_name)]
LocalTime = Annotated[time, BeforeValidator(local_time)]
