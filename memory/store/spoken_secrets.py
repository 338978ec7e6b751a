"""Secrets that a person says in words: "the wifi password is …", a card with its check number, recovery codes.

What opens an account, a network or money is a secret; what opens a door (locker, gate, alarm) is a fact that people
want kept. A name of a secret must be followed by something that can be one: a talk about passwords holds none. Pure;
reads English, German, Russian, Spanish and French.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from memory.catalogue import N_
from memory.store.secret_words import (
    ACCOUNT_WORDS,
    DETERMINERS,
    DOOR_WORDS,
    FUNCTION_WORDS,
    PREDICATES,
    UNITS,
    beginnings,
)

MASK_FILL = "•"


@dataclass(frozen=True)
class SpokenSecret:
    """Where a value stands in a text, what it looks like, and what it is the secret of, in the member's words."""

    start: int
    stop: int
    kind: str
    subject: str
    value: str = field(repr=False)


_LOGIN = (
    r"(?:pass ?word|passwd|\bpwd?\b|pass ?code|pass ?phrase|passwort|kennwort|parole\b|парол[ья]|contraseña|senha"
    r"|mot de passe|\bmdp\b|\b(?:wi-?fi|wlan|wireless|network|router)[- ]?(?:key|code|schlüssel)|netzwerkschlüssel"
    r"|ключ (?:от )?(?:вай-?фая?|wi-?fi|сети)|\bclave (?:del? )?(?:la )?(?:wi-?fi|red)"
    r"|\b(?:clé|clef|code) (?:du |de la )?wi-?fi)"
)
_RECOVERY = (
    r"(?:\b(?:recovery|back-?up) ?-?(?:codes?|keys?|phrase)|seed ?phrase|wiederherstellungs-?(?:codes?|schlüssel)"
    r"|(?:коды?|ключ) восстановления|резервны[йе] коды?|сид-?фраза|c[óo]digos? de (?:recuperaci[óo]n|respaldo)"
    r"|frase (?:semilla|de recuperaci[óo]n)|codes? de (?:récupération|secours)|phrase de récupération)"
)
_KEY = (
    r"(?:\b(?:api|access|secret|client)[- ]?(?:key|token|secret)|api-?schlüssel|api-?ключ|ключ api|\bclave api"
    r"|\bclé api)\b"
)
_PIN = re.compile(
    r"(?i)(?:\bpins?\b(?:[- ]?(?:code|número|код))?|\w{2,12}-?pin\b|\bпин(?:-?код)?\b|\bpuk\b|\bgeheimzahl\b)"
)
_CVV = re.compile(r"(?i)\b(?:cvv2?|cvc2?|kartenprüfnummer|prüfziffer|cryptogramme)\b")

_FOR = (
    r"(?P<what>[ \t]{1,3}"
    r"(?:for|of|to|on|at|in|für|fürs|vom|von|zum|zur|des|der|im|del?|para|du|d['’]|pour|от|для|на|к)\b"
    r"(?:[^\n.,;!?:=]|\.(?=\w)){1,40}?)?"
)
_LOOSE = r"(?P<what>(?:[ \t]{1,3}(?!manager|reset|policy|hint|app\b)[^\s.,;!?:=\d]{1,20}){0,4}?)"
_ADVERB = r"(?:[ \t]+(?:now|still|again|currently|jetzt|nun|noch|immer noch|теперь|сейчас|ahora|maintenant|désormais))?"
_IS = (
    rf"(?:{_ADVERB}(?:\s{{0,3}}[:=]|\s{{1,3}}(?:-|–|—|→|->)"
    r"|[ \t]+(?:is|are|was|will be|ist|sind|war|wird|lautet|lauten|es|son|est|sont|sera|é|это|теперь|будет|now)\b"
    rf"{_ADVERB}:?|[ \t]+(?:(?:is|was|has been)[ \t]+)?(?:changed|set|reset|updated)[ \t]+to\b:?)\s{{0,3}})"
)
_OPEN, _CLOSE = "\"'“„«‹`", "\"'”“»›`"

