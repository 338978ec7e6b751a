"""When two wordings speak of the same thing: keys of subjects and values, and the words facts are found by.

Pure string rules, the same for every language read here; no similarity score anywhere, because no threshold keeps
"Anna's birthday" apart from "Anne's birthday". What paraphrase cannot be seen in the words is for the extractor to say
(it names the fact it replaces), and `may_replace` for the code to allow.
"""

import re
import unicodedata

from memory.ledger.marks import without_marks

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*['’]?")
_TOKEN = re.compile(r"[+-]?\w+(?:[-./,:_+@’']+\w+)*|[€$£₽¥%°]")
_LETTERS = re.compile(r"[^\W_]+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?P<mark>[.,’'])\d{3}(?:(?P=mark)\d{3})*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ARTICLES = _words(
    "a an the my our of for this that member user members users"
    " der die das den dem des ein eine einen einem einer eines mein meine meinen meiner unser unsere für von vom"
    " мой моя моё мое мои моего моей наш наша наше наши для"
    " le la les l un une mon ma mes notre nos du de pour el los las una mi mis nuestro nuestra para"
)
_DIRECTIONS = _words("from to before after into onto nach vor bis aus из от до перед после desde hasta vers")
_LIGHT = _ARTICLES | _words(
    "i am is are was be been it its in on at by to and or with as live lives living have has had own owns"
    " use using used like likes prefer prefers go goes called named now currently due until before no later than"
    " ich bin ist sind war im um bei mit und zu wohne wohnt habe hat heißt bis spätestens"
    " я в во и на с у есть это живу живет до к не позднее je suis est et yo soy es y en"
)
_MIN_SINGULAR = 4
STEM_CHARS = 6
_MAX_TERMS = 64


def normalise_subject(subject: str) -> str:
    """Return the key of a subject: equal for wordings that differ in case, form, articles, number and word order.

    The order of words is kept where a direction depends on it ("flight from A to B").
    """
    words = [_key_word(match.group()) for match in _WORD.finditer(_folded(subject))]
    kept = [word for word in words if word not in _ARTICLES] or words
    return " ".join(kept if _DIRECTIONS & set(kept) else sorted(kept))


def value_key(value: str) -> str:
    """Return the key of a value: the words that carry meaning, in any order, then numbers, ids and signs in theirs."""
    tokens = _TOKEN.findall(_folded(value))
    exact = [_plain_number(token) for token in tokens if _is_exact(token)]
    words = {word for token in tokens if not _is_exact(token) for word in _LETTERS.findall(token)}
    meaningful = {word for word in words if word not in _LIGHT}
    return " ".join([*sorted(meaningful or ([] if exact else words)), *exact])


def content_words(text: str) -> list[str]:
    """Return the words that carry meaning, folded, each once, in order."""
    words = (match.group() for match in re.finditer(r"[^\W_]+", _folded(text)))
    return list(dict.fromkeys(word for word in words if word not in _LIGHT))


def terms(*texts: str) -> list[str]:
    """Return the terms a fact is found by: beginnings of words, so that inflected forms meet; at most 64."""
    return list(dict.fromkeys(stem(word) for text in texts for word in content_words(text)))[:_MAX_TERMS]


def stem(word: str) -> str:
    """Return the beginning of a folded word that its inflected forms share."""
    return _singular(word)[:STEM_CHARS]


def may_replace(old: str, new: str) -> bool:
    """Tell whether a statement about subject `new` may end one about `old`, given that the extractor says so.

    Refused for twins: the same frame with another name or number in it.
    """
    old_words, new_words = _named_words(old), _named_words(new)
    if old_words.keys() == new_words.keys():
        return True
    gone, come = old_words.keys() - new_words.keys(), new_words.keys() - old_words.keys()
    shared = old_words.keys() & new_words.keys()
    has_rivals = any(old_words[word] for word in gone) and any(new_words[word] for word in come)
    return not (has_rivals and (shared or len(old_words) == len(new_words) == 1))


def share_words(one: str, other: str) -> bool:
    """Tell whether two subjects have a word in common."""
    return bool(set(normalise_subject(one).split()) & set(normalise_subject(other).split()))


def _is_exact(token: str) -> bool:
    """Tell whether a token is a number, an id or a sign: all of which keep their place."""
    return any(char.isdigit() for char in token) or not any(char.isalpha() for char in token)


def _plain_number(token: str) -> str:
    """Return a number without the marks between thousands; anything else as it is."""
    return re.sub(r"[.,’']", "", token) if _THOUSANDS.fullmatch(token) else token


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", without_marks(text)).casefold().replace("ё", "е")


def _key_word(word: str) -> str:
    owner = re.sub(r"['’](?:s)?$", "", word)
    return owner if owner != word else _singular(word.replace("’", "").replace("'", ""))


def _singular(word: str) -> str:
    if len(word) < _MIN_SINGULAR or not word.isascii() or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("xes", "ches", "shes", "sses", "zes")) else word[:-1]


def _named_words(subject: str) -> dict[str, bool]:
    """Return the key words of a subject, and whether each may be a name: capital, possessive or with a digit."""
    found: dict[str, bool] = {}
    for match in _WORD.finditer(unicodedata.normalize("NFKC", subject)):
        word = match.group()
        key = _key_word(_folded(word))
        if key not in _ARTICLES:
            found[key] = word[0].isupper() or any(char.isdigit() for char in word) or bool(re.search(r"['’]s?$", word))
    return found
