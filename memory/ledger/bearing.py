"""Whether what a member said bears on the subject somebody proposes for it.

Pure word rules. A value made of the member's own words is not theirs when the subject was put in their mouth: by a
forwarded text, a page, an answer of the assistant. Passages they only quote are taken out before anything is read.
"""

import re
from dataclasses import dataclass

from memory.ledger.subjects import content_words, stem
from memory.ledger.support import sentences


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MAX_TITLE_WORDS = 4
_QUESTION = ("?", "？", "؟")
_QUOTED = re.compile(
    r"\"[^\"\n]+\"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|»[^«\n]+«|(?m:^>.*$)",
)
_SPEAKS = re.compile(
    r"\b(?:said|says?|wrote|writes?|told|tells|asked|asks|claims?|claimed|reads?|schrieb\w*|schreibt"
    r"|sagte?\w*|meint\w*|fragt\w*"
    r"|steht|написал\w*|сказал\w*|пишет|говорит|спросил\w*|dijo|dice|escribió|preguntó|dit|écrit|demandé"
    r"|scritto|scrive|detto"
    r"|disse|escreveu|perguntou)\b[^.!?\n]{0,40}$",
    re.IGNORECASE,
)
_POLITE = _words(
    "ok okay thanks thank you please yes no hi hello hey good great fine well sure right danke bitte ja nein gut hallo"
    " спасибо пожалуйста да нет хорошо привет gracias sí hola merci oui non bonjour grazie sì ciao obrigado sim"
)
_ENDS = re.compile(
    r"\b(?:no longer|not|never|cancel\w*|called? off|off|wrong|mistake\w*|forget|delete|remove|erase|gone"
    r"|quit|stop\w*|sold|lost|left|over"
    r"|dropp?\w*|scrap\w*|done|finished|dead|died|ex|former|nicht|kein\w*|abgesagt|fällt|falsch"
    r"|storniert\w*|vergiss|lösch\w*|vorbei"
    r"|gekündigt|verkauft|erledigt|не|нет|больше|отмен\w*|забудь\w*|удали\w*|неверно|ошиб\w*|продал\w*"
    r"|ya no|cancel\w*|olvida\w*|borra\w*"
    r"|plus|annul\w*|oublie\w*|supprime\w*|fini|non|dimentica\w*|não|esque[cç]\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:no|not|now|instead|actually|rather|correct\w*|chang\w*|mov\w*|switch\w*|make it|meant|new|sorry"
    r"|anymore|nein|nicht|jetzt|nun|doch"
    r"|sondern|eigentlich|stattdessen|geändert|verschoben|neu\w*|нет|не|теперь|вместо|перен\w*|измен\w*"
    r"|нов\w*|no|ahora|mejor|cambi\w*|maintenant"
    r"|plutôt|chang\w*|adesso|invece|agora|mud\w*)\b",
    re.IGNORECASE,
)


