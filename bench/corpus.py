"""Made-up talk for measurements: the same for the same seed.

Word frequencies follow Zipf's law, as in real talk: a few hundred words carry most of it, most words are rare. Little
words of English stand between them; names, amounts, days and times are sprinkled in.
"""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from memory.ledger.facts import Statement
from memory.messages import Message, text_message

SEED = 20270302
START = datetime(2025, 1, 6, 8, 0, tzinfo=UTC)

VOCABULARY = 8_000
ZIPF_SHIFT = 12.0
"""Flattens the head of the curve: the most frequent word of content makes up about 1.5 % of them."""

_LITTLE = "the a of and to in we it is for on that with was at this but from they you have be are as so my our".split()  # noqa: SIM905
_SYLLABLES = "ba ko ri ten mal su dor vi lan pe gur ta nol fi sha mer ku zel on da bri wek pa ul sto hin ya cor".split()  # noqa: SIM905


def sentences(seed: int = SEED) -> Iterator[str]:
    """Yield sentences of 6 to 14 words for ever."""
    dice = random.Random(seed)
    words, weights = _vocabulary()
    while True:
        size = dice.randint(6, 14)
        content = iter(dice.choices(words, cum_weights=weights, k=size))
        said = [dice.choice(_LITTLE) if dice.random() < 0.45 else next(content) for _ in range(size)]
        if dice.random() < 0.2:
            said.append(dice.choice((f"{dice.randint(20, 9000)} euros", f"{dice.randint(1, 28)} March", "at 17:15")))
        yield f"{' '.join(said).capitalize()}{'?' if dice.random() < 0.15 else '.'}"


def talk(count: int, seed: int = SEED) -> Iterator[Message]:
    """Yield messages of a talk, member and assistant in turn, some minutes apart, one to four sentences each."""
    dice, words, at = random.Random(seed), sentences(seed), START
    for number in range(count):
        at += timedelta(minutes=dice.choice((1, 2, 3, 240)))
        text = " ".join(next(words) for _ in range(dice.randint(1, 4)))
        source = f"bench:{number}"
        if number % 2:
            yield text_message("model", text, at, origin="model", source=source)
        else:
            yield text_message("user", text, at, source=source)


def budget(number: int, *, message_id: int = 1, factor: int = 7, since: datetime = START) -> Statement:
    """Return a statement of what a project may cost; another `factor` gives the same project another budget."""
    value = f"{1000 + number * factor} euros"
    return Statement(
        kind="constraint",
        subject=f"budget of project {number}",
        value=value,
        quote=f"The budget of project {number} is {value}.",
        question=f"What is the budget of project {number}?",
        patterns=(str(1000 + number * factor),),
        since=since,
        message_id=message_id,
    )


def _vocabulary() -> tuple[list[str], list[float]]:
    """Return words, the most frequent first, and their cumulated weights."""
    dice = random.Random(SEED)
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        word = "".join(dice.choices(_SYLLABLES, k=dice.choice((2, 2, 3, 3, 4))))
        words[word.capitalize() if dice.random() < 0.08 else word] = None
    return list(words), list(accumulate(1 / (rank + ZIPF_SHIFT) for rank in range(VOCABULARY)))
