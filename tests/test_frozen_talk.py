"""The frozen talk in the gate: played by the ordinary way, compacted several times, examined, and all of it is there.

What was measured is kept in `fixtures/frozen_talk.json`. Where that differs, the failure names what changed; accept it
with `ACCEPT_FROZEN_TALK=1 pytest tests/test_frozen_talk.py`, which writes the file anew if the talk still passes.
"""

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bench.examining import SPACE_ID, examined, matched, play, with_model, workshop
from bot.models.reader import OfflineReader
from bot.probing.examiner import Workshop
from memory.findings import Fingerprint, Run, prompt_size
from memory.ledger.facts import Candidates
from memory.ledger.render import render
from memory.messages import TextPart, estimate_tokens
from memory.ports import ModelReply, ModelRequest, OnText, Task
from memory.probe import frozen
from memory.probe.cases import stated
from memory.probe.gate import gate
from tests.fakes.clock import FakeClock

BASELINE = Path(__file__).parent / "fixtures" / "frozen_talk.json"
ACCEPT = "ACCEPT_FROZEN_TALK"
AFTER = frozen.talk()[-1].at + frozen.AFTERWARDS


@dataclass
class Sabotaged:
    """The offline reader, but for one task, whose replies are spoilt."""

    task: Task
    spoil: Callable[[ModelRequest, str], str]
    name: str = field(default_factory=lambda: OfflineReader().name)

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        reply = await OfflineReader().generate(request, on_text=on_text)
        if request.task != self.task:
            return reply
        return ModelReply((TextPart(text=self.spoil(request, reply.text)),), reply.model, reply.usage)


@dataclass(frozen=True)
class Examined:
    """A memory of the talk, and what its examination found."""

    run: Run
    ledger: tuple[str, ...]
    handoffs: int


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the talk was played; it is copied, never changed."""
    root = tmp_path_factory.mktemp("told") / "home"
    asyncio.run(_told(root))
    return root


async def _told(root: Path, model: Sabotaged | None = None) -> None:
    clock = frozen.TalkClock()
    async with workshop(root, clock, model=model) as shop:
        await play(shop, clock)


async def _examined(root: Path, model: Sabotaged | None = None) -> Examined:
    async with workshop(root, FakeClock(AFTER)) as shop:
        used = with_model(shop, model) if model else shop
        ledger, handoffs = await _seen(used)
        cases = await matched(used)
        run = await examined(used, cases=cases)
        return Examined(frozen.with_unextracted(run, cases), ledger, handoffs)


async def _seen(shop: Workshop) -> tuple[tuple[str, ...], int]:
    async with shop.opened(SPACE_ID) as (space, _):
        held = Candidates(tuple(await space.facts.active()), {}, 0)
        row = await space.db.fetch_one("SELECT count(*) FROM handoffs")
        assert row is not None
        return render(held, budget_tokens=10**6, now=space.clock.now()).lines, row[0]


def _figures(found: Examined) -> dict[str, Any]:
    asked = [line for line in found.ledger if any(stated(case.patterns, line) for case in frozen.cases())]
    results = found.run.results
    return {
        "passed": sum(one.verdict == "pass" for one in results),
        "sources": sum(one.source == "pass" for one in results),
        "handoffs": found.handoffs,
        "ledger_entries": len(found.ledger),
        "ledger_tokens": estimate_tokens("\n".join(found.ledger)),
        "ledger_tokens_of_the_facts": estimate_tokens("\n".join(asked)),
        "prompt_tokens_a_question": prompt_size(results),
    }


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return what is different, a line each."""
    lines = [] if before["talk"] == now["talk"] else ["the talk itself"]
    prompts, figures = (sorted({*before[part], *now[part]}) for part in ("prompts", "figures"))
    lines += [f"the {task} prompt" for task in prompts if before["prompts"].get(task) != now["prompts"].get(task)]
    return lines + [
        f"{name.replace('_', ' ')}: {before['figures'].get(name)} → {now['figures'].get(name)}"
        for name in figures
        if before["figures"].get(name) != now["figures"].get(name)
    ]


def _measured(found: Examined) -> dict[str, Any]:
    mark: Fingerprint = found.run.fingerprint
    return {"talk": frozen.sha256(), "prompts": dict(sorted(mark.prompts.items())), "figures": _figures(found)}


