"""The commands that ask a memory something and change nothing: facts, recall, why."""

import argparse

from bot import views
from bot.command_line.app import FINE, App, NothingThere, print_json, reading, settle, show, space_id
from bot.inputs import UsageFault, queries_of
from bot.settings import Settings
from memory.block import explain
from memory.recall.items import Found
from memory.space import Space


async def facts(args: argparse.Namespace, app: App) -> int:
    """Print the ledger."""
    settle(app)
    if args.space is None and not app.home.space(space_id(args, app)).exists:
        print_json({"facts": []}) if args.json else show("No facts yet.")
        return FINE
    async with reading(args, app) as space:
        found = await (space.facts.history() if args.history else space.facts.listed())
        if not args.json:
            show("\n".join(views.fact_lines(found, space.zone)) or "No facts yet.")
            return FINE
        print_json(views.facts_json(found))
    return FINE


async def recall(args: argparse.Namespace, app: App) -> int:
    """Search as the assistant would, for one question or a file of them. Raises: UsageFault."""
    if (args.query is None) == (args.batch is None):
        raise UsageFault("recall takes either a QUERY or --batch FILE")
    if args.query is not None and not args.query.strip():
        raise UsageFault('the QUERY is blank: say what to look for, for example remembrancer recall "tax report"')
    batch = list(queries_of(args.batch)) if args.batch is not None else []
    async with reading(args, app) as space:
        if args.batch is not None:
            for entry in batch:
                found = await _search(space, entry["query"], args.k, app.settings)
                print_json({"id": entry["id"], **views.found_json(found)}, indent=None)
            return FINE
        found = await _search(space, args.query, args.k, app.settings)
        if args.json:
            print_json(views.found_json(found))
        else:
            show("\n".join(views.found_lines(found, space.zone)) or "Nothing found.")
    return FINE


async def _search(space: Space, query: str, k: int, settings: Settings) -> Found:
    """Search as the next prompt would: what its tail holds anyway, and what does not fit, is told as left out."""
    session = await space.sessions.open_session()
    covered = await space.handoffs.last_covered(session) if session else 0
    tail = await space.sessions.tail(session, after=covered) if session else []
    return await space.recall.search(
        query,
        k=k,
        budget_tokens=settings.recall_tokens,
        in_window=frozenset(message.id for message in tail if message.id is not None),
    )


async def why(args: argparse.Namespace, app: App) -> int:
    """Print what the prompt of a turn was built from. Raises: NothingThere, UnknownId."""
    async with reading(args, app) as space:
        if args.turn is not None:
            turn = await space.sessions.turn(args.turn)
        else:
            last = await space.sessions.last_turn()
            if last is None:
                raise NothingThere(f"there has been no turn in the space {space.id} yet")
            turn = last
        items = await explain(space, turn)
    if args.json:
        print_json(views.why_json(turn, items))
    else:
        show("\n".join(views.why_lines(turn, items)))
    return FINE
