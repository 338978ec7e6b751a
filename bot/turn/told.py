"""What the program itself tells and asks in the course of a turn, each with the buttons under it.

Pure. The data of a button is ids alone; what a press does is the business of `bot/commands/`.
"""

from collections.abc import Sequence

from bot.quoting import block, literal
from bot.turn.answer import Answer
from memory.catalogue import N_, _
from memory.compaction.outcome import Outcome
from memory.ledger.facts import Fact
from memory.ledger.receipts import Receipt, shown_value
from memory.store.entries import Button, Buttons
from memory.store.preferences import Zones
from memory.store.procedures import Version

MAX_BUTTON_CHARS = 28
KEEP_ANYWAY = "keep-secret"
PROPOSED = N_(
    "❔ I suggest a procedure. It holds only if you keep it, and then only when you ask for it. Read it closely:"
)
PROPOSED_VERSION = N_(
    "❔ I suggest a new version of {ref}. It holds only if you keep it, and then only when you ask for it. Read it "
    "closely:"
)


# Of the ledger


def receipt_lines(receipts: Sequence[Receipt], zones: Zones) -> str:
    """Return a line for each receipt."""
    return "\n".join(literal(receipt.line(zones)) for receipt in receipts)


def receipt_buttons(receipts: Sequence[Receipt], *, is_named: bool = False) -> Buttons:
    """Return the Undo of each receipt; with several, or where asked for, each names its fact."""
    undoable = [(receipt.fact, receipt.undo) for receipt in receipts if receipt.undo is not None]
    text = _("Undo {ref}") if is_named or len(undoable) > 1 else _("Undo")
    return tuple((Button(text=text.format(ref=fact.ref), data=f"undo:{change_id}"),) for fact, change_id in undoable)


def questions(receipts: Sequence[Receipt], zones: Zones) -> Answer:
    """Return the questions among receipts as one message; it says nothing when there is none."""
    asked = [receipt for receipt in receipts if receipt.is_question]
    return Answer(receipt_lines(asked, zones), tuple(row for receipt in asked for row in _row(receipt, zones)))


def waiting_row(fact: Fact) -> tuple[Button, ...]:
    """Return the buttons that decide about a fact that waits."""
    return _keep_or_drop(fact.ref, fact.id, ("keep", "drop"))


# Of other things


def document(path: str) -> Answer:
    """Return the line that goes with a file of the assistant's own."""
    return Answer(f"📎 {literal(path)}", document=path)


def proposal(version: Version) -> Answer:
    """Return the question whether what the assistant proposes shall hold, with all that it says."""
    told = _(PROPOSED if version.number == 1 else PROPOSED_VERSION).format(ref=version.ref)
    text = f"{told}\n{block(version.says.text)}"
    return Answer(text, (proposal_row(version),), shows=(version.ref,))


def proposal_row(version: Version) -> tuple[Button, ...]:
    """Return the buttons that decide about a version that waits."""
    return _keep_or_drop(version.ref, version.id, ("pkeep", "pdrop"))


def compacted(outcome: Outcome, *, is_asked: bool) -> Answer:
    """Return the line about a compaction, with the button that shows what was kept."""
    text = outcome.words() if is_asked else outcome.plain_words()
    if outcome.handoff_id is None:
        return Answer(text)
    ref = f"h{outcome.handoff_id}"
    kept = Button(text=_("What was kept"), data=f"compact:{ref}", typed=f"/compact {ref}")
    return Answer(text, ((kept,),))


def keep_button(source: str) -> Buttons:
    """Return the button that keeps what was masked in the entry of that source."""
    return ((Button(text=_("🔒 Keep it anyway"), data=f"{KEEP_ANYWAY}:{source}"),),)


def _keep_or_drop(ref: str, row_id: int, data: tuple[str, str]) -> tuple[Button, ...]:
    keep = Button(text=_("Keep {ref}").format(ref=ref), data=f"{data[0]}:{row_id}", typed=f"/keep {ref}")
    drop = Button(text=_("Drop {ref}").format(ref=ref), data=f"{data[1]}:{row_id}", typed=f"/drop {ref}")
    return keep, drop


def _row(receipt: Receipt, zones: Zones) -> Buttons:
    fact, was = receipt.fact, receipt.was
    if receipt.change in ("suggested", "unsure") or was is None:
        return (waiting_row(fact),)
    if receipt.change == "unclear":
        shown = {one: f"{_cut(shown_value(one, zones))} ({one.ref})" for one in (fact, was)}
        return (tuple(Button(text=t, data=f"choose:{f.id}", typed=f"/choose {f.ref}") for f, t in shown.items()),)
    ends, both = f"choose:{fact.id}:{was.id}", f"both:{fact.id}:{was.id}"
    yes = Button(text=_("Yes, {ref} ended").format(ref=was.ref), data=ends, typed=f"/choose {fact.ref} {was.ref}")
    return ((yes, Button(text=_("No, both hold"), data=both)),)


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_BUTTON_CHARS else f"{flat[: MAX_BUTTON_CHARS - 1]}…"
