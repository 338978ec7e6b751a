"""The request and the answer of `task: extract`: the contract's text forms and JSON, nothing else.

The member's message is the last part, by itself; all before it is labelled. What the answer says is only parsed here,
not believed.
"""

from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, ValidationError

from memory.errors import ModelSilent
from memory.ledger.facts import KINDS, Fact
from memory.ledger.verify import Change
from memory.messages import Message, TextPart
from memory.ports import ModelReply, ModelRequest

_MAX_CONTEXT_CHARS = 600
_DEADLINE_S = 60.0

SYSTEM = """\
task: extract
You keep a ledger of facts about the life and work of one member. Read the last part, the member's message, and list
every change it makes to the ledger. What comes before it is only for understanding: never take a fact from it.

Kinds: deadline (something is due or happens at a time), decision (what was settled), constraint (a limit, a rule, a
must or must not), entity (a person, thing, place or project and what is so of it), user_attribute (the member: home,
health, habits, preferences, possessions).

- Rather one change too many than one missed; one change for each fact. Greetings, thanks, moods and small talk: none.
- Only what the member states as so. Nothing from questions, suppositions, jokes or the words of others.
- subject: short, specific, the thing and the attribute ("tax report deadline", "Anna's birthday"). If a listed fact is
  about the same thing, use its subject word for word.
- value: in the member's words and language. Copy numbers, times, names and ids exactly. Keep a relative date as said
  ("tomorrow at 10"); you may add the date it means, counted from the line "said:". Never add a year, date or detail
  that was not said.
- quote: the part of the message that says so, copied character for character.
- question: open, answered by the value, not containing any of it.
- patterns: one to four regular expressions, each matching a full phrasing of the value and nothing else.
- critical: true for deadlines, decisions, limits with numbers, health, and what the member stresses.
- Under a line "written by:" the message is somebody else's, handed on by the member. List what it states of things the
  member may want to keep; "I" and "my" are then its writer, named in the subject.
- op: "replace" with the listed id when the message changes a listed fact; "retract" with its id when it is no longer so
  or was wrong and nothing takes its place; else "add", "replaces" null. A fact repeated unchanged is "add" again.
"""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "changes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "op": {"type": "string", "enum": ["add", "replace", "retract"]},
                    "replaces": {"type": ["string", "null"]},
                    "kind": {"type": "string", "enum": list(KINDS)},
                    "subject": {"type": "string"},
                    "value": {"type": "string"},
                    "quote": {"type": "string"},
                    "question": {"type": "string"},
                    "patterns": {"type": "array", "items": {"type": "string"}},
                    "critical": {"type": "boolean"},
                },
                "required": [
                    "op",
                    "replaces",
                    "kind",
                    "subject",
                    "value",
                    "quote",
                    "question",
                    "patterns",
                    "critical",
                ],
            },
        }
    },
    "required": ["changes"],
}
"""The contract's schema, as a plain JSON schema."""


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    changes: list[Change]


def reading_request(
    message: Message, before: Sequence[Message], offered: Sequence[Fact], zone: ZoneInfo, *, is_foreign: bool = False
) -> ModelRequest:
    """Return the request that reads one message, with what was said before it and the current facts near it."""
    local = message.at.astimezone(zone)
    lines = [
        *(["context:"] if before else []),
        *(f"{_speaker(one, message.author_id)}: {_one_line(one.text)}" for one in before),
        "facts:",
        *(f"{one.ref} | {one.kind} | {_field(one.subject)} | {_field(one.value)}" for one in offered),
        f"said: {local.isoformat(timespec='minutes')} {local:%A} {zone.key}",
        *([f"written by: {_one_line(message.author or 'somebody else')}, not by the member"] if is_foreign else []),
        "message:\n",
    ]
    parts = (TextPart(text="\n".join(lines)), TextPart(text=message.text))
    asking = Message(role="user", parts=parts, at=message.at)
    return ModelRequest("extract", SYSTEM, [asking], schema=SCHEMA, deadline_s=_DEADLINE_S)


def proposed_changes(reply: ModelReply) -> list[Change]:
    """Return what an answer proposes.

    Raises: ModelSilent when it is not the JSON document asked for.
    """
    try:
        return _Answer.model_validate_json(reply.text).changes
    except ValidationError:
        # `from None`: the validation error quotes the answer, which holds private text.
        raise ModelSilent("cut_off" if reply.was_cut else "not_json", "extraction: not the JSON asked for") from None


def _speaker(message: Message, member_id: int | None) -> str:
    """Return who said something, from the side of the member whose message is read."""
    if message.role == "model":
        return "assistant"
    if None not in (message.author_id, member_id) and message.author_id != member_id:
        return f"another member ({_one_line(message.author or 'unnamed')})"
    return "member" if message.origin in ("own", "import") else "somebody else"


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _MAX_CONTEXT_CHARS else f"{flat[:_MAX_CONTEXT_CHARS]}…"


def _field(text: str) -> str:
    return " ".join(text.split()).replace("|", "¦")
