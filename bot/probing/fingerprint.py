"""The fingerprint of an examination: what its answers depend on besides the memory, in names and short hashes.

When a verdict changes and the fingerprint with it, the change is what to look at first.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import memory
from bot.models.reader import OfflineReader
from bot.settings import Settings, names
from bot.turn import prompt
from bot.wiring import make_registry
from memory.compaction import compress, wording
from memory.findings import Fingerprint
from memory.ledger import reading
from memory.ports import Task
from memory.probe import judge
from memory.store.migrations import migrations
from tools import web

BEARING = (
    "GEMINI_BASE_URL",
    "GEMINI_FALLBACK_MODEL",
    "GEMINI_UTILITY_MODEL",
    "REMEMBRANCER_COMPACT_AT_TOKENS",
    "REMEMBRANCER_COMPRESS",
    "REMEMBRANCER_KEEP_TURNS",
    "REMEMBRANCER_LEDGER_TOKENS",
    "REMEMBRANCER_RECALL_TOKENS",
    "REMEMBRANCER_RECENCY_PERCENT",
    "REMEMBRANCER_TIMEZONE",
    "REMEMBRANCER_TOOL_CALLS_PER_TURN",
)
"""The settings that bear on memory, besides those that the names of model and embedder tell."""
NO_EMBEDDER = "none"
HASH_CHARS = 8


def fingerprint(
    settings: Settings, *, model: str, embedder: str | None, texts: Mapping[Task, str] | None = None
) -> Fingerprint:
    """Return the fingerprint of this program under these settings; `model` and `embedder` are their names.

    `texts` are the fixed texts of the requests, by default those of `prompt_texts`.
    """
    fields = names()
    return Fingerprint(
        model=model,
        embedder=embedder or NO_EMBEDDER,
        code=f"{version('remembrancer')}-{_code()}",
        schema_version=migrations("memory")[-1].version,
        prompts={task: _short(text) for task, text in (texts or prompt_texts()).items()},
        settings={name: _short(str(getattr(settings, fields[name]))) for name in BEARING},
    )


def prompt_texts() -> Mapping[Task, str]:
    """Return the fixed text of each task's requests: system text, tools and schema."""
    # Who would answer a search is not asked here.
    tools = json.dumps([asdict(spec) for spec in make_registry(OfflineReader()).specs], sort_keys=True)
    return {
        "chat": f"{prompt.SYSTEM}\n{tools}",
        "extract": f"{reading.SYSTEM}\n{json.dumps(reading.SCHEMA, sort_keys=True)}",
        "summarise": wording.SUMMARISE,
        "route": compress.COMPRESS,
        "entail": compress.ENTAIL,
        "judge": judge.SYSTEM,
        "web": web.SYSTEM,
    }


def _code() -> str:
    """Return the hash of the sources of `memory`."""
    root = Path(memory.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:HASH_CHARS]


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:HASH_CHARS]
