"""What an examination finds: values that pass from the process that examines to the one that reports.

No text of a person is in any of them: facts are named by id, layers by name.
"""

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from memory.catalogue import _

Verdict = Literal["pass", "lost", "leak", "stale", "unaskable", "unknown"]
"""pass: present passes and absent fails. lost: the prompt or the answer lacks it. leak: it survives where it must be
gone. stale: an old value stands as current. unaskable: no examination of it can mean anything. unknown: no finished
answer, no model, no control: it clears no alarm and counts nowhere."""

LossLayer = Literal["stored", "extracted", "active", "rendered", "segment", "indexed", "ranked", "packed", "read"]
"""Where a fact can be lost, in the order in which it travels: the first that says no is named."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class CaseResult(_Value):
    """What came of one case. `ref` is a fact's id (f12), a member's question's (q12), or a name of the frozen talk.

    `layer` says where: a LossLayer of what is lost, the leaking layer of a leak. `detail` explains it in a few words,
    without any text of the member. `source` is whether recall alone, without ledger and handoffs, brings its source;
    None where there is none to bring.
    """

    ref: str
    message_id: int | None
    critical: bool
    verdict: Verdict
    layer: str = ""
    detail: str = ""
    source: Literal["pass", "lost", "unknown"] | None = None
    source_layer: str = ""
    is_answered: bool = False
    """The model was asked, under every arm that applies."""
    present_is_right: bool | None = None
    absent_is_right: bool | None = None
    mentions: int = 0
    """Independent mentions that had to go before the absent prompt was clean."""
    prompt_tokens: int = 0
    """Of the present prompt, as estimated."""


class Known(_Value):
    """A case of an earlier run: what must be there again, or must have gone rightly."""

    ref: str
    message_id: int | None
    critical: bool


class NeverTold(_Value):
    """A question about something nobody ever said: recall should bring nothing, an answer should admit it."""

    is_silent: bool
    is_admitted: bool | None = None


class Step(_Value):
    """One step of a cycle; `is_well` None: it could not be tried."""

    name: str
    is_well: bool | None
    detail: str = ""


class Canary(_Value):
    """A planted fact on its way in and out. `is_well` is None when a step could not be tried."""

    is_well: bool | None
    steps: tuple[Step, ...]
    warnings: tuple[str, ...] = ()


class Trial(_Value):
    """How many of the plausible and of the odd-looking statements the extractor kept, of how many."""

    plausible: tuple[int, int]
    odd: tuple[int, int]


class Finding(_Value):
    """Something of the files that does not agree (memory.integrity.Fault, as a value that travels)."""

    about: str
    count: int
    words: str
    can_be_rebuilt: bool = False


class JudgeCheck(_Value):
    """The judge, examined by pairs with known verdicts. `is_reliable` is None when it was not needed or not there."""

    calls: int = 0
    tokens: int = 0
    is_reliable: bool | None = None
    detail: str = ""


class Fingerprint(_Value):
    """What an answer depends on besides the memory: a change of it explains a change of a verdict.

    `prompts` are short hashes of the fixed texts by task; `settings` a short hash by the name of each setting that
    bears on memory.
    """

    model: str
    embedder: str
    code: str
    schema_version: int
    prompts: Mapping[str, str]
    settings: Mapping[str, str]

    def changes_since(self, other: "Fingerprint") -> tuple[str, ...]:
        """Return what is different, in words: "the model (a → b)", "the summarise prompt", "REMEMBRANCER_…"."""
        named = {
            "model": _("the model ({before} → {now})"),
            "embedder": _("the embedder ({before} → {now})"),
            "code": _("the program ({before} → {now})"),
            "schema_version": _("the schema ({before} → {now})"),
        }
        before, now = other.model_dump(), self.model_dump()
        changed = [key for key in named if before[key] != now[key]]
        said = [named[key].format(before=before[key], now=now[key]) for key in changed]
        said += [_("the {task} prompt").format(task=task) for task in _changed(other.prompts, self.prompts)]
        return (*said, *_changed(other.settings, self.settings))


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return sorted(key for key in {*before, *now} if before.get(key) != now.get(key))


class Arms(_Value):
    """The last well run in which the model was asked about all it was to be: which night, memory and circumstances."""

    night: date
    memory_mark: str
    fingerprint: Fingerprint


class Run(_Value):
    """One examination of one memory. `stopped` says why it ended early: "budget" or "model"; "" when it did not."""

    space_id: str
    started_at: datetime
    ended_at: datetime
    results: tuple[CaseResult, ...]
    never_told: tuple[NeverTold, ...] = ()
    canary: Canary | None = None
    trial: Trial | None = None
    integrity: tuple[Finding, ...] = ()
    has_integrity: bool = True
    """Whether the files could be examined; where not, no finding means nothing."""
    judge: JudgeCheck = JudgeCheck()
    fingerprint: Fingerprint
    has_model_arms: bool
    """Whether the model was to be asked; False on a night on which it rests."""
    only: tuple[str, ...] = ()
    """The cases that alone were examined, with neither canary nor never-told nor trial; empty: all of it."""
    stopped: str = ""
    memory_mark: str = ""
    """A hash of all that a prompt may draw on: the same as long as nothing of it changed."""
    ledger_facts: int = 0
    ledger_tokens: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    judge_tokens: int = 0
    usd: float | None = 0.0
    """What it cost; None where a price is not known."""

    @property
    def is_whole(self) -> bool:
        return not self.only


@dataclass(frozen=True)
class Baseline:
    """What an earlier healthy run measured: the tokens of a prompt on average, and its trial of the extractor."""

    prompt_size: int | None
    trial: Trial | None = None


@dataclass(frozen=True)
class Gate:
    """The answer. `ok` None: something critical is not known, and nothing else is amiss.

    `recall_rate` is the share of passes in what is known; None where nothing is. The rest are refs.
    """

    ok: bool | None
    recall_rate: float | None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    lost_critical: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    unaskable: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def prompt_size(results: Iterable[CaseResult]) -> int | None:
    """Return how many tokens a present prompt held on average; None where none was assembled."""
    sizes = [one.prompt_tokens for one in results if one.prompt_tokens]
    return round(statistics.mean(sizes)) if sizes else None
