"""The transcript of a day as its members see it: who said what when, with buttons, edits as they stand at the end."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from tests.fakes.telegram_world import Shown

BOT = "Remembrancer"
WIDTH = 100
FENCE = {"pre": "▏", "blockquote": "┃", "expandable_blockquote": "┃"}


@dataclass(frozen=True)
class Deed:
    """What a person did, or what the teller says. `place` orders it among the messages of all chats."""

    place: float
    at: datetime
    chat_id: int
    who: str
    text: str


def bots(shown: Shown) -> Deed:
    """Return a message of the bot's as it stands."""
    marks = ["silent"] * shown.is_silent + ["edited"] * bool(shown.edits)
    who = BOT + (f" ({', '.join(marks)})" if marks else "")
    text = _fenced(shown)
    if shown.photo:
        text = f"[a picture]\n{text}"
    if shown.document:
        text = f"[file {shown.document.name}, {len(shown.document.data)} bytes]\n{shown.document.caption or ''}"
    rows = (shown.keyboard or {}).get("inline_keyboard", [])
    buttons = ["  ".join(f"[ {button['text']} ]" for button in row) for row in rows]
    return Deed(
        shown.message_id, datetime.fromtimestamp(shown.date, UTC), shown.chat_id, who, "\n".join([text, *buttons])
    )


def rendered(deeds: Sequence[Deed], names: Mapping[int, str], zone: ZoneInfo) -> str:
    """Return the transcript; `names` are those of the chats."""
    lines: list[str] = []
    day = ""
    for chat_id, group in groupby(sorted(deeds, key=lambda deed: deed.place), key=lambda deed: deed.chat_id):
        lines += ["", f"━━ {names.get(chat_id, str(chat_id))} ".ljust(WIDTH, "━")]
        for deed in group:
            local = deed.at.astimezone(zone)
            if f"{local:%A %d %B %Y}" != day:
                day = f"{local:%A %d %B %Y}"
                lines += ["", f"── {day} ──"]
            lines += ["", f"{local:%H:%M}  {deed.who}:", *_indented(deed.text)]
    return "\n".join(lines).strip() + "\n"


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"       {line}".rstrip()


def _fenced(shown: Shown) -> str:
    """Return the text with the lines that a client sets apart marked as such, and addresses after their words."""
    units = shown.text.encode("utf-16-le")
    for entity in sorted(shown.entities, key=lambda entity: -entity["offset"]):
        start, end = entity["offset"] * 2, (entity["offset"] + entity["length"]) * 2
        words = units[start:end].decode("utf-16-le")
        if entity["type"] in FENCE:
            words = "\n".join(f"{FENCE[entity['type']]} {line}" for line in words.split("\n"))
        elif entity["type"] == "text_link":
            words = f"{words} ‹{entity['url']}›"
        units = units[:start] + words.encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le")
