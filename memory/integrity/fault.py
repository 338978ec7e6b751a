"""A fault: something of a memory that does not agree, and what a person can do about it."""

from memory.catalogue import N_
from memory.findings import Finding

WAITING_JOBS = N_("jobs have waited for more than a day")
STUCK_ENTRIES = N_("messages have waited for more than a day to be read")
AHEAD = N_("rows are from more than a day ahead")
WRONG_SPACE = N_("file is another memory's")
IS_BACK = N_("messages, facts or procedures are back that were forgotten")
STILL_TOLD = N_("handoffs, lines of them or of the journal tell what was forgotten")

REBUILD = "stop the server and run this again: it can be made anew"
RESTORE = "stop the server and bring a backup back: remembrancer restore FILE"
_ADVICE = {
    WAITING_JOBS: "the log says why (grep: job failed)",
    STUCK_ENTRIES: "the log says why (grep: entry not taken up)",
    AHEAD: "the clock of this machine was wrong; look that it is right now",
    IS_BACK: "forget them once more",
    STILL_TOLD: "forget the messages once more from which they come",
    WRONG_SPACE: "stop the server and move it where it belongs: a folder is named like the space in it",
}


class Fault(Finding):
    """How often, in words, and whether it can be made anew from what is there."""

    def line(self) -> str:
        """Return it for a person, with what to do."""
        advice = REBUILD if self.can_be_rebuilt else _ADVICE.get(self.words, RESTORE)
        return f"{self.about}: {self.count} {self.words}; {advice}"


def fault(about: str, words: str, *, count: int = 1, can_be_rebuilt: bool = False) -> Fault:
    """Return a fault that was met so often."""
    return Fault(about=about, count=count, words=words, can_be_rebuilt=can_be_rebuilt)
