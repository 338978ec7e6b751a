"""Errors in words: what happened, what was kept, what to do.

`words_for` is what a chat shows: no path, no technical detail, nothing of other people. `line_for` is the one line
of a command or a log. Nothing here decides whether something is tried again.
"""

import math

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
)

_KEPT = "Your message is kept"
_FRESH_START = "send /new for a fresh start (my memory stays)"
_STILL_WORK = "/recall and /facts still work"

_SILENCES = {
    "safety": "The model's safety filter stopped the answer.",
    "prohibited_content": "The model's safety filter stopped the answer.",
    "blocklist": "The model's safety filter stopped the answer.",
    "image_safety": "The model's safety filter stopped the answer.",
    "spii": "The model's filter for personal data stopped the answer.",
    "recitation": "The model stopped because its answer would have repeated a published text.",
    "language": "The model does not support this language.",
    "max_tokens": "The model used up its room for an answer before it said anything.",
}


def words_for(error: BaseException) -> str:
    """Return what a member is told: what happened, what was kept, what to do."""
    match error:
        case StorageFull():
            words = (
                "The disk is full, so this was not stored.",
                "What was stored before is untouched.",
                "Tell the operator, then send it again.",
            )
        case OperatorMustAct():
            words = (
                "My storage has a problem that only the operator can mend.",
                "What was stored before is untouched.",
                "Tell the operator, then send this again.",
            )
        case MemberMustAct():
            words = (_sentence(str(error)), "Nothing was changed.", "")
        case CompactionFailed():
            words = (
                "The conversation could not be shortened just now.",
                "All of it is kept as it is;",
                "send /compact again later.",
            )
        case ReaderInTheWay():
            words = (
                "It is forgotten, but the disk still holds a trace, because somebody reads the file just now.",
                "Everything else is kept;",
                "I erase it as soon as the file is free.",
            )
        case ModelFault():
            words = _model_words(error)
        case TimeoutError():
            words = (
                "That took longer than a turn may take, so I stopped.",
                f"{_KEPT}, and so is what was done so far;",
                "ask me to go on.",
            )
        case _:
            words = (
                "Something went wrong on my side.",
                f"{_KEPT};",
                "please try again, and tell the operator if it happens twice.",
            )
    return " ".join(part for part in words if part)


def line_for(error: BaseException) -> str:
    """Return one line for the person at the command line or the log."""
    match error:
        case ModelMisconfigured():
            return f"the model cannot be used as configured ({error.detail}); check GEMINI_API_KEY and GEMINI_MODEL"
        case ModelBusy():
            return f"the model is busy or out of reach ({error.detail}); try again in a minute"
        case CeilingReached():
            return "what may be spent on this today is spent (REMEMBRANCER_DAILY_USD); try tomorrow or raise it"
        case ModelQuotaSpent():
            return f"the model's quota for today is spent ({error.detail}); try tomorrow or raise it"
        case MemoryFault():
            return " ".join(str(error).split())
        case OSError():
            about = f"{error.filename}: " if error.filename else ""
            return f"{about}{error.strerror or type(error).__name__}"
        case _:
            return f"unexpected {type(error).__name__}; the log says where"


def _model_words(error: ModelFault) -> tuple[str, str, str]:
    match error:
        case ModelBusy():
            return "The model is busy or out of reach.", f"{_KEPT};", f"send it again in {_a_while(error)}."
        case CeilingReached():
            return "What may be spent today is spent.", f"{_KEPT};", f"{_STILL_WORK}, and I answer again tomorrow."
        case ModelQuotaSpent():
            return (
                "The model's quota for today is used up.",
                f"{_KEPT};",
                f"{_STILL_WORK}, and I answer again tomorrow.",
            )
        case ModelMisconfigured():
            return (
                "The model cannot be used as it is set up (its key or its name).",
                f"{_KEPT}, and {_STILL_WORK};",
                "the operator must change the settings.",
            )
        case PromptTooLong():
            return (
                "This talk has grown longer than the model can read.",
                f"{_KEPT};",
                f"send /compact, or {_FRESH_START}.",
            )
        case ModelRefused():
            return (
                "The model refused this request as it stands.",
                f"{_KEPT};",
                f"say it in other words, or {_FRESH_START}.",
            )
        case ModelSilent():
            what = _SILENCES.get(error.reason, "The model gave no answer.")
            return what, f"{_KEPT};", "say it in other words or try again."
        case _:
            return "The model gave no answer.", f"{_KEPT};", "please try again."


def _a_while(error: ModelBusy) -> str:
    minutes = math.ceil((error.retry_after_s or 0) / 60)
    return "a minute" if minutes <= 1 else f"{minutes} minutes"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
