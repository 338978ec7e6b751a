"""A chat request as the offline reader sees it: the facts, the recalled lines, what the member said, the question.

It reads the text forms of the memory block (and stays calm about decorations it does not know); it ranks and answers
nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bot.models.reader.words import fold, is_question, sentences, stems
from memory.forget.masking import MASK
from memory.messages import CallPart, MediaPart, Message
from memory.ports import ModelRequest

_FACT = re.compile(r"^[-*•]\s*\[(?P<kind>[^\]]+)\]\s*(?P<subject>[^:]+(?::\S[^:]*)*?):\s+(?P<value>.+)$")
_FACT_TAIL = re.compile(r"\s*[(\[]?(?:\bf\d+\b|pinned|📌)(?:[ ,·]*(?:f\d+|pinned|📌))*[)\]]?\s*$")
_HEADING = re.compile(r"^\[(?P<id>[a-z]\d+) · (?P<day>[^\]·]+) · (?P<rest>[^\]]+)\]\s*")
_QUOTED = re.compile(r"“([^”]+)”")
_DECORATION = re.compile(
    r"^(?:[-*•>]\s+|\[[^\]\n]{1,80}\]\s*|\((?:s|m|t|f|h)\d+[^)\n]{0,60}\)\s*|[smth]\d+\s*[·|:]\s*)+"
)
_OWN_WORDS = re.compile(
    r"^(?:I don['’]t have that\.|I read that\.|What I have:|(?:Understood|Got it|All right|Verstanden|Alles klar"
    r"|Понятно|Ясно): \""
    r"|(?:From earlier|You said|Von früher|Du hast gesagt|Из прошлого|Вы сказали)\b)|— (?:you said|du hast"
    r" gesagt|вы сказали): \""
)
"""How this reader's own answers look when they are recalled: an echo is no evidence."""
_CUT_OFF = "…"
"""How a handoff ends the first words of a text whose hash it names."""
_MASKED = MASK[0]
"""A quotation may be cut off inside the mask."""
_SECTIONS = {"recalled:": "recalled", "procedures:": "procedures"}


@dataclass(frozen=True)
class FactLine:
    """An established fact as the memory block shows it."""

    kind: str
    subject: str
    value: str


@dataclass(frozen=True)
class SaidLine:
    """A sentence that may answer: from the member's earlier messages, or recalled."""

    text: str
    is_recalled: bool
    passage: str
    """The whole message or recalled text the sentence stands in, with who said it."""
    when: str = ""
    """Day and speaker as the prompt shows them, for recalled text."""


@dataclass(frozen=True)
class ReaderPrompt:
    """One chat request, taken apart."""

    question: str
    """The member's last message (or messages, if several are unanswered)."""
    facts: tuple[FactLine, ...]
    said: tuple[SaidLine, ...]
    """Oldest first; recalled lines before the tail."""
    now: str | None
    can_recall: bool
    """The tool is declared, calls are allowed, and this turn has not recalled yet."""
    has_media: bool


def read_prompt(request: ModelRequest) -> ReaderPrompt:
    """Return what a chat request holds."""
    earlier, current, answered = _split_turn(request.messages)
    facts, recalled, now = _read_block(request.memory_block or "")
    called = any(call.name == "recall" for message in answered for call in message.calls)
    fetched = [text for message in answered for result in message.results for text in _result_texts(result.response)]
    return ReaderPrompt(
        question="\n".join(message.text for message in current if message.text).strip(),
        facts=tuple(facts),
        said=(*_recalled_lines([*recalled, *fetched]), *_tail_lines(earlier)),
        now=now,
        can_recall=request.tools_enabled and not called and any(tool.name == "recall" for tool in request.tools),
        has_media=any(isinstance(part, MediaPart) for message in current for part in message.parts),
    )


