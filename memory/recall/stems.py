"""Stems: the form of a word that its inflections share: "deadlines" finds "deadline", "отчёта" finds "отчёт".

English words follow M. F. Porter, "An algorithm for suffix stripping" (Program 14, 1980). Russian, Ukrainian, Arabic
and Hindi get lighter rules of the same kind: endings are cut, never a whole word. A stem is an index key, nothing to be
shown. Words come in folded (see `terms.fold`); a word of another script or with digits comes back as it is.
"""

import re
from functools import lru_cache

_CONSONANT = "(?:[^aeiouy]|(?<![^aeiou])y)"
_VOWEL = "(?:[aeiou]|(?<=[^aeiou])y)"
_MEASURE = re.compile(f"{_VOWEL}+{_CONSONANT}+")
_HAS_VOWEL = re.compile(_VOWEL)
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")
_SHORT_END = re.compile(f"{_CONSONANT}[aeiouy][^aeiouwxy]$")

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "logi": "log",
    "alli": "al", "entli": "ent",
    "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = re.compile(
    "(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$",
)
_ENDING_2 = re.compile(f"(?:{'|'.join(_STEP_2)})$")
_ENDING_3 = re.compile(f"(?:{'|'.join(_STEP_3)})$")

_IRREGULAR = {
    form: base
    for base, forms in {
        "become": "became", "begin": "began begun", "bite": "bit bitten", "blow": "blew blown", "break": "broke broken",
        "bring": "brought", "build": "built", "buy": "bought", "catch": "caught", "child": "children",
        "choose": "chose chosen", "come": "came", "deal": "dealt", "draw": "drew drawn", "drink": "drank drunk",
        "drive": "drove driven", "eat": "ate eaten", "fall": "fell fallen", "feel": "felt", "fight": "fought",
        "find": "found", "fly": "flew flown", "foot": "feet", "forget": "forgot forgotten", "get": "got gotten",
        "give": "gave given", "go": "goes went gone", "grow": "grew grown", "hear": "heard", "hide": "hid hidden",
        "hold": "held", "keep": "kept", "know": "knew known", "lend": "lent", "life": "lives",
        "lose": "lost", "make": "made", "man": "men", "mean": "meant", "meet": "met", "mouse": "mice", "pay": "paid",
        "person": "people", "ride": "rode ridden", "ring": "rang rung", "run": "ran", "say": "said", "see": "saw seen",
        "sell": "sold", "send": "sent", "shake": "shook shaken", "sing": "sang sung", "sit": "sat", "sleep": "slept",
        "speak": "spoke spoken", "spend": "spent", "stand": "stood", "steal": "stole stolen", "swim": "swam swum",
        "take": "took taken", "teach": "taught", "tell": "told", "think": "thought", "throw": "threw thrown",
        "tooth": "teeth", "understand": "understood", "wake": "woke woken", "wear": "wore worn", "wife": "wives",
        "win": "won", "woman": "women", "write": "wrote written",
    }.items()
    for form in forms.split()
}  # fmt: skip

_CYRILLIC_REFLEXIVE = re.compile("(?<=[а-яёіїєґ]{3})с[яь]$")
_CYRILLIC_NOMINAL = re.compile(
    "(?<=[а-яёіїєґ]{3})(?:иями|ями|ами|ими|ыми|его|ого|ему|ому|ією|иях|ию|ия|ией|ием|ии|ие|ье|ья|ью|ий|ый|ой|ей|ей|ее|ое|ые"
    "|ая|яя|ую|юю|ою|ею|ем|ом|им|ым|ам|ям|ах|ях|их|ых|ов|ев|ів|а|я|о|е|и|ы|у|ю|ь|й|і|ї|є)$"
)
_CYRILLIC_VERBAL = re.compile(
    "(?<=[а-яёіїєґ]{3})(?:ает|яет|ают|яют|аешь|ите|ете|ил|ал|ял|ел|ыл|ет|ит|ут|ют|ат|ят|ешь|ишь|ив|ав)$"
)
_ARABIC_ARTICLE = re.compile("^[وفبك]?ال(?=.{3})|^لل(?=.{3})")
_HINDI_ENDING = re.compile("(?<=..)[ािीुूेैोौंयाँ]+$")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a folded word."""
    first = word[0]
    if word.isascii():
        return _english(_IRREGULAR.get(word, word)) if word.isalpha() and len(word) > 2 else word
    if "Ѐ" <= first <= "ӿ":
        return _cyrillic(word)
    if "؀" <= first <= "ۿ":
        return _ARABIC_ARTICLE.sub("", word)
    if "ऀ" <= first <= "ॿ":
        return _HINDI_ENDING.sub("", word)
    return word


def _cyrillic(word: str) -> str:
    # Nominal before verbal endings, so that "билет" and "билеты" meet in one stem.
    word = _CYRILLIC_REFLEXIVE.sub("", word)
    return _CYRILLIC_VERBAL.sub("", _CYRILLIC_NOMINAL.sub("", word))


def _english(word: str) -> str:
    word = _participles(_plurals(word))
    if word.endswith("y") and _HAS_VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    word = _swap(word, _ENDING_2, _STEP_2)
    word = _swap(word, _ENDING_3, _STEP_3)
    found = _STEP_4.search(word)
    if found and _measure(word[: found.start()]) > 1:
        word = word[: found.start()]
    return _final_letters(word)


def _plurals(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _participles(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word and _HAS_VOWEL.search(rest):
            return _repaired(rest)
    return word


def _repaired(rest: str) -> str:
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _DOUBLE.search(rest):
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _SHORT_END.search(rest) else rest


def _swap(word: str, ending: re.Pattern[str], table: dict[str, str]) -> str:
    found = ending.search(word)
    if found and _measure(word[: found.start()]):
        return word[: found.start()] + table[found.group()]
    return word


def _final_letters(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _SHORT_END.search(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _measure(stem_part: str) -> int:
    """Count the runs of vowels that a run of consonants follows (Porter's m)."""
    return len(_MEASURE.findall(stem_part))
