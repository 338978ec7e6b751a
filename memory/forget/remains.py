"""Where something forgotten still stands, layer by layer, and what each row becomes without it. Reads only.

A turn that holds it keeps its texts alone (and its media), masked: calls, results, thoughts and signatures go together,
so that what is left can be replayed. Every function returns the changes of one layer; a second look finds none.
"""

import json
import re
from collections.abc import Iterable, Sequence, Set
from typing import Any

from memory.catalogue import N_, in_all_languages
from memory.forget.approvals import approval_changes
from memory.forget.change import Change, Layer
from memory.forget.documents import document_changes, without_bytes
from memory.forget.lineage import NEAR_IMPORTED, Lineage, listed
from memory.forget.masking import MASK, Spellings
from memory.forget.reminders import reminder_changes
from memory.messages import MediaPart, Message, Part, ResultPart, TextPart, parts_to_json
from memory.space import Space
from memory.store.database import Row

PREFIX_CHARS = 10
RECEIPT = N_("Forgotten: ")
"""How the line begins that says what went; it names ids and nothing else."""


async def remains(space: Space, covered: Lineage) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """Return every change that takes it out of the rows, and the hashes of the files that nothing names after."""
    rewritten = await _rewritten_messages(space, covered)
    documents = await document_changes(space, rewritten, covered.documents)
    rewritten = await without_bytes(space, rewritten, documents)
    stale = await _stale_hashes(space, [message.id for message, new in rewritten if new.text != message.text])
    reminders = await reminder_changes(space, covered)
    approvals = await approval_changes(space, covered)
    touched = {
        *(f"m{message.id}" for message, _ in rewritten),
        *(f"m{number}" for number in covered.sources),
        *(f"p{number}" for number in covered.procedures),
        *(f"n{change.id}" for change in reminders),
        *(f"a{change.id}" for change in approvals if change.table == "approvals"),
    }
    changes = (
        *(_rewrite(message, new) for message, new in rewritten),
        *await _handoff_changes(space, covered, stale),
        *await _pinned_changes(space, covered),
        *await _journal_changes(space, covered),
        *await _block_changes(space, covered),
        *await _inbox_changes(space, covered),
        *await _outbox_changes(space, covered, touched),
        *await _procedure_changes(space, covered),
        *reminders,
        *approvals,
        *documents,
        *await _question_changes(space, covered),
        *_setting_changes(space, covered),
    )
    return changes, await _lost_media(space, rewritten)


async def _rewritten_messages(space: Space, covered: Lineage) -> list[tuple[Message, Message]]:
    """Return the messages that change, each with what it becomes: those that hold it, and the rest of their turns."""
    ids = await _candidates(space, covered)
    turns: dict[int, list[Message]] = {}
    alone: list[Message] = []
    for message in await space.sessions.messages(ids):
        if message.turn_id is None:
            alone.append(message)
        else:
            turns.setdefault(message.turn_id, []).append(message)
    groups = [*turns.values(), *([message] for message in alone)]
    touched = [group for group in groups if any(_holds(message, covered) for message in group)]
    pairs = [(message, _becomes(message, covered)) for group in touched for message in group]
    return [(message, new) for message, new in pairs if new != message]


async def _candidates(space: Space, covered: Lineage) -> list[int]:
    rows = await space.db.fetch_all(
        # Each branch by an index: one condition with OR would look at every message.
        "SELECT id FROM messages WHERE id IN (SELECT value FROM json_each(?1))"
        " UNION SELECT id FROM messages WHERE turn_id IN (SELECT value FROM json_each(?2)"
        " UNION SELECT turn_id FROM messages WHERE origin IN ('quote', 'document'))"
        " UNION SELECT id FROM messages WHERE origin = 'document'"
        " UNION SELECT m.id FROM json_each(?1) s CROSS JOIN messages m ON m.id > s.value AND m.id <= s.value + ?3"
        " WHERE +m.turn_id IS NULL AND m.role <> 'user'",
        (listed(covered.sources), listed(covered.turns | covered.derived_turns), NEAR_IMPORTED),
    )
    return [row["id"] for row in rows]