def _split_turn(messages: Sequence[Message]) -> tuple[list[Message], list[Message], list[Message]]:
    """Return the messages before the turn, the member's in it, and what followed in it (calls, results)."""
    last = next((index for index in range(len(messages) - 1, -1, -1) if messages[index].role == "user"), None)
    if last is None:
        return list(messages), [], []
    first = last
    while first > 0 and messages[first - 1].role == "user" and _is_unanswered(messages[first - 1], messages[last]):
        first -= 1
    return list(messages[:first]), list(messages[first : last + 1]), list(messages[last + 1 :])


def _is_unanswered(earlier: Message, newest: Message) -> bool:
    """Tell whether words wait for an answer beside the newest; what a command had kept is of no turn and does not."""
    return earlier.turn_id is not None or newest.turn_id is None


def _read_block(block: str) -> tuple[list[FactLine], list[str], str | None]:
    facts: list[FactLine] = []
    recalled: list[str] = []
    now: str | None = None
    section = "facts"
    for line in block.splitlines():
        stripped = line.strip()
        if stripped.startswith("Now:"):
            now = stripped.removeprefix("Now:").strip()
        elif stripped.lower() in _SECTIONS:
            section = _SECTIONS[stripped.lower()]
        elif section == "facts" and (match := _FACT.match(stripped)):
            value = _FACT_TAIL.sub("", match["value"])
            facts.append(FactLine(match["kind"].strip(), match["subject"].strip(), value or match["value"]))
        elif section == "recalled" and stripped:
            recalled.append(stripped)
    return facts, recalled, now


def _recalled_lines(texts: Sequence[str]) -> Iterator[SaidLine]:
    """Yield the sentences of recalled text that a person said and that still hold."""
    when, speaker, is_evidence = "", "", True
    for line in "\n".join(texts).splitlines():
        heading = _HEADING.match(line.strip())
        if heading:
            speaker, *marks = (part.strip() for part in heading["rest"].split("·"))
            is_evidence = speaker != "assistant" and not marks  # a mark says that it has changed since
            when = heading["day"].strip() if speaker == "you" else f"{heading['day'].strip()}, {speaker}"
        bare = _DECORATION.sub("", line.strip()).strip()
        if bare and is_evidence and not _OWN_WORDS.search(bare):
            yield from _statements(bare, f"{speaker} {bare}", when=when, is_recalled=True)


def _tail_lines(messages: Sequence[Message]) -> Iterator[SaidLine]:
    for message in messages:
        if message.role == "user" and message.origin in {"own", "import", "quote", "forward", "document"}:
            yield from _statements(message.text, message.text, is_recalled=False)
        elif message.role == "notice":  # a handoff: what it quotes, not its own words
            for quoted in _QUOTED.findall(message.text):
                if _OWN_WORDS.search(quoted) or quoted.endswith(_CUT_OFF):
                    continue
                yield from _statements(quoted, quoted, is_recalled=True)


def _statements(text: str, passage: str, *, is_recalled: bool, when: str = "") -> Iterator[SaidLine]:
    for start, end in sentences(text):
        sentence = text[start:end]
        if not is_question(sentence) and _MASKED not in sentence and stems(sentence):
            yield SaidLine(sentence, is_recalled, passage, when)


def _result_texts(response: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a recall result, whatever the key its list stands under."""
    for value in response.values():
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict) and isinstance(item.get("text"), str):
                    yield f"{_heading(item)}{item['text']}"
                elif isinstance(item, str):
                    yield item
        elif isinstance(value, dict):
            yield from _result_texts(value)


def _heading(item: dict[str, Any]) -> str:
    """Return what recalled text in the prompt has before its words; nothing where the result does not tell."""
    if not isinstance(item.get("by"), str):
        return ""
    mark = " · changed since" if item.get("changed_since") else ""
    return f"[{item.get('id')} · {item.get('said')} · {item['by']}{mark}] "


def has_same_words(one: str, other: str) -> bool:
    """Return whether two texts are the same but for case, spaces and closing punctuation."""
    return " ".join(fold(one).split()).rstrip(".!?") == " ".join(fold(other).split()).rstrip(".!?")


def recall_call(question: str) -> CallPart:
    """Return the one call the offline reader makes in a turn."""
    return CallPart(call_id="reader-recall", name="recall", args={"query": question})
