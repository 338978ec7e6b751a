"""Variants of the frozen talk: other names, numbers and days, its episodes in another order; the same for a seed.

A rate over fourteen questions says little. Each variant tells the same kind of things, and its questions and patterns
change with it. What corrects an earlier episode stays behind it.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from memory.probe import frozen
from memory.probe.cases import Case
from memory.probe.frozen import TalkTurn

BEHIND = {"grant moves": "grant", "dentist moves": "dentist", "moving": "hello"}


@dataclass(frozen=True)
class Swap:
    """What stands for what: in the words of the talk, and, of a case that holds such words, in its patterns."""

    words: Mapping[str, str]
    tokens: Mapping[str, str] = field(default_factory=dict)
    """By word or number of a pattern; the words themselves where that is all."""

    def in_words(self, text: str) -> str:
        return _swapped(text, self.words)

    def in_pattern(self, pattern: str) -> str:
        return _swapped(pattern, self.tokens or self.words)


SWAPS: tuple[tuple[Swap, ...], ...] = (
    (Swap({"Leipzig": "Kassel", "Halle": "Jena"}), Swap({"Leipzig": "Rostock", "Halle": "Gotha"})),
    (Swap({"Okafor": "Adeyemi", "Okonjo": "Adebayo"}), Swap({"Okafor": "Lindqvist", "Okonjo": "Lindgren"})),
    (
        Swap({"Ilse": "Irma", "Brandl": "Riedl", "Ilona": "Irina", "Brandt": "Riedt"}),
        Swap({"Ilse": "Marthe", "Brandl": "Kranz", "Ilona": "Martha", "Brandt": "Kratz"}),
    ),
    (
        Swap({"7,350": "8,140", "7,530": "8,410"}, {"7": "8", "350": "140"}),
        Swap({"7,350": "6,290", "7,530": "6,920"}, {"7": "6", "350": "290"}),
    ),
    (
        Swap({"KD-40718-B": "RM-51927-C", "KD-40178-B": "RM-51297-C"}, {"KD": "RM", "40718": "51927", "B": "C"}),
        Swap({"KD-40718-B": "HX-66093-F", "KD-40178-B": "HX-60693-F"}, {"KD": "HX", "40718": "66093", "B": "F"}),
    ),
    (
        Swap({"5580-2136": "6641-3047", "5508-2136": "6614-3047"}, {"5580": "6641", "2136": "3047"}),
        Swap({"5580-2136": "9102-7745", "5508-2136": "9120-7745"}, {"5580": "9102", "2136": "7745"}),
    ),
    (Swap({"39.5": "41.5"}, {"39": "41"}), Swap({"39.5": "36.5"}, {"39": "36"})),
    (
        Swap({"19:15": "20:45"}, {"19": "20", "7": "8", "15": "45"}),
        Swap({"19:15": "18:30"}, {"19": "18", "7": "6", "15": "30"}),
    ),
    (
        Swap({"16 April": "14 April", "23 April": "28 April"}, {"16": "14", "23": "28"}),
        Swap({"16 April": "15 April", "23 April": "30 April"}, {"16": "15", "23": "30"}),
    ),
    (Swap({"3 June": "9 June"}, {"3": "9", "03": "09"}), Swap({"3 June": "7 June"}, {"3": "7", "03": "07"})),
    (
        Swap(
            {"8 April": "7 April", "9:40": "8:50", "13 April": "20 April", "14:20": "15:10"},
            {"8": "7", "08": "07", "9": "8", "40": "50", "13": "20", "14": "15", "2": "3", "20": "10"},
        ),
        Swap({"8 April": "9 April", "13 April": "22 April"}, {"8": "9", "08": "09", "13": "22"}),
    ),
    (Swap({"14 мая": "11 мая"}, {"14": "11"}), Swap({"14 мая": "27 мая"}, {"14": "27"})),
    (
        Swap({"oiled ash": "waxed beech"}, {"oiled": "waxed", "ash": "beech"}),
        Swap({"oiled ash": "limed larch"}, {"oiled": "limed", "ash": "larch"}),
    ),
    (
        Swap({"linden green": "dove blue"}, {"linden": "dove", "green": "blue"}),
        Swap({"linden green": "chalk white"}, {"linden": "chalk", "green": "white"}),
    ),
    (Swap({"penicillin": "codeine"}), Swap({"penicillin": "latex"})),
    (Swap({"Radek": "Jonas"}), Swap({"Radek": "Bohdan"})),
)  # fmt: skip
"""Of each kind at most one is taken; none leaves the frozen words."""


@dataclass(frozen=True)
class Variant:
    """A talk and what must be left of it."""

    turns: tuple[TalkTurn, ...]
    cases: tuple[Case, ...]


def variants(count: int, *, seed: int) -> list[Variant]:
    """Return so many variants, the frozen talk itself first."""
    dice = random.Random(seed)
    return [Variant(frozen.talk(), frozen.cases()), *(_variant(dice) for _ in range(count - 1))]


def _variant(dice: random.Random) -> Variant:
    swaps = [swap for kind in SWAPS if (swap := dice.choice((None, *kind))) is not None]
    turns, cases = _reordered(frozen.talk(), dice), frozen.cases()
    for swap in swaps:
        turns = tuple(replace(turn, text=swap.in_words(turn.text)) for turn in turns)
        cases = tuple(_case(case, swap) for case in cases)
    return Variant(turns, cases)


def _case(case: Case, swap: Swap) -> Case:
    former = tuple(
        (swap.in_words(value), tuple(swap.in_pattern(pattern) for pattern in patterns))
        for value, patterns in case.former
    )
    changed = replace(
        case,
        question=swap.in_words(case.question),
        value=swap.in_words(case.value),
        quote=swap.in_words(case.quote),
        former=former,
    )
    if (changed.value, changed.quote) == (case.value, case.quote):
        return case
    return replace(changed, patterns=tuple(swap.in_pattern(pattern) for pattern in case.patterns))


def _reordered(turns: Sequence[TalkTurn], dice: random.Random) -> tuple[TalkTurn, ...]:
    """Return the episodes shuffled over the moments of the talk."""
    episodes = {name: list(group) for name, group in groupby(turns, key=lambda turn: turn.episode)}
    names = list(episodes)
    dice.shuffle(names)
    for later, earlier in BEHIND.items():
        first, second = sorted((names.index(later), names.index(earlier)))
        names[first], names[second] = earlier, later
    said = [turn for name in names for turn in episodes[name]]
    return tuple(replace(turn, at=slot.at) for turn, slot in zip(said, turns, strict=True))


def _swapped(text: str, words: Mapping[str, str]) -> str:
    found = "|".join(re.escape(old) for old in sorted(words, key=len, reverse=True))
    return re.sub(rf"(?:(?<![^\W_])|(?<=\\b))(?:{found})(?![^\W_])", lambda match: words[match.group()], text)
