"""A reader for measurements: one honest, fixed way to answer from a prompt, the same for every arm that is compared.

It takes the sentence of its whole prompt that shares most with the question, the newer one of two that share nearly as
much, and says that it does not know when none shares enough. Where it may call `recall`, it does so before it says
that, once with the question and once with the words that nothing explained yet. No language model, nothing learned.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.models.reader import OfflineReader
from memory.messages import CallPart, TextPart, estimate_message_tokens, estimate_tokens
from memory.ports import ModelReply, ModelRequest, OnText, estimate_request_tokens
from memory.recall.terms import query, terms

ENOUGH = 0.75
NEARLY = 0.8
MAX_ROUNDS = 2
UNKNOWN = "I don't know that."
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[”\"])\s+")
_NO_EVIDENCE = re.compile(r"(?:\?|…)[”\"]?\s*(?:\(m\d+\))?$")
"""Questions, and what was cut short, state nothing."""


@dataclass
class QuotingReader:
    """Implements `Model`. `calls_recall` False answers from the prompt alone.

    `tokens` sums up what it was sent, `talk_tokens` the same without system text and tools.
    """

    calls_recall: bool
    tokens: int = 0
    talk_tokens: int = 0
    rounds: int = 0
    answers: list[str] = field(default_factory=list)
    name: str = "quoting-reader"
    _offline: OfflineReader = field(default_factory=OfflineReader)

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task != "chat":
            text = '{"changes": []}' if request.task == "extract" else ""
            return _said(text, self.name) if text else await self._offline.generate(request)
        self.tokens += estimate_request_tokens(request)
        self.talk_tokens += estimate_message_tokens(request.messages) + estimate_tokens(request.memory_block or "")
        question = next(message.text for message in reversed(request.messages) if message.role == "user")
        found, share = best_sentence(question, list(_lines(request)))
        asked = sum(len(message.calls) for message in request.messages[-2 * MAX_ROUNDS :])
        if self.calls_recall and share < ENOUGH and asked < MAX_ROUNDS:
            self.rounds += 1
            wanted = question if not asked else _unexplained(question, found)
            call = CallPart(call_id=f"call-{asked}", name="recall", args={"query": wanted})
            return ModelReply((call,), model=self.name)
        self.answers.append(found if share >= ENOUGH else UNKNOWN)
        return _said(self.answers[-1], self.name)


def best_sentence(question: str, lines: Sequence[str]) -> tuple[str, float]:
    """Return the sentence that answers best, and which share of the question's words stand in it."""
    asked = set(query(question).wanted)
    best, best_share = "", 0.0
    for sentence in (part for line in lines for part in _SENTENCE.split(line)):
        if _NO_EVIDENCE.search(sentence.strip()):
            continue
        share = len(asked & set(terms(sentence))) / max(1, len(asked))
        if share and share >= best_share * NEARLY:
            best, best_share = sentence.strip(), max(share, best_share)
    return best, best_share


def _lines(request: ModelRequest) -> Iterator[str]:
    for message in request.messages:
        yield from message.text.splitlines()
        for result in message.results:
            for item in sorted(result.response.get("items", []), key=lambda item: str(item.get("said"))):
                yield str(item.get("text", ""))
    yield from (request.memory_block or "").splitlines()


def _unexplained(question: str, found: str) -> str:
    return " ".join(sorted(set(query(question).wanted) - set(terms(found)))) or question


def _said(text: str, name: str) -> ModelReply:
    return ModelReply((TextPart(text=text),), model=name)
