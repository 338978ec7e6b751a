"""Integrity: does a memory still hold what its rows claim? Every hash, and all rows that must agree.

`examine` and its parts only read (the check of the full-text index writes nothing, but SQLite wants a writable file:
give it a copy). `rebuild` makes anew what is derived: index, terms, journal files. What a person said, its hashes and
what was decided about it are never touched: damage there is reported, and a backup is what mends it.
"""

from memory.integrity.examination import examine, examine_media, examine_rows
from memory.integrity.fault import WAITING_JOBS, Fault
from memory.integrity.rebuild import rebuild
from memory.integrity.transcript import read_by_text

__all__ = ["WAITING_JOBS", "Fault", "examine", "examine_media", "examine_rows", "read_by_text", "rebuild"]
