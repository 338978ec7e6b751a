"""An assistant at the port that only answers requests, and cases with prompts to ask it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memory.messages import text_message
from memory.ports import Assembled, Model, ModelReply, ModelRequest, Piece, PromptLayer, Spent, Task
from memory.probe.arms import Evidence
from memory.probe.cases import Case
from tests.fakes.model import ScriptedModel, Step, says

AT = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)


@dataclass
class ScriptedAssistant:
    """Implements `Assistant` as far as asking goes: the chat follows one script, the judge another."""

    chat: ScriptedModel
    judge: Model
    model_name: str = "scripted"
    asked: list[ModelRequest] = field(default_factory=list)

    async def ask(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        return await (self.judge if request.task == "judge" else self.chat).generate(request)

    async def assemble(self, question: str) -> Assembled:
        raise AssertionError("nothing is assembled here")

    async def say(self, text: str) -> str:
        raise AssertionError("nothing is said here")

    def spent(self) -> Mapping[Task, Spent]:
        return {}


def answering(*chat: str | Step, judge: Sequence[str | Step] = ()) -> ScriptedAssistant:
    """Return an assistant whose chat and judge say these, one after another."""
    return ScriptedAssistant(ScriptedModel(map(_step, chat)), ScriptedModel(map(_step, judge)))


def judged_by(model: Model) -> ScriptedAssistant:
    """Return an assistant that has a model judge, and whose chat says nothing."""
    return ScriptedAssistant(ScriptedModel(), model)


def closed(assistant: ScriptedAssistant) -> None:
    """Fail unless both scripts were followed to their ends."""
    assistant.chat.close()
    if isinstance(assistant.judge, ScriptedModel):
        assistant.judge.close()


def case_of(value: str = "16:00", *patterns: str, quote: str = "", former: Sequence[str] = ()) -> Case:
    """Return a case: the meeting with the bank, at a time or whatever is given."""
    return Case(
        ref="f1",
        question="When is the meeting with the bank?",
        value=value,
        quote=quote or f"The meeting with the bank is at {value}.",
        patterns=patterns or (value.replace(".", r"\."),),
        critical=True,
        kind="deadline",
        fact_id=1,
        message_id=1,
        former=tuple((one, (one,)) for one in former),
        is_private=False,
    )


def prompt(question: str, *lines: str, layer: PromptLayer = "ledger") -> Assembled:
    """Return a prompt that asks, with these lines of memory in it."""
    request = ModelRequest(
        "chat", "task: chat", [text_message("user", question, AT)], memory_block="\n".join(lines), tools_enabled=False
    )
    return Assembled(request, tuple(Piece(layer, "f1", line) for line in lines))


def evidence_of(case: Case, *, layers: Sequence[PromptLayer] = ("ledger",), **more: Any) -> Evidence:
    """Return evidence as it is when all is well: the value stands in the ledger, and is gone when taken away."""
    fields: dict[str, Any] = {
        "case": case,
        "present": prompt(case.question, f"- [{case.kind}] bank: {case.value}"),
        "present_layers": frozenset(layers),
        "source": "pass",
        "absent": prompt(case.question),
        "leak": "",
        "mentions": 0,
        "control_is_found": True,
        "stale": "",
    }
    return Evidence(**{**fields, **more})


def _step(said: str | Step) -> Step:
    return says(said) if isinstance(said, str) else said
