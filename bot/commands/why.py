"""What /why answers: what the prompt of a turn was built from, layer by layer, each part with where it comes from.

Pure. Texts are shortened, the talk itself is summed up: the member has it in the chat.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from zoneinfo import ZoneInfo

from bot.quoting import literal
from memory.block import NO_ROOM, Explained
from memory.messages import Message
from memory.store.sessions import Turn

SHOWN_CHARS = 160
_LAYERS = {
    "ledger": "Facts",
    "recalled": "Recalled",
    "procedure": "Procedures",
    NO_ROOM: "Procedures left out, no room for them",
    "handoff": "Earlier talk, summed up",
    "tail": "This conversation",
}
_SPEAKERS = {"user": "you", "model": "me"}


def why_text(turn: Turn, parts: Sequence[Explained], zone: ZoneInfo) -> str:
    """Return the answer (Markdown): the layers with their parts, then what is the same in every prompt."""
    head = f"**t{turn.id}** was answered from {turn.prompt_tokens or 0:,} tokens by {turn.model or 'no model'}."
    order = {layer: place for place, layer in enumerate(_LAYERS)}
    told = sorted((part for part in parts if part.item.layer in order), key=lambda part: order[part.item.layer])
    blocks = [
        "\n".join(_layer_lines(layer, list(group), zone))
        for layer, group in groupby(told, key=lambda part: part.item.layer)
    ]
    fixed = ", ".join(f"{part.item.layer} {part.item.tokens:,}" for part in parts if part.item.layer not in order)
    return "\n\n".join([head, *blocks, *([f"In every prompt: {fixed} tokens"] if fixed else [])])


def _layer_lines(layer: str, parts: Sequence[Explained], zone: ZoneInfo) -> Iterator[str]:
    tokens = sum(part.item.tokens for part in parts)
    yield f"**{_LAYERS[layer]}** ({tokens:,} tokens)"
    if layer == "tail":
        yield f"• {_span(parts)}, as it was said"
    else:
        yield from (_part_line(part, zone) for part in parts)


def _part_line(part: Explained, zone: ZoneInfo) -> str:
    flat = " ".join(part.text.split())
    shown = flat if len(flat) <= SHOWN_CHARS else f"{flat[: SHOWN_CHARS - 1]}…"
    source = f" ({_source(part.source, zone)})" if part.source else ""
    return f"• {part.item.ref} {literal(shown + source)}"


def _source(message: Message, zone: ZoneInfo) -> str:
    at = message.at.astimezone(zone)
    speaker = message.author or _SPEAKERS.get(message.role, message.role)
    return f"{speaker}, m{message.id}, {at:%a} {at.day} {at:%b %Y %H:%M}"


def _span(parts: Sequence[Explained]) -> str:
    ids = sorted({int(part.item.ref[1:]) for part in parts})
    return f"m{ids[0]}" if len(ids) == 1 else f"m{ids[0]} to m{ids[-1]}"
