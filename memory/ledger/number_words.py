"""Numbers as words, for patterns: "three thousand", "dreitausend", "twelfth".

English and German, from two to below a million ("one" stands in too many sentences that count nothing). No text is
read here.
"""


def _each(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_EN_ONES = _each(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_EN_TENS = _each("- - twenty thirty forty fifty sixty seventy eighty ninety")
_DE_ONES = _each(
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn"
)
_DE_TENS = _each("- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
COUNTING = "|".join([*_EN_ONES, *_EN_TENS[2:], "hundred", "thousand", "million"])
"""A pattern for any word of an English number."""
_EN_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_GAP = r"[\s-]+"
_MOST = 1_000_000


def words_pattern(number: int) -> str:
    """Return a pattern for a whole number in words, from two on; "" for any other."""
    if not 2 <= number < _MOST:
        return ""
    return "|".join(dict.fromkeys([*_english(number), _german(number)]))


def ordinal_pattern(number: int) -> str:
    """Return a pattern for a day of a month as an English ordinal: "twenty-first"."""
    tens, ones = divmod(number, 10)
    if number < len(_EN_ONES):
        return _ordinal(_EN_ONES[number])
    return _EN_TENS[tens] + _GAP + _ordinal(_EN_ONES[ones]) if ones else _EN_TENS[tens].removesuffix("y") + "ieth"


def german_ordinal_pattern(number: int) -> str:
    """Return a pattern for a day of a month as a German ordinal, in every case: "zwölften"."""
    odd = {1: "erste", 3: "dritte", 7: "sieb(?:en)?te", 8: "achte"}
    return odd.get(number, _german(number) + ("te" if number < len(_DE_ONES) else "ste")) + "[nrsm]?"


def _ordinal(word: str) -> str:
    return _EN_ORDINALS.get(word, f"{word}th")


def _english(number: int) -> list[str]:
    """Return the ways to say it: with "and" or without, "a hundred", "fifteen hundred"."""
    thousands, rest = divmod(number, 1000)
    if not thousands:
        return [_below_thousand(number)]
    tail = rf"{_GAP}(?:and{_GAP})?{_below_thousand(rest)}" if rest else ""
    ways = [rf"{_counted(thousands)}{_GAP}thousand{tail}"]
    hundreds, odd = divmod(number, 100)
    if hundreds < len(_EN_ONES) and hundreds % 10 and not odd:
        ways.append(rf"{_EN_ONES[hundreds]}{_GAP}hundred")
    return ways


def _below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    if not hundreds:
        return _below_hundred(rest)
    tail = rf"{_GAP}(?:and{_GAP})?{_below_hundred(rest)}" if rest else ""
    return rf"{_counted(hundreds)}{_GAP}hundred{tail}"


def _below_hundred(number: int) -> str:
    if number < len(_EN_ONES):
        return _EN_ONES[number]
    tens, ones = divmod(number, 10)
    return _EN_TENS[tens] + (_GAP + _EN_ONES[ones] if ones else "")


def _counted(number: int) -> str:
    return "(?:an?|one)" if number == 1 else _below_thousand(number)


def _german(number: int) -> str:
    thousands, rest = divmod(number, 1000)
    if thousands:
        ahead = "(?:ein)?" if thousands == 1 else _german_below_thousand(thousands)
        return f"{ahead}tausend{_german_below_thousand(rest) if rest else ''}"
    return _german_below_thousand(rest)


def _german_below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    ahead = f"{'(?:ein)?' if hundreds == 1 else _DE_ONES[hundreds]}hundert" if hundreds else ""
    if not rest and hundreds:
        return ahead
    if rest < len(_DE_ONES):
        return ahead + _DE_ONES[rest]
    tens, ones = divmod(rest, 10)
    return ahead + (f"{_DE_ONES[ones]}und" if ones else "") + _DE_TENS[tens]
