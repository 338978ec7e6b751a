"""Examinations that follow a script: what a test says they find is stored as a real one would be."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from bot.probing.examining import Progress
from memory.errors import MemoryFault
from memory.findings import Canary, CaseResult, Fingerprint, Gate, Run, Step
from memory.probe.gate import gate
from memory.space import Space

WELL = Canary(is_well=True, steps=(Step(name="extracted", is_well=True),))
PRINT = Fingerprint(model="a", embedder="none", code="1", schema_version=9, prompts={"summarise": "1"}, settings={})


def known(ref: str, message_id: int | None = 1, **more: Any) -> CaseResult:
    """Return the result of a case that is well, or is what `more` says."""
    values = {"verdict": "pass", "critical": True, "source": "pass", "is_answered": True, "prompt_tokens": 900, **more}
    return CaseResult(ref=ref, message_id=message_id, **values)


def lost(ref: str, layer: str, message_id: int | None = 1, **more: Any) -> CaseResult:
    return known(ref, message_id, verdict="lost", layer=layer, **more)


def run_of(space: Space, *results: CaseResult, **more: Any) -> Run:
    now = space.clock.now()
    values: dict[str, Any] = {
        "started_at": now,
        "ended_at": now,
        "canary": WELL,
        "fingerprint": PRINT,
        "has_model_arms": True,
        "ledger_facts": len(results),
        "usd": 0.018,
        **more,
    }
    return Run(space_id=space.id, results=results, **values)


class ScriptedExamination:
    """Implements `Examination`: each run takes the next step, results or a fault; the last step stays."""

    def __init__(self, *steps: tuple[CaseResult, ...] | MemoryFault, **more: Any) -> None:
        self._steps = list(steps)
        self._more = more
        self.nights: list[date | None] = []
        self.is_busy = False

    def then(self, *results: CaseResult, **more: Any) -> None:
        """Let all further runs find this."""
        self._steps, self._more = [results], more

    async def run(
        self, space: Space, *, night: date | None = None, only: Sequence[str] = (), on_progress: Progress | None = None
    ) -> tuple[Run, Gate]:
        self.nights.append(night)
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        run_id = await space.probes.begin(night)
        if isinstance(step, MemoryFault):
            await space.probes.fail(run_id, type(step).__name__)
            raise step
        for done in range(len(step)) if on_progress else ():
            await on_progress(done + 1, len(step))  # type: ignore[misc]
        if only:
            step = tuple(one for one in step if one.ref in only)
        run = run_of(space, *step, only=only, **self._more)
        judged = gate(run, ())
        await space.probes.finish(run_id, run, judged)
        return run, judged
