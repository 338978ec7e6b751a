"""Asking: how a call that waits for a member's yes is put to them, and how their answer becomes a turn.

The call is shown whole, letter for letter. No turn is held open for the answer: it begins a turn of its own, in which
the program runs what was approved, or tells the model that nothing was done. Who may answer is checked by the command.
"""

import json
import re
import unicodedata
from typing import Any

from bot.quoting import block, literal
from bot.turn.answer import Answer, formed
from bot.turn.screen import Screen
from bot.turn.standing import ended
from memory.catalogue import N_, _
from memory.messages import CallPart, Message, Part, TextPart
from memory.space import Space
from memory.store.approvals import Approval
from memory.store.entries import Button, Entry
from memory.store.jobs import EXPIRE
from memory.store.sessions import Turn
from tools.approval import TOO_LONG, asked, told

MAX_SHOWN_CHARS = 12_000
"""What a member can be expected to read before they approve it."""

APPROVE, REFUSE = "approve", "refuse"
"""What the data of the buttons begins with; the commands that do the same have the same names."""

_QUESTION = N_("❔ May I do this ({ref})? It is a call of *{name}*, and this is all of it:")
_INVISIBLE = N_(r"⚠ It holds characters that cannot be seen; they are shown as \u{…}.")
_UNTIL = N_("Nothing was done yet. Without an answer by {time} it counts as refused.")
_OUTCOMES = {
    "approved": N_("✅ {ref} approved"),
    "refused": N_("❌ {ref} refused"),
    "expired": N_("⌛ {ref} was not answered in time and counts as refused"),
}


async def ask(
    space: Space, screen: Screen, call: CallPart, turn: Turn, entry: Entry, *, warning: str = ""
) -> dict[str, Any]:
    """Put a call to the member who is answered, with a warning if it has one, and return its result. Joins the caller's
    transaction.
    """
    shown = shown_call(call)
    if len(shown) > MAX_SHOWN_CHARS:
        return {"error": TOO_LONG}
    approval = await space.approvals.ask(call, turn_id=turn.id, by_id=entry.author_id)
    *rest, last = formed(screen, _question(space, approval, shown, warning), entry)
    if last.whole is not None:
        # What goes out as a file would be approved unread.
        await space.approvals.decide(approval.id, "refused")
        await space.approvals.tell(approval.id, turn.id)
        return {"error": TOO_LONG}
    for number, message in enumerate(rest):
        await space.mailbox.post(f"{_key(approval)}:{number}", message)
    await space.mailbox.post(_key(approval), last)
    await space.jobs.begin(EXPIRE, f"{EXPIRE}:{approval.ref}", {"approval": approval.id}, until=approval.expires_at)
    return asked(approval)


def _question(space: Space, approval: Approval, shown: str, warning: str) -> Answer:
    until = _(_UNTIL).format(time=f"{approval.expires_at.astimezone(space.zone):%H:%M}")
    question = _(_QUESTION).format(ref=approval.ref, name=literal(approval.name))
    row = tuple(
        Button(text=label.format(ref=approval.ref), data=f"{verb}:{approval.id}", typed=f"/{verb} {approval.ref}")
        for verb, label in ((APPROVE, _("Approve {ref}")), (REFUSE, _("Refuse {ref}")))
    )
    text = "\n\n".join(filter(None, [question, shown, warning, until]))
    return Answer(text, (row,), shows=(approval.ref,))


def shown_call(call: CallPart) -> str:
    """Return Markdown that shows every argument of a call whole; what cannot be seen is spelled out."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        for name, value in call.args.items()
    }
    lines = [f"{literal(_on_one_line(name))}:\n{block(spelled_out(text))}" for name, text in texts.items()]
    is_hiding = any(_is_hidden(sign) for pair in texts.items() for text in pair for sign in text)
    return "\n".join([*lines, *(["", _(_INVISIBLE)] if is_hiding else [])])


def spelled_out(text: str) -> str:
    """Return a text with each character that cannot be told from a space, or seen at all, as its code."""
    return "".join(f"\\u{{{ord(sign):x}}}" if _is_hidden(sign) else sign for sign in text)


def _on_one_line(name: str) -> str:
    return spelled_out(name).replace("\n", "\\u{a}")


def _is_hidden(sign: str) -> bool:
    if sign in " \n\t":
        return False
    return unicodedata.category(sign)[0] in "CZ" or _BLANK.match(sign) is not None


_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Characters that count as letters or signs and look like nothing, and those that only choose how the one before them
looks: a word with one is another word.
"""


async def close(space: Space, approval: Approval) -> None:
    """Take the buttons from the message that asked and say there what came of it. Joins the caller's transaction."""
    key = _key(approval)
    place = await space.mailbox.place_of(key)
    shown = await space.mailbox.shown_at(place) if place else None
    if place is None or shown is None:
        await space.mailbox.withdraw(key)
        return
    outcome = _(_OUTCOMES[approval.state]).format(ref=approval.ref)
    await space.mailbox.post(f"{key}:over", ended(shown, outcome), place=place)


async def expire(space: Space, approval: Approval) -> Approval:
    """Let an approval count as refused if nobody has answered it. Joins the caller's transaction."""
    expired = await space.approvals.decide(approval.id, "expired")
    if expired.state == "expired":
        await close(space, expired)
    return expired


async def begin_turn(space: Space, approval: Approval) -> Turn:
    """Begin the turn that carries a member's decision. Joins the caller's transaction.

    An approved call stands in its first message, so that the agent runs it as it would one of the model's.
    """
    turn = await space.sessions.begin_turn()
    parts: tuple[Part, ...] = (TextPart(text=told(approval)),)
    if approval.state == "approved":
        await space.approvals.settle(approval.call)
        parts = (*parts, approval.call)
    await _tell(space, approval, turn, parts)
    return turn


async def tell_expired(space: Space, turn: Turn) -> None:
    """Tell the model, in a turn that begins, of what was not answered in time. Joins the caller's transaction."""
    for approval in await space.approvals.untold():
        await _tell(space, await expire(space, approval), turn, (TextPart(text=told(approval)),))


async def _tell(space: Space, approval: Approval, turn: Turn, parts: tuple[Part, ...]) -> None:
    message = Message(role="notice", parts=parts, at=space.clock.now(), origin="program")
    await space.sessions.append(message, session_id=turn.session_id, turn_id=turn.id)
    await space.approvals.tell(approval.id, turn.id)


def _key(approval: Approval) -> str:
    """Return the outbox key of the message with the buttons."""
    return f"approval:{approval.ref}"
