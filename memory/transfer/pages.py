"""The pages of an export: the same as the JSON beside them, for people. Pure; in the language that is spoken now."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from memory.catalogue import N_, _
from memory.ledger.facts import Fact
from memory.store.database import from_utc_text
from memory.transfer.ledger import Json
from memory.transfer.shapes import ExportedMessage

README = N_(
    "# What I remember\n\n"
    "Everything of the memory `{space}`, as it was on {made_at}. Nothing in it is encrypted.\n\n"
    "To read: `facts.md`, `reminders.md`, `procedures.md`, the conversation by month in `talk/`, the diary in "
    "`journal/`, your files in `files/`, what you sent in `media/`.\n\n"
    "For programs: `facts.json` (every fact with its history, its source and the pattern it is asked by), "
    "`messages.jsonl` (a message a line: `at`, `role`, `name`, `text`, `ref`), `reminders.json`, `procedures.json`, "
    "`handoffs.json` (what stood for older talk in the prompt), `media.json`, `settings.json`, `probes.json` (what the "
    "nightly examinations found).\n\n"
    "To take it in again: `remembrancer import FILE --space NAME`. Messages, facts, reminders, procedures and files "
    "come back, each once, however often it is done; media, diary, settings, handoffs and examinations stay in this "
    "file. What "
    "you have had forgotten is not in here, and what you have forgotten since does not come back from here.\n"
)
NO_MEDIA = N_("Media are left out, because with them the file would be too large to send.")
PRIVATE = "🔒"


def readme(space_id: str, made_at: datetime, zone: ZoneInfo, *, has_media: bool) -> str:
    """Return the page that explains the others."""
    text = _(README).format(space=space_id, made_at=f"{made_at.astimezone(zone):%Y-%m-%d %H:%M} ({zone.key})")
    return text if has_media else f"{text}\n{_(NO_MEDIA)}\n"


def facts_page(facts: Sequence[Fact], zone: ZoneInfo) -> str:
    """Return what holds, what waits, and what held before."""
    parts = (
        (_("What holds"), [fact for fact in facts if fact.status == "active"]),
        (_("What waits for your yes"), [fact for fact in facts if fact.status == "pending"]),
        (_("What held before"), [fact for fact in facts if fact.status in ("superseded", "retracted")]),
    )
    lines = ["# " + _("Facts")]
    for title, some in parts:
        if some:
            lines += ["", f"## {title}", "", *(_fact_line(fact, zone) for fact in some)]
    return "\n".join(lines) + "\n"


def _fact_line(fact: Fact, zone: ZoneInfo) -> str:
    value = f"{fact.value} {PRIVATE}" if fact.private else fact.value
    until = f" – {fact.until.astimezone(zone):%Y-%m-%d}" if fact.until else ""
    since = f"{fact.since.astimezone(zone):%Y-%m-%d}{until}"
    return f"- **{fact.about}**: {_flat(value)}  \n  “{_flat(fact.quote)}” ({fact.ref}, {since})"


def reminders_page(reminders: Sequence[Json], zone: ZoneInfo) -> str:
    """Return the reminders, those that wait first, by their times."""
    lines = ["# " + _("Reminders"), ""]
    for one in sorted(reminders, key=lambda one: (one["next_at"] is None, one["next_at"] or one["created_at"])):
        at = f"{from_utc_text(one['next_at']).astimezone(zone):%Y-%m-%d %H:%M}" if one["next_at"] else "✓"
        lines.append(f"- {at} {_flat(one['text'])} ({one['id']}{', ↻' if one['repeats'] else ''})")
    return "\n".join(lines) + "\n"


def procedures_page(procedures: Sequence[Json]) -> str:
    """Return what each procedure says now."""
    lines = ["# " + _("Procedures")]
    for one in procedures:
        version = next((v for v in one["versions"] if v["status"] == "active"), one["versions"][-1])
        lines += ["", f"## {_flat(version['name'])} ({one['id']})", "", _flat(version["trigger"]), ""]
        lines += [f"{number}. {_flat(step)}" for number, step in enumerate(version["steps"], start=1)]
    return "\n".join(lines) + "\n"


def talk_pages(messages: Sequence[ExportedMessage], zone: ZoneInfo) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each month's page, later versions of a message alone and no pages of documents."""
    gone = {message.replaces for message in messages}
    last = {message.replaces: message.id for message in messages if message.replaces}
    said = [m for m in messages if m.origin != "document"]
    shown = [m for m in said if m.id not in gone and (m.replaces is None or last[m.replaces] == m.id)]
    shown.sort(key=lambda message: message.at)
    for month, of_month in groupby(shown, key=lambda message: f"{message.at.astimezone(zone):%Y-%m}"):
        lines = [f"# {month}"]
        for day, of_day in groupby(of_month, key=lambda message: f"{message.at.astimezone(zone):%Y-%m-%d}"):
            lines += ["", f"## {day}"]
            lines += [line for message in of_day for line in ("", *_said(message, zone))]
        yield f"talk/{month}.md", "\n".join(lines) + "\n"


def _said(message: ExportedMessage, zone: ZoneInfo) -> Iterator[str]:
    who = message.name or (_("You") if message.role == "user" else "Remembrancer")
    passed_on = " " + _("(passed on)") if message.origin else ""
    yield f"**{message.at.astimezone(zone):%H:%M} {_flat(who)}**{passed_on}:"
    yield from (f"> {line}" for line in message.text.splitlines())


def _flat(text: str) -> str:
    return " ".join(text.split())
