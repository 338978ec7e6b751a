"""Quotations: a person's exact words as Markdown, whatever signs stand in them, with some of them in bold.

Pure. Escaped is only what a reader of Markdown would take for more than itself, so that the source is readable too.
"""

import re
from collections.abc import Iterable, Iterator

_SIGNS = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)|[`*~|$\[^]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=[#A-Za-z])", re.MULTILINE
)
_LINE_SIGNS = re.compile(r"^(?:[#>+=:-]|[0-9]{1,9}(?=[.)]))", re.MULTILINE)
_CODE_OR_ESCAPE = re.compile(r"(?P<fence>`+)(?:(?!(?P=fence)).|\n)*?(?P=fence)(?!`)|\\(?P<sign>[!-/:-@\[-`{-~])")
_FENCE = re.compile(r"`{3,}")

Span = tuple[int, int]


def quotation(text: str, bold: Iterable[Span] = ()) -> str:
    """Return a text as a quotation of its lines; the space around each is left out."""
    return "\n".join(f"> {line}" for line in literal(text, bold).split("\n"))


def literal(text: str, bold: Iterable[Span] = ()) -> str:
    """Return Markdown that shows exactly this text. The spans to be bold begin and end with a letter or digit."""
    pieces, position = [], 0
    for at, sign in sorted([*_escapes(text), *_bold_signs(bold)]):
        pieces += [text[position:at], sign]
        position = at
    return "".join([*pieces, text[position:]])


def unescaped(markdown: str) -> str:
    """Return Markdown without the signs that `literal` put in, for those who read its source; code stays as it is."""
    return _CODE_OR_ESCAPE.sub(lambda found: found["sign"] or found.group(), markdown)


def block(text: str) -> str:
    """Return a text that stands for itself, letter for letter, as a block of its own."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _escapes(text: str) -> Iterator[tuple[int, str]]:
    yield from ((sign.start(), "\\") for sign in _SIGNS.finditer(text))
    for sign in _LINE_SIGNS.finditer(text):
        at = sign.end() if sign.group().isdecimal() else sign.start()
        yield at, "\\"


def _bold_signs(bold: Iterable[Span]) -> Iterator[tuple[int, str]]:
    for start, stop in bold:
        yield start, "**"
        yield stop, "**"
