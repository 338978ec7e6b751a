"""What the member is asked about the ledger: each question a line, its two answers a row of buttons.

Pure. The data of a button names facts by id; what a press does is `bot.choices`' business.
"""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from bot.quoting import literal
from bot.turn.answer import Answer
from memory.ledger.facts import Fact
from memory.ledger.receipts import Receipt, shown_value
from memory.store.mailbox import Button, Buttons

MAX_BUTTON_CHARS = 28


def questions(asked: Sequence[Receipt], zone: ZoneInfo) -> Answer:
    """Return the questions among receipts as one message; it says nothing when there is none."""
    return Answer(
        "\n".join(literal(receipt.line(zone)) for receipt in asked if receipt.is_question),
        buttons=tuple(row for receipt in asked if receipt.is_question for row in _row(receipt, zone)),
    )


def waiting_row(fact: Fact) -> tuple[Button, ...]:
    """Return the buttons that decide about a fact that waits."""
    keep = Button(text=f"Keep {fact.ref}", data=f"keep:{fact.id}", typed=f"/keep {fact.ref}")
    return (keep, Button(text=f"Drop {fact.ref}", data=f"drop:{fact.id}", typed=f"/drop {fact.ref}"))


def _row(receipt: Receipt, zone: ZoneInfo) -> Buttons:
    fact, was = receipt.fact, receipt.was
    if receipt.change in ("suggested", "unsure") or was is None:
        return (waiting_row(fact),)
    if receipt.change == "unclear":
        shown = {one: f"{_cut(shown_value(one, zone))} ({one.ref})" for one in (fact, was)}
        return (tuple(Button(text=t, data=f"choose:{f.id}", typed=f"/choose {f.ref}") for f, t in shown.items()),)
    ends, both = f"choose:{fact.id}:{was.id}", f"both:{fact.id}:{was.id}"
    yes = Button(text=f"Yes, {was.ref} ended", data=ends, typed=f"/choose {fact.ref} {was.ref}")
    return ((yes, Button(text="No, both hold", data=both)),)


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_BUTTON_CHARS else f"{flat[: MAX_BUTTON_CHARS - 1]}…"