_CORRECTS = re.compile(
    r"(?:^|[.,;:!?…–—-]\s*)\W*(?:(?:but|oh|ah|aber|ach|но|ой|а)\W+)?(?:(?:no|nope|nein|нет)(?=\s*[,:;!.…–—-])"
    r"|(?:(?:no|nein|нет) )?(?:wait|hold on|sorry|oops|pardon|i mean|i meant|correction|scratch that|make that|moment"
    r"|halt|quatsch|korrektur|ich meine|nicht doch|besser gesagt|стоп|вернее|точнее|то есть|поправка|извини\w*"
    r"|mejor dicho|perdón|enfin|anzi|aliás)\b)"
    r"|\b(?:actually|rather|instead|after all|on second thought\w*|doch|eigentlich|vielmehr|stattdessen|lieber"
    r"|вообще-то|вс[её]-таки|вс[её] же|лучше|en realidad|plutôt|finalement|in realtà|na verdade)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"(?:\b(?:not|never|nicht|nie|niemals|kein\w*|не|никогда не|pas)|n['’]t)\s+"
    r"(?:(?:due|called|named|on|at|in|to|by|an?|the|my|our|am|um|im|gegen|auf|на|в|во|к|à|au|le|la)\s+){0,3}$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Around:
    """What others said near a message: the questions the member was asked, and all else."""

    asked: str = ""
    told: str = ""


def quoted_part(text: str) -> str:
    """Return what a text only quotes."""
    own = own_part(text)
    return "".join(" " if char == kept else char for char, kept in zip(text, own, strict=True))


def own_part(text: str) -> str:
    """Return a text with what it only quotes blanked, at equal length; a short title or name stays."""
    own = text
    for match in _QUOTED.finditer(text):
        is_title = len(match.group().split()) <= _MAX_TITLE_WORDS and not match.group().startswith(">")
        if not is_title or _SPEAKS.search(text, 0, match.start()):
            own = f"{own[: match.start()]}{' ' * len(match.group())}{own[match.end() :]}"
    return own


def is_borrowed(subject: str, own: str, around: Around) -> bool:
    """Tell whether others alone brought a subject up, whole: the member neither named it nor was asked for it."""
    meant = _stems(subject)
    is_named = meant & (_stems(_stated(own)) | _stems(around.asked))
    return bool(meant) and not is_named and meant <= _stems(around.told)


def is_statement(subject: str, value: str, sentence: str, *, asked: str) -> bool:
    """Tell whether a sentence says a value of something, and is no mere remark that was made a value whole."""
    stated = _stated(sentence)
    if _stems(subject) & (_stems(stated) | _stems(asked)) or _tokens(stated) - _tokens(value) - _POLITE:
        return True
    return _is_exact(value)


def is_denied(value: str, own: str) -> bool:
    """Tell whether a member's words name a value only right behind a "not": what is stored would be the opposite."""
    parts = r"\s+".join(re.escape(part) for part in value.split())
    named = list(re.finditer(rf"(?<!\w){parts}(?!\w)", own, re.IGNORECASE))
    return bool(named) and all(_DENIES.search(own, 0, match.start()) for match in named)


def is_meant(old: str, value: str, subject: str, own: str, *, asked: str) -> bool:
    """Tell whether words that somebody worded as being about `subject` may be about the fact named (`old`, `value`).

    Not where they, and the question they answer, name what only the new subject has and nothing of the old one.
    """
    said = _stems(own) | _stems(asked)
    gone, come = _stems(old) - _stems(subject), _stems(subject) - _stems(old)
    is_named = bool(gone & said) or _stems(value) <= said
    return not gone or is_named or not come & _stems(own)


def is_change(old: str, value: str, own: str, *, asked: str) -> bool:
    """Tell whether a member's words may change a fact: they name it (`old`: its subject and value), were asked for it,
    speak of a change, or say nothing but a name or a number.
    """
    named = _stems(old) & (_stems(_stated(own)) | _stems(asked))
    return bool(named or _CHANGES.search(own)) or (_is_exact(value) and _is_exact(own))


def is_correction(words: str) -> bool:
    """Tell whether words set right what was said before them ("actually …", "no wait, …", "… doch …", "вернее …")."""
    return _CORRECTS.search(words) is not None


def is_ending(subject: str, value: str, own: str) -> bool:
    """Tell whether a member's words can end a fact: they name it, or say of something that it is over or wrong."""
    return bool(_stems(f"{subject} {value}") & _stems(own) or _ENDS.search(own))


def _is_exact(value: str) -> bool:
    """Tell whether a value is made of names and numbers alone."""
    words = [word for word in re.findall(r"\w+", value) if word.casefold() not in _POLITE]
    return bool(words) and all(word[0].isupper() or any(map(str.isdigit, word)) for word in words)


def _stated(text: str) -> str:
    """Return the sentences of a text that ask nothing."""
    return " ".join(sentence for sentence in sentences(text) if not sentence.endswith(_QUESTION))


def _stems(text: str) -> set[str]:
    return {stem(word) for word in content_words(text)}


def _tokens(text: str) -> set[str]:
    return {word.casefold() for word in re.findall(r"\w+", text)}
