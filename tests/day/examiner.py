"""The process that examines a memory, by the clock that a test moves: `python -m tests.day.examiner FILE SCRATCH`."""

import sys
from pathlib import Path

from bot.probing.examiner import main
from tests.day.clock import SharedClock

if __name__ == "__main__":
    main(SharedClock(Path(sys.argv[1])))
