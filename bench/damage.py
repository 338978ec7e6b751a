"""A catalogue of damage to the file of a memory of the frozen talk: statements of SQL, and where each must be found.

They strike the file from outside, as bad disks, wrong programs and careless hands do: the program's own rules are not
in their way. `{fact}`, `{message}` and `{segments}` stand for the row of the passport, its message and the segments of
that, `{text}` and `{body}` for what that message held, `{old}` for the fact that the home replaced.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import connect

_TARGET = "SELECT id, message_id FROM facts WHERE subject = 'passport expiry' AND status = 'active'"
_REPLACED = "SELECT replaces FROM facts WHERE subject = 'home' AND status = 'active'"
_OTHER_VALUE = "value = 'Thu 8 Jul 2027 (\"8 July 2027\")'"


@dataclass(frozen=True)
class Damage:
    """What is done to the file, and the names under which it may be reported: layers, steps, subjects of integrity.

    `is_after_forgetting`: the passport is forgotten first. `is_seen_on_the_way`: facts already there show nothing of
    it, only one on its way in and out does.
    """

    name: str
    layers: tuple[str, ...]
    statements: tuple[str, ...]
    is_after_forgetting: bool = False
    is_seen_on_the_way: bool = False


def damage(
    name: str, layers: str, *statements: str, after_forgetting: bool = False, on_the_way: bool = False
) -> Damage:
    return Damage(name, tuple(layers.split("|")), statements, after_forgetting, on_the_way)


def fact(name: str, layers: str, columns: str) -> Damage:
    return damage(name, layers, f"UPDATE facts SET {columns} WHERE id = {{fact}}")


def target(name: str, layers: str, columns: str) -> Damage:
    return damage(name, layers, f"UPDATE messages SET {columns} WHERE id = {{message}}")


def segments(name: str, layers: str, columns: str) -> Damage:
    return damage(name, layers, f"UPDATE segments SET {columns} WHERE id IN {{segments}}")


def handoff(name: str, layers: str, columns: str) -> Damage:
    return damage(name, layers, f"UPDATE handoffs SET {columns} WHERE id = 1")


FACTS = (
    damage("row of a fact deleted", "extracted", "DELETE FROM facts WHERE id = {fact}"),
    fact("value altered", "active|facts", _OTHER_VALUE),
    fact("value altered, its patterns too", "active|facts", f"{_OTHER_VALUE}, patterns = '[\"8 Jul\"]'"),
    fact("quote that nobody said", "facts", "quote = 'My passport expires in August 2031.'"),
    fact("ended though nobody ended it", "active", "status = 'superseded'"),
    fact("retracted though nobody took it back", "active", "status = 'retracted'"),
    fact("waits for a yes again", "active", "status = 'pending'"),
    fact("forgotten though nobody forgot it", "active", "status = 'forgotten'"),
    damage(
        "superseded value active beside the new one",
        "ledger|active|facts",
        "UPDATE facts SET status = 'active', until = NULL, subject_key = subject_key || ' 2' WHERE id = {old}",
    ),
    damage(
        "superseded value active in place of the new one",
        "ledger|active|facts",
        "UPDATE facts SET status = 'superseded' WHERE replaces = {old}",
        "UPDATE facts SET status = 'active', until = NULL WHERE id = {old}",
    ),
    fact("pattern that matches anything", "unaskable", "patterns = '[\".*\"]'"),
    fact("pattern that is broken", "unaskable|active", "patterns = '[\"(3 June\"]'"),
    fact("pattern that never ends", "unaskable|active", "patterns = '[\"(?:\\\\w+\\\\s?)+$x\"]'"),
    fact("patterns that are no list", "unaskable|active", "patterns = 'none'"),
    fact("question that contains the answer", "unaskable", "question = 'Does it expire on 3 June 2027?'"),
    fact("question lost", "unaskable", "question = ''"),
    damage("words of the facts not indexed", "index", "DELETE FROM fact_terms"),
)

TALK = (
    damage("message deleted", "stored|rows", "DELETE FROM messages WHERE id = {message}"),
    target("byte of a message flipped", "stored|segments", "text = replace(text, '3 June', '8 June')"),
    target("body of a message altered", "messages", "body = replace(body, '3 June', '8 June')"),
    target("body of a message unreadable", "messages|stored", "body = '[{{'"),
    damage(
        "messages answered and not kept",
        "messages",
        "DELETE FROM messages WHERE id > (SELECT max(id) - 6 FROM messages)",
    ),
    segments("hash of a segment flipped", "stored|segments", "sha256 = replace(sha256, 'a', 'b')"),
    segments("segments cut at the wrong place", "stored|segments", "stop = stop - 9"),
    damage(
        "segments deleted",
        "segment|segments",
        "DELETE FROM segment_terms WHERE segment_id IN {segments}",
        "DELETE FROM segments WHERE message_id = {message}",
    ),
    damage(
        "one of several segments deleted",
        "segment|segments",
        "DELETE FROM segments WHERE id = (SELECT max(id) FROM segments WHERE message_id = {message})",
    ),
)

INDEX = (
    damage("index row missing", "indexed|index", "DELETE FROM segment_terms WHERE segment_id IN {segments}"),
    damage("index empty", "indexed|index", "DELETE FROM segment_terms"),
    damage(
        "index of other words",
        "indexed|index",
        "UPDATE segment_terms SET body = 'wholly other words' WHERE segment_id IN {segments}",
    ),
    damage("full-text table empty", "indexed|index", "INSERT INTO segments_fts (segments_fts) VALUES ('delete-all')"),
    damage(
        "vector of something that is not there",
        "index|vectors",
        "INSERT INTO vectors (segment_id, text_sha256, vector) VALUES (900000, x'00', x'00')",
    ),
    damage(
        "vector of other words",
        "vectors",
        "UPDATE profile SET embedder = 'some:96'",
        "INSERT INTO vectors (segment_id, text_sha256, vector) SELECT id, x'00', x'0102' FROM segments",
    ),
    damage(
        "page of an index that is another's",
        "file|DamagedDatabase",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'messages_by_turn')"
        " WHERE name = 'messages_by_time'",
    ),
)

HANDOFFS = (
    handoff("handoff that invents", "handoffs", "text = replace(text, 'The member said:', 'Frau Holle paid 9,999:')"),
    handoff("handoff that tells a wrong date", "handoffs", "text = replace(text, '16 April', '17 August')"),
    handoff(
        "handoff for messages that are not there",
        "handoffs|windows",
        "first_message_id = 900000, last_message_id = 900009",
    ),
    damage("handoff lost", "rows|handoffs", "DELETE FROM handoffs WHERE id = 2"),
    damage("handoff that names a dead manifest", "manifests", "DELETE FROM manifest WHERE handoff_id = 2"),
    damage("manifest with other hashes", "manifests", "UPDATE manifest SET sha256 = replace(sha256, 'a', 'b')"),
    damage(
        "pinned line that nobody said",
        "handoffs",
        "INSERT INTO pinned_lines (handoff_id, segment_id, text)"
        " SELECT 1, min(id), 'The press costs 9,999 euros.' FROM segments",
    ),
    damage(
        "journal line that nobody said",
        "journal",
        "INSERT INTO journal (day, at, handoff_id, text)"
        " SELECT day, at, 1, '09:00 member: “The press costs 9,999 euros.”' FROM journal WHERE id = 1",
    ),
)

_SAID = "'My passport expires on 3 June 2027, I saw that on the way, and the picture in it is from another life.'"
FORGOTTEN = (
    damage(
        "forgotten words back in their message",
        "forgotten",
        "UPDATE messages SET text = {text}, body = {body} WHERE id = {message}",
        after_forgetting=True,
    ),
    damage(
        "forgotten words back in the ledger",
        "forgotten",
        f"UPDATE facts SET status = 'active', subject = 'passport expiry', value = '3 June 2027', quote = {_SAID},"
        " question = 'When does the passport expire?', patterns = '[\"3 June\"]' WHERE id = {fact}",
        after_forgetting=True,
    ),
    damage(
        "forgotten words back in a handoff",
        "forgotten",
        f"UPDATE handoffs SET text = text || char(10) || {_SAID} WHERE id = 2",
        after_forgetting=True,
    ),
    damage(
        "forgotten words back in the journal",
        "forgotten",
        f"INSERT INTO journal (day, at, handoff_id, text) SELECT day, at, 2, {_SAID} FROM journal WHERE id = 1",
        after_forgetting=True,
    ),
    damage(
        "forgetting that leaves a copy",
        "count as before",
        "CREATE TRIGGER keeps AFTER UPDATE OF text ON messages"
        " BEGIN INSERT INTO journal (day, at, text) VALUES ('2027-04-04', old.at, old.text); END",
        on_the_way=True,
    ),
)

WORK = (
    damage("memory of another space", "space", "UPDATE profile SET space_id = 'somebody'"),
    damage(
        "extraction that never ended",
        "jobs",
        "UPDATE jobs SET state = 'ready', ended_at = NULL WHERE kind = 'extract' AND id = 1",
    ),
    damage(
        "message that was never taken up",
        "inbox",
        "INSERT INTO inbox (source, kind, state, body, received_at)"
        " SELECT 'cli:lost', 'message', 'new', '{{}}', min(at) FROM messages",
    ),
    damage(
        "clock that had run ahead",
        "clock",
        "UPDATE turns SET started_at = '2031-01-01T09:00:00.000000+00:00' WHERE id = 60",
    ),
    damage(
        "index that takes nothing new",
        "found literally|index",
        "CREATE TRIGGER drops AFTER INSERT ON segment_terms"
        " BEGIN DELETE FROM segment_terms WHERE segment_id = new.segment_id; END",
        on_the_way=True,
    ),
    damage(
        "ledger that takes nothing new",
        "extracted",
        "CREATE TRIGGER drops AFTER INSERT ON facts BEGIN DELETE FROM facts WHERE id = new.id; END",
        on_the_way=True,
    ),
)

CATALOGUE: Sequence[Damage] = (*FACTS, *TALK, *INDEX, *HANDOFFS, *FORGOTTEN, *WORK)


def places_in(database: Path) -> dict[str, str]:
    """Return what the marks of the statements stand for in the file of an unharmed memory."""
    with closing(connect(database)) as file:
        fact_id, message_id = file.execute(_TARGET).fetchone()
        (old,) = file.execute(_REPLACED).fetchone()
        held = file.execute("SELECT quote(text), quote(body) FROM messages WHERE id = ?", (message_id,)).fetchone()
    return {
        "fact": f"{fact_id}",
        "message": f"{message_id}",
        "segments": f"(SELECT id FROM segments WHERE message_id = {message_id})",
        "text": held[0],
        "body": held[1],
        "old": f"{old}",
    }


def strike(database: Path, harm: Damage, places: Mapping[str, str]) -> None:
    """Do the damage to a file that nobody has open."""
    with closing(connect(database, isolation_level=None)) as file:
        for statement in harm.statements:
            file.execute(statement.format(**places))
