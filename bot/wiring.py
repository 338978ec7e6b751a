"""Wiring of one space: which parts make up its agent, its commands, its background work and its delivery."""

from bot.commands.member import MemberCommands
from bot.models.declarations import check_declarations
from bot.models.meter import Metered
from bot.turn.agent import Agent, Limits
from bot.turn.background import Background
from bot.turn.outbox import Delivery
from bot.turn.prompt import Ceilings, PromptBuilder
from bot.turn.room import Room
from bot.turn.runner import Runner
from bot.turn.screen import Screen
from bot.turn.worker import Worker
from memory.compaction.compactor import Compactor
from memory.ledger.extract import Extractor
from memory.ports import Model
from memory.space import Space
from memory.store.tombstones import Tombstones
from tools.clock import ClockTool
from tools.facts import FactsTool
from tools.procedures import ProceduresTool
from tools.recall import RecallTool
from tools.registry import Registry
from tools.remember import RememberTool


def make_runner(
    space: Space,
    model: Model,
    screen: Screen,
    tombstones: Tombstones,
    *,
    limits: Limits,
    ceilings: Ceilings,
    keep_turns: int,
    compress: bool = False,
    is_offline: bool,
    operator_id: int | None = None,
) -> Runner:
    """Return what keeps an open space going; nothing of it has started."""
    registry = Registry([RecallTool(), FactsTool(), RememberTool(), ProceduresTool(), ClockTool()])
    check_declarations(registry.specs)
    metered = Metered(model, space)
    extractor = Extractor(space.facts, space.sessions, metered, space.clock, space.zone)
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
        zone=space.zone,
        threshold_tokens=limits.compact_at_tokens,
        keep_turns=keep_turns,
        recall_tokens=ceilings.recall_tokens,
        compress=compress,
    )
    background = Background(space, extractor, compactor, screen)
    worker = Worker(space, background.handlers(), background.report)
    room = Room(space, compactor, worker, threshold_tokens=limits.compact_at_tokens)
    return Runner(
        space,
        Agent(space, metered, registry, PromptBuilder(space, registry, ceilings), room, screen, limits),
        MemberCommands(space, registry, tombstones, compactor, is_offline=is_offline, operator_id=operator_id),
        worker,
        Delivery(space, screen),
        screen,
    )
