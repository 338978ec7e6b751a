"""What /why answers: what the prompt of a turn was built from, layer by layer, each part with where it comes from.

Pure. Texts are shortened, the talk itself is summed up: the member has it in the chat.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from zoneinfo import ZoneInfo

from bot.quoting import literal
from memory.block import NO_ROOM, Explained
from memory.catalogue import MOMENT, N_, _, written
from memory.messages import Message
from memory.store.sessions import Turn

SHOWN_CHARS = 160
_LAYERS = {
    "ledger": N_("Facts"),
    "recalled": N_("Recalled"),
    "procedure": N_("Procedures"),
    NO_ROOM: N_("Procedures left out, no room for them"),
    "handoff": N_("Earlier talk, summed up"),
    "tail": N_("This conversation"),
    "shown": N_("Pictures and other media it was shown"),
}
_SPEAKERS = {"user": N_("you"), "model": N_("me")}


def why_text(turn: Turn, parts: Sequence[Explained], zone: ZoneInfo, *, reactions: Sequence[str] = ()) -> str:
    """Return the answer (Markdown): the layers with their parts, then what is the same in every prompt."""
    head = _("**t{turn}** was answered from {tokens:,} tokens by {model}.").format(
        turn=turn.id, tokens=turn.prompt_tokens or 0, model=turn.model or _("no model")
    )
    if reactions:
        head += "\n" + _("Reactions to it: {signs}").format(signs=" ".join(reactions))
    order = {layer: place for place, layer in enumerate(_LAYERS)}
    told = sorted((part for part in parts if part.item.layer in order), key=lambda part: order[part.item.layer])
    blocks = [
        "\n".join(_layer_lines(layer, list(group), zone))
        for layer, group in groupby(told, key=lambda part: part.item.layer)
    ]
    fixed = ", ".join(f"{part.item.layer} {part.item.tokens:,}" for part in parts if part.item.layer not in order)
    always = [_("In every prompt: {parts} tokens").format(parts=fixed)] if fixed else []
    return "\n\n".join([head, *blocks, *always])


def _layer_lines(layer: str, parts: Sequence[Explained], zone: ZoneInfo) -> Iterator[str]:
    tokens = sum(part.item.tokens for part in parts)
    yield _("**{layer}** ({tokens:,} tokens)").format(layer=_(_LAYERS[layer]), tokens=tokens)
    if layer == "tail":
        yield _("• {messages}, as it was said").format(messages=_span(parts))
    else:
        yield from (_part_line(part, zone) for part in parts)


def _part_line(part: Explained, zone: ZoneInfo) -> str:
    flat = " ".join(part.text.split())
    shown = flat if len(flat) <= SHOWN_CHARS else f"{flat[: SHOWN_CHARS - 1]}…"
    source = f" ({_source(part.source, zone)})" if part.source else ""
    return f"• {part.item.ref} {literal(shown + source)}"


def _source(message: Message, zone: ZoneInfo) -> str:
    at = message.at.astimezone(zone)
    role = _SPEAKERS.get(message.role, message.role)
    return f"{message.author or _(role)}, m{message.id}, {written(at, MOMENT)}"


def _span(parts: Sequence[Explained]) -> str:
    ids = sorted({int(part.item.ref[1:]) for part in parts})
    return f"m{ids[0]}" if len(ids) == 1 else _("m{first} to m{last}").format(first=ids[0], last=ids[-1])
