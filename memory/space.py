"""Space: one memory, opened. Hands out its stores and services; nothing here crosses to another space."""

import os
from datetime import UTC
from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

from memory.compaction.handoff import HandoffStore
from memory.ledger.fact_store import FactStore
from memory.ports import Clock, Embedder
from memory.recall.embed import QUERY_TIMEOUT_S, VectorStore
from memory.recall.search import Recall
from memory.recall.segments import SegmentStore
from memory.store.database import Database, to_utc_text
from memory.store.files import FileStore
from memory.store.held_secrets import HeldSecrets
from memory.store.jobs import JobStore
from memory.store.journal import JournalStore
from memory.store.mailbox import Mailbox
from memory.store.media import MediaStore
from memory.store.probe_runs import ProbeStore
from memory.store.procedures import ProcedureStore
from memory.store.recalls import RecallStore
from memory.store.reminders import ReminderStore
from memory.store.sessions import SessionStore

EPOCH_BYTES = 16


class Space:
    """The stores and services of one memory, over one database. Use `Space.open`, then `close`."""

    def __init__(
        self,
        folder: Path,
        database: Database,
        *,
        zone: ZoneInfo,
        clock: Clock,
        backups: Path,
        embedder: Embedder | None = None,
        query_timeout_s: float = QUERY_TIMEOUT_S,
        recency: float = 0.0,
    ) -> None:
        self.id = folder.name
        self.folder = folder
        self.backups = backups
        """Where copies of files of the whole installation lie."""
        self.zone = zone
        self.clock = clock
        self.db = database
        self.sessions = SessionStore(database, clock)
        self.mailbox = Mailbox(database, clock)
        self.held = HeldSecrets(clock)
        self.jobs = JobStore(database, clock)
        self.media = MediaStore(database, folder / "media", clock)
        self.files = FileStore(folder / "files")
        self.segments = SegmentStore(database, zone)
        self.facts = FactStore(database, clock, is_shared=self.is_shared)
        self.handoffs = HandoffStore(database, clock)
        self.journal = JournalStore(database, folder / "journal")
        self.procedures = ProcedureStore(database, clock)
        self.recalls = RecallStore(database, clock)
        self.reminders = ReminderStore(database, clock, zone)
        self.probes = ProbeStore(database, clock)
        self.vectors = VectorStore(database, embedder, query_timeout_s=query_timeout_s)
        self.recall = Recall(database, zone, clock, vectors=self.vectors, recency=recency)

    @property
    def is_shared(self) -> bool:
        """Whether several people speak here: a group's space is named by its number, which is negative."""
        return self.id.startswith("-")

    @classmethod
    async def open(
        cls,
        folder: Path,
        *,
        default_zone: ZoneInfo,
        clock: Clock,
        backups: Path,
        read_only: bool = False,
        embedder: Embedder | None = None,
        query_timeout_s: float = QUERY_TIMEOUT_S,
        recency: float = 0.0,
        as_it_is: bool = False,
    ) -> Self:
        """Open the memory in `folder` (its name is the space's id), creating it unless `read_only`.

        What the index lacks is indexed first, unless it is to be examined `as_it_is`. `query_timeout_s` is what a
        question waits for its vector.

        Raises: OperatorMustAct; FileNotFoundError when `read_only` and there is none.
        """
        if not read_only:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        database = await Database.open(
            folder / "memory.db", "memory", clock=clock, backups=backups, read_only=read_only
        )
        try:
            zone = await _profile_zone(database, folder.name, default_zone, clock)
            space = cls(
                folder,
                database,
                zone=zone,
                clock=clock,
                backups=backups,
                embedder=embedder,
                query_timeout_s=query_timeout_s,
                recency=recency,
            )
            if not read_only and not as_it_is:
                await space.segments.repair()
                await space.journal.catch_up()
        except BaseException:
            await database.close()
            raise
        return space

    async def close(self) -> None:
        await self.db.close()


async def _profile_zone(database: Database, space_id: str, default: ZoneInfo, clock: Clock) -> ZoneInfo:
    """Return the space's zone; a new space takes the default for good."""
    row = await database.fetch_one("SELECT zone FROM profile")
    if row is not None:
        return ZoneInfo(row["zone"])
    if not database.is_read_only:
        async with database.transaction():
            await database.execute(
                "INSERT INTO profile (only, space_id, zone, epoch, created_at) VALUES (1, ?, ?, ?, ?)",
                (space_id, default.key, os.urandom(EPOCH_BYTES), to_utc_text(clock.now().astimezone(UTC))),
            )
    return default
