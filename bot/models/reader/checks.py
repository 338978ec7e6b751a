"""The offline reader's plain answers to `summarise`, `entail` and `judge`: excerpts and containment.

No judgement of meaning: a summary quotes sentences, a claim holds when its words and numbers stand in the source, an
answer states a value when it holds all of its words, or its dates, times, numbers and names in another form.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from zoneinfo import ZoneInfo

import regex

from bot.models.reader.words import STOPWORDS, fold, is_question, sentences, stem, tokens
from memory.ledger.askable import PATTERN_TIMEOUT_S, Value, usable_patterns
from memory.ledger.dates import find_dates
from memory.messages import Message
from memory.probe.assertions import states_as_current

_OPENING = "The member said: "
_MAX_SUMMARY = 900
_MAX_PIECE = 240
_MIN_DENSITY = 0.9
_LABEL = re.compile(r"^(?P<label>[a-zA-Z][a-zA-Z _]{1,24}):[ \t]*(?P<rest>.*)$")
_SPOKEN = re.compile(r"^\s*(?:\[m\d+\]\s*)?(?P<speaker>[^\W\d][^:\n]{0,40}):\s+(?P<words>.*)$")
_ASSISTANT = re.compile(r"^(?:assistant|model|bot|remembrancer|tool|system)\b", re.IGNORECASE)
_MARKED = re.compile(r"^\[m\d+\]", re.MULTILINE)
_REFUSAL = re.compile(
    r"\b(?:i don['’]t (?:have|know)|not known|no record|not recorded|nothing you told me|cannot find|das weiß ich nicht"
    r"|ich weiß (?:es )?nicht|не знаю)\b",
    re.IGNORECASE,
)
_SAID = re.compile(r'^(?P<shown>.*?)\s*\("(?P<said>[^"]+)"\)\s*$', re.DOTALL)
_UTC = ZoneInfo("UTC")
_SOME_TIME = datetime(2000, 1, 1, tzinfo=UTC)
"""A value that is judged says its date itself: what it was said at does not matter."""
_NEGATED = re.compile(r"\b(?:not|no longer|never|instead of|used to be|nicht|не|больше не)\b", re.IGNORECASE)


def summary(messages: Sequence[Message]) -> str:
    """Return an excerpt of the member's sentences that hold most, in order; at most 900 characters."""
    pieces = [line[start:end] for line in _member_lines(messages) for start, end in sentences(line)]
    kept: list[tuple[int, str]] = []
    room = _MAX_SUMMARY - len(_OPENING)
    for index in sorted(range(len(pieces)), key=lambda index: (-_density(pieces[index]), index)):
        piece = pieces[index]
        is_new = all(piece != other for _, other in kept)
        if _density(piece) >= _MIN_DENSITY and len(piece) <= _MAX_PIECE and len(piece) + 3 <= room and is_new:
            kept.append((index, piece))
            room -= len(piece) + 3
    quoted = " ".join(f"“{piece}”" for _, piece in sorted(kept))
    return f"{_OPENING}{quoted}" if quoted else "Nothing of note was said."


def verdict(messages: Sequence[Message]) -> str:
    """Return YES when the answer states the expected value (judge), NO otherwise; a refusal states nothing."""
    fields = _fields(messages)
    expected, answer = fields.get("expected", ""), fields.get("answer", "")
    if not expected or not answer or _REFUSAL.search(answer):
        return "NO"
    said = _SAID.match(expected)
    wordings = [said["shown"], said["said"]] if said else [expected]
    own = (fields.get("quote", ""), expected)
    is_stated = any(
        states_as_current(partial(_states, _Wanted(wording, fields.get("question", ""))), answer, own=own)
        for wording in wordings
    )
    return "YES" if is_stated else "NO"


def entailment(messages: Sequence[Message]) -> str:
    """Return YES when every content word and number of the last labelled text stands in those before it."""
    fields = list(_fields(messages).values())
    if len(fields) < 2 or not fields[-1].strip():
        return "NO"
    source, claim = "\n".join(fields[:-1]), fields[-1]
    is_turned = bool(_NEGATED.search(claim)) != bool(_NEGATED.search(source))
    return "YES" if not is_turned and _content(claim) <= _content(source) else "NO"


def _member_lines(messages: Sequence[Message]) -> Iterator[str]:
    """Yield what members said, line by line, without the marks around it; what the assistant said is left out."""
    text = "\n".join(message.text for message in messages)
    first = _MARKED.search(text)
    is_members = True
    for line in text[first.start() if first else 0 :].splitlines():
        spoken = _SPOKEN.match(line)
        if spoken and (first is None or _MARKED.match(line)):
            is_members = _ASSISTANT.match(spoken["speaker"]) is None
            line = spoken["words"]
        if is_members:
            yield line


def _fields(messages: Sequence[Message]) -> dict[str, str]:
    """Return the labelled texts, in order; lines without a label belong to the one before."""
    fields: dict[str, str] = {}
    label = ""
    for line in "\n".join(message.text for message in messages).splitlines():
        match = _LABEL.match(line)
        if match and match["label"].lower() not in fields:
            label = match["label"].lower()
            fields[label] = match["rest"]
        elif label:
            fields[label] += "\n" + line
    return fields


class _Wanted:
    """A wording of a value, ready to be looked for."""

    def __init__(self, wording: str, question: str) -> None:
        self.content = _content(wording)
        value = Value(wording, find_dates(wording, _SOME_TIME, _UTC))
        self.patterns = usable_patterns((), value, question=question, replaced=None, rivals=())


def _states(wanted: _Wanted, text: str) -> bool:
    """Return whether a text holds every content word of a value, or matches a pattern for it."""
    if wanted.content and wanted.content <= _content(text):
        return True
    return any(regex.search(one, text, regex.IGNORECASE, timeout=PATTERN_TIMEOUT_S) for one in wanted.patterns)


def _content(text: str) -> set[str]:
    kept = {stem(token) for token in tokens(text) if token not in STOPWORDS}
    return kept or set(fold(text).split())


def _density(sentence: str) -> float:
    if is_question(sentence):
        return _MIN_DENSITY if len(sentence) > 20 else 0.0
    names = len(re.findall(r"(?<!^)(?<![.!?] )\b[^\W\d_a-zа-яё]\w+", sentence))
    numbers = len(re.findall(r"\d+", sentence))
    words = len({token for token in tokens(sentence) if token not in STOPWORDS})
    return 2.0 * numbers + 1.5 * names + 0.3 * min(words, 12)
