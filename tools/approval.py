"""What the model is told of calls that wait for a member's yes: that they were asked, and what they answered. Pure."""

from typing import Any

from memory.store.approvals import Approval

ASKED = "asked"
"""The key of a result that says the call was not run: the member was asked."""
TOO_LONG = (
    "Not run and not asked: the member must see a call in full before they approve it, and this one is too long for "
    "that. Make it shorter or split it."
)
_WAITS = (
    "asked the member ({ref}): nothing was done yet, so do not say that it was. They approve or refuse with a button; "
    "you are told what came of it. Do not make this call again; end your answer by saying what waits for them."
)
_APPROVED = "The member approved {ref}, exactly this call. The program runs it once; its result follows."
_REFUSED = (
    "The member refused {ref}, your call of {name}. It was not run and nothing was done. Answer in a sentence, and do "
    "not ask for it again unless they bring it up."
)
_EXPIRED = (
    "{ref}, your call of {name}, was not answered in time, which counts as refused: it was not run and nothing was "
    "done. Ask for it again only if the member still wants it."
)


def asked(approval: Approval) -> dict[str, Any]:
    """Return the result of a call that was not run because the member was asked."""
    return {ASKED: _WAITS.format(ref=approval.ref)}


def told(approval: Approval) -> str:
    """Return what the model is told once it is decided."""
    words = {"approved": _APPROVED, "refused": _REFUSED}.get(approval.state, _EXPIRED)
    return words.format(ref=approval.ref, name=approval.name)
