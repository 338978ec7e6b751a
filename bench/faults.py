"""`bench faults`: whether the examination finds what is wrong, names where, and is silent when nothing is.

Every kind of damage of the catalogues, one at a time: to a copy of the memory of the frozen talk (`damage`), or to the
examination itself (`sabotage`). A damage is reported when the examination says anything that it does not say of the
same memory unharmed; it is attributed when that names the layer. Then a growing memory, night after night with nothing
wrong in it, and how far right answers depend on the memory at all.
"""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.damage import CATALOGUE, Damage, places_in, strike
from bench.examining import SPACE_ID, play, with_model, workshop
from bench.growing import Night, known_of, live
from bench.measure import Figure, interval, report
from bench.sabotage import Sabotage, catalogue
from bot.probing.examiner import Workshop
from bot.probing.fingerprint import fingerprint
from memory.errors import MemoryFault
from memory.findings import Fingerprint, Known, Run
from memory.probe import frozen
from memory.probe.cases import cases_of
from memory.probe.effect import effect_of
from memory.probe.run import Orders, examine

NIGHTS = 365
MEMORY = Path("spaces", SPACE_ID, "memory.db")
WATCHED = ("passport expiry", "home", "press serial number", "allergy to penicillin")
"""The facts that are examined each time: the one that is struck, one that replaced another, two others."""


@dataclass(frozen=True)
class Report:
    """What an examination said of one damage: `said` are the names it used."""

    name: str
    layers: tuple[str, ...]
    said: frozenset[str]

    @property
    def is_caught(self) -> bool:
        return bool(self.said)

    @property
    def is_attributed(self) -> bool:
        return not self.said.isdisjoint(self.layers)


@dataclass
class Struck:
    """A home with the memory of the talk, copied for each damage, and what is said of it unharmed."""

    root: Path
    refs: frozenset[str]
    mark: Fingerprint
    known: tuple[Known, ...] = ()
    healthy: Run | None = None
    usual: frozenset[str] = frozenset()
    places: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    async def told(cls, root: Path) -> "Struck":
        """Play the talk, and examine the memory once with nothing wrong."""
        clock = frozen.TalkClock()
        async with workshop(root / "told", clock) as shop:
            await play(shop, clock)
            async with shop.opened(SPACE_ID) as (space, _):
                facts = await space.facts.active()
            mark = fingerprint(shop.settings, model=shop.model.name, embedder=None)
        struck = cls(root, frozenset(fact.ref for fact in facts if fact.subject in WATCHED), mark)
        struck.places = places_in(struck.copy() / MEMORY)
        async with workshop(struck.copy(), after()) as shop:
            struck.healthy = await struck.examined(shop)
        struck.known = tuple(known_of(struck.healthy))
        struck.usual = frozenset(names_in(struck.healthy, struck.healthy))
        return struck

    def copy(self) -> Path:
        """Return a fresh copy of the home."""
        copy = self.root / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        return Path(shutil.copytree(self.root / "told", copy))

    async def damaged(self, damage: Damage) -> Report:
        """Strike a copy and return what is said of it."""
        home = self.copy()
        if damage.is_after_forgetting:
            await self._forget(home)
        strike(home / MEMORY, damage, self.places)
        async with workshop(home, after()) as shop:
            return await self._report(damage.name, damage.layers, shop, is_whole=damage.is_seen_on_the_way)

    async def sabotaged(self, sabotage: Sabotage) -> Report:
        """Examine an unharmed copy with a sabotaged examination."""
        async with workshop(self.copy(), after()) as shop:
            used = with_model(shop, sabotage.model) if sabotage.model is not None else shop
            return await self._report(sabotage.name, sabotage.layers, used, sabotage, is_whole=True)

    async def _forget(self, home: Path) -> None:
        async with workshop(home, after()) as shop, shop.opened(SPACE_ID) as (_, assistant):
            await assistant.say(f"/forget f{self.places['fact']}")

    async def _report(
        self,
        name: str,
        layers: tuple[str, ...],
        shop: Workshop,
        sabotage: Sabotage | None = None,
        *,
        is_whole: bool,
    ) -> Report:
        assert self.healthy is not None
        try:
            run = await self.examined(shop, sabotage, is_whole=is_whole)
        except (MemoryFault, ValueError) as fault:
            # What the process that examines would name in place of a run.
            return Report(name, layers, frozenset({type(fault).__name__}))
        return Report(name, layers, frozenset(names_in(run, self.healthy)) - self.usual)

    async def examined(self, shop: Workshop, sabotage: Sabotage | None = None, *, is_whole: bool = True) -> Run:
        """Examine the watched facts, and, where it is whole, everything that belongs to a night."""
        sabotage = sabotage or Sabotage("nothing", ())
        orders = Orders(
            space_id=SPACE_ID,
            night=None,
            seed=1,
            known=(*self.known, *sabotage.known),
            only=() if is_whole else tuple(self.refs),
        )
        async with shop.opened(SPACE_ID) as (space, assistant):
            return await examine(
                space,
                sabotage.arms(assistant) if sabotage.arms else assistant,
                orders,
                sabotage.mark(self.mark) if sabotage.mark else self.mark,
                cases=[case for case in await cases_of(space) if case.ref in self.refs],
                new_space=lambda: shop.opened("trial"),
                on_progress=lambda done, total: None,
                tombstones=shop.tombstones,
            )


