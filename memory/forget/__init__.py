"""Forget: whatever a member takes back goes from every layer of a memory, and is looked for again to prove it.

`plan` reads, `rows` writes in one transaction, `effects` clean the disk after the commit. `again` binds files that are
older than a forgetting; `everything` takes a whole memory.
"""

from memory.forget.again import forget_again
from memory.forget.everything import (
    EVERYTHING,
    confirmation,
    counted,
    effects_of_everything,
    rows_of_everything,
)
from memory.forget.report import Report
from memory.forget.steps import Plan, effects, plan, rows

__all__ = [
    "EVERYTHING",
    "Plan",
    "Report",
    "confirmation",
    "counted",
    "effects",
    "effects_of_everything",
    "forget_again",
    "plan",
    "rows",
    "rows_of_everything",
]
