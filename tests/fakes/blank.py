"""An empty database of the newest schema: made once by the ordinary way, then copied.

Applying every migration takes ten times as long as opening a file that has them, and most tests begin with a new
memory.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from memory.store.database import Database
from memory.store.migrations import Schema
from tests.fakes.clock import FakeClock

_MADE: dict[Schema, bytes] = {}


async def lay_blank(path: Path, schema: Schema = "memory") -> None:
    """Put an empty database where there is none yet."""
    if path.exists():
        return
    if schema not in _MADE:
        with TemporaryDirectory() as folder:
            made = Path(folder, "blank.db")
            await (await Database.open(made, schema, clock=FakeClock(), backups=Path(folder))).close()
            _MADE[schema] = made.read_bytes()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(_MADE[schema])
