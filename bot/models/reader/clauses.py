"""Clauses: the parts of a message that state something by themselves, politeness and openers cut off.

Questions, suppositions, jests, quoted speech, code and small talk make none. What a clause states is not read here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.models.reader.orders import is_order
from bot.models.reader.words import is_question, sentences

_MAX_SENTENCE = 600
"""No plain statement is longer; what is, is left to a real model."""

_CODE = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>.*$", re.DOTALL | re.MULTILINE)
_REPORTED = re.compile(
    r"\b(?:said|says|wrote|writes|told (?:me|us)|asked|claims?|sagte|sagt|schrieb|meinte|сказал[аи]?|говорит"
    r"|написал[аи]?)\b"
    r"[^.!?\n]{0,30}[:,]?\s*[\"“„«'‘‚]|^\s*(?-i:[A-ZÄÖÜА-ЯЁ])\w+ (?:said|wrote|sagte|schrieb|сказал[аи]?"
    r"|написал[аи]?)\s*:"
    r"|^\s*[\"“„«]",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"^(?:if|suppose|supposing|imagine|what if|let's say|hypothetically|maybe|perhaps|wenn|falls|angenommen"
    r"|vielleicht|если"
    r"|допустим|может|возможно|представь)\b"
    r"|\b(?:maybe|perhaps|might|could be|we could|i could|would|wouldn't|vielleicht|könnte[nst]?|würde[nst]?|может быть"
    r"|возможно|наверное|бы)\b|\b(?:i think|i guess|i wonder|not sure|ich glaube|я думаю) ",
    re.IGNORECASE,
)
_JEST = re.compile(
    r"\b(?:kidding|joking)\b|^\W*(?:as a joke|in (?:a|my) dream)\b|\bscherz\b|\b(?:шучу|шутка)\b", re.IGNORECASE
)
_EXPLICIT = re.compile(
    r"^(?:(?:please|bitte|пожалуйста),? )?(?:remember|don't forget|do not forget|note|make a note|keep in mind"
    r"|save|write down"
    r"|merk(?:e)? dir|vergiss nicht|notiere?|запомни(?:те)?|не забудь(?:те)?|запиши(?:те)?)\b"
    r"(?: down)?(?: this| for me| bitte| пожалуйста)?(?:,? (?:that|dass|что)\b)?[:,]?\s*",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"^(?:(?:hi|hello|hey|ok|okay|well|so|also|btw|by the way|fyi|just so you know|for the record|good news|bad"
    r" news|update|yes"
    r"|and|but|hallo|übrigens|also|und|aber|ja|привет|кстати|и|а|но|да)\b[,:!.—-]*\s+)+"
    r"|^(?!(?:\w+ )?(?:correction|korrektur|поправка)\b)\w+(?: \w+){0,4}:\s+"
    r"(?=(?:we|i|wir|ich|мы|я)\b"
    r"|(?:(?:my|our|the|mein\w*|unser\w*|der|die|das) )?\w+ (?:is|are|ist|sind|hei(?:ß|ss)t)\b)",
    re.IGNORECASE,
)
_CORRECTING = re.compile(
    r"^(?:(?:no|nope|actually|sorry|wait|oops|rather|i mean|scratch that|nein|doch|eigentlich|moment"
    r"|(?:(?:small|quick|little|one|kleine|kurze|маленькая|небольшая) )?(?:correction|korrektur|поправка)"
    r"|нет|вообще-то|точнее|извини(?:те)?)\b[,:!.—-]*\s+)+",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"\s*(?:;|, and|, but|,| and| but| und|, и| и|, а)\s+(?=(?:my|our|the|i|we|his|her|mine|mein\w*|unser\w*|ich|wir"
    r"|мо[йяеёи]|наш\w?"
    r"|я|мы|меня|у меня|live|work|wohne|lebe|arbeite|живу|работаю)\b)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|am|has|have|live|lives|work|works|must|need|decided|chose|agreed|called|expires|ist|sind"
    r"|hei(?:ß|ss)\w+"
    r"|wohne|lebe|haben|muss|arbeite|зовут|живу|решили|работаю)\b|['’](?:s|m|re)\b|[—–]|^я ",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r",\s+(?:by the way|btw|fyi|always (?:has|have)|told|as (?:always|usual|agreed|discussed|i said|you know)|so"
    r"|just so|in case|because|although|though|which|who|finally|at last|please|thanks?|you know|that['’]s|he|she|it"
    r"|they|no rush|can['’]t wait|hope\w*|luckily|sadly|unfortunately|obviously|believe me"
    r"|übrigens|bitte|wie (?:gesagt|immer|besprochen)|also|weil|denn|falls|damit|obwohl|endlich|leider|zum glück|danke"
    r"|er|sie|es|кстати|пожалуйста|спасибо|если что|потому что|так как|так что|чтобы"
    r"|как (?:всегда|обычно|договаривались)|наконец|к сожалению|он|она|оно|они|это"
    r"|(?-i:[A-ZÄÖÜА-ЯЁ])[\w-]+ (?:has|had|hat|hatte|told|said|says|asked|wants|will|wird))\b.*$",
    re.IGNORECASE | re.DOTALL,
)
"""What is only added behind a statement ("…, by the way", "…, weil es sein muss")."""


_NOT_BUT = re.compile(
    r"^(?P<subject>[^,;]+?)"
    r"(?:(?: is| are| was| were| ist| sind|['’]s) (?:not|no longer|nicht)| (?:is|are|was|were)n['’]t)"
    r"\b[^,;—–]*(?:[,;]| [—–-]) ?(?:but |and |sondern )?(?:it|they|he|she|er|sie|es)"
    r"(?:['’]s|['’]re| (?P<verb>is|are|will be|ist|sind))(?: now| jetzt)? (?P<now>.+)$",
    re.IGNORECASE | re.DOTALL,
)
"""What is not so, and then what is ("the report isn't due on Friday any more, it's due on Monday")."""


@dataclass(frozen=True)
class Clause:
    """A part of a sentence that stands by itself, with the sentence it came from."""

    text: str
    quote: str
    is_correcting: bool
    """It began with "no", "actually" and the like, or said first what is not so."""
    is_explicit: bool
    """The member asked to remember it."""


def clauses(message: str) -> Iterator[Clause]:
    """Yield what a message states, clause by clause, openers and politeness cut off."""
    readable = _CODE.sub(lambda match: "\n" * len(match.group()), message)
    for start, end in sentences(readable):
        sentence = message[start:end]
        if len(sentence) > _MAX_SENTENCE or is_question(sentence):
            continue
        if _REPORTED.search(sentence) or _JEST.search(sentence):
            continue
        for part in _parts(sentence):
            clause = _opened(part, sentence)
            if clause.text and not _SUPPOSED.search(clause.text) and not is_question(clause.text):
                yield clause


def _parts(sentence: str) -> Iterator[str]:
    start = 0
    for joint in _JOINT.finditer(sentence):
        left, right = sentence[start : joint.start()], sentence[joint.end() :]
        if (_VERB.search(left) or is_order(_OPENER.sub("", left.strip()))) and _VERB.search(right):
            yield left
            start = joint.end()
    yield sentence[start:]


def _opened(part: str, sentence: str) -> Clause:
    text = _OPENER.sub("", part.strip())
    correcting = _CORRECTING.match(text)
    text = text[correcting.end() :] if correcting else text
    explicit = _EXPLICIT.match(text)
    text = text[explicit.end() :] if explicit else text
    contrast = _NOT_BUT.match(text)
    text = f"{contrast['subject']} {contrast['verb'] or 'is'} {contrast['now']}" if contrast else text
    remark = _REMARK.search(text)
    if remark and (re.search(r"\d", text[: remark.start()]) or not re.search(r"\d", remark.group())):
        text = text[: remark.start()]
    return Clause(text.strip(), sentence, bool(correcting or contrast), explicit is not None)