def after() -> frozen.TalkClock:
    """Return a clock that stands where the questions about the talk are put."""
    return frozen.TalkClock(frozen.talk()[-1].at + frozen.AFTERWARDS)


def names_in(run: Run, healthy: Run) -> Iterator[str]:
    """Yield the names of all that an examination finds amiss, with what changed since the healthy one."""
    for one in run.results:
        if one.verdict in ("unaskable", "unknown"):
            yield one.verdict
        yield from filter(None, (one.layer if one.verdict != "pass" else "", one.source_layer))
    yield from (finding.about for finding in run.integrity)
    if run.canary is not None:
        yield from (step.name for step in run.canary.steps if step.is_well is False)
        yield from [step.name for step in run.canary.steps if step.is_well is None][:1]
        yield from run.canary.warnings
    if any(not one.is_silent or one.is_admitted is False for one in run.never_told):
        yield "never told"
    told = {"unreadable": not run.has_integrity, "judge": run.judge.is_reliable is False, run.stopped: run.stopped}
    yield from (name for name, is_so in told.items() if is_so)
    yield from (words.partition(" (")[0] for words in run.fingerprint.changes_since(healthy.fingerprint))


async def run(*, as_json: bool) -> int:
    """Measure and print; returns 1 when a goal is missed."""
    with tempfile.TemporaryDirectory() as folder:
        struck = await Struck.told(Path(folder) / "struck")
        reports = [await struck.damaged(damage) for damage in CATALOGUE]
        reports += [await struck.sabotaged(sabotage) for sabotage in catalogue()]
        nights = await live(Path(folder) / "nights", NIGHTS)
    if not as_json:
        Console().print(_table(reports))
    figures = [*figures_of_damage(reports), *figures_of_nights(nights)]
    about: dict[str, str | int] = {"data": frozen.sha256()[:12], "kinds of damage": len(reports), "nights": len(nights)}
    report("faults", figures, about, as_json=as_json)
    return 0 if all(figure.is_met for figure in figures) else 1


def _table(reports: Sequence[Report]) -> Table:
    table = Table(title="damage, and what the examination said")
    for heading in ("damage", "caught", "layer", "named"):
        table.add_column(heading)
    for one in reports:
        right = "✓" if one.is_attributed else f"✗ wanted {' or '.join(one.layers)}"
        table.add_row(one.name, "✓" if one.is_caught else "✗", right, ", ".join(sorted(one.said)))
    return table


def figures_of_damage(reports: Sequence[Report]) -> Iterator[Figure]:
    """Yield how much of the damage was reported, and how much of it by the name of its layer."""
    for name, hits, goal in (
        ("damage reported", sum(one.is_caught for one in reports), 100),
        ("damage attributed to the right layer", sum(one.is_attributed for one in reports), 95),
    ):
        low, high = interval(hits, len(reports))
        rate = 100 * hits / len(reports)
        yield Figure(f"{name} ({len(reports)})", rate, "%", f"≥ {goal}", rate >= goal, low=low, high=high)


def figures_of_nights(nights: Sequence[Night]) -> Iterator[Figure]:
    """Yield the false alarms, and how far right answers depend on what the memory holds."""
    alarms = [night for night in nights if night.gate.ok is not True]
    days = ", ".join(f"night {nights.index(night) + 1}" for night in alarms[:5])
    yield Figure(f"false alarms in {len(nights)} nights{days and f' ({days})'}", len(alarms), "", "0", not alarms)
    effect = effect_of(one for night in nights for one in night.run.results)
    if effect is not None:
        low, high = effect.interval
        yield Figure(
            f"P(right | present) − P(right | absent), {effect.present[1]} and {effect.absent[1]} answers",
            *(effect.value, "", "≥ 0.95", effect.value >= 0.95),
            low=low,
            high=high,
        )
    yield Figure("facts in the ledger at the end", nights[-1].run.ledger_facts, "", "reported", is_met=True)