_QUOTED = re.compile(rf"[{_OPEN}]([^{_OPEN}{_CLOSE}\n{MASK_FILL}]{{4,80}})[{_CLOSE}]")
_TOKEN = re.compile(rf"[^\s{_OPEN}{_CLOSE}{MASK_FILL}]{{3,127}}[^\s{_OPEN}{_CLOSE}{MASK_FILL}.,;:!?)\]]")
_CODES = re.compile(
    r"(?:(?=[A-Za-z-]{0,40}[0-9])[A-Za-z0-9-]{3,64}(?![\w-])"
    r"(?:[ \t]{0,3}[,;\n][ \t]{0,3}|[ \t]{1,3}(?:(?:and|und|и|y|et)[ \t]{1,3})?)?){1,24}"
)
_PHRASE = re.compile(r"[^\W\d_]{2,12}(?:[ \t]+[^\W\d_]{2,12}){2,23}(?=\s*(?:[.,;!?\n]|$))")
_PIN_VALUE = re.compile(r"\d(?:[ -]?\d){3,7}(?![\w-]|[.,]\d)")
_CVV_VALUE = re.compile(r"\d{3,4}(?!\w)")
_CARD = re.compile(r"(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])")
_CLAUSE_END = re.compile(
    r"\s*(?:$|\n)|\s*[.,;!?)](?:\s|$)|\s+(?:and|but|und|aber|и|а|но|y|pero|et|mais|if|in case|falls)\b", re.IGNORECASE
)
_ADDRESS = re.compile(r"\w+://|www\.|[\w.+-]+@[\w-]+\.\w", re.IGNORECASE)
_SAID_OF_IT = re.compile(
    r".*(?:ed|ing|able|ible|less|ado|ada|ido|ida|ée?|ный|вый|рый|той|ний|кий|тый|ен|ён|ан|ел|ся|сь)"
    r"|(?:ge|ver|be|ab|an|auf|aus|ein|un|zurück).*(?:t|en|ert)",
    re.IGNORECASE,
)
_CARD_WINDOW = 80

Value = Callable[[str, int], "tuple[int, int] | None"]


def find_spoken(text: str) -> list[SpokenSecret]:
    """Return the secrets said in a text, in order; masked ones are none."""
    found = [*_named(text), *_pins(text), *_cards(text)]
    return _without_overlaps(sorted(found, key=lambda secret: (secret.start, -secret.stop)))


def _named(text: str) -> Iterator[SpokenSecret]:
    lowered = text.lower()
    for rule in _RULES:
        if not any(hint in lowered for hint in rule.hints):
            continue
        for name in rule.names.finditer(text):
            found = _value(text, name.end(), rule.links)
            if found is not None:
                what, span = found
                yield SpokenSecret(*span, rule.kind, _subject(text, name, what), text[slice(*span)])
        for match in rule.reversed.finditer(text) if rule.reversed else ():
            if _is_strong(match["value"]):
                yield SpokenSecret(*match.span("value"), rule.kind, _tidy(match["subject"]), match["value"])


def _value(text: str, start: int, links: Sequence[tuple[re.Pattern[str], Value]]) -> tuple[str, tuple[int, int]] | None:
    """Return what the secret is of, as far as that is said here, and where its value stands."""
    for link, value in links:
        match = link.match(text, start)
        span = value(text, match.end()) if match else None
        if match and span:
            return match.groupdict().get("what") or "", span
    return None


def _pins(text: str) -> Iterator[SpokenSecret]:
    """A PIN of a card, an account or a phone; one of a door is no secret here."""
    for name in _PIN.finditer(text):
        match = _PIN_LINK.match(text, name.end())
        value = _PIN_VALUE.match(text, match.end()) if match else None
        if match is None or value is None:
            continue
        clause = text[max(0, name.start() - 40) : match.end()].lower()
        # "my pin collection 1500": without a verb, what stands between must be the account itself.
        said = re.split(r"[.!?\n;,]", clause)[-1] if match["is"] or not match["what"] else match["what"].lower()
        words = set(re.findall(r"[^\W\d_]+", said))
        parts = [part for word in words for part in (word, word.removesuffix("pin"))]
        is_account = any(_begins_with(part, ACCOUNT_WORDS) for part in parts)
        if is_account and not any(_begins_with(word, DOOR_WORDS) for word in words):
            yield SpokenSecret(*value.span(), "a PIN", _subject(text, name, match["what"]), value.group())


