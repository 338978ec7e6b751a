"""Space: one memory, opened. Hands out its stores and services; nothing here crosses to another space."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

from memory.compaction.handoff import HandoffStore
from memory.ledger.fact_store import FactStore
from memory.ports import Clock, Embedder
from memory.recall.embed import QUERY_TIMEOUT_S, VectorStore
from memory.recall.search import Recall
from memory.recall.segments import SegmentStore
from memory.store.approvals import ApprovalStore
from memory.store.database import Database, to_utc_text
from memory.store.documents import DocumentStore
from memory.store.files import FileStore
from memory.store.held_secrets import HeldSecrets
from memory.store.jobs import JobStore
from memory.store.journal import JournalStore
from memory.store.mailbox import Mailbox
from memory.store.media import MediaStore
from memory.store.preferences import Preferences, PreferenceStore
from memory.store.probe_runs import ProbeStore
from memory.store.procedures import ProcedureStore
from memory.store.reactions import ReactionStore
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
        self.clock = clock
        self.db = database
        self.preference_store = PreferenceStore(database, clock, zone)
        self.sessions = SessionStore(database, clock)
        self.mailbox = Mailbox(database, clock)
        self.held = HeldSecrets(clock)
        self.jobs = JobStore(database, clock)
        self.media = MediaStore(database, folder / "media", clock)
        self.files = FileStore(folder / "files")
        self.documents = DocumentStore(database, clock)
        self.segments = SegmentStore(database, self.preference_store)
        self.facts = FactStore(database, clock, is_shared=self.is_shared)
        self.handoffs = HandoffStore(database, clock)
        self.journal = JournalStore(database, folder / "journal")
        self.procedures = ProcedureStore(database, clock)
        self.recalls = RecallStore(database, clock)
        self.reactions = ReactionStore(database)
        self.reminders = ReminderStore(database, clock, self.preference_store)
        self.approvals = ApprovalStore(database, clock)
        self.probes = ProbeStore(database, clock)
        self.vectors = VectorStore(database, embedder, query_timeout_s=query_timeout_s)
        self.recall = Recall(database, self.preference_store, clock, vectors=self.vectors, recency=recency)

    @property
    def preferences(self) -> Preferences:
        """What it is set to now; `preference_store` changes it."""
        return self.preference_store.current

    @property
    def zone(self) -> ZoneInfo:
        """The zone that it has now."""
        return self.preferences.zone

    def zone_at(self, moment: datetime) -> ZoneInfo:
        """Return the zone by whose clocks something was meant that was said at a moment."""
        return self.preferences.zone_at(moment)

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
            await _introduce(database, folder.name, default_zone, clock)
            space = cls(
                folder,
                database,
                zone=default_zone,
                clock=clock,
                backups=backups,
                embedder=embedder,
                query_timeout_s=query_timeout_s,
                recency=recency,
            )
            await space.preference_store.load()
            if not read_only and not as_it_is:
                await space.segments.repair()
                await space.journal.catch_up()
        except BaseException:
            await database.close()
            raise
        return space

    async def close(self) -> None:
        await self.db.close()


async def _introduce(database: Database, space_id: str, zone: ZoneInfo, clock: Clock) -> None:
    """Let a new file say what space it is; its zone stays, whatever the default is later."""
    if database.is_read_only or await database.fetch_one("SELECT 1 FROM profile"):
        return
    async with database.transaction():
        await database.execute(
            "INSERT INTO profile (only, space_id, zone, epoch, created_at) VALUES (1, ?, ?, ?, ?)",
            (space_id, zone.key, os.urandom(EPOCH_BYTES), to_utc_text(clock.now().astimezone(UTC))),
        )
