"""What becomes of reminders when something is forgotten: they lose the words, or go. Reads only.

A reminder that the assistant set goes with the message that asked for it; a fact's words, and whatever a member wrote
into a reminder by command, are masked where they stand. One that would say nothing else goes.
"""

from memory.forget.change import Change
from memory.forget.lineage import Lineage, listed
from memory.forget.masking import MASK
from memory.space import Space


async def reminder_changes(space: Space, covered: Lineage) -> list[Change]:
    """Return the changes of reminders, whatever their state."""
    rows = await space.db.fetch_all(
        "SELECT id, text, was, turn_id, changed_turn_id, EXISTS (SELECT 1 FROM messages m WHERE m.turn_id = r.turn_id"
        " AND m.role = 'user') AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.turn_id = r.turn_id"
        " AND m.role = 'user' AND m.id NOT IN (SELECT value FROM json_each(?))) AS is_gone FROM reminders r",
        (listed(covered.erased),),
    )
    changes = []
    for row in rows:
        is_close = bool({row["turn_id"], row["changed_turn_id"]} & covered.turns)
        spellings = covered.wording.close if is_close else covered.wording.wide
        text = spellings.mask(row["text"])
        was = spellings.mask_json(row["was"]) if row["was"] else None
        if row["is_gone"] or (text != row["text"] and not _says_more(text)):
            changes.append(Change("reminders", "reminders", row["id"], {}))
        elif text != row["text"] or was != row["was"]:
            changes.append(Change("reminders", "reminders", row["id"], {"text": text, **({"was": was} if was else {})}))
    return changes


def _says_more(masked: str) -> bool:
    return any(map(str.isalnum, masked.replace(MASK, "")))