def _begins_with(word: str, beginnings: tuple[str, ...]) -> bool:
    """Tell whether a word is a form of one of these, or a compound that begins with it; short ones have none."""
    return word in beginnings or (len(word) > 3 and word.startswith(tuple(w for w in beginnings if len(w) > 3)))


def _cards(text: str) -> Iterator[SpokenSecret]:
    """A check number, and the card's number beside it. A card's number alone is no secret."""
    for name in _CVV.finditer(text):
        match = _CVV_LINK.match(text, name.end())
        value = _CVV_VALUE.match(text, match.end()) if match else None
        if value is None:
            continue
        yield SpokenSecret(*value.span(), "card details", name.group(), value.group())
        begin = max(0, name.start() - _CARD_WINDOW)
        for card in _CARD.finditer(text, begin, value.end() + _CARD_WINDOW):
            yield SpokenSecret(*card.span(), "card details", "card number", card.group())


# Values


def _password(text: str, start: int) -> tuple[int, int] | None:
    quoted = _QUOTED.match(text, start)
    if quoted:
        return quoted.span(1)
    token = _TOKEN.match(text, start)
    if token is None:
        return None
    is_last = _CLAUSE_END.match(text, token.end()) is not None
    return token.span() if _is_password(token.group(), is_last=is_last) else None


def _passphrase(text: str, start: int) -> tuple[int, int] | None:
    phrase = _PHRASE.match(text, start)
    words = phrase.group().lower().split() if phrase else []
    if phrase and not FUNCTION_WORDS.intersection(words):
        return phrase.span()
    return _password(text, start)


def _codes(text: str, start: int) -> tuple[int, int] | None:
    codes = _CODES.match(text, start)
    if codes is None:
        return _passphrase(text, start)
    run = re.sub(r"[ \t\n,;]+(?:(?:and|und|и|y|et)[ \t]+)?$", "", codes.group())
    return (start, start + len(run)) if sum(char.isalnum() for char in run) >= 6 else None


def _key(text: str, start: int) -> tuple[int, int] | None:
    token = _TOKEN.match(text, start)
    is_key = token is not None and len(token.group()) >= 12 and _is_strong(token.group())
    return token.span() if token and is_key else None


def _strong(text: str, start: int) -> tuple[int, int] | None:
    token = _TOKEN.match(text, start)
    return token.span() if token and _is_strong(token.group()) else None


def _is_password(token: str, *, is_last: bool) -> bool:
    """Tell a password from what is said about one."""
    if _ADDRESS.match(token):
        return False
    if any(char.isdigit() for char in token):
        return _is_mixed(token) or (token.isdecimal() and is_last)
    if re.search(r"[_@#$%^&*+=~<>|\\]|!(?=\w)", token):
        return len(token) >= 6
    if re.search(r"[a-zа-яß-ÿ][A-ZА-ЯÀ-Þ]", token):
        return len(token) >= 6
    parts = re.split("-", token.lower())
    is_word = all(part.isalpha() for part in parts) and len(token) >= 5
    return is_last and is_word and not any(part in FUNCTION_WORDS or _is_said_of_it(part) for part in parts)


def _is_strong(token: str) -> bool:
    return len(token) >= 6 and _is_mixed(token) and not _ADDRESS.match(token)


def _is_mixed(token: str) -> bool:
    """Letters and digits together, and not a measure ("16-character")."""
    measure = re.fullmatch(r"\d{1,4}[-–]?([^\W\d_]+)\S*", token)
    has_both = any(char.isalpha() for char in token) and any(char.isdigit() for char in token)
    return has_both and not (measure and measure[1].lower().startswith(UNITS))


