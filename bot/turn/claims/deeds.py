"""What a turn's rows bear out of the deeds an answer may claim. Reads rows; judges no wording (`claims` does)."""

from collections.abc import Mapping, Sequence

from bot.turn.claims.correction import Deeds
from bot.turn.claims.words import Act
from memory.messages import Message
from memory.space import Space
from tools.approval import ASKED
from tools.files import FilesTool
from tools.mcp import SERVER_SIGN
from tools.reminders import RemindersTool
from tools.shell import ShellTool
from tools.web import FetchUrlTool, WebSearchTool

_OF_FILES: Mapping[str, tuple[Act, ...]] = {
    "written": ("saved", "changed"),
    "deleted": ("forgotten", "changed"),
    "sending": ("sent",),
}
"""What an answer may say, by what a result of the files tool says."""
_OF_SHELL: tuple[Act, ...] = ("saved", "changed", "forgotten")
"""What a command may have done to the files: which of them, only its words say."""
_OF_SERVERS: tuple[Act, ...] = ("saved", "changed", "forgotten", "sent", "scheduled", "searched")
"""What the tool of a server may have done: which of them, only the server knows."""


async def deeds_of(space: Space, turn_id: int) -> Deeds:
    """Return what a turn changed in the ledger and among reminders so far, and whether all of it was read for facts."""
    messages = await space.sessions.turn_messages(turn_id)
    own = [m.id for m in messages if m.role == "user" and m.origin == "own" and m.id is not None]
    stated = [
        fact for fact in await space.facts.from_messages(own) if fact.status != "pending" and fact.withdrawn_at is None
    ]
    ended = {fact.id for fact in await space.facts.touched_by(own)} - {fact.id for fact in stated}
    acts: set[Act] = set()
    if stated:
        acts |= {"saved", "changed"}
    if ended:
        acts |= {"changed", "forgotten"}
    acts |= await _reminded(space, turn_id, messages)
    acts |= _worked(messages)
    waiting = await space.jobs.waiting_reads()
    return Deeds(frozenset(acts), is_read=not waiting.keys() & set(own))


async def _reminded(space: Space, turn_id: int, messages: Sequence[Message]) -> set[Act]:
    """Return what reminders bear out: those that were set or changed in the turn, or that it looked up."""
    acts: set[Act] = set()
    if await space.reminders.set_in(turn_id):
        acts |= {"saved", "reminded", "scheduled", "later"}
    changed = await space.reminders.changed_in(turn_id)
    if any(one.state == "waiting" for one in changed):
        acts |= {"changed", "reminded", "scheduled", "later"}
    if any(one.state in ("done", "deleted") for one in changed):
        acts |= {"changed", "forgotten"}
    results = [result for message in messages for result in message.results if result.name == RemindersTool.name]
    if any(result.response.get("reminders") for result in results):
        acts.add("reminded")
    return acts


def _worked(messages: Sequence[Message]) -> set[Act]:
    """Return what the results of tools bear out: what was looked up, and what was done with files."""
    results = [result for message in messages for result in message.results]
    done = [result for result in results if not {"error", ASKED} & result.response.keys()]
    acts: set[Act] = {"looked_up"} if done else set()
    if any(result.name in (WebSearchTool.name, FetchUrlTool.name) for result in done):
        acts.add("searched")
    for result in done:
        if result.name == ShellTool.name:
            acts |= set(_OF_SHELL)
        if SERVER_SIGN in result.name:
            acts |= set(_OF_SERVERS)
        if result.name == FilesTool.name:
            acts |= {act for said, of_file in _OF_FILES.items() if said in result.response for act in of_file}
    return acts
