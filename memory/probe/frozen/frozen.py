"""The frozen talk as values, its playing, and its facts held against a ledger.

Nothing here examines: the cases go the way of any other (`memory.probe.run`). What no row of the ledger states was lost
by the extractor, and is entered as that, even where recall still finds the message.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo

from memory.findings import CaseResult, Run
from memory.ledger.facts import Fact
from memory.ports import Assistant
from memory.probe.cases import Case, stated
from memory.space import Space

ZONE = ZoneInfo("Europe/Berlin")
"""Where the person lives: a space that plays the talk has this zone."""
AFTERWARDS = timedelta(days=2)
"""The questions are put so long after the last turn."""

_TALK, _FACTS = "talk.jsonl", "facts.jsonl"


@dataclass(frozen=True)
class TalkTurn:
    """One turn of the member. `episode` names the turns that belong together."""

    at: datetime
    episode: str
    text: str


def talk() -> tuple[TalkTurn, ...]:
    """Return the turns, in order."""
    return tuple(
        TalkTurn(datetime.fromisoformat(row["at"]).replace(tzinfo=ZONE), row["episode"], row["text"])
        for row in _rows(_TALK)
    )


def cases() -> tuple[Case, ...]:
    """Return what must be left of the talk: cases that no ledger has been asked about yet."""
    return tuple(
        Case(
            ref=row["ref"],
            question=row["question"],
            value=row["value"],
            quote=row["said"],
            patterns=tuple(row["patterns"]),
            critical=row["critical"],
            kind=row["kind"],
            fact_id=None,
            message_id=None,
            former=tuple((value, tuple(patterns)) for value, patterns in row["former"]),
            is_private=False,
        )
        for row in _rows(_FACTS)
    )


def sha256() -> str:
    """Return the hash of the talk and its facts."""
    return hashlib.sha256(b"".join(_read(name) for name in (_TALK, _FACTS))).hexdigest()


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _read(name).splitlines()]


def _read(name: str) -> bytes:
    return files(__package__ or "").joinpath(name).read_bytes()


@dataclass
class TalkClock:
    """Implements `Clock`: stands at the turn that is played, and moves on when somebody sleeps on it."""

    at: datetime = field(default_factory=lambda: talk()[0].at)

    def now(self) -> datetime:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


async def play(
    assistant: Assistant,
    clock: TalkClock,
    turns: Sequence[TalkTurn],
    *,
    on_said: Callable[[int], None] = lambda _: None,
) -> None:
    """Say the turns, each at its time, to an assistant whose space goes by `clock`; then let two days pass.

    `on_said` is called with how many were said. Raises: ModelFault.
    """
    for number, turn in enumerate(turns, 1):
        clock.at = max(clock.at, turn.at)
        await assistant.say(turn.text)
        on_said(number)
    clock.at += AFTERWARDS


async def matched(space: Space, asked: Iterable[Case]) -> list[Case]:
    """Return the cases with the message that says each and the row of the ledger that holds it, as far as they exist.

    A row counts that was read from that very message: another with the same value may be about something else.
    """
    facts = await space.facts.active()
    return [await _matched(space, case, facts) for case in asked]


async def _matched(space: Space, case: Case, facts: Sequence[Fact]) -> Case:
    row = await space.db.fetch_one(
        "SELECT max(id) FROM messages WHERE role = 'user' AND instr(text, ?) > 0", (case.quote,)
    )
    message_id = row[0] if row is not None else None
    own = [fact for fact in facts if message_id is not None and fact.message_id == message_id]
    found = next((fact for fact in own if stated(case.patterns, f"{fact.subject}: {fact.value}")), None)
    return replace(case, message_id=message_id, fact_id=found.id if found is not None else None)


def with_unextracted(run: Run, asked: Iterable[Case]) -> Run:
    """Return the run with the matched cases that the ledger lacks as lost by the extractor, whatever recall finds."""
    lost = {case.ref: _unextracted(case) for case in asked if case.fact_id is None}
    return run.model_copy(update={"results": tuple(lost.get(one.ref, one) for one in run.results)})


def _unextracted(case: Case) -> CaseResult:
    return CaseResult(
        ref=case.ref,
        message_id=case.message_id,
        critical=case.critical,
        verdict="lost",
        layer="extracted",
        detail="no row of the ledger states it",
    )