def _spellings(message: Message, covered: Lineage) -> Spellings | None:
    """Return what is looked for in a message; None where the words are a member's own mention."""
    if message.id in covered.sources or (message.role != "user" and message.turn_id in covered.turns):
        return covered.wording.close
    if message.role != "user" and message.turn_id is None:
        return covered.wording.close
    is_own = message.role == "user" and message.origin != "document"
    return covered.wording.wide if not is_own or message.turn_id in covered.turns else None


def _holds(message: Message, covered: Lineage) -> bool:
    if message.id in covered.erased or message.id in covered.stretches:
        return True
    spellings = _spellings(message, covered)
    if spellings is None:
        return False
    others = [p.model_dump(mode="json", exclude_none=True) for p in message.parts if not isinstance(p, TextPart)]
    return spellings.mask(message.text) != message.text or spellings.mask_tree(others) != others


def _becomes(message: Message, covered: Lineage) -> Message:
    """Return a message as text alone (and media), masked."""
    if message.id in covered.erased:
        words = (TextPart(text=MASK),) if message.text else ()
        return message.model_copy(update={"parts": words, **_author(message, None)})
    text = message.text
    if message.id in covered.stretches:
        start, stop = covered.stretches[message.id]
        text = text[:start] + MASK + text[stop:]
    spellings = _spellings(message, covered)
    text = spellings.mask(text) if spellings else text
    media = tuple(
        part.model_copy(update={"signature": None, "extra": {}, "name": _named(part, message, covered)})
        for part in message.parts
        if isinstance(part, MediaPart) and not (message.id in covered.sources and _says_it(part))
    )
    parts: tuple[Part, ...] = (*((TextPart(text=text),) if text else ()), *media)
    author = spellings.mask(message.author) if spellings and message.author else message.author
    return message.model_copy(update={"parts": parts, **_author(message, author)})


def _author(message: Message, author: str | None) -> dict[str, str | None]:
    """Return whose words it is: a page of a document bears the name of its file, a forward that of a stranger."""
    return {"author": author} if message.origin in ("document", "forward") else {}


def _says_it(part: MediaPart) -> bool:
    return part.is_heard or part.mime_type.startswith("audio/")


def _named(part: MediaPart, message: Message, covered: Lineage) -> str | None:
    """Return a file's name without the words: the source's files lose theirs."""
    is_source = message.id in covered.sources
    return None if is_source or part.name is None else covered.wording.wide.mask(part.name)


def _rewrite(message: Message, new: Message) -> Change:
    assert message.id is not None
    changed = {"text": new.text, "body": parts_to_json(new.parts), **_author(message, new.author)}
    return Change("messages", "messages", message.id, changed)


async def _stale_hashes(space: Space, message_ids: Iterable[int | None]) -> list[str]:
    """Return the beginnings of the hashes that forgotten words had."""
    rows = await space.db.fetch_all(
        "SELECT sha256 FROM segments WHERE message_id IN (SELECT value FROM json_each(?))", (listed(message_ids),)
    )
    return [row["sha256"][:PREFIX_CHARS] for row in rows]


async def _handoff_changes(space: Space, covered: Lineage, stale: Sequence[str]) -> list[Change]:
    changes: list[Change] = []
    for row in await space.db.fetch_all("SELECT id, text FROM handoffs"):
        text = _derived(row["text"], covered, is_covering=row["id"] in covered.handoffs)
        for prefix in stale:
            text = text.replace(prefix, MASK)
        changes += _if_new("handoffs", "handoffs", row, text)
    return changes


async def _pinned_changes(space: Space, covered: Lineage) -> list[Change]:
    rows = await space.db.fetch_all(
        "SELECT p.id, p.text, s.message_id FROM pinned_lines p JOIN segments s ON s.id = p.segment_id"
    )
    return [
        change
        for row in rows
        for change in _if_new(
            "pinned lines",
            "pinned_lines",
            row,
            MASK
            if row["message_id"] in covered.erased
            else _derived(row["text"], covered, is_covering=row["message_id"] in covered.sources),
        )
    ]


