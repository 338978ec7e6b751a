"""The shapes of what stands in an export, for writing and for reading it again. Pure.

Ids are those of the memory it was written from (`m12`, `f12`, `p12`, `n12`); times have an offset. Further keys are
ignored, so that an older program reads what a newer one wrote.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from memory.importing import Words
from memory.ledger.facts import Kind, Status
from memory.messages import Origin
from memory.store.procedures import Status as VersionStatus

KIND = "remembrancer-export"
FORMAT = 1

ABOUT, FACTS, MESSAGES = "export.json", "facts.json", "messages.jsonl"
PROCEDURES, REMINDERS, FILES = "procedures.json", "reminders.json", "files/"


def _in_utc(moment: datetime) -> datetime:
    """Refuse a time that is none in UTC, as those at the edges of the calendar."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is out of range") from None


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
Ref = Annotated[str, Field(pattern=r"^[a-z][0-9]{1,18}$")]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True)


class About(_Shape):
    """What the file is."""

    kind: Literal["remembrancer-export"] = "remembrancer-export"
    format: int = FORMAT
    space: str
    zone: str
    made_at: Moment
    has_media: bool = True


class ExportedMessage(_Shape):
    """One line of `messages.jsonl`: the lines that `import` reads, with what it does not need behind."""

    at: Moment
    role: Literal["user", "model"]
    name: Words | None = None
    text: Words
    ref: Words | None = None
    origin: Origin | None = None
    """`forward` or `document` where the words are not the speaker's own; nothing else counts."""
    id: Ref
    replaces: Ref | None = None
    """The message that this is a later version of."""
    author_id: int | None = None


class ExportedSource(_Shape):
    """A further message that states a fact."""

    message: Ref
    quote: Words
    withdrawn_at: Moment | None = None
    withdrawn_by: Ref | None = None


class Cited(_Shape):
    message: Ref | None = None


class ExportedFact(_Shape):
    """The shape that `facts --history` prints, with all that is needed to hold it again."""

    id: Ref
    kind: Kind
    subject: Words
    subject_key: Words
    value: Words
    value_key: Words
    quote: Words
    question: Words
    patterns: tuple[Words, ...]
    critical: bool
    pinned: bool
    private: bool
    status: Status
    since: Moment
    until: Moment | None
    due: Moment | None
    replaces: Ref | None
    by: Words | None
    source: Cited
    sources: tuple[ExportedSource, ...]
    withdrawn_at: Moment | None
    withdrawn_by: Ref | None


class ExportedRetraction(_Shape):
    """Somebody said that what held about a subject holds no longer."""

    subject_key: Words
    at: Moment
    message: Ref | None
    withdrawn_at: Moment | None
    withdrawn_by: Ref | None


class ExportedLedger(_Shape):
    facts: tuple[ExportedFact, ...]
    retractions: tuple[ExportedRetraction, ...] = ()


class ExportedVersion(_Shape):
    number: int
    status: VersionStatus
    name: Words
    trigger: Words
    steps: tuple[Words, ...]
    by: Words | None
    by_id: int | None
    at: Moment
    row: int


class ExportedProcedure(_Shape):
    id: Ref
    versions: tuple[ExportedVersion, ...] = Field(min_length=1)


class ExportedProcedures(_Shape):
    procedures: tuple[ExportedProcedure, ...]


class ExportedReminder(_Shape):
    id: Ref
    text: Words
    state: Literal["waiting", "rung", "done"]
    wall: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$")] | None
    repeats: dict[str, Any] | None
    next_at: Moment | None
    is_snoozed: bool
    zone: str
    sent_due: Moment | None
    by: Words | None
    by_id: int | None
    created_at: Moment


class ExportedReminders(_Shape):
    reminders: tuple[ExportedReminder, ...]


@dataclass(frozen=True)
class Counts:
    """What became of the things of one kind. `left_out`: forgotten earlier, or without what they rest on."""

    added: int = 0
    known: int = 0
    left_out: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.added + other.added, self.known + other.known, self.left_out + other.left_out)


ADDED, KNOWN, LEFT_OUT = Counts(added=1), Counts(known=1), Counts(left_out=1)
