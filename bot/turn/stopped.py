"""What /stop answers: what the turn had done when it ended, and what it did not get to. Reads rows; asks no model."""

from collections.abc import Iterator, Mapping, Sequence

from bot.quoting import literal
from bot.turn.progress import work
from memory.catalogue import N_, _
from memory.messages import CallPart, Message, ResultPart
from memory.space import Space
from tools.approval import ASKED
from tools.clock import ClockTool
from tools.facts import FactsTool
from tools.files import FilesTool
from tools.procedures import ProceduresTool
from tools.recall import RecallTool
from tools.remember import RememberTool
from tools.reminders import RemindersTool
from tools.web import FetchUrlTool, WebSearchTool

STOPPED = N_("Stopped.")
HERE = N_("(stopped here)")
DONE = N_("Done before that: {deeds}.")
NOTHING_DONE = N_("Nothing had been changed.")
NOT_DONE = N_("Not done: {works}.")
IN_DOUBT = N_("It had begun, so it may have happened: {works}.")

_OF_RESULTS: Mapping[str, Mapping[str, str]] = {
    FilesTool.name: {
        "written": N_("file {what} written"),
        "deleted": N_("file {what} deleted"),
        "sending": N_("file {what} sent"),
    },
    ProceduresTool.name: {"proposed": N_("procedure {what} proposed")},
}
"""What a tool changed, by what its result says."""
_SEEN_OTHERWISE = frozenset({
    *(RecallTool.name, FactsTool.name, ClockTool.name, WebSearchTool.name, FetchUrlTool.name),
    *(RememberTool.name, RemindersTool.name),
})  # fmt: skip
"""Tools that change nothing, and those whose changes are rows."""


async def stopped(space: Space, turn_id: int, said: str) -> str:
    """Return the answer (Markdown) to a member who stopped a turn that still runs; `said` was shown of its reply."""
    messages = await space.sessions.turn_messages(turn_id)
    done = [*await _of_rows(space, turn_id, messages), *_of_results(messages)]
    under_way = await space.sessions.started_calls(turn_id)
    open_calls = messages[-1].calls if messages else ()
    doubtful = [work(call) for call in open_calls if call.call_id in under_way]
    undone = [work(call) for call in open_calls if call.call_id not in under_way]
    lines = [_(STOPPED), _(DONE).format(deeds=literal(", ".join(done))) if done else _(NOTHING_DONE)]
    lines += [_(IN_DOUBT).format(works=literal(", ".join(doubtful)))] if doubtful else []
    lines += [_(NOT_DONE).format(works=literal(", ".join(undone)))] if undone else []
    shown = [said.strip(), f"_{_(HERE)}_"] if said.strip() else []
    return "\n\n".join([*shown, " ".join(lines)])


async def _of_rows(space: Space, turn_id: int, messages: Sequence[Message]) -> list[str]:
    """Return what stands in the ledger and among the reminders because of the turn."""
    own = [m.id for m in messages if m.role == "user" and m.id is not None]
    noted = [fact for fact in await space.facts.from_messages(own) if fact.withdrawn_at is None]
    set_now = await space.reminders.set_in(turn_id)
    known = {reminder.id for reminder in set_now}
    changed = [one for one in await space.reminders.changed_in(turn_id) if one.id not in known]
    return [
        *(_("fact {ref} noted").format(ref=fact.ref) for fact in noted),
        *(_("reminder {ref} set").format(ref=reminder.ref) for reminder in set_now),
        *(_("reminder {ref} changed").format(ref=reminder.ref) for reminder in changed),
    ]


def _of_results(messages: Sequence[Message]) -> Iterator[str]:
    """Yield what calls changed by their results."""
    calls = {call.call_id: call for message in messages for call in message.calls}
    for message in messages:
        for result in message.results:
            call = calls.get(result.call_id)
            if call is not None and "error" not in result.response and ASKED not in result.response:
                yield from _of_result(call, result)


def _of_result(call: CallPart, result: ResultPart) -> Iterator[str]:
    said = _OF_RESULTS.get(call.name)
    if said is not None:
        yield from (_(said[key]).format(what=what) for key, what in result.response.items() if key in said)
    elif call.name not in _SEEN_OTHERWISE:
        yield work(call)
