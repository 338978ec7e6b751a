"""Answers that only look like answers: one unit repeated without end, and tool calls written out as text.

Both are found in the text alone. Lists, poems and laughter stay below the thresholds: what counts is an exact
repetition at the end of the text, and how long the repeated unit is.
"""

import re
from collections.abc import Iterable

NOT_RUN = "(I wrote a tool call as text instead of making it; nothing was run.)"
"""Stands where written-out calls were removed, so that no answer claims what was not done."""

_TAIL_CHARACTERS = 8_000
_SHORT_UNIT = 20
_SHORT_RUN_CHARACTERS = 600
_WORDLESS_RUN_CHARACTERS = 4_000
_SENTENCE_REPEATS = 12
_PARAGRAPH = 80
_PARAGRAPH_REPEATS = 8

_TAGGED = re.compile(
    r"^[ \t]*(?:"
    r"<\|?(?P<tag>tool_call|tool_calls|function_call|function_calls|tool_use|invoke|tool_code)\b[^>]*>"
    r"(?:.|\n)*?(?:<[/|]?\|?/?(?P=tag)\|?>|\Z)"
    r"|<function=\w+(?:.|\n)*?(?:</function>|\Z)"
    r"|\[TOOL_CALLS\](?:.|\n)*?(?:\n\n|\Z)"
    r"|```(?:tool_code|tool_call|function_call)\b(?:.|\n)*?(?:```|\Z)"
    r")",
    re.MULTILINE | re.IGNORECASE,
)
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def is_repetition(text: str) -> bool:
    """Whether the text ends in the same unit over and over.

    Looks at the last 8,000 characters, runs of white space taken as one space.
    """
    tail = " ".join(text[-_TAIL_CHARACTERS:].split())[::-1]
    return any(_is_endless(tail[:period], length) for period, length in _periods(tail))


def _periods(text: str) -> Iterable[tuple[int, int]]:
    """Yield (shortest period, length) of each prefix, by the failure function of Knuth, Morris and Pratt."""
    borders = [0] * len(text)
    for index in range(1, len(text)):
        border = borders[index - 1]
        while border and text[index] != text[border]:
            border = borders[border - 1]
        borders[index] = border + 1 if text[index] == text[border] else 0
        yield index + 1 - borders[index], index + 1


def _is_endless(unit: str, length: int) -> bool:
    period = len(unit)
    if length < period * _PARAGRAPH_REPEATS or length < _SHORT_UNIT * _SENTENCE_REPEATS:
        return False
    if not any(character.isalpha() for character in unit):
        return length >= _WORDLESS_RUN_CHARACTERS
    if period < _SHORT_UNIT:
        return length >= _SHORT_RUN_CHARACTERS
    return length >= period * (_PARAGRAPH_REPEATS if period >= _PARAGRAPH else _SENTENCE_REPEATS)


def has_written_call(text: str, tools: Iterable[str]) -> bool:
    """Whether the text holds a tool call written out: in the tags models use, or a whole line that calls a tool."""
    return _TAGGED.search(text) is not None or _call_line(tools).search(_FENCED.sub("", text)) is not None


def without_written_calls(text: str, tools: Iterable[str]) -> str:
    """Return the text without written-out calls and with the admission that nothing was run."""
    kept = _call_line(tools).sub("", _TAGGED.sub("", text)).strip()
    return f"{kept}\n\n{NOT_RUN}" if kept else NOT_RUN


def _call_line(tools: Iterable[str]) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in tools) or r"(?!)"
    call = rf"(?:print\()?(?:default_api\.)?(?:{names})\(.*\)"
    document = rf"\{{\s*\"(?:name|tool|function|tool_name)\"\s*:\s*\"(?:{names})\"\s*,.*\}}"
    return re.compile(rf"^\s*`?(?:{call}|{document})`?\s*$", re.MULTILINE)
