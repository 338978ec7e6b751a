"""Whatever happens to a ledger, in whatever order: one current value a subject, a gapless history, every job done once.

Sequences of what members do (say, correct, end, edit, remember, forward, keep, drop, undo, set by hand, forget, import)
and of what befalls a program (the same update again, a job again, death at any commit) go through the real stack. After
each step the rows, the receipts, the prompt and every private column are held against `expected_ledger`.
"""

import asyncio
import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.block import RECALLED_HEADING, build
from memory.forget import confirmation, forget_again
from memory.importing import Importer, read_lines
from memory.ledger.changes import LedgerChange
from memory.ledger.facts import Fact
from memory.messages import TextPart
from memory.ports import ModelReply, ModelRequest, OnText
from memory.store.entries import Entry
from memory.store.jobs import EXTRACT
from memory.store.private import PRIVATE_COLUMNS
from tests.bot.turn.house import ZONE, House, TaskModel, change, house
from tests.expected_ledger import SUBJECTS, ExpectedLedger, Said, Sentence, Stretch, Told
from tests.fakes.clock import FakeClock
from tests.fakes.model import extracts, says

_RECEIPT = re.compile(
    r"✎ (?P<undone>undone: )?(?:no longer: )?(?P<subject>\w+)(?: → (?P<now>\w+))?(?: \(was (?P<was>\w+)\))? · f\d+$"
)
_SAID = re.compile(r"Our (?P<subject>\w+) is (?P<value>[A-Z]\w+)\.")
_CHANGED = re.compile(r"No, our (?P<subject>\w+) is (?P<value>\w+) now\.")
_ENDED = re.compile(r"Our (?P<subject>\w+) is cancelled\.")


class Reader(TaskModel):
    """Reads the sentences of `expected_ledger` without error, each message as the first time; a chat only echoes."""

    def __init__(self) -> None:
        super().__init__()
        self._answers: dict[tuple[str, str], ModelReply] = {}
        self._endings: set[tuple[str, str, str]] = set()

    def saw_ending(self, said: Said, subject: str) -> bool:
        """Tell whether it knew what a message ends."""
        return (f"{said.at.astimezone(ZONE).isoformat(timespec='minutes')}", said.text, subject) in self._endings

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task != "extract":
            return says(f"You wrote: {next(m.text for m in reversed(request.messages) if m.role == 'user')}")
        head, message = [part.text for part in request.messages[-1].parts if isinstance(part, TextPart)]
        known = dict(re.findall(r"^(f\d+) \| \w+ \| (\w+) \|", head, re.MULTILINE))
        said_at = head.partition("\nsaid: ")[2].split()[0]
        if (said_at, message) in self._answers:
            return self._answers[said_at, message]
        refs = {subject: ref for ref, subject in reversed(known.items())}
        changes = [change(m["subject"], m["value"], m[0]) for m in _SAID.finditer(message)]
        for match in _CHANGED.finditer(message):
            ref = refs.get(match["subject"])
            op = {"op": "replace", "replaces": ref} if ref else {}
            changes.append({**change(match["subject"], match["value"], match[0]), **op})
        for match in _ENDED.finditer(message):
            if ref := refs.get(match["subject"]):
                changes.append({**change(match["subject"], "", match[0]), "op": "retract", "replaces": ref})
                self._endings.add((said_at, message, match["subject"]))
        self._answers[said_at, message] = extracts(*changes)
        return self._answers[said_at, message]


# What may happen


@dataclass(frozen=True)
class Say:
    """A message of so many hours ago (None: of now); one that is `held` is received, and all is worked on later."""

    sentences: tuple[Sentence, ...]
    hours_ago: int | None
    how: str = "message"
    is_held: bool = False


@dataclass(frozen=True)
class Edit:
    which: int
    sentences: tuple[Sentence, ...]
    is_held: bool = False


@dataclass(frozen=True)
class Import:
    """A file that is imported, so many times."""

    lines: tuple[tuple[tuple[Sentence, ...], int], ...]
    times: int


@dataclass(frozen=True)
class Do:
    """`what` is done to the so-manieth thing that it can be done to."""

    what: str
    which: int
    value: int = 0


Deed = Say | Edit | Import | Do


@dataclass(frozen=True)
class Step:
    """A deed, and the commit just before or after which the program dies meanwhile."""

    deed: Deed
    dies_at: int = 0
    after: bool = False


_DOINGS = ("undo", "undo", "undo of", "keep", "drop", "card", "pin", "forget fact", "forget message", "again", "reread")


