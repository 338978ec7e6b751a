"""What must not leave in an address or a search: secrets, and what a member had kept as private.

It is looked for as it stands, as an address writes it, and without the signs between letters. Other encodings are not
guessed: whoever wants to hide a word from this can.
"""

from urllib.parse import unquote_plus

from memory.space import Space
from memory.store.redaction import Redactor, is_masked
from tools.tool import ToolError

MIN_BARE_CHARS = 6
"""From this length on a secret counts also inside a longer word."""
_REDACTOR = Redactor(())


async def check_disclosure(text: str, space: Space) -> None:
    """Raises: ToolError when the text holds a secret or the value of a private fact of the space."""
    spellings = {text, unquote_plus(text), unquote_plus(unquote_plus(text))}
    if any(_REDACTOR.redact(one).kinds or is_masked(one) for one in spellings):
        raise ToolError("not sent: it holds something that looks like a password or a key. Ask without it.")
    private = [fact.value for fact in await space.facts.history() if fact.private and fact.value]
    if any(_holds(one, value) for one in spellings for value in private):
        raise ToolError("not sent: it holds what the member keeps as private. Ask without it.")


def _holds(text: str, value: str) -> bool:
    words, wanted = _words(text), _words(value)
    if not wanted:
        return value in text
    bare = "".join(wanted)
    if len(bare) >= MIN_BARE_CHARS and bare in "".join(words):
        return True
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1))


def _words(text: str) -> list[str]:
    return "".join(sign if sign.isalnum() else " " for sign in text.casefold()).split()
