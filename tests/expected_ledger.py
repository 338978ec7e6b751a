"""The ledger as the design promises it, written down a second time: plain lists, no rows, no SQL.

Of every subject it keeps what was said when. What holds, what held and what the member is told follow from that by
sorting. A message is what a scripted extractor reads without error: sentences that say, change or end one value each.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

SUBJECTS: dict[str, tuple[str, ...]] = {
    "vet": ("Brandt", "Kowalski"),
    "kayak": ("Lindau", "Bregenz"),
}
"""Each with values that no other subject ever has."""
MASKED = "masked"


@dataclass(frozen=True)
class Sentence:
    """One statement: `is`, `now` (a correction), `off` (there is none any more), `bare` (a value set by hand)."""

    subject: str
    form: Literal["is", "now", "off", "bare"]
    value: str = ""

    @property
    def text(self) -> str:
        match self.form:
            case "is":
                return f"Our {self.subject} is {self.value}."
            case "now":
                return f"No, our {self.subject} is {self.value} now."
            case "off":
                return f"Our {self.subject} is cancelled."
            case "bare":
                return self.value


@dataclass
class Said:
    """One version of a message. `number` is its place among all that was stored; `first` that of its first version."""

    number: int
    first: int
    at: datetime
    sentences: tuple[Sentence, ...]
    is_foreign: bool
    text: str
    values: set[str]


@dataclass
class Word:
    """What one message says of one subject: a value, or (None) that there is none any more."""

    at: datetime
    said: Said
    value: str | None
    state: Literal["counts", "withdrawn", "waits"] = "counts"
    withdrawn_by: Said | None = None
    has_waited: bool = False
    """It was withdrawn while it waited."""
    was_told: bool = False

    @property
    def order(self) -> tuple[datetime, int, bool]:
        return (self.at, self.said.number, self.value is not None)


@dataclass(frozen=True)
class Stretch:
    """A value, since when it held, until when, and how it ended."""

    value: str
    since: datetime
    until: datetime | None
    status: Literal["active", "superseded", "retracted"]


@dataclass(frozen=True)
class Told:
    """A line for the member: what is current about a subject now, and what was before."""

    subject: str
    now: str | None
    was: str | None
    is_undone: bool = False


@dataclass
class ExpectedLedger:
    """What one member's memory must come to."""

    words: dict[str, list[Word]] = field(default_factory=lambda: {subject: [] for subject in SUBJECTS})
    messages: list[Said] = field(default_factory=list)
    unread: list[Said] = field(default_factory=list)
    changes: list[tuple[str, Said | None]] = field(default_factory=list)
    """What can be undone, the newest last; no message: something was set by hand."""
    told: list[Told] = field(default_factory=list)
    buried_texts: set[str] = field(default_factory=set)
    buried_quotes: set[str] = field(default_factory=set)
    forgets_all_before: datetime | None = None
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    # What is so

    def stretches(self, subject: str) -> list[Stretch]:
        """Return the history of a subject."""
        counting = sorted((w for w in self.words[subject] if w.state == "counts"), key=lambda word: word.order)
        found: list[Stretch] = []
        for word in counting:
            last = found[-1] if found else None
            if last is not None and last.status == "active" and last.value != word.value:
                found[-1] = Stretch(last.value, last.since, word.at, "superseded" if word.value else "retracted")
            if word.value and not (last is not None and last.status == "active" and last.value == word.value):
                found.append(Stretch(word.value, word.at, None, "active"))
        return found

    def current(self, subject: str) -> str | None:
        last = self._last(subject)
        return last.value if last else None

    def waiting(self, subject: str) -> list[str]:
        """Return what the member may still be asked: not what they have spoken of again since."""
        return [word.value for word in self.words[subject] if self._waits(subject, word) and word.value]

    def values(self) -> set[str]:
        """Return every value that still stands in a message."""
        return set().union(*(said.values for said in self.messages))

    # What happens

    def store(
        self,
        sentences: Sequence[Sentence],
        at: datetime,
        *,
        text: str,
        is_foreign: bool = False,
        edits: Said | None = None,
        is_read: bool = True,
    ) -> Said:
        """A message, or the next version of one, arrived; it is read by `read_all`."""
        number = next(self._numbers)
        values = {one.value for one in sentences if one.value}
        said = Said(number, edits.first if edits else number, at, tuple(sentences), is_foreign, text, values)
        self.messages.append(said)
        self.unread += [said] if is_read else []
        return said

    def read_all(self, *, is_ending_seen: Callable[[Said, str], bool]) -> None:
        """Everything that waits is read, in order. A reader who knows of no value has no ending to propose."""
        waiting, self.unread = self.unread, []
        for said in waiting:
            if any(later.first == said.first and later.number > said.number for later in self.messages):
                continue
            if said.is_foreign:
                for sentence in said.sentences:
                    if sentence.value and self.current(sentence.subject) != sentence.value:
                        self._wait(sentence, said)
            else:
                self.enter(said, [s for s in said.sentences if s.form != "off" or is_ending_seen(said, s.subject)])

    def enter(self, said: Said, sentences: Sequence[Sentence]) -> None:
        """What a member says themselves counts; only what earlier versions of the message said counts no longer."""
        before = {subject: self.current(subject) for subject in SUBJECTS}
        earlier = [one for one in self.messages if one.first == said.first and one.number < said.number]
        for sentence in sentences:
            self._say(sentence, said, earlier)
        for version in earlier:
            self._withdraw_all(version, said)
        for subject, was in before.items():
            self._tell(subject, was, said)

    def set_by_hand(self, subject: str) -> None:
        self.changes.append((subject, None))

    def keep(self, subject: str, value: str, at: datetime) -> None:
        """The member takes over what waited."""
        before = self.current(subject)
        word = next(w for w in self.words[subject] if self._waits(subject, w) and w.value == value)
        is_outdated = before is not None and self._is_spoken_of_since(subject, word)
        word.state, word.at, word.was_told = "counts", word.at if is_outdated else max(word.at, at), True
        self.changes.append((subject, word.said))
        now = self.current(subject)
        self.told += [Told(subject, now, before)] if now != before else []

    def drop(self, subject: str, value: str) -> None:
        for word in self.words[subject]:
            if self._waits(subject, word) and word.value == value:
                word.state = "withdrawn"

    def undo(self, about: str, said: Said | None) -> None:
        """Take a change back: what its message says of a subject, and what only said the same again."""
        last = max(n for n, change in enumerate(self.changes) if change == (about, said))
        del self.changes[last]
        if said is None:
            return
        before = self.current(about)
        for word in self._same_again(about, said):
            word.state = "withdrawn"
        for word in self.words[about]:
            if word.withdrawn_by is said:
                word.state, word.withdrawn_by = ("waits" if word.has_waited else "counts"), None
        for word in self.words[about]:
            if word.said is said and word.state == "counts":
                word.state = "withdrawn"
        now = self.current(about)
        self.told += [Told(about, now, before, is_undone=True)] if now != before else []

    def forget_subject(self, subject: str) -> None:
        """A fact goes with all its values; so do its sentences in the messages that said them, read or not yet."""
        values = {word.value for word in self.words[subject] if word.value}
        said = {word.said.first for word in self.words[subject] if word.value}
        said |= {one.first for one in self.unread if one.values & values}
        for message in self.messages:
            if message.first in said:
                self.buried_texts.add(message.text)
                gone = [s for s in message.sentences if s.value in values]
                self.buried_quotes |= {s.text for s in gone}
                message.values -= values
                message.sentences = tuple(s for s in message.sentences if s not in gone)
                message.text = MASKED if gone else message.text
        self.words[subject] = []
        self.changes = [one for one in self.changes if one[0] != subject]

    def forget_message(self, said: Said) -> None:
        """A message goes with all its versions; what others said too stands on them."""
        for message in self.messages:
            if message.first == said.first:
                self.buried_texts.add(message.text)
                message.values, message.sentences, message.text = set(), (), MASKED
        for subject in SUBJECTS:
            self.words[subject] = [word for word in self.words[subject] if word.said.first != said.first]
        self.unread = [one for one in self.unread if one.first != said.first]
        self.changes = [one for one in self.changes if one[1] is None or one[1].first != said.first]

    def forget_everything(self, at: datetime) -> None:
        self.words = {subject: [] for subject in SUBJECTS}
        self.messages, self.unread, self.changes = [], [], []
        self.forgets_all_before = at

    def may_come_back(self, text: str, at: datetime) -> bool:
        """Tell whether an older source may bring its words."""
        if self.forgets_all_before is not None and at <= self.forgets_all_before:
            return False
        return text not in self.buried_texts and not any(quote in text for quote in self.buried_quotes)

    # How

    def _last(self, subject: str) -> Stretch | None:
        found = self.stretches(subject)
        return found[-1] if found and found[-1].status == "active" else None

    def _say(self, sentence: Sentence, said: Said, earlier: Sequence[Said]) -> None:
        words = self.words[sentence.subject]
        value = sentence.value or None
        if any(word.said is said and word.value == value for word in words):
            return
        last = self._last(sentence.subject)
        if value and last and last.value != value and last.since == said.at and sentence.form == "is":
            held = [word.said for word in words if word.state == "counts" and word.value == last.value]
            if not any(one in earlier for one in held):
                self._wait(sentence, said)
                return
        words.append(Word(said.at, said, value))
        for word in words:
            if self._waits(sentence.subject, word) and word.value == value:
                word.state = "withdrawn"

    def _waits(self, subject: str, word: Word) -> bool:
        is_answered = not word.said.is_foreign and self._is_spoken_of_since(subject, word)
        return word.state == "waits" and not is_answered

    def _is_spoken_of_since(self, subject: str, word: Word) -> bool:
        when = (word.at, word.said.number)
        return any(w.state == "counts" and (w.at, w.said.number) > when for w in self.words[subject])

    def _wait(self, sentence: Sentence, said: Said) -> None:
        words = self.words[sentence.subject]
        is_known = any(
            word.value == sentence.value and (word.said is said or self._waits(sentence.subject, word))
            for word in words
        )
        if not is_known:
            words.append(Word(said.at, said, sentence.value, "waits"))

    def _withdraw_all(self, version: Said, by: Said) -> None:
        for word in itertools.chain(*self.words.values()):
            if word.said is version and word.state != "withdrawn":
                word.has_waited = word.state == "waits"
                word.state, word.withdrawn_by = "withdrawn", by

    def _tell(self, subject: str, was: str | None, said: Said) -> None:
        now = self.current(subject)
        if now != was:
            for word in self.words[subject]:
                word.was_told |= word.said is said
            self.changes.append((subject, said))
            self.told.append(Told(subject, now, was))

    def _same_again(self, subject: str, said: Said) -> list[Word]:
        """Return the words right behind those of a message that only repeated them."""
        counting = sorted((w for w in self.words[subject] if w.state == "counts"), key=lambda word: word.order)
        start = next((n for n, word in enumerate(counting) if word.said is said and word.value), None)
        if start is None:
            return []
        again = itertools.takewhile(lambda word: word.value == counting[start].value, counting[start + 1 :])
        return [word for word in again if not word.was_told]
