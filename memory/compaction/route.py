"""Which segments of a window the manifest names: by rules alone, and doubt means KEEP. (COMPRESS: `compress.py`.)

DROP is for what nobody will look for: greetings, thanks, exact repeats, mere references to other text. The text itself
stays in the transcript either way; only the manifest of the handoff leaves it out.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.messages import Message
from memory.recall.segments import Segment

Route = Literal["KEEP", "DROP", "COMPRESS"]
Reason = Literal["protected", "prose", "small talk", "repeat", "reference"]


@dataclass(frozen=True)
class Routed:
    """A segment with its message and where it goes."""

    segment: Segment
    message: Message
    route: Route
    reason: Reason
    short: str | None = None
    """A checked shorter text, of COMPRESS alone."""

    @property
    def is_named(self) -> bool:
        """Whether the manifest names it."""
        return self.route != "DROP"


# Code, commands, paths, hashes, addresses and errors: their exact wording is what they are worth.
_PROTECTED = re.compile(
    r"```|`[^`\n]+`"
    r"|https?://|www\.|\b[\w.+-]+@[\w-]+\.\w"
    r"|(?<![\w/])(?:~|\.{1,2})?/[\w.-]+(?:/[\w.-]+)+|\b[A-Za-z]:\\\w"
    r"|\b[0-9a-f]{7,64}\b"
    r"|^\s*(?:\$|>>>|#!|sudo |git |pip |docker |curl |SELECT |def |class |import )"
    r"|\b(?:Traceback|Exception|Error:|ERROR|WARN(?:ING)?|FATAL|panic:|exit code|errno)\b|\w+(?:Error|Exception)\b"
    r"|[{}<>;|]\s*$|^\s*[{\[]",
    re.MULTILINE,
)

# No words of assent (ok, sure, fine): they may decide what was asked.
_GREETINGS = """hi hello hey good morning afternoon evening night there bye goodbye see you later soon
hallo guten morgen tag abend gute nacht tschüss bis bald servus moin привет здравствуйте доброе утро добрый день вечер
пока до свидания hola buenos días buenas tardes noches adiós bonjour salut bonsoir ciao buongiorno"""
_THANKS = """thanks thank you very much so a lot many ty thx great cool nice perfect you're welcome anytime my pleasure
 danke schön sehr vielen dank gern geschehen super спасибо большое пожалуйста gracias muchas merci
beaucoup grazie prego"""
_SMALL_TALK = frozenset((_GREETINGS + " " + _THANKS).split())
_MAX_SMALL_TALK_WORDS = 6

_REFERENCE = re.compile(
    r"(?:(?:please )?(?:see|look at|compare|cf\.?|same as|siehe|wie gesagt|см\.?|как я (?:уже )?(?:говорил|говорила)"
    r"|as i said(?: before)?|as (?:said|mentioned)(?: above| before)?)[ ,:]*)?"
    r"(?:(?:and|und|и|or|the|message|fact|segment|above|before|earlier|oben|выше|[fhmst]\d+)[ ,.]*)*!?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def route(segments: Sequence[Segment], messages: Iterable[Message]) -> list[Routed]:
    """Return each segment with its route, in order. A repeat is dropped where it stands again, not where it is new."""
    by_id = {message.id: message for message in messages}
    seen: set[tuple[str, str]] = set()
    routed = []
    for segment in segments:
        message = by_id[segment.message_id]
        reason = _reason(segment.text, message, seen)
        seen.add((message.role, _normal(segment.text)))
        routed.append(Routed(segment, message, "KEEP" if reason in ("protected", "prose") else "DROP", reason))
    return routed


def is_protected(text: str) -> bool:
    """Tell whether a text holds code, a command, a path, a hash, an address or an error."""
    return bool(_PROTECTED.search(text))


def _reason(text: str, message: Message, seen: set[tuple[str, str]]) -> Reason:
    if message.role not in ("user", "model") or is_protected(text):
        return "protected"
    if _is_small_talk(text):
        return "small talk"
    if _REFERENCE.fullmatch(text.strip()):
        return "reference"
    # Only within one role: an assistant that repeats the member's words confirms them.
    return "repeat" if (message.role, _normal(text)) in seen else "prose"


def _is_small_talk(text: str) -> bool:
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    if any(char.isdigit() for char in text) or "?" in text:
        return False
    return 0 < len(words) <= _MAX_SMALL_TALK_WORDS and all(word in _SMALL_TALK for word in words)


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
