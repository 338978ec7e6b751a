"""A model at the port that follows a script: each call takes the next step, and nothing is left open.

An unexpected call and an unused step both fail the test. The requests are kept, so that a test can look at the whole
of what the model was sent.
"""

import itertools
import json
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from memory.errors import ModelFault
from memory.messages import CallPart, TextPart
from memory.ports import ModelReply, ModelRequest, OnText, Usage

Step = ModelReply | ModelFault | Callable[[ModelRequest], ModelReply]

NAME = "scripted"

_NUMBERS = itertools.count(1)  # call ids are unique within a turn, so over replies


class ScriptedModel:
    """Implements `Model`. A step is a reply, a fault to raise, or a function of the request.

    `with ScriptedModel([...]) as model:` or a call of `close()` checks at the end that every step was used.
    """

    def __init__(self, steps: Iterable[Step] = (), *, name: str = NAME) -> None:
        self._steps = list(steps)
        self._name = name
        self._excess = 0
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        return self._name

    def then(self, *steps: Step) -> Self:
        """Add steps to the end of the script."""
        self._steps += steps
        return self

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        self.requests.append(request)
        if not self._steps:
            # Told again by close(): whoever called may have caught the first.
            self._excess += 1
            raise AssertionError(f"unexpected model call, task {request.task}")
        step = self._steps.pop(0)
        if isinstance(step, ModelFault):
            raise step
        reply = step if isinstance(step, ModelReply) else step(request)
        text = "".join(part.text for part in reply.parts if isinstance(part, TextPart))
        if on_text is not None and text:
            await on_text(text)
        return reply

    def close(self) -> None:
        """Raises: AssertionError when a step was left or a call too many was made."""
        assert not self._excess, f"{self._excess} unexpected model call(s)"
        assert not self._steps, f"{len(self._steps)} scripted step(s) were never asked for"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()


def says(text: str, *, usage: Usage | None = None, model: str = NAME) -> ModelReply:
    """Return a reply of words alone."""
    return ModelReply((TextPart(text=text),), model=model, usage=usage or Usage(is_estimate=True))


def calls(*wanted: tuple[str, dict[str, Any]], words: str = "", usage: Usage | None = None) -> ModelReply:
    """Return a reply that calls tools, side by side, with words before them if given."""
    spoken = (TextPart(text=words),) if words else ()
    parts = tuple(CallPart(call_id=f"call-{next(_NUMBERS)}", name=name, args=args) for name, args in wanted)
    return ModelReply((*spoken, *parts), model=NAME, usage=usage or Usage(is_estimate=True))


def extracts(*changes: dict[str, Any]) -> ModelReply:
    """Return the answer of `task: extract` with these changes."""
    return says(json.dumps({"changes": list(changes)}, ensure_ascii=False))
