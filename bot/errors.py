"""Errors in words: what happened, what was kept, what to do.

`words_for` is what a chat shows: no path, no technical detail, nothing of other people. `line_for` is the one line
of a command or a log. Nothing here decides whether something is tried again.
"""

import math
import re

from memory.catalogue import N_, _, ngettext
from memory.errors import (
    CeilingReached,
    CompactionFailed,
    MemberMustAct,
    MemoryFault,
    ModelBusy,
    ModelFault,
    ModelMisconfigured,
    ModelQuotaSpent,
    ModelRefused,
    ModelSilent,
    OperatorMustAct,
    PromptTooLong,
    ReaderInTheWay,
    StorageFull,
    UnknownId,
)

_LISTS = {
    **dict.fromkeys(("m", "t", "s"), "/recall"),
    "n": "/reminders",
    "p": "/procedures",
    "h": "/compact",
    "q": "`/probe list`",
    "alarm": "/probe",
}
"""By the letter of an id, where those that there are can be seen."""
_ID = re.compile(r"([a-z]+) ?[0-9]+")
_APPROVAL = N_("Each question of mine names its own id, and one that is answered or has expired is over.")
_NO_ANSWER = N_("The model gave no answer.")
_SILENCES = {
    "safety": N_("The model's safety filter stopped the answer."),
    "prohibited_content": N_("The model's safety filter stopped the answer."),
    "blocklist": N_("The model's safety filter stopped the answer."),
    "image_safety": N_("The model's safety filter stopped the answer."),
    "spii": N_("The model's filter for personal data stopped the answer."),
    "recitation": N_("The model stopped because its answer would have repeated a published text."),
    "language": N_("The model does not support this language."),
    "max_tokens": N_("The model used up its room for an answer before it said anything."),
}


def words_for(error: BaseException) -> str:
    """Return what a member is told: what happened, what was kept, what to do."""
    match error:
        case StorageFull():
            return _(
                "The disk is full, so this was not stored. What was stored before is untouched. Tell the operator, "
                "then send it again."
            )
        case OperatorMustAct():
            return _(
                "My storage has a problem that only the operator can mend. What was stored before is untouched. Tell "
                "the operator, then send this again."
            )
        case MemberMustAct():
            return _member_words(error)
        case CompactionFailed():
            return _(
                "The conversation could not be shortened just now. All of it is kept as it is; send /compact again "
                "later."
            )
        case ReaderInTheWay():
            return _(
                "It is forgotten, but the disk still holds a trace, because somebody reads the file just now. "
                "Everything else is kept; I erase it as soon as the file is free."
            )
        case ModelFault():
            return _model_words(error)
        case TimeoutError():
            return _(
                "That took longer than a turn may take, so I stopped. Your message is kept, and so is what was done so "
                "far; ask me to go on."
            )
        case _:
            return _(
                "Something went wrong on my side. Your message is kept; please try again, and tell the operator if it "
                "happens twice."
            )


def line_for(error: BaseException) -> str:
    """Return one line for the person at the command line or the log."""
    match error:
        case ModelMisconfigured():
            return f"the model cannot be used as configured{_said(error)}; check GEMINI_API_KEY and GEMINI_MODEL"
        case ModelBusy():
            return f"the model is busy or out of reach{_said(error)}; try again in a minute"
        case CeilingReached():
            return "what may be spent on this today is spent (REMEMBRANCER_DAILY_USD); try tomorrow or raise it"
        case ModelQuotaSpent():
            return f"the model's quota for today is spent{_said(error)}; try tomorrow or raise it"
        case MemoryFault():
            return " ".join(str(error).split())
        case OSError():
            about = f"{error.filename}: " if error.filename else ""
            return f"{about}{error.strerror or type(error).__name__}"
        case _:
            return f"unexpected {type(error).__name__}; the log says where"


def _member_words(error: MemberMustAct) -> str:
    words = [_sentence(error.said), _("Nothing was changed.")]
    if isinstance(error, UnknownId):
        words.append(_where_to_look(error.ref))
    return " ".join(words)


def _where_to_look(ref: str) -> str:
    kind = ["", *_ID.findall(ref)][-1]
    if kind == "a":
        return _(_APPROVAL)
    return _("{command} shows what there is.").format(command=_LISTS.get(kind, "/facts"))


def _said(error: ModelFault) -> str:
    """Return what the model's provider said, where it said something."""
    return f" ({error.detail})" if error.detail else ""


def _model_words(error: ModelFault) -> str:
    match error:
        case ModelBusy():
            minutes = max(1, math.ceil((error.retry_after_s or 0) / 60))
            return ngettext(
                "The model is busy or out of reach. Your message is kept; send it again in a minute.",
                "The model is busy or out of reach. Your message is kept; send it again in {count} minutes.",
                minutes,
            ).format(count=minutes)
        case CeilingReached():
            return _(
                "What may be spent today is spent. Your message is kept; /recall and /facts still work, and I answer "
                "again tomorrow."
            )
        case ModelQuotaSpent():
            return _(
                "The model's quota for today is used up. Your message is kept; /recall and /facts still work, and I "
                "answer again tomorrow."
            )
        case ModelMisconfigured():
            return _(
                "The model cannot be used as it is set up (its key or its name). Your message is kept, and /recall and "
                "/facts still work; the operator must change the settings."
            )
        case PromptTooLong():
            return _(
                "This talk has grown longer than the model can read. Your message is kept; send /compact, or send /new "
                "for a fresh start (my memory stays)."
            )
        case ModelRefused():
            return _(
                "The model refused this request as it stands. Your message is kept; say it in other words, or send "
                "/new for a fresh start (my memory stays)."
            )
        case ModelSilent():
            kept = _("Your message is kept; say it in other words or try again.")
            what = _SILENCES.get(error.reason, _NO_ANSWER)
            return f"{_(what)} {kept}"
        case _:
            kept = _("Your message is kept; please try again.")
            return f"{_(_NO_ANSWER)} {kept}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
