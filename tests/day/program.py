"""The real program, its clock replaced by one that a test moves: `python -m tests.day.program FILE`."""

import sys
from pathlib import Path

from bot import cli
from bot.__main__ import Remembrancer
from bot.probing.examination import Examination
from bot.settings import Settings
from memory.store.database import Database
from tests.day import examiner
from tests.day.clock import SharedClock

TICK_S = 0.5
"""How often the program looks for nights and mornings: those of the day come as quickly as the test moves the clock."""


class ByTheClock(Remembrancer):
    """The program and the process that examines its memories, both by the same clock."""

    tick_s = TICK_S

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.clock = SharedClock(Path(sys.argv[1]))

    def examination(self, shared: Database) -> Examination:
        program = (sys.executable, "-m", examiner.__name__, sys.argv[1])
        return Examination(self.settings, self.home, shared, self.clock, program=program)


if __name__ == "__main__":
    sys.exit(cli.run([], ByTheClock))