async def _journal_changes(space: Space, covered: Lineage) -> list[Change]:
    rows = await space.db.fetch_all("SELECT id, text, handoff_id FROM journal")
    return [
        change
        for row in rows
        for change in _if_new(
            "journal",
            "journal",
            row,
            _derived(row["text"], covered, is_covering=row["handoff_id"] in covered.handoffs),
        )
    ]


async def _block_changes(space: Space, covered: Lineage) -> list[Change]:
    rows = await space.db.fetch_all("SELECT id, block AS text FROM turns WHERE block IS NOT NULL")
    return [
        change
        for row in rows
        for change in _if_new("prompt", "turns", row, covered.wording.close.mask(row["text"]), column="block")
    ]


async def _inbox_changes(space: Space, covered: Lineage) -> list[Change]:
    """Mask waiting entries where they are a source or quote one; a later statement of the member's own stands.

    What was given up is masked wherever it holds the words, whatever its form: nobody will read it as a statement.
    """
    rows = await space.db.fetch_all(
        "SELECT i.id, i.body AS text, i.state, m.id AS message_id, json_valid(i.body) AS is_json"
        " FROM inbox i LEFT JOIN messages m ON m.source = i.source WHERE i.body IS NOT NULL"
    )
    wide = covered.wording.wide
    changes = []
    for row in rows:
        if not row["is_json"]:
            text = wide.mask(row["text"])
        elif row["state"] == "dead":
            text = wide.mask_json(row["text"])
        elif row["message_id"] in covered.sources:
            text = covered.wording.close.mask_json(row["text"])
        else:
            entry = json.loads(row["text"])
            quote = wide.mask(entry.get("quote") or "")
            same = quote == (entry.get("quote") or "")
            text = row["text"] if same else json.dumps({**entry, "quote": quote}, ensure_ascii=False)
        changes += _if_new("inbox", "inbox", row, text, column="body")
    return changes


async def _procedure_changes(space: Space, covered: Lineage) -> list[Change]:
    """Mask what stands in procedures: a member taught them on purpose, and still nothing of it may come back."""
    rows = await space.db.fetch_all(
        "SELECT id, name, trigger, steps FROM procedure_versions WHERE procedure_id NOT IN"
        " (SELECT value FROM json_each(?))",
        (listed(covered.procedures),),
    )
    wide = covered.wording.wide
    changes = []
    for row in rows:
        new = {"name": wide.mask(row["name"]), "trigger": wide.mask(row["trigger"])}
        new["steps"] = wide.mask_json(row["steps"])
        if any(new[column] != row[column] for column in new):
            changes.append(Change("procedures", "procedure_versions", row["id"], new))
    return changes


async def _question_changes(space: Space, covered: Lineage) -> list[Change]:
    """Delete the questions of the probe that ask for it: with a mask in it, none could be asked."""
    wide = covered.wording.wide
    return [
        Change("questions", "probe_questions", one.id, {})
        for one in await space.probes.questions.all()
        if one.fact_id in covered.facts
        or any(wide.mask(text) != text for text in (one.question, one.answer, *one.patterns))
    ]


def _setting_changes(space: Space, covered: Lineage) -> list[Change]:
    """Unset what the assistant is called and how it is to speak, where that says it."""
    held = space.preferences
    texts = {"tone": held.tone, "assistant_name": held.assistant_name}
    gone = {name: None for name, text in texts.items() if text and covered.wording.wide.mask(text) != text}
    return [Change("settings", "profile", 1, gone)] if gone else []


