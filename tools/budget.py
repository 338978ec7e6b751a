"""How many function calls a turn may make, and which of them run.

Pure: counted from the calls of the turn's own messages, so that a resumed turn goes on with the same count.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory.messages import CallPart, Message

Verdict = Literal["run", "over_budget", "repeated"]

IDENTICAL_CALLS = 3

ANSWERS: dict[Verdict, str] = {
    "over_budget": "Not run: the limit of tool calls for this turn is reached. Answer with what you have.",
    "repeated": "Not run: this is the third identical call in this turn; its result would be the same. "
    "Answer with what you have.",
}

GUARDRAIL = (
    "Tools are off for the rest of this turn. Stop here: tell the member in a few words what was done and what was "
    "not, and ask before going on."
)


@dataclass(frozen=True)
class Budget:
    """The calls a turn has made so far, and its limit."""

    limit: int
    made: tuple[str, ...] = ()
    """Fingerprints of the calls, in order."""

    @classmethod
    def of_turn(cls, messages: Sequence[Message], limit: int) -> "Budget":
        """Count the calls of a turn that were answered: all but those of a model message that stands last."""
        return cls(limit, tuple(call.fingerprint for message in messages[:-1] for call in message.calls))

    @property
    def is_spent(self) -> bool:
        """Tools are to be off: the limit is reached, or a call came for the third time."""
        return len(self.made) >= self.limit or any(n >= IDENTICAL_CALLS for n in Counter(self.made).values())

    def judge(self, calls: Sequence[CallPart]) -> list[Verdict]:
        """Return for each call of a step, in order, whether it runs. Parallel calls each count."""
        made = list(self.made)
        was_spent = self.is_spent
        verdicts: list[Verdict] = []
        for call in calls:
            repeats = made.count(call.fingerprint) + 1
            if was_spent or len(made) >= self.limit:
                verdicts.append("over_budget")
            else:
                verdicts.append("repeated" if repeats >= IDENTICAL_CALLS else "run")
            made.append(call.fingerprint)
        return verdicts
