"""Migrations: the numbered .sql files that make up a schema, and how such a script falls into statements.

Nothing is applied here: `Database` does that, one by one, each in one transaction with its record.
"""

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Literal

Schema = Literal["memory", "bot"]


@dataclass(frozen=True)
class Migration:
    version: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations(schema: Schema) -> list[Migration]:
    """Return the migrations of a schema, oldest first; their numbers have no gap."""
    folder = resources.files("memory.store").joinpath("schema", schema)
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [Migration(int(f.name[:4]), f.name[5:-4], f.read_text(encoding="utf-8")) for f in files]


def statements(sql: str) -> Iterator[str]:
    """Split a script into statements, triggers whole. (`executescript` would commit what is open.)"""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending.strip()
            pending = ""
    if _has_code(pending):
        yield pending.strip()


def _has_code(sql: str) -> bool:
    return any(line.strip() and not line.strip().startswith("--") for line in sql.splitlines())
