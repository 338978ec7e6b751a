"""`/usage`: what the calls of this memory cost today and this month, by task, and how full the conversation is.

In a group it is the group's: nobody's share is told apart. Counts, names of models and dollars; no text of a person.
"""

from collections.abc import Iterator, Mapping

from bot.models.ceiling import Bill, Ceiling, Item
from bot.models.prices import AS_OF, shown_usd
from bot.quoting import literal
from memory.catalogue import LONG_DAY, N_, _, written
from memory.space import Space
from memory.store.entries import Entry

LABELS: Mapping[str, str] = {
    "chat": N_("answers"),
    "extract": N_("reading facts"),
    "summarise": N_("summaries"),
    "route": N_("shorter texts"),
    "entail": N_("checking them"),
    "judge": N_("judging"),
    "embed": N_("search by meaning"),
    "transcribe": N_("voice notes"),
    "web": N_("web"),
    "probe": N_("examinations"),
}
"""Of each task, in the order in which they are shown."""
ECHOED_CHARS = 40
WHAT = N_("“{asked}” means nothing here. /usage alone shows what today and this month cost.")


class UsageCommand:
    """Answers `/usage` in one space, whose conversations are shortened at `compact_at_tokens`."""

    def __init__(self, space: Space, ceiling: Ceiling, *, compact_at_tokens: int) -> None:
        self._space = space
        self._ceiling = ceiling
        self._compact_at_tokens = compact_at_tokens

    async def usage(self, rest: str, entry: Entry) -> str:
        """Answer `/usage`."""
        if rest:
            return _(WHAT).format(asked=literal(rest[:ECHOED_CHARS]))
        today, month = await self._ceiling.bill(), await self._ceiling.bill_of_month()
        blocks = [
            "\n".join(_bill_lines(_("Today"), today, self._against(today))),
            "\n".join(_bill_lines(_("This month"), month, "")),
            "\n".join(await self._conversation_lines(month)),
        ]
        return "\n\n".join(blocks)

    def _against(self, bill: Bill) -> str:
        daily = self._ceiling.daily_usd
        if daily is None:
            return _(" (no ceiling)")
        if daily == 0:
            return _(" (ceiling $0: no model calls)")
        is_own = daily != self._ceiling.operator_usd
        told = _(" of {daily} ({share}), set by /settings") if is_own else _(" of {daily} ({share})")
        return told.format(daily=shown_usd(daily), share=f"{bill.total.usd / daily:.0%}")

    async def _conversation_lines(self, month: Bill) -> list[str]:
        lines = [_("**Conversation** {fill}").format(fill=await self._fill())]
        models = sorted({model for item in month.items for model in item.models})
        lines += [_("• models: {models}").format(models=", ".join(models))] if models else []
        if month.unsettled:
            lines.append(_("• an examination is under way or broke off; its cost is not in this"))
        return [*lines, _("• ~ is estimated; prices as of {day}").format(day=written(AS_OF, LONG_DAY))]

    async def _fill(self) -> str:
        """Say how large the last prompt of the open conversation was, against the size at which it is shortened."""
        session = await self._space.sessions.open_session()
        turn = await self._space.sessions.last_turn()
        if turn is None or turn.session_id != session or not turn.prompt_tokens:
            return _("empty")
        share = turn.prompt_tokens / self._compact_at_tokens
        return _("{tokens} of {most} tokens ({share}); at {most} its oldest part is put aside").format(
            tokens=_count(turn.prompt_tokens), most=_count(self._compact_at_tokens), share=f"{share:.0%}"
        )


def _bill_lines(title: str, bill: Bill, against: str) -> Iterator[str]:
    total = bill.total
    yield f"**{title}** {_usd(total)}{against}"
    if not bill.items:
        yield _("• no calls")
        return
    order = list(LABELS)
    for item in sorted(bill.items, key=lambda item: order.index(item.task)):
        yield f"• {_(LABELS[item.task])} {_usd(item)} · {_tokens(item)}"
    if len(bill.items) > 1:
        yield _("• all {tokens}").format(tokens=_tokens(total))


def _usd(item: Item) -> str:
    shown = shown_usd(item.usd)
    return f"~{shown}" if item.is_estimate and shown[0] == "$" else shown


def _tokens(item: Item) -> str:
    usage = item.usage
    prompt, said = usage.prompt_tokens + usage.tool_tokens, usage.output_tokens + usage.thought_tokens
    cached = usage.cached_tokens / prompt if prompt else 0.0
    told = _("{prompt} in, {cached} cached, {said} out") if cached else _("{prompt} in, {said} out")
    return told.format(prompt=_count(prompt), cached=f"{cached:.0%}", said=_count(said))


def _count(tokens: int) -> str:
    if tokens < 1_000:
        return str(tokens)
    return f"{tokens / 1_000:.1f}k" if tokens < 999_950 else f"{tokens / 1_000_000:.1f}M"