async def test_the_talk_passes_through_the_whole_examination_with_nothing_lost(told: Path, tmp_path: Path) -> None:
    found = await _examined(_copy(told, tmp_path))
    figures, judged = _figures(found), gate(found.run, [])

    assert judged.ok is True, judged
    assert (judged.recall_rate, figures["passed"]) == (1.0, 14)
    assert all(one.is_answered for one in found.run.results)
    assert found.run.canary is not None
    assert found.run.canary.is_well
    assert figures["handoffs"] >= 3
    assert figures["ledger_entries"] <= 20
    assert figures["ledger_tokens"] <= 270
    assert figures["ledger_tokens_of_the_facts"] <= 200
    former = [pattern for case in frozen.cases() for _, patterns in case.former for pattern in patterns]
    assert [line for line in found.ledger if stated(former, line)] == []

    measured = _measured(found)
    if os.environ.get(ACCEPT):
        BASELINE.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
    changed = _changes(json.loads(BASELINE.read_text(encoding="utf-8")), measured)
    assert not changed, (
        f"changed since {BASELINE.name} was written, and the talk still passes: {'; '.join(changed)}. "
        f"Accept it with {ACCEPT}=1 pytest {Path(__file__).name}"
    )


def test_a_changed_prompt_and_a_changed_figure_are_named() -> None:
    before = json.loads(BASELINE.read_text(encoding="utf-8"))
    prompts = {**before["prompts"], "summarise": "00000000"}
    figures = {**before["figures"], "ledger_entries": 31}

    assert _changes(before, {**before, "prompts": prompts, "figures": figures}) == [
        "the summarise prompt",
        f"ledger entries: {before['figures']['ledger_entries']} → 31",
    ]


async def test_facts_the_extractor_skips_or_does_not_replace_fail_the_gate_at_the_extractor(
    tmp_path: Path,
) -> None:
    def spoilt(request: ModelRequest, text: str) -> str:
        changes = json.loads(text)["changes"]
        return json.dumps(
            {"changes": [one for one in changes if one["op"] != "replace" and "passport" not in one["subject"]]}
        )

    await _told(tmp_path / "home", Sabotaged("extract", spoilt))
    judged, run = await _judged(tmp_path / "home")

    assert judged.ok is False
    assert "passport" in judged.lost_critical
    assert _layers(run) == dict.fromkeys(("passport", "grant-report", "dentist", "home"), "extracted")


async def test_what_a_summary_invents_never_reaches_a_prompt(tmp_path: Path) -> None:
    def invented(request: ModelRequest, text: str) -> str:
        return f"The member settled on 9,999 euros for the press, on 31 April, with Frau Holle. {text[:400]}"

    await _told(tmp_path / "home", Sabotaged("summarise", invented))
    found = await _examined(tmp_path / "home")

    assert found.handoffs >= 3
    async with workshop(tmp_path / "home", FakeClock(AFTER)) as shop, shop.opened(SPACE_ID) as (space, _):
        assert not [row for row in await space.db.fetch_all("SELECT text FROM handoffs") if "Holle" in row["text"]]
    assert gate(found.run, []).ok is True


async def test_a_fact_that_the_model_does_not_read_fails_the_gate_at_the_reader(told: Path, tmp_path: Path) -> None:
    def ignorant(request: ModelRequest, text: str) -> str:
        return "I don't know that." if "allergic" in request.messages[-1].text else text

    judged, run = await _judged(_copy(told, tmp_path), Sabotaged("chat", ignorant))

    assert judged.ok is False
    assert judged.lost_critical == ("penicillin",)
    assert _layers(run) == {"penicillin": "read"}


async def test_a_model_that_guesses_makes_a_fact_unaskable_and_not_remembered(told: Path, tmp_path: Path) -> None:
    def guessing(request: ModelRequest, text: str) -> str:
        return "Halle, I suppose." if "live" in request.messages[-1].text else text

    _, run = await _judged(_copy(told, tmp_path), Sabotaged("chat", guessing))

    assert {one.ref for one in run.results if one.verdict == "unaskable"} == {"home"}


async def _judged(root: Path, model: Sabotaged | None = None) -> tuple[Any, Run]:
    run = (await _examined(root, model)).run
    return gate(run, []), run


def _layers(run: Run) -> dict[str, str]:
    return {one.ref: one.layer for one in run.results if one.verdict == "lost"}


def _copy(told: Path, folder: Path) -> Path:
    return Path(shutil.copytree(told, folder / "home"))