def _is_said_of_it(word: str) -> bool:
    """Tell whether a word says how a password is rather than what it is: "changed", "falsch", "неверный"."""
    return word in PREDICATES or _SAID_OF_IT.fullmatch(word) is not None


# Subjects


def _subject(text: str, match: re.Match[str], what: str) -> str:
    """Return what the secret is of: its name, with the words around that say which one."""
    line = re.split(r"[\n.,;:!?()/]", text[max(0, match.start() - 40) : match.start()])[-1]
    before = line.split()[-3:] if line[-1:].isspace() else []
    glued = line.split()[-1:] if line and not line[-1:].isspace() else []
    chosen: list[str] = []
    for word in reversed(before):
        if word.lower() in DETERMINERS:
            break
        chosen.insert(0, word)
    else:
        chosen = [word for word in chosen[-1:] if word.lower() not in FUNCTION_WORDS]
    name = "".join([*glued, match.group()])
    return _tidy(" ".join([*chosen, name, what.strip()]))


def _tidy(subject: str) -> str:
    return " ".join(subject.split()).strip(" .:;,-\"'“”„«»")


def _without_overlaps(secrets: list[SpokenSecret]) -> list[SpokenSecret]:
    kept: list[SpokenSecret] = []
    for secret in secrets:
        if not kept or secret.start >= kept[-1].stop:
            kept.append(secret)
    return kept


# Rules


@dataclass(frozen=True)
class _Rule:
    """A family of names, and what may stand between one and its value; `hints` are parts of which each name has one."""

    kind: str
    names: re.Pattern[str]
    links: tuple[tuple[re.Pattern[str], Value], ...]
    hints: tuple[str, ...]
    reversed: re.Pattern[str] | None = None


_LOGIN_HINTS = beginnings(
    "pass pw kennwort parole парол contras senha mdp wifi wi-fi wlan wireless netz network router ключ clave"
)
_RECOVERY_HINTS = beginnings(
    "recovery backup back-up seed wiederh восст резерв сид recup récup respaldo secours semilla"
)
_WORDS = r"(?:[\w-]{1,20} ){0,3}?"
_REVERSED = re.compile(
    rf"(?i)(?<!\S)(?P<value>[^\s{_OPEN}{_CLOSE}{MASK_FILL}]{{6,64}}) (?:is|ist|es|est|–|—|-|это) "
    r"(?:the |my |our |das |mein |unser |la |mi |le |mon |notre |мой |наш )?"
    rf"(?P<subject>{_WORDS}[\w-]{{0,20}}{_LOGIN})(?! manager| app)"
)
_NAMED = re.compile(rf"(?i){_FOR}{_IS}")
_LOOSELY_NAMED = re.compile(rf"(?i){_LOOSE}(?:{_IS}|[ \t]{{1,3}}(?:to|auf|in|en|a|на|[а-яё]{{3,20}})[ \t]{{1,3}})")
_BESIDE = re.compile(r"[ \t]{1,3}")
_RULES = (
    _Rule(
        N_("a password"),
        re.compile(f"(?i){_LOGIN}"),
        ((_NAMED, _password), (_BESIDE, _strong), (_LOOSELY_NAMED, _strong)),
        _LOGIN_HINTS,
        _REVERSED,
    ),
    _Rule(
        N_("a password"),
        re.compile("(?i)pass ?phrase|phrase secrète|кодовая фраза"),
        ((_NAMED, _passphrase),),
        ("phrase", "фраза"),
    ),
    _Rule(N_("a recovery code"), re.compile(f"(?i){_RECOVERY}"), ((_NAMED, _codes),), _RECOVERY_HINTS),
    _Rule(N_("an API key"), re.compile(f"(?i){_KEY}"), ((_NAMED, _key),), ("api", "access", "secret", "client")),
)
_PIN_LINK = re.compile(rf"(?i){_LOOSE}(?P<is>{_IS})?[ \t]*(?=\d)")
_CVV_LINK = re.compile(rf"(?i)(?:{_IS}|[ \t]+)(?=\d)")