def _sentences() -> st.SearchStrategy[tuple[Sentence, ...]]:
    def worded(subject: str) -> st.SearchStrategy[Sentence]:
        value = st.sampled_from(SUBJECTS[subject])
        stated = st.builds(Sentence, st.just(subject), st.sampled_from(["is", "is", "now"]), value)
        return st.one_of(stated, stated, stated, st.just(Sentence(subject, "off")))

    subjects = st.lists(st.sampled_from(["vet", "vet", "vet", "kayak"]), min_size=1, max_size=2, unique=True)
    return subjects.flatmap(lambda found: st.tuples(*map(worded, found)))


def _steps(fewest: int = 6) -> st.SearchStrategy[list[Step]]:
    ago = st.one_of(st.none(), st.integers(1, 6))
    how = st.sampled_from(["message", "message", "message", "remember", "forward"])
    is_held = st.sampled_from([False, False, True])
    say = st.builds(Say, _sentences(), ago, how, is_held)
    edit = st.builds(Edit, st.integers(0, 5), _sentences(), is_held)
    lines = st.lists(st.tuples(_sentences(), st.integers(1, 9)), min_size=1, max_size=3).map(tuple)
    imports = st.builds(Import, lines, st.integers(1, 2))
    do = st.builds(Do, st.sampled_from(_DOINGS), st.integers(0, 5), st.integers(0, 1))
    everything = st.just(Do("forget everything", 0))
    deed = st.one_of(say, say, say, say, edit, do, do, do, imports, st.one_of(do, do, do, everything))
    dies_at = st.one_of(st.just(0), st.just(0), st.integers(1, 12))
    return st.lists(st.builds(Step, deed, dies_at, st.booleans()), min_size=fewest, max_size=12)


# How it happens


