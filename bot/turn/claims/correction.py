"""Whether an answer claims a deed that no row bears out, and the line that then says so.

Only the program saves, changes, forgets or reminds, and only rows prove it. An answer's own sentences are read, clause
by clause, for such claims and for promises of acting later (nothing acts once a turn has ended). Quotations, code,
drafts of letters, questions, denials and conditions are none. Pure: what was committed is told, not looked up.
"""

import re
from dataclasses import dataclass

from bot.turn.claims.words import CONDITION, NEGATION, POLITE, SALUTATION, SAYS, TEXT_WORK, Act
from memory.catalogue import N_, _

_IGNORED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*>.*$|^[ \t]*✎.*$"
    r"|\"[^\"\n]*\"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|»[^«\n]*«|‘[^’\n]*’(?!\w)|「[^」\n]*」|(?<!\w)'[^'\n]*'(?!\w)|https?://\S+",
    re.DOTALL | re.MULTILINE,
)
_MARKUP = re.compile(r"[*_#~]+|^[ \t]*(?:[-•]|\d+[.)])[ \t]+", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?…。！？؟\n]+(?:[.!?…。！？؟]+|\n|$)")
_CLAUSE = re.compile(r"[,;()，、]|\s[–—]\s|\b(?:but|aber|sondern|но|pero|mais|ma|mas)\b", re.IGNORECASE)
_SYMBOLS = re.compile(r"^[\W_]+")

_SAYS = {act: re.compile("|".join(wordings), re.IGNORECASE) for act, wordings in SAYS.items()}
_NEGATION = re.compile(NEGATION, re.IGNORECASE)
_POLITE = re.compile(POLITE, re.IGNORECASE)
_CONDITION = re.compile(CONDITION, re.IGNORECASE)
_TEXT_WORK = re.compile(TEXT_WORK, re.IGNORECASE)
_SALUTATION = re.compile(SALUTATION, re.IGNORECASE | re.MULTILINE)
_NOTHING_FOLLOWS = re.compile(r"\s+(?:nothing|none|no|nichts|nada|rien|nulla|niente|niets|nic)\b", re.IGNORECASE)
_QUESTION = ("?", "？", "؟")

_NOTHING: dict[Act, str] = {
    "saved": N_("nothing was saved"),
    "taught": N_("no procedure was kept (one holds only by your Keep or by `/procedures add`)"),
    "changed": N_("nothing was changed"),
    "forgotten": N_("nothing was forgotten (`/forget` erases)"),
    "reminded": N_("no reminder was set"),
    "scheduled": N_("nothing was scheduled"),
    "sent": N_("nothing was sent, booked or ordered"),
    "searched": N_("nothing was searched or read on the web"),
    "looked_up": N_("nothing was looked up"),
    "later": N_("nothing is planned: I act only while I answer you"),
}
_IN_THIS_TURN = N_("⚠ In this turn {what}.")
_BY_ROWS_ONLY = N_("⚠ In this turn {what}. A line that begins with ✎ tells you when I did.")
_STILL_READING = N_(
    "⚠ So far {what}. Your message is still being read for facts; a line that begins with ✎ follows if it gives one. "
    "`/remember` keeps your words in any case."
)
_BY_ROWS: frozenset[Act] = frozenset({"saved", "changed", "forgotten"})


@dataclass(frozen=True)
class Deeds:
    """What the rows of a turn bear out; `is_read` is False while its messages are still to be read for facts."""

    acts: frozenset[Act] = frozenset()
    is_read: bool = True


def claimed(answer: str) -> tuple[Act, ...]:
    """Return the acts that an answer claims or promises in its own name, each once."""
    found: dict[Act, None] = {}
    for sentence in _own_sentences(answer):
        if not sentence.endswith(_QUESTION):
            found |= dict.fromkeys(_claims_of(sentence))
    return tuple(found)


def correction(answer: str, deeds: Deeds) -> str | None:
    """Return the line that sets right what an answer claims and the turn did not do; None when there is nothing."""
    wrong = [act for act in claimed(answer) if act not in deeds.acts]
    if not wrong:
        return None
    told = _IN_THIS_TURN
    if _BY_ROWS & set(wrong):
        told = _BY_ROWS_ONLY if deeds.is_read else _STILL_READING
    return _(told).format(what="; ".join(_(_NOTHING[act]) for act in _NOTHING if act in wrong))


def _own_sentences(answer: str) -> list[str]:
    """Return the sentences an answer says itself: no quotations, no code, nothing of a letter it drafts."""
    plain = _MARKUP.sub("", _IGNORED.sub(" … ", answer))
    first = plain.find("\n")
    letter = _SALUTATION.search(plain, first) if first >= 0 else None
    return [match.group().strip() for match in _SENTENCE.finditer(plain[: letter.start()] if letter else plain)]


def _claims_of(sentence: str) -> list[Act]:
    spoken = _POLITE.sub(" ", sentence)
    acts: list[Act] = []
    is_conditional = False
    for clause in _CLAUSE.split(spoken):
        text = _SYMBOLS.sub("", clause).rstrip(" .!…。！")
        acts += [act for act in _SAYS if not is_conditional and _is_claimed(act, text)]
        is_conditional = is_conditional or bool(_CONDITION.search(text))
    return acts


def _is_claimed(act: Act, clause: str) -> bool:
    match = _SAYS[act].search(clause)
    if match is None or _CONDITION.search(clause, 0, match.start()):
        return False
    if _NEGATION.search(clause, 0, match.end()) or _NOTHING_FOLLOWS.match(clause, match.end()):
        return False
    return act not in ("changed", "forgotten") or not _TEXT_WORK.search(clause)
