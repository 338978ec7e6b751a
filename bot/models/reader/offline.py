"""The offline reader: a Model that needs no key and no network and answers only by quoting its own prompt.

The embedded default for a first try and the repeatable instrument of the tests. The same request always gets the same
answer. It calls one tool, `recall`, at most once a turn, and only for what its prompt does not hold. What it cannot do
(conversation, pictures, voice, the web) it says or refuses.
"""

from collections.abc import Callable, Sequence

from bot.models.reader.answers import answer, without_advice
from bot.models.reader.checks import entailment, summary, verdict
from bot.models.reader.extract import extraction
from bot.models.reader.prompt import read_prompt, recall_call
from memory.errors import ModelRefused
from memory.messages import CallPart, Message, Part, TextPart, estimate_message_tokens, estimate_tokens
from memory.ports import ModelReply, ModelRequest, OnText, Task, Usage

NAME = "offline-reader"
_CHUNKS = 3

_TEXT_TASKS: dict[Task, Callable[[Sequence[Message]], str]] = {
    "extract": extraction,
    "summarise": summary,
    "entail": entailment,
    "judge": verdict,
}


class OfflineReader:
    """Answers by quotation. Stateless: one object serves every space.

    `is_stand_in`: there is a model, which cannot answer just now, so nobody is advised to set one up.
    """

    def __init__(self, *, is_stand_in: bool = False) -> None:
        self._is_stand_in = is_stand_in

    @property
    def name(self) -> str:
        return NAME

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Answer a request. Raises ModelRefused for tasks that need a real model."""
        part = _answered(request)
        if self._is_stand_in and isinstance(part, TextPart):
            part = TextPart(text=without_advice(part.text))
        if isinstance(part, TextPart) and on_text is not None:
            for piece in _growing(part.text):
                await on_text(piece)
        return ModelReply(parts=(part,), model=NAME, usage=_usage(request, part))


def _answered(request: ModelRequest) -> TextPart | CallPart:
    if request.task == "chat":
        prompt = read_prompt(request)
        text = answer(prompt)
        return TextPart(text=text) if text is not None else recall_call(prompt.question)
    if request.task not in _TEXT_TASKS:
        raise ModelRefused(f"the offline reader cannot do the task {request.task!r}: it needs a model with a key")
    return TextPart(text=_TEXT_TASKS[request.task](request.messages))


def _growing(text: str) -> list[str]:
    """Return the beginnings of a text as they would stream in, the whole of it last."""
    step = max(1, -(-len(text) // _CHUNKS))
    return [text[:end] for end in range(step, len(text), step)] + [text]


def _usage(request: ModelRequest, part: Part) -> Usage:
    prompt = estimate_tokens(request.system) + estimate_tokens(request.memory_block or "")
    text = part.text if isinstance(part, TextPart) else part.model_dump_json()
    return Usage(
        prompt_tokens=prompt + estimate_message_tokens(request.messages),
        output_tokens=estimate_tokens(text),
        is_estimate=True,
    )