class Death:
    """Copies the files of a home at a chosen commit: what a program that is killed there leaves. (SQLite's driver is
    replaced, no module of ours.)
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._left = 0
        self._after = False
        self._from_to: tuple[Path, Path] | None = None
        original = aiosqlite.Connection.execute_fetchall
        death = self

        async def watched(connection: aiosqlite.Connection, sql: str, *params: Any) -> Iterable[Any]:
            death._pass(sql, is_over=False)
            rows = await original(connection, sql, *params)
            death._pass(sql, is_over=True)
            return rows

        patch.setattr(aiosqlite.Connection, "execute_fetchall", watched)

    @contextmanager
    def at(self, step: Step, home: Path, left: Path) -> Iterator[None]:
        self._left, self._after, self._from_to = step.dies_at, step.after, (home, left)
        yield
        self._left = 0

    def _pass(self, sql: str, *, is_over: bool) -> None:
        if sql == "COMMIT" and self._left and is_over == self._after:
            self._left -= 1
            if not self._left and self._from_to:
                shutil.copytree(*self._from_to)


@dataclass(frozen=True)
class Prepared:
    """A deed as it is sent, again after a death: what is done, and what must come of it."""

    entries: tuple[Entry, ...] = ()
    lines: tuple[str, ...] = ()
    times: int = 0
    reread: int = 0
    """The extraction that is done again."""
    effects: tuple[Callable[[], object], ...] = ()
    is_held: bool = False


class Life:
    """One memory over its deaths, beside what it should have come to."""

    def __init__(self, root: Path, death: Death) -> None:
        self._root = root
        self._death = death
        self._clock = FakeClock()
        self._model = Reader()
        self._expected = ExpectedLedger()
        self._sent: list[Entry] = []
        self._places: dict[int, int] = {}
        """The place in the chat of what can be edited, by the number of its first version."""
        self._imported: set[tuple[str, str, int]] = set()
        self._ids = count(1)
        self._deaths = 0
        self._seen = 0
        self._effects: list[Callable[[], object]] = []
        self._open = AsyncExitStack()

    async def live(self, steps: Sequence[Step]) -> None:
        """Take every step and look at everything after each."""
        h = await self._begin()
        try:
            for step in [*steps, Step(Say((), None))]:
                self._clock.advance(60)
                prepared = await self._prepared(h, step.deed)
                left = self._root / f"life {self._deaths + 1}"
                with self._death.at(step, self._home, left):
                    await self._perform(h, prepared)
                if left.exists():
                    await self._open.aclose()
                    self._deaths += 1
                    h = await self._begin()
                    await self._perform(h, prepared)
                # An import is stored at once, before what waits in the inbox.
                place = 0 if prepared.lines else len(self._effects)
                self._effects[place:place] = prepared.effects
                if not prepared.is_held:
                    await self._compare(h)
        finally:
            await self._open.aclose()

    @property
    def _home(self) -> Path:
        return self._root / f"life {self._deaths}"

    async def _begin(self) -> House:
        self._home.mkdir(exist_ok=True)
        h = await self._open.enter_async_context(house(self._home, model=self._model, clock=self._clock))
        await forget_again(h.space, h.tombstones)
        return h

    async def _perform(self, h: House, prepared: Prepared) -> None:
        for entry in prepared.entries:
            await h.runner.receive(entry)
        for _ in range(prepared.times):
            importer = Importer(h.space.db, h.space.sessions, h.space.segments)
            await importer.store(
                read_lines(prepared.lines, ZONE),
                redact=str,
                is_forgotten=lambda said: h.tombstones.covers(h.space.id, said.text, said_at=said.at),
            )
            async with h.space.db.transaction():
                for row in await h.space.db.fetch_all("SELECT id FROM messages WHERE origin = 'import' ORDER BY id"):
                    await h.space.jobs.add(EXTRACT, f"{EXTRACT}:{row['id']}", {"message": row["id"]})
        if prepared.reread:
            async with h.space.db.transaction():
                await h.space.db.execute("UPDATE jobs SET state = 'ready' WHERE id = ?", (prepared.reread,))
        if not prepared.is_held:
            await h.runner.drain()

    # What a deed is, here and now

    async def _prepared(self, h: House, deed: Deed) -> Prepared:
        match deed:
            case Say():
                return self._say(deed)
            case Edit():
                return self._edit(deed)
            case Import():
                return self._import(deed)
            case Do():
                return await self._do(h, deed)

    def _say(self, deed: Say) -> Prepared:
        text = " ".join(sentence.text for sentence in deed.sentences) or "Thanks a lot."
        now = self._clock.now()
        # Several things may have been said at the same time.
        at = now if deed.hours_ago is None else now.replace(minute=0) - timedelta(hours=deed.hours_ago)
        is_foreign = deed.how == "forward"
        sentences = [s for s in deed.sentences if not is_foreign or s.form != "off"]
        if deed.how == "remember":
            entry = self._entry(f"/remember {text}", kind="command", at=at)
        else:
            entry = self._entry(text, at=at, **({"origin": "forward", "forwarded_from": "Tom"} if is_foreign else {}))

        def store() -> None:
            said = self._expected.store(sentences, at, text=text, is_foreign=is_foreign)
            if deed.how == "message" and entry.message_id:
                self._places[said.first] = entry.message_id

        return Prepared(entries=(entry,), effects=(store,), is_held=deed.is_held)

    def _edit(self, deed: Edit) -> Prepared:
        if not self._places:
            return Prepared(is_held=deed.is_held)
        first = sorted(self._places)[deed.which % len(self._places)]
        text = " ".join(sentence.text for sentence in deed.sentences) or "Thanks a lot."
        entry = self._entry(text, kind="edit", message_id=self._places[first])

        def store() -> None:
            versions = [said for said in self._expected.messages if said.first == first]
            if versions and versions[-1].text != text:
                self._expected.store(deed.sentences, entry.at, text=text, edits=versions[-1])

        return Prepared(entries=(entry,), effects=(store,), is_held=deed.is_held)

    def _import(self, deed: Import) -> Prepared:
        now = self._clock.now().replace(minute=0)
        lines = [
            (sentences, " ".join(s.text for s in sentences) or "Thanks a lot.", now - timedelta(days=days))
            for sentences, days in deed.lines
        ]

        def store() -> None:
            seen = Counter[tuple[str, str]]()
            for sentences, text, at in lines:
                seen[text, at.isoformat()] += 1
                same = (text, at.isoformat(), seen[text, at.isoformat()])
                if self._expected.may_come_back(text, at) and same not in self._imported:
                    self._imported.add(same)
                    self._expected.store(sentences, at, text=text)

        written = tuple(json.dumps({"at": at.isoformat(), "role": "user", "text": text}) for _, text, at in lines)
        return Prepared(lines=written, times=deed.times, effects=(store,))

    async def _do(self, h: House, deed: Do) -> Prepared:
        expected = self._expected
        facts = [fact for fact in await h.space.facts.history() if fact.status != "forgotten"]
        doable = {
            "undo of": [fact for fact in facts if fact.status == "active"],
            "card": [fact for fact in facts if fact.status == "active"],
            "pin": [fact for fact in facts if fact.status == "active"],
            "keep": [fact for fact in facts if fact.status == "pending"],
            "drop": [fact for fact in facts if fact.status == "pending"],
            "forget fact": facts,
        }
        if deed.what not in doable:
            return await self._do_at_large(h, deed)
        if not doable[deed.what]:
            return Prepared()
        fact = doable[deed.what][deed.which % len(doable[deed.what])]
        match deed.what:
            case "undo of":
                return await self._undo(h, await h.space.facts.changes.last_of(fact.subject_key), f" {fact.ref}")
            case "card":
                return self._card(fact, SUBJECTS[fact.subject][deed.value])
            case "pin":
                flag = "unpin" if fact.pinned else "pin"
                return self._command(f"/facts {fact.ref} {flag}", lambda at: expected.set_by_hand(fact.subject))
            case "keep":
                return self._command(f"/keep {fact.ref}", lambda at: expected.keep(fact.subject, fact.value, at))
            case "drop":
                return self._command(f"/drop {fact.ref}", lambda at: expected.drop(fact.subject, fact.value))
            case _:
                return self._command(f"/forget {fact.ref}", lambda at: expected.forget_subject(fact.subject))

    async def _do_at_large(self, h: House, deed: Do) -> Prepared:
        expected = self._expected
        match deed.what:
            case "undo":
                return await self._undo(h, await h.space.facts.changes.last(), "")
            case "forget message" if expected.messages:
                ids = await self._message_ids(h)
                said, number = list(zip(expected.messages, ids, strict=True))[deed.which % len(ids)]
                return self._command(f"/forget m{number}", lambda at: expected.forget_message(said))
            case "forget everything" if expected.messages and not self._effects:
                word = await confirmation(h.space)
                return self._command(f"/forget everything {word}", expected.forget_everything)
            case "again" if self._sent:
                return Prepared((self._sent[deed.which % len(self._sent)],))
            case "reread":
                rows = await h.space.db.fetch_all("SELECT id FROM jobs WHERE kind IN ('extract', 'remembered')")
                return Prepared(reread=rows[deed.which % len(rows)]["id"] if rows else 0)
            case _:
                return Prepared()

    async def _undo(self, h: House, change: LedgerChange | None, which: str) -> Prepared:
        if change is None:
            return self._command(f"/undo{which}", lambda at: None)
        fact = await h.space.facts.fact(change.fact_id)
        numbered = dict(zip(await self._message_ids(h), self._expected.messages, strict=True))
        said = numbered[change.message_id] if change.message_id is not None else None
        return self._command(f"/undo{which}", lambda at: self._expected.undo(fact.subject, said))

    def _card(self, fact: Fact, value: str) -> Prepared:
        def set_value(at: datetime) -> None:
            sentence = Sentence(fact.subject, "bare", value)
            said = self._expected.store([sentence], at, text=value, is_read=False)
            self._expected.enter(said, [sentence])

        return self._command(f"/facts {fact.ref} value {value}", set_value)

    def _command(self, text: str, effect: Callable[[datetime], object]) -> Prepared:
        entry = self._entry(text, kind="command")
        return Prepared((entry,), effects=(lambda: effect(entry.at),))

    def _entry(self, text: str, **more: object) -> Entry:
        number = next(self._ids)
        values = {"source": f"tg:1:{number}", "kind": "message", "chat_id": 1, "message_id": number, **more}
        entry = Entry.model_validate({"text": text, "at": self._clock.now(), **values})
        self._sent.append(entry)
        return entry

    # What it came to

    async def _message_ids(self, h: House) -> list[int]:
        return [
            row["id"] for row in await h.space.db.fetch_all("SELECT id FROM messages WHERE role = 'user' ORDER BY id")
        ]

    async def _compare(self, h: House) -> None:
        """Hold everything against what is expected, once all work is done."""
        for effect in self._effects:
            effect()
        self._effects.clear()
        self._expected.read_all(is_ending_seen=self._model.saw_ending)
        await self._compare_work(h)
        await self._compare_ledger(h)
        await self._compare_prompt(h)
        await self._compare_words(h)
        await self._compare_receipts(h)

    async def _compare_work(self, h: House) -> None:
        open_work = {
            table: [tuple(row) for row in await h.space.db.fetch_all(f"SELECT * FROM {table} WHERE state <> '{done}'")]
            for table, done in {"jobs": "done", "inbox": "done", "turns": "done", "outbox": "sent"}.items()
        }
        assert not any(open_work.values()), open_work
        doubled = await h.space.db.fetch_all(
            "SELECT subject_key, value_key, message_id, count(*) FROM (SELECT f.subject_key, f.value_key, f.message_id"
            " FROM facts f WHERE status <> 'forgotten' UNION ALL SELECT f.subject_key, f.value_key, s.message_id"
            " FROM fact_sources s JOIN facts f ON f.id = s.fact_id) GROUP BY 1, 2, 3 HAVING count(*) > 1"
        )
        assert not [tuple(row) for row in doubled]

    async def _compare_ledger(self, h: House) -> None:
        facts = [fact for fact in await h.space.facts.history() if fact.status != "forgotten"]
        for subject in SUBJECTS:
            rows = sorted(await h.space.facts.values_of(subject), key=lambda fact: (fact.since, fact.message_id or 0))
            for before, fact in pairwise([None, *rows]):
                assert fact is not None
                is_replacing = before is not None and before.status == "superseded"
                assert fact.replaces == (before.id if before and is_replacing else None), rows
            stretches = [Stretch(f.value, f.since, f.until, f.status) for f in rows]  # type: ignore[arg-type]
            assert _merged(stretches) == self._expected.stretches(subject)
            waiting = [fact.value for fact in facts if fact.subject == subject and fact.status == "pending"]
            assert sorted(waiting) == sorted(self._expected.waiting(subject))

    async def _compare_prompt(self, h: House) -> None:
        """What holds stands in the prompt, and no other value as a fact."""
        block = await build(h.space, "How are our vet and kayak?", ledger_tokens=900, recall_tokens=900)
        shown = [line for line in block.text.partition(RECALLED_HEADING)[0].split("\n") if line.startswith("- [")]
        current = {subject: self._expected.current(subject) for subject in SUBJECTS}
        assert sorted(shown) == sorted(f"- [entity] {subject}: {value}" for subject, value in current.items() if value)

    async def _compare_words(self, h: House) -> None:
        """Each message holds the values it should; a value that none holds is nowhere at all."""
        texts = [
            row["text"]
            for row in await h.space.db.fetch_all("SELECT text FROM messages WHERE role = 'user' ORDER BY id")
        ]
        assert [{v for v in _VALUES if v in text} for text in texts] == [
            said.values for said in self._expected.messages
        ]
        gone = _VALUES - self._expected.values()
        for column in sorted(PRIVATE_COLUMNS):
            table, name = column.split(".")
            for row in await h.space.db.fetch_all(f"SELECT {name} AS text FROM {table}"):
                found = {value for value in gone if value.casefold() in str(row["text"]).casefold()}
                assert not found, (column, row["text"])
        for row in await h.space.db.fetch_all("SELECT payload FROM jobs"):
            assert all(isinstance(value, int) for value in json.loads(row["payload"]).values())

    async def _compare_receipts(self, h: House) -> None:
        """The member was told what changed, once, in the rows' own words; what can be undone is what changed."""
        # A receipt's new form, without a button, tells nothing new.
        rows = await h.space.db.fetch_all(
            "SELECT id, body FROM outbox WHERE id > ? AND key NOT GLOB 'job:*:*:*' ORDER BY id", (self._seen,)
        )
        self._seen = max([self._seen, *(row["id"] for row in rows)])
        lines = [line for row in rows for line in json.loads(row["body"])["text"].split("\n")]
        if not any(line.startswith("Forgotten: ") for line in lines):
            found = [_told(match) for match in map(_RECEIPT.match, lines) if match]
            assert sorted(found, key=repr) == sorted(self._expected.told, key=repr)
        self._expected.told.clear()
        changes = await h.space.db.fetch_all(
            "SELECT f.subject, c.message_id FROM fact_changes c JOIN facts f ON f.id = c.fact_id"
            " WHERE c.undone_at IS NULL"
        )
        numbered = dict(zip(await self._message_ids(h), self._expected.messages, strict=True))
        noted = Counter(
            (row["subject"], numbered[row["message_id"]].number if row["message_id"] else 0) for row in changes
        )
        wanted = Counter((subject, said.number if said else 0) for subject, said in self._expected.changes)
        assert noted == wanted


