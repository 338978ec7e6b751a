"""Receipts: one line a change, in the language that is spoken."""

import pytest

from memory.catalogue import ENGLISH, speaking
from memory.ledger.receipts import Receipt
from memory.store.preferences import Preferences
from tests.bot.turn.house import ZONE
from tests.memory.ledger.world import LedgerWorld

PLACE = Preferences(ZONE)


@pytest.mark.parametrize(
    ("language", "changed", "undone", "ended", "asked"),
    [
        (
            ENGLISH,
            "✎ rent → 900 euros (was 850 euros) · f2",
            "✎ undone: rent → 900 euros (was 850 euros) · f2",
            "✎ no longer: rent (was 850 euros) · f1",
            "❔ Somebody else wrote, not stored as a fact: rent: 900 euros · f2 (now: 850 euros · f1)",
        ),
        (
            "de",
            "✎ rent → 900 euros (vorher 850 euros) · f2",
            "✎ rückgängig: rent → 900 euros (vorher 850 euros) · f2",
            "✎ gilt nicht mehr: rent (war 850 euros) · f1",
            "❔ Jemand anderes schrieb, nicht als Fakt gespeichert: rent: 900 euros · f2 (jetzt: 850 euros · f1)",
        ),
    ],
)
async def test_a_receipt_is_in_the_language_that_is_spoken(
    world: LedgerWorld, language: str, changed: str, undone: str, ended: str, asked: str
) -> None:
    before = await world.state("rent", "850 euros")
    now = await world.state("rent", "900 euros", hour=1)
    with speaking(language):
        assert Receipt("changed", now, before).line(PLACE) == changed
        assert Receipt("changed", now, before).line(PLACE, is_undone=True) == undone
        assert Receipt("ended", before, None).line(PLACE) == ended
        assert Receipt("suggested", now, before).line(PLACE) == asked
