"""Made-up talk for measurements: the same for the same seed, in plain English, with names, dates and numbers."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from memory.messages import Message, text_message

SEED = 20270302
START = datetime(2025, 1, 6, 8, 0, tzinfo=UTC)

_PEOPLE = ("Ada", "Bruno", "Celia", "Dimitri", "Elif", "Farid", "Greta", "Hana", "Ivo", "Kofi", "Lena", "Marek", "Nour")
_THINGS = (
    *("archive server", "garden shed", "tax report", "piano lesson", "boiler", "passport", "car insurance", "oven"),
    *("school play", "attic window", "tent", "water meter", "bicycle chain", "sourdough", "choir concert", "hedge"),
    *("allotment", "printer", "guest room", "kayak", "recipe book", "sewing machine", "balcony", "dentist", "lathe"),
)
_DEEDS = (
    *("repaired", "moved", "sold", "ordered", "cancelled", "measured", "painted", "cleaned", "booked", "compared"),
    *("borrowed", "returned", "postponed", "finished", "photographed", "insured", "replaced", "tested", "packed"),
)
_PLACES = ("Riga", "Porto", "Graz", "Turku", "Bergen", "Lodz", "Ghent", "Split", "Tartu", "Bilbao", "Ulm", "Delft")


def sentences(seed: int = SEED) -> Iterator[str]:
    """Yield sentences for ever."""
    dice = random.Random(seed)
    while True:
        person, thing, deed, place = (dice.choice(words) for words in (_PEOPLE, _THINGS, _DEEDS, _PLACES))
        yield dice.choice(
            (
                f"{person} {deed} the {thing} in {place}.",
                f"The {thing} costs {dice.randint(20, 9000)} euros, says {person}.",
                f"We {deed} the {thing} on {dice.randint(1, 28)} March with {person}.",
                f"Is the {thing} in {place} still {deed}?",
                f"{person} told me that the {thing} will be {deed} before {place} at {dice.randint(7, 20)}:15.",
            )
        )


def talk(count: int, seed: int = SEED) -> Iterator[Message]:
    """Yield messages of a talk, member and assistant in turn, some minutes apart, one to four sentences each."""
    dice, words, at = random.Random(seed), sentences(seed), START
    for number in range(count):
        at += timedelta(minutes=dice.choice((1, 2, 3, 240)))
        text = " ".join(next(words) for _ in range(dice.randint(1, 4)))
        role, origin = ("user", "own") if number % 2 == 0 else ("model", "model")
        yield text_message(role, text, at, origin=origin, source=f"bench:{number}")  # type: ignore[arg-type]