_VALUES = set().union(*SUBJECTS.values())


def _merged(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Join rows that follow each other with one value: each keeps the id that a person has seen."""
    joined: list[Stretch] = []
    for one in stretches:
        if joined and joined[-1].status == "superseded" and joined[-1].value == one.value:
            joined[-1] = replace(one, since=joined[-1].since)
        else:
            joined.append(one)
    return joined


def _told(match: re.Match[str]) -> Told:
    return Told(match["subject"], match["now"], match["was"], match["undone"] is not None)


_BRANDT, _KOWALSKI = (Sentence("vet", "is", value) for value in SUBJECTS["vet"])
_NO_VET, _KAYAK = Sentence("vet", "off"), Sentence("kayak", "is", "Lindau")
_TWICE = (Say((_BRANDT,), None), Say((_BRANDT, _KAYAK), None))
_BETWEEN = (Say((_BRANDT,), 6), Say((_BRANDT,), 1), Say((_KOWALSKI,), 3))
_OVER = (Say((_BRANDT,), None), Say((_NO_VET,), None))
_UNCLEAR = (Say((_BRANDT,), 3), Say((_KOWALSKI,), 3))
_FORWARDED = (Say((_BRANDT,), 3), Say((_KOWALSKI,), None, "forward"))
_BACKLOG = Import((((_BRANDT,), 4), ((_NO_VET,), 2), ((_BRANDT, _KAYAK), 4)), 2)
HARD: dict[str, tuple[Deed, ...]] = {
    "a repetition that was undone is read again": (*_TWICE, Do("undo of", 0), Do("undo of", 0), Do("reread", 1)),
    "a repetition behind an erased value": (*_BETWEEN, Do("forget message", 2), Do("undo", 0)),
    "the edit of a repetition is undone": (*_TWICE, Edit(1, (_KOWALSKI,)), Do("undo", 0), Do("forget message", 0)),
    "the edit of what was repeated is undone": (*_TWICE, Edit(0, (_KOWALSKI,)), Do("undo", 0), Do("forget message", 1)),
    "the edit of what waits is undone": (*_UNCLEAR, Edit(1, (_NO_VET,)), Do("undo", 0)),
    "the change of an erased message": (*_OVER, Do("forget message", 1), Do("undo", 0)),
    "values before and after an ending": (*_OVER, Say((_KOWALSKI,), None), Do("forget fact", 1)),
    "an edited message is erased": (*_TWICE, Edit(1, (_KOWALSKI,)), Do("forget message", 1), Do("again", 1)),
    "a repetition is not read yet": (_TWICE[0], replace(_TWICE[1], is_held=True), Do("forget fact", 0)),
    "an erased message is not read yet": (replace(_TWICE[0], is_held=True), Do("forget everything", 0), *_TWICE),
    "a forgotten fact is imported": (Say((_BRANDT,), None), Do("forget fact", 0), _BACKLOG),
    "an erased message is imported": (Say((_BRANDT,), None), Do("forget message", 0), _BACKLOG),
    "a file is imported again": (_BACKLOG, _BACKLOG, Do("undo", 0), _BACKLOG),
    "what was asked is answered": (*_UNCLEAR, Say((_BRANDT,), None), Say((_NO_VET,), None), Do("undo", 0)),
    "the answer is edited away": (*_UNCLEAR, Say((_NO_VET,), None), Edit(2, (_KAYAK,)), Do("keep", 0)),
    "the answer is erased": (*_UNCLEAR, Say((_BRANDT,), None), Do("forget message", 2)),
    "an answered question is edited": (*_UNCLEAR, Say((_BRANDT,), None), Edit(1, (_KAYAK,)), Do("forget message", 2)),
    "an older forward is kept": (Say((_KOWALSKI,), 3, "forward"), Say((_BRANDT,), None), Do("keep", 0), Do("undo", 0)),
    "what was dropped is read again": (*_FORWARDED, Do("drop", 0), Do("reread", 1)),
    "what was kept is undone and read again": (*_FORWARDED, Do("keep", 0), Do("undo", 0), Do("reread", 1)),
}


@pytest.mark.parametrize("deeds", HARD.values(), ids=HARD)
def test_a_hard_sequence_comes_to_what_is_expected(deeds: tuple[Deed, ...]) -> None:
    run([Step(deed) for deed in deeds])


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(_steps())
def test_any_sequence_leaves_one_current_value_a_gapless_history_and_every_job_done_once(steps: list[Step]) -> None:
    run(steps)


def run(steps: Sequence[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        asyncio.run(Life(Path(folder), Death(patch)).live(steps))
