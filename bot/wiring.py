"""Wiring of one space: which parts make up its agent, its commands, its background work and its delivery."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict, Unpack

from bot.commands.member import MemberCommands
from bot.mcp.standing import Serving
from bot.mcp.toolbox import Toolbox
from bot.models.ceiling import Ceiling
from bot.models.declarations import check_declarations
from bot.models.meter import Metered
from bot.models.spend import Purse, SpendingModel
from bot.models.stand_in import StandIn
from bot.probing.examining import AskedExaminations, Examination
from bot.probing.hours import Hours
from bot.probing.restoring import Restoring
from bot.settings import Settings
from bot.telegram.admission import Admission
from bot.turn.agent import Agent, Limits
from bot.turn.assistant import AnswerScreen, ChatAssistant
from bot.turn.attachments.collecting import Attachments
from bot.turn.attachments.downloads import Downloads
from bot.turn.attachments.hearing import Hearing
from bot.turn.attachments.taking import AttachmentReader
from bot.turn.background import Background
from bot.turn.imported import ImportedFacts
from bot.turn.outbox import Delivery
from bot.turn.prompt import Ceilings, PromptBuilder
from bot.turn.reminding import Reminding
from bot.turn.room import Room
from bot.turn.runner import Runner
from bot.turn.screen import Screen
from bot.turn.worker import Worker
from bot.web.fetch import Fetcher
from bot.web.pages import WebPages
from memory.compaction.compactor import Compactor
from memory.ledger.extract import Extractor
from memory.ports import Model
from memory.space import Space
from memory.store.jobs import IMPORTED, PROBE, RESTORE, Job
from memory.store.redaction import Redactor
from memory.store.tombstones import Tombstones
from tools.clock import ClockTool
from tools.facts import FactsTool
from tools.files import FilesTool
from tools.procedures import ProceduresTool
from tools.recall import RecallTool
from tools.registry import Registry
from tools.remember import RememberTool
from tools.reminders import RemindersTool
from tools.tool import Tool
from tools.web import FetchUrlTool, WebSearchTool


class Manner(TypedDict):
    """How a space works, as the settings say, and what it may use of the process that serves it.

    `hours` are those of a space that has none of its own.
    `examination` is how its members have it examined; `polled_s` tells how long ago the chat service was polled with
    success, `trouble` what hinders it to bring messages; `admission`, in the operator's own space alone, is whom they
    let in. `daily_usd` is what its calls may cost in a day (not there: no end to it), `utility_model` the name of the
    model that answers all but chats, `stand_in` what answers a chat where the model cannot. `more_tools` are what this
    space alone offers, `servers` those whose tools may be switched on. `downloads` brings the files that members send,
    `redactor` takes secrets out of what is heard in them.
    """

    limits: Limits
    ceilings: Ceilings
    keep_turns: int
    compress: NotRequired[bool]
    is_offline: bool
    operator_id: NotRequired[int | None]
    hours: Hours
    examination: NotRequired[Examination]
    polled_s: NotRequired[Callable[[], float | None]]
    trouble: NotRequired[Callable[[], str | None]]
    admission: NotRequired[Admission]
    daily_usd: NotRequired[float | None]
    utility_model: NotRequired[str]
    stand_in: NotRequired[Model]
    downloads: NotRequired[Downloads]
    redactor: NotRequired[Redactor]
    more_tools: NotRequired[Sequence[Tool]]
    servers: NotRequired[Serving]


def manner_of(settings: Settings) -> Manner:
    """Return how the settings want a space to work."""
    return Manner(
        limits=Limits(settings.tool_calls_per_turn, settings.turn_seconds, settings.compact_at_tokens),
        ceilings=Ceilings(settings.ledger_tokens, settings.recall_tokens),
        keep_turns=settings.keep_turns,
        compress=settings.compress,
        is_offline=settings.gemini_api_key is None,
        operator_id=settings.telegram_owner_id,
        hours=Hours.of(settings),
    )


def make_registry(searcher: Model | None = None, *, more: Sequence[Tool] = ()) -> Registry:
    """Return the tools of a space; with a model that can search the web, those of the web too, and `more`."""
    web: list[Tool] = [WebSearchTool(searcher), FetchUrlTool(WebPages(Fetcher()))] if searcher else []
    own: list[Tool] = [
        RecallTool(),
        FactsTool(),
        RememberTool(),
        RemindersTool(),
        ProceduresTool(),
        FilesTool(),
        ClockTool(),
    ]
    registry = Registry([*own, *web, *more])
    check_declarations(registry.specs)
    return registry


def make_runner(space: Space, model: Model, screen: Screen, tombstones: Tombstones, **manner: Unpack[Manner]) -> Runner:
    """Return what keeps an open space going; nothing of it has started."""
    return _wired(space, model, screen, tombstones, manner, reminding=Reminding(space, screen)).runner


def make_assistant(
    space: Space, model: SpendingModel, tombstones: Tombstones, purse: Purse, **manner: Unpack[Manner]
) -> ChatAssistant:
    """Return the chat over an open space for whoever examines it: the same parts, and nothing is delivered.

    `purse` is the one that `model` is paid from.
    """
    screen = AnswerScreen()
    wired = _wired(space, model, screen, tombstones, manner, reminding=None)
    return ChatAssistant(wired.runner, wired.prompts, screen, model, purse)


def make_reader_back(
    space: Space, model: Model, tombstones: Tombstones, *, daily_usd: float | None, utility_model: str
) -> Worker:
    """Return what reads the facts of imported messages, and nothing else, in an open space."""

    async def say_nothing(job: Job) -> None:
        """What is given up is counted by whoever reads."""

    metered = Metered(model, space, Ceiling(space, daily_usd), utility_model=utility_model)
    extractor = Extractor(space.facts, space.sessions, metered, space.clock, space.preference_store)
    return Worker(space, {IMPORTED: ImportedFacts(space, extractor, AnswerScreen(), tombstones).read}, say_nothing)


@dataclass(frozen=True)
class _Wired:
    runner: Runner
    prompts: PromptBuilder


def _wired(
    space: Space,
    model: Model,
    screen: Screen,
    tombstones: Tombstones,
    manner: Manner,
    *,
    reminding: Reminding | None,
) -> _Wired:
    limits, ceilings, examination = manner["limits"], manner["ceilings"], manner.get("examination")
    ceiling = Ceiling(space, manner.get("daily_usd"))
    metered = Metered(model, space, ceiling, utility_model=manner.get("utility_model"))
    registry = make_registry(None if manner["is_offline"] else metered, more=manner.get("more_tools", ()))
    toolbox = None
    if "servers" in manner:
        redactor, operator_id = manner.get("redactor", Redactor(())), manner.get("operator_id")
        toolbox = Toolbox(space, registry, manner["servers"], screen, redactor, operator_id=operator_id)
    prompts = PromptBuilder(space, registry, ceilings)
    extractor = Extractor(space.facts, space.sessions, metered, space.clock, space.preference_store)
    compactor = Compactor(
        space.db,
        space.sessions,
        space.handoffs,
        space.segments,
        space.recall,
        space.journal,
        space.media,
        model=metered,
        clock=space.clock,
        zones=space.preference_store,
        threshold_tokens=limits.compact_at_tokens,
        keep_turns=manner["keep_turns"],
        recall_tokens=ceilings.recall_tokens,
        compress=manner.get("compress", False),
    )
    background = Background(space, extractor, compactor, screen)
    imported = ImportedFacts(space, extractor, screen, tombstones)
    worker = Worker(space, {**background.handlers(), IMPORTED: imported.read}, background.report)
    room = Room(space, compactor, worker, threshold_tokens=limits.compact_at_tokens)
    commands = MemberCommands(
        space,
        registry,
        tombstones,
        compactor,
        ceiling,
        compact_at_tokens=limits.compact_at_tokens,
        is_offline=manner["is_offline"],
        hours=manner["hours"],
        operator_id=manner.get("operator_id"),
        is_examining=(lambda: examination.is_busy) if examination else None,
        polled_s=manner.get("polled_s"),
        trouble=manner.get("trouble"),
        admission=manner.get("admission"),
        toolbox=toolbox,
    )
    chat = StandIn(metered, manner["stand_in"]) if "stand_in" in manner else metered
    hearing = None if manner["is_offline"] else Hearing(metered, space.clock)
    reader = AttachmentReader(space, manner.get("downloads"), hearing, manner.get("redactor", Redactor(())))
    attachments = Attachments(space, reader, screen)
    agent = Agent(space, chat, registry, prompts, room, screen, limits, ceiling, attachments, toolbox)
    patient: Worker | None = None
    if examination is not None:

        def wake() -> None:
            runner.wake()

        asked = AskedExaminations(space, examination, screen, wake=wake)
        restoring = Restoring(space, extractor, examination, screen)
        handlers = {PROBE: asked.examine, RESTORE: restoring.restore}
        patient = Worker(space, handlers, background.report, is_long=True)
    delivery = Delivery(space, screen)
    runner = Runner(space, agent, commands, worker, delivery, screen, patient=patient, reminding=reminding)
    return _Wired(runner, prompts)
