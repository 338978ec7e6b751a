"""The plain alternative to recall: one FTS5 table, one query, the words around each message in a column of their own.

What `bench retrieval` compares with. No floor, no second look, no second query: porter stems, stopwords left out of the
query, four columns with weights, a boost for a speaker whom the query names.
"""

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.questions import Talk, session_of
from memory.messages import Message, estimate_tokens
from memory.recall.stopwords import STOPWORDS

_BEFORE, _AFTER = 2, 1
_SPEAKER_BOOST = 3.0
_POOL = 120
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Hit:
    refs: tuple[str, ...]
    text: str


class PlainSearch:
    """Searches talks that were added to one table."""

    def __init__(self, talks: Iterable[Talk]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute(
            "CREATE VIRTUAL TABLE messages USING fts5 (ref UNINDEXED, text UNINDEXED, body, speaker, context, date,"
            " tokenize = 'porter unicode61')"
        )
        for talk in talks:
            self._db.executemany("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)", _rows(talk.messages))

    def search(self, query: str, count: int) -> list[Hit]:
        """Return up to `count` messages, best first."""
        words = dict.fromkeys(_WORD.findall(query.casefold()))
        asked = [word for word in words if word not in STOPWORDS] or list(words)
        rows = self._db.execute(
            "SELECT ref, text, speaker, -bm25(messages, 0, 0, 1.0, 1.0, 0.4, 0.5) AS score FROM messages"
            " WHERE messages MATCH ? ORDER BY score DESC LIMIT ?",
            (" OR ".join(f'"{word}"' for word in asked), _POOL),
        ).fetchall()
        boosted = [(score * _boost(speaker, words), Hit((ref,), text)) for ref, text, speaker, score in rows]
        return [hit for _, hit in sorted(boosted, key=lambda scored: -scored[0])[:count]]

    def pack(self, query: str, budget_tokens: int) -> list[Hit]:
        """Return the best that fit together into the tokens."""
        packed, left = [], budget_tokens
        for hit in self.search(query, _POOL):
            tokens = estimate_tokens(hit.text + "\n")
            if tokens <= left:
                packed.append(hit)
                left -= tokens
        return packed


def _rows(messages: Sequence[Message]) -> Iterable[tuple[str, str, str, str, str, str]]:
    for place, message in enumerate(messages):
        near = [*messages[max(0, place - _BEFORE) : place], *messages[place + 1 : place + 1 + _AFTER]]
        context = " ".join(other.text for other in near if _session(other) == _session(message))
        date = f"{message.at:%A} {message.at.day} {message.at:%B %Y}"
        speaker = message.author or ""
        yield message.ref or "", f"[{date} · {speaker}] {message.text}", message.text, speaker, context, date


def _session(message: Message) -> str:
    return session_of(message.ref or "")


def _boost(speaker: str, words: Iterable[str]) -> float:
    return _SPEAKER_BOOST if set(_WORD.findall(speaker.casefold())) & set(words) else 1.0
