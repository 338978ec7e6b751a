"""What the ledger is made of: a statement as it was said, a fact as it stands, and the facts a prompt chooses from.

Values without behaviour: the rows are `fact_rows`' business, what they amount to is `fact_store`'s.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from memory.ledger.speakers import is_marked

Kind = Literal["deadline", "decision", "constraint", "entity", "user_attribute"]
Status = Literal["active", "superseded", "retracted", "forgotten", "pending"]

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Statement:
    """What a member said of a subject in one message: not yet a row."""

    kind: Kind
    subject: str
    value: str
    quote: str
    question: str
    patterns: tuple[str, ...]
    since: datetime
    message_id: int
    critical: bool = False
    due: datetime | None = None
    by: str | None = None
    value_key: str = field(default="")
    """Equal for wordings of one value; made from the value where it is not given."""
    subject_key: str = ""
    """Made from the subject where it is not given."""
    private: bool = False
    """It is a secret that the member wanted kept: for their own prompts and lists alone."""


@dataclass(frozen=True)
class Fact:
    """A row of the ledger. `turn_id` is that of the source message; None for imports and forgotten sources."""

    id: int
    kind: Kind
    subject: str
    subject_key: str
    value: str
    value_key: str
    due: datetime | None
    quote: str
    question: str
    patterns_json: str
    critical: bool
    pinned: bool
    status: Status
    since: datetime
    until: datetime | None
    replaces: int | None
    by: str | None
    message_id: int | None
    turn_id: int | None
    withdrawn_at: datetime | None
    private: bool = False

    @property
    def ref(self) -> str:
        return f"f{self.id}"

    @property
    def about(self) -> str:
        """The subject as shown: where several people speak, what one says of themselves names them."""
        return f"{self.subject} ({self.by})" if self.by and is_marked(self.subject_key) else self.subject

    @property
    def patterns(self) -> tuple[str, ...]:
        """The regular expressions that match the value in an answer, case ignored."""
        return tuple(json.loads(self.patterns_json))


@dataclass(frozen=True)
class Candidates:
    """Facts among which a prompt chooses. `relevance` is the weight of the words shared with the query, by id;
    `others` is how many active facts were not looked at.
    """

    facts: tuple[Fact, ...]
    relevance: Mapping[int, float]
    others: int