async def _outbox_changes(space: Space, covered: Lineage, touched: Set[str]) -> list[Change]:
    """Mask what was sent or waits; `touched` are the ids of what loses words: parts of it that were shown go too."""
    jobs = await space.db.fetch_all(
        "SELECT id FROM jobs WHERE json_extract(payload, '$.message') IN (SELECT value FROM json_each(?))",
        (listed(covered.sources),),
    )
    receipts = tuple(f"job:{row['id']}:" for row in jobs)
    shown = _shown_refs(covered)
    changes = []
    for row in await space.db.fetch_all(
        "SELECT id, key, turn_id, body AS text, json_valid(body) AS is_json FROM outbox"
    ):
        if not row["is_json"]:
            changes += _if_new("outbox", "outbox", row, covered.wording.wide.mask(row["text"]), column="body")
            continue
        is_close = row["turn_id"] in covered.turns or row["key"].startswith(receipts)
        spellings = covered.wording.close if is_close else covered.wording.wide
        body = json.loads(row["text"])
        worded = {key: body[key] for key in ("text", "entities", "buttons", "document", "whole") if key in body}
        new = {**body, **spellings.mask_tree(worded)}
        if not row["key"].startswith("turn:"):
            new = _without_refs(new, shown)
        if touched & set(body.get("shows", ())) and body["text"] != MASK:
            # It shows parts of them, with marks between: no spelling need stand there whole.
            new = {**new, "text": MASK, "buttons": [], "whole": None}
        if new != body:
            # The entities' offsets are those of the old text.
            text = json.dumps({**new, "entities": []}, ensure_ascii=False)
            changes += _if_new("outbox", "outbox", row, text, column="body")
    return changes


def _shown_refs(covered: Lineage) -> re.Pattern[str]:
    """Return what finds the ids under which the program may have shown it: of facts, and of messages that go whole."""
    refs = [*(f"f{number}" for number in covered.facts), *(f"m{number}" for number in covered.erased)]
    refs += [f"p{number}" for number in covered.procedures]
    return re.compile(rf"(?<!\w)(?:{'|'.join(refs)})(?!\w)" if refs else r"(?!)")


def _without_refs(body: dict[str, Any], shown: re.Pattern[str]) -> dict[str, Any]:
    """Return a message of the program's own without the lines that name one of the ids, and such buttons' labels.

    What such a line says need not be a spelling of anything: a subject, a value of two letters.
    """
    receipts = tuple(in_all_languages(RECEIPT))
    lines = [
        MASK if shown.search(line) and not line.startswith(receipts) else line for line in body["text"].split("\n")
    ]
    buttons = [
        [{**button, "text": MASK} if shown.search(_ref_of(button["data"])) else button for button in row]
        for row in body.get("buttons", [])
    ]
    return {**body, "text": "\n".join(lines), **({"buttons": buttons} if "buttons" in body else {})}


def _ref_of(data: str) -> str:
    """Return the fact that a button is about: `fact:12` means f12."""
    number = data.partition(":")[2].partition(":")[0]
    return f"f{number}" if number.isdecimal() else ""


def _derived(text: str, covered: Lineage, *, is_covering: bool) -> str:
    return covered.wording.strike(text) if is_covering else covered.wording.wide.mask(text)


def _if_new(layer: Layer, table: str, row: Row, text: str, *, column: str = "text") -> list[Change]:
    return [] if text == row["text"] else [Change(layer, table, row["id"], {column: text})]


async def _lost_media(space: Space, rewritten: Sequence[tuple[Message, Message]]) -> tuple[str, ...]:
    """Return the files that no message refers to any more."""
    dropped = {sha for message, new in rewritten for sha in _files(message) - _files(new)}
    ids = listed(message.id for message, _ in rewritten)
    gone = []
    for sha in sorted(dropped):
        elsewhere = await space.db.fetch_one(
            "SELECT 1 FROM messages WHERE id NOT IN (SELECT value FROM json_each(?)) AND instr(body, ?) LIMIT 1",
            (ids, sha),
        )
        kept = any(sha in _files(new) for _, new in rewritten)
        if elsewhere is None and not kept:
            gone.append(sha)
    return tuple(gone)


def _files(message: Message) -> set[str]:
    media = {part.sha256 for part in message.parts if isinstance(part, MediaPart)}
    return media | {part.whole for part in message.parts if isinstance(part, ResultPart) and part.whole}
