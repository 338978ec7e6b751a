"""A chat that only assembles: the real prompt of the bot over a memory, and nobody to answer it."""

from collections.abc import Mapping

from bot.turn.prompt import Ceilings, PromptBuilder
from memory.ports import Assembled, ModelReply, ModelRequest, Spent, Task
from memory.space import Space
from tools.registry import Registry


class Assembler:
    """Implements `Assistant` for who asks nothing."""

    def __init__(self, space: Space, *, ceilings: Ceilings | None = None) -> None:
        self._prompts = PromptBuilder(space, Registry([]), ceilings or Ceilings())
        self.asked: list[str] = []
        """Every question a prompt was assembled for."""

    @property
    def model_name(self) -> str:
        return "nobody"

    async def assemble(self, question: str) -> Assembled:
        self.asked.append(question)
        return await self._prompts.opening(question, deadline_s=1.0)

    async def ask(self, request: ModelRequest) -> ModelReply:
        raise AssertionError("nobody is asked here")

    async def say(self, text: str) -> str:
        raise AssertionError("nobody is told anything here")

    def spent(self) -> Mapping[Task, Spent]:
        return {}
