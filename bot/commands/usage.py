"""`/usage`: what the calls of this memory cost today and this month, by task, and how full the conversation is.

In a group it is the group's: nobody's share is told apart. Counts, names of models and dollars; no text of a person.
"""

from collections.abc import Iterator, Mapping

from bot.models.ceiling import Bill, Ceiling, Item
from bot.models.prices import AS_OF, shown_usd
from bot.quoting import literal
from memory.space import Space
from memory.store.mailbox import Entry

LABELS: Mapping[str, str] = {
    "chat": "answers",
    "extract": "reading facts",
    "summarise": "summaries",
    "route": "shorter texts",
    "entail": "checking them",
    "judge": "judging",
    "embed": "search by meaning",
    "transcribe": "voice notes",
    "web": "web",
    "probe": "examinations",
}
"""Of each task, in the order in which they are shown."""
ECHOED_CHARS = 40
WHAT = "/usage alone shows what today and this month cost."


class UsageCommand:
    """Answers `/usage` in one space, whose conversations are shortened at `compact_at_tokens`."""

    def __init__(self, space: Space, ceiling: Ceiling, *, compact_at_tokens: int) -> None:
        self._space = space
        self._ceiling = ceiling
        self._compact_at_tokens = compact_at_tokens

    async def usage(self, rest: str, entry: Entry) -> str:
        """Answer `/usage`."""
        if rest:
            return f"“{literal(rest[:ECHOED_CHARS])}” means nothing here. {WHAT}"
        today, month = await self._ceiling.bill(), await self._ceiling.bill_of_month()
        blocks = [
            "\n".join(_bill_lines("Today", today, self._against(today))),
            "\n".join(_bill_lines("This month", month, "")),
            "\n".join(await self._conversation_lines(month)),
        ]
        return "\n\n".join(blocks)

    def _against(self, bill: Bill) -> str:
        daily = self._ceiling.daily_usd
        if daily is None:
            return " (no ceiling)"
        if daily == 0:
            return " (ceiling $0: no model calls)"
        return f" of {shown_usd(daily)} ({bill.total.usd / daily:.0%})"

    async def _conversation_lines(self, month: Bill) -> list[str]:
        lines = [f"**Conversation** {await self._fill()}"]
        models = sorted({model for item in month.items for model in item.models})
        lines += [f"• models: {', '.join(models)}"] if models else []
        lines += ["• an examination is under way or broke off; its cost is not in this"] if month.unsettled else []
        return [*lines, f"• ~ is estimated; prices as of {AS_OF.day} {AS_OF:%B %Y}"]

    async def _fill(self) -> str:
        """Say how large the last prompt of the open conversation was, against the size at which it is shortened."""
        session = await self._space.sessions.open_session()
        turn = await self._space.sessions.last_turn()
        if turn is None or turn.session_id != session or not turn.prompt_tokens:
            return "empty"
        share = turn.prompt_tokens / self._compact_at_tokens
        return f"{_count(turn.prompt_tokens)} of {_count(self._compact_at_tokens)} tokens ({share:.0%}), then shortened"


def _bill_lines(title: str, bill: Bill, against: str) -> Iterator[str]:
    total = bill.total
    yield f"**{title}** {_usd(total)}{against}"
    if not bill.items:
        yield "• no calls"
        return
    order = list(LABELS)
    for item in sorted(bill.items, key=lambda item: order.index(item.task)):
        yield f"• {LABELS[item.task]} {_usd(item)} · {_tokens(item)}"
    if len(bill.items) > 1:
        yield f"• all {_tokens(total)}"


def _usd(item: Item) -> str:
    shown = shown_usd(item.usd)
    return f"~{shown}" if item.is_estimate and shown[0] == "$" else shown


def _tokens(item: Item) -> str:
    usage = item.usage
    prompt, said = usage.prompt_tokens + usage.tool_tokens, usage.output_tokens + usage.thought_tokens
    cached = f", {usage.cached_tokens / prompt:.0%} cached" if usage.cached_tokens and prompt else ""
    return f"{_count(prompt)} in{cached}, {_count(said)} out"


def _count(tokens: int) -> str:
    if tokens < 1_000:
        return str(tokens)
    return f"{tokens / 1_000:.1f}k" if tokens < 999_950 else f"{tokens / 1_000_000:.1f}M"
