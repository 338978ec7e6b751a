"""Views: what the commands print of a memory, as the JSON of the contract and as lines for people.

Pure: values in, text or JSON-ready dicts out. Nothing here reads a database.
"""

import unicodedata
from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from bot.probing.report import Findings, status_line
from memory.block import Explained
from memory.findings import CaseResult, Gate, Run
from memory.ledger.facts import Fact
from memory.probe.effect import effect_of
from memory.recall.items import Found, Item
from memory.store.sessions import Turn
from memory.transfer.ledger import fact_json

Json = dict[str, Any]


def facts_json(facts: Sequence[Fact]) -> Json:
    """Return the shape of `facts`."""
    return {"facts": [fact_json(fact) for fact in facts]}


def fact_lines(facts: Sequence[Fact], zone: ZoneInfo) -> list[str]:
    """Return a line a fact: id, kind, what is known, since when, and its state unless it is simply current."""
    return [printable(_fact_line(fact, zone)) for fact in facts]


def found_json(found: Found) -> Json:
    """Return the shape of `recall`."""
    return {
        "query": found.query,
        "items": [_item(item) for item in found.items],
        "excluded": [{"id": excluded.id, "reason": excluded.reason} for excluded in found.excluded],
        "ms": found.ms,
    }


def found_lines(found: Found, zone: ZoneInfo) -> list[str]:
    """Return what was found, best first: a line about each item, its text indented below."""
    lines = []
    for item in found.items:
        mark = "  changed since" if item.is_outdated else ""
        lines.append(f"{item.id}  {item.at.astimezone(zone):%Y-%m-%d %H:%M}  {item.speaker}  {item.score:.2f}{mark}")
        lines += [f"    {line}" for line in item.text.splitlines()]
    return [printable(line) for line in lines]


def why_json(turn: Turn, items: Sequence[Explained]) -> Json:
    """Return the shape of `why`."""
    return {
        "turn": f"t{turn.id}",
        "items": [
            {"layer": part.item.layer, "id": part.item.ref, "tokens": part.item.tokens, "text": part.text}
            for part in items
        ],
        "prompt_tokens": turn.prompt_tokens,
        "model": turn.model,
    }


def why_lines(turn: Turn, items: Sequence[Explained]) -> list[str]:
    """Return the turn and what its prompt held, in order, long texts cut to one line."""
    lines = [f"t{turn.id}: {turn.prompt_tokens or 'unknown'} tokens to {turn.model or 'no model'}"]
    for part in items:
        shown = " ".join(part.text.split())
        cut = shown if len(shown) <= 100 else shown[:99] + "…"
        lines.append(f"  {part.item.layer:<9} {part.item.ref:<7} {part.item.tokens:>6}  {cut}".rstrip())
    return [printable(line) for line in lines]


def probe_json(run: Run, judged: Gate) -> Json:
    """Return the shape of `probe`."""
    steps = run.canary.steps if run.canary is not None else ()
    return {
        "ok": judged.ok,
        "recall_rate": judged.recall_rate,
        "cases": len(run.results),
        "asked": sum(one.is_answered for one in run.results),
        "effect": _effect(run),
        "lost": list(judged.lost),
        "lost_critical": list(judged.lost_critical),
        "leaks": list(judged.leaks),
        "stale": list(judged.stale),
        "unaskable": list(judged.unaskable),
        "unknown": list(judged.unknown),
        "prompt_tokens": run.prompt_tokens,
        "judge_calls": run.judge.calls,
        "problems": list(judged.problems),
        "warnings": list(judged.warnings),
        "canary": {
            "ok": run.canary.is_well if run.canary is not None else None,
            "steps": [{"name": step.name, "ok": step.is_well, "detail": step.detail} for step in steps],
        },
        "integrity": {
            "ok": not run.integrity if run.has_integrity else None,
            "findings": [f"{one.about}: {one.count} {one.words}" for one in run.integrity],
        },
        "autopsies": [{"fact": one.ref, "layer": one.layer, "detail": one.detail} for one in _lost(run)],
    }


def _effect(run: Run) -> Json | None:
    found = effect_of(run.results)
    if found is None:
        return None
    low, high = found.interval
    return {"value": found.value, "low": low, "high": high, "present": found.present, "absent": found.absent}


def probe_lines(run: Run, judged: Gate, zone: ZoneInfo) -> list[str]:
    """Return the line of the nightly report, then what is wrong, what is remarkable and where each case was lost."""
    lines = [status_line(Findings(run=run, ok=judged.ok), zone)]
    lines += [f"✗ {problem}" for problem in judged.problems]
    lines += [f"  {one.ref} is lost ({one.layer or 'somewhere'}): {one.detail}" for one in _lost(run) if one.detail]
    lines += [f"! {warning}" for warning in judged.warnings]
    return [printable(line) for line in lines]


def _lost(run: Run) -> list[CaseResult]:
    return [one for one in run.results if one.verdict == "lost"]


def printable(text: str) -> str:
    """Return the text without characters that would steer a terminal."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs"))


def _fact_line(fact: Fact, zone: ZoneInfo) -> str:
    state = "" if fact.status == "active" else f"  [{fact.status}]"
    value = f"{fact.value} 🔒" if fact.private else fact.value
    what = f"{fact.subject}: {value}" if fact.subject else "…"
    return f"f{fact.id}  [{fact.kind}] {what}  ({fact.since.astimezone(zone):%Y-%m-%d}){state}"


def _item(item: Item) -> Json:
    return {
        "id": item.id,
        "layer": item.layer,
        "text": item.text,
        "score": item.score,
        "at": item.at.isoformat(),
        "by": item.speaker,
        "changed_since": item.is_outdated,
        "refs": list(item.refs),
        "source": {"turn": _ref("t", item.turn), "message": _ref("m", item.message)},
        "tokens": item.tokens,
    }


def _ref(letter: str, number: int | None) -> str | None:
    return None if number is None else f"{letter}{number}"
