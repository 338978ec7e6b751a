"""Marks that nobody sees: soft hyphens, spaces of no width, joiners, direction marks, variation selectors.

Pasted text carries them inside words, and who quotes it leaves them out. Here words are compared without them; they
mean something in emoji and in Persian or Hindi words, so nothing is ever stored without the ones that were written.
"""

import re

_MARK = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]+"
)


def without_marks(text: str) -> str:
    """Return a text as it is compared."""
    return _MARK.sub("", text)


def places_of(text: str) -> list[int]:
    """Return where each character of `without_marks(text)` stands in the text."""
    unseen = {place for match in _MARK.finditer(text) for place in range(*match.span())}
    return [place for place in range(len(text)) if place not in unseen]


def find_written(text: str, words: str) -> tuple[int, int] | None:
    """Return where words stand in a text, spaces and unseen marks aside, the marks right behind them included."""
    plain, tokens = without_marks(text), without_marks(words).split()
    found = re.search(r"\s+".join(re.escape(token) for token in tokens), plain) if tokens else None
    if found is None:
        return None
    if plain == text:
        return found.span()
    places = places_of(text)
    end = places[found.end() - 1] + 1
    behind = _MARK.match(text, end)
    return places[found.start()], behind.end() if behind else end
