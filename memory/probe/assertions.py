"""What an answer asserts: its text without what it denies, asks back or names as former; and whether it admits not to
know. Plain rules for clauses of a few languages.

Their limits: a denial reaches to the end of its clause, so "not, as you think, 1234" still asserts 1234, and a value
before its denial ("1234 is not it") is taken for denied with all of its clause. What they miss in an answer that should
hold a value, the judge sees.
"""

import re
from collections.abc import Callable, Iterator, Sequence

_BREAK = re.compile(
    r"(?<=[.!?;…])(?<!\b(?:Dr|Mr|St|Nr)\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\b\d\.)(?<!\b\d\d\.)\s+"
    r"|(?<=[。！？])|\n+|[,:]\s+(?!(?:or|nor|oder|noch|или|ни)\b)|\s[—–-]\s"
    r"|\s(?=(?:but|aber|sondern|jedoch|но|mais|pero|sino|instead of|rather than|anstatt|statt|вместо|no longer)\b)",
    re.IGNORECASE,
)
_BOUNDS = (
    r"(?!\s+(?:\S+\s+){0,3}?(?:only|exceed\w*|more|less|over|above|beyond|later|before|after|below|earlier|nur|mehr als"
    r"|über\w*|höher|später|vor|nach|только|больше|более|меньше|менее|позже|позднее|раньше|превы\w+)\b)"
)
"""Behind a denial: "not later than 17:30", "must not exceed 3,000" state a bound."""
_DENIED = re.compile(
    r"(?:\bnot|\w['’]t|\bnever|\bnicht|\bnie(?:mals)?|\bkein\w*|\bweder|\bне|\bникогда|\bpas|\bno (?:es|son|está))\b"
    + _BOUNDS
    + r"|\b(?:neither|whether|no longer|any ?more|nicht mehr(?! als)|ob|ли|больше не|ya no|ne plus)\b",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\b(?:used to be|used to|previously|formerly|originally|instead of|rather than|outdated|superseded|früher(?! als)"
    r"|vorher|ursprünglich|ehemals|anstatt|statt|раньше|ранее|прежде|вместо|antes|auparavant)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:moved|changed|switched|postponed|rescheduled|raised|lowered|went|verschoben|verlegt|geändert|перен\w+"
    r"|измен\w+)\s+(?:\S+\s+){0,2}?(?:from|von|vom|с|со)\s+.{1,60}?\s(?=(?:to|auf|zu|на)\b)",
    re.IGNORECASE,
)
"""A change says its former value first."""
_DONT = r"(?:do|did|does|have|has|had|can|could|am|are|is|was|were)(?:n?['’]t| not|not)(?: yet)?"
_ENGLISH = (
    rf"{_DONT} (?:have|know|recall|see|find|remember|tell|told|say|said|mention\w*|shared?|give|given|answer)",
    rf"{_DONT} (?:sure|aware|recorded|stored|known|stated|there)",
    r"(?:can)?not (?:known|recorded|stored|mentioned|stated|aware|sure|listed|in (?:my|your|our)|find|tell|answer)",
    r"not (?:\w+ ){0,2}(?:have|know)|no longer (?:have|know)|never (?:told|mentioned|said)|unable to|unknown",
    r"no (?:record|information|info|note|mention|idea|memory|details?|data|entry|trace|answer|knowledge)",
    r"nothing (?:you|about|is|was|in|recorded|stored|on (?:that|this|it|record|file))|(?:is|are)n['’]t any\w*",
    r"(?:was|were|been|is|to) (?:forgotten|forget|erased?|deleted?|redacted|removed?)",
)
_GERMAN = (
    r"weiß (?:\w+ ){0,3}nicht|habe ich nicht|finde (?:\w+ ){0,3}nicht|unbekannt|vergessen|gelöscht",
    r"nicht (?:bekannt|gespeichert|erwähnt|gesagt|notiert|sagen|finden|sicher)",
    r"kein\w* (?:\w+ )?(?:information\w*|angabe\w*|notiz\w*|ahnung|antwort|eintr\w+|hinweis\w*)",
    r"nichts (?:dazu|darüber|davon|gefunden|gespeichert|bekannt|notiert)|(?:dazu|darüber|davon) (?:\w+ ){0,3}nichts",
)
_RUSSIAN = (
    r"не (?:знаю|помню|нашл?[её]?л?[аи]?|могу|говорил\w*|сказал\w*|упоминал\w*|сообщал\w*|рассказывал\w*)",
    r"не (?:записан\w*|указан\w*|известно|знаємо)|немає",
    r"нет (?:\w+ )?(?:данных|информации|сведений|записи|записей|ответа)|неизвестн\w+|забыт\w*|удален\w*",
    r"ничего (?:не|нет)|(?:об этом|про это) (?:\w+ ){0,2}ничего",
)
_ROMANCE = (
    r"ne (?:sais|trouve|connais|dispose) pas|n['’]ai (?:pas|aucun\w*)|aucun\w* (?:information|trace|mention)",
    r"no (?:lo )?(?:s[eé]|tengo|hay|encuentro|consta|recuerdo|está)|ningun\w+|desconoc\w+",
    r"non (?:lo )?(?:so|ho)|nessun\w*|não (?:sei|tenho|encontr\w+|há)|nenhum\w*|inconnu\w*",
)
_WITHOUT_SPACES = r"不知道|没有|不清楚|わかりません|ありません|知りません|모르|없"
_IGNORANCE = re.compile(
    rf"\b(?:{'|'.join((*_ENGLISH, *_GERMAN, *_RUSSIAN, *_ROMANCE))})\b|{_WITHOUT_SPACES}", re.IGNORECASE
)
_GUESS = re.compile(
    r"\b(?:i(?:['’]d| would| can only|['’]ll)? guess|my (?:best )?guess|i (?:think|believe|suppose|assume) (?:it|that"
    r"|he|she|they|the|your)|(?:probably|perhaps|maybe|likely|around|about) \d+|it(?:['’]s| is| was)"
    r" (?:probably|perhaps|maybe|likely)|ich (?:schätze|vermute|denke|glaube)|(?:vermutlich|wahrscheinlich)"
    r" (?:ist|am|um|\d+)"
    r"|(?:наверное|вероятно),? (?:это|\d+)|я думаю|полагаю)\b",
    re.IGNORECASE,
)
_ASKS = ("?", "？", "؟")


def asserted(text: str) -> str:
    """Return a text without the clauses that deny, leave open, ask, or tell of what held before."""
    return "".join(clause if _is_asserted(clause.strip()) else "\n" for clause in _clauses(_CHANGED.sub("", text)))


def states_as_current(states: Callable[[str], bool], text: str, *, own: Sequence[str]) -> bool:
    """Tell whether a text states something as what holds. `states` knows it in any text; `own` are the member's words.

    What they said with a denial ("I don't eat fish") may be stated with one.
    """
    is_denied_itself = any(states(words) and not states(asserted(words)) for words in own)
    return states(text if is_denied_itself else asserted(text))


def admits_ignorance(answer: str) -> bool:
    """Tell whether an answer says that it does not know, and does not go on to guess."""
    return _IGNORANCE.search(answer) is not None and _GUESS.search(answer) is None


def _clauses(text: str) -> Iterator[str]:
    """Yield the clauses of a text, each with the space behind it."""
    start = 0
    for match in _BREAK.finditer(text):
        yield text[start : match.end()]
        start = match.end()
    yield text[start:]


def _is_asserted(clause: str) -> bool:
    return not (clause.endswith(_ASKS) or _DENIED.search(clause) or _FORMER.search(clause))
