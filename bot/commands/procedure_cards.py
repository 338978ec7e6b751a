"""What a member reads of procedures: the list, the card of one version, and the buttons under them.

Pure. What a procedure says is always shown whole and letter for letter: nothing in it may look like less than it is.
"""

from collections.abc import Iterator, Sequence
from zoneinfo import ZoneInfo

from bot.commands.menus import day, turning
from bot.quoting import block, literal
from bot.turn.answer import Answer
from bot.turn.told import proposal_row
from memory.store.mailbox import Button
from memory.store.procedures import Procedure, Version

A_PAGE = 8
A_ROW = 4
SHOWN_VERSIONS = 4
"""So many earlier versions have a button, the newest of them."""

EXAMPLE = (
    "Weekly review\nTrigger: when I ask for the weekly review\n1. List the deadlines of the next two weeks\n"
    "2. Ask me what was decided"
)
ADD_HOW = (
    "Teach me how you want something done: a name, when you want it, and the steps, a line each. Reply to this message "
    f"with it, or send `/procedures add` and the text. For example:\n{block(EXAMPLE)}\nIn one line: `/procedures add "
    "Weekly review, when I ask for the weekly review: 1. list the deadlines 2. ask me what was decided`"
)
NO_PROCEDURES = f"I know no procedures yet. {ADD_HOW}"
EDIT_HOW = "Reply to this message with **{ref}** as it is to be, whole:"


def page(procedures: Sequence[Procedure], number: int, zone: ZoneInfo) -> Answer:
    """Return a page of procedures, of which there is at least one. Beyond the last page comes the last."""
    last = -(-len(procedures) // A_PAGE)
    at = min(max(number, 1), last)
    shown = procedures[(at - 1) * A_PAGE : at * A_PAGE]
    lines = "\n".join(_list_line(one, zone) for one in shown)
    count = f"{len(procedures)} {'procedure' if len(procedures) == 1 else 'procedures'}"
    where = f"{count} · page {at} of {last}" if last > 1 else count
    cards = [Button(text=one.ref, data=f"proc:{one.id}") for one in shown]
    rows = [tuple(cards[start : start + A_ROW]) for start in range(0, len(cards), A_ROW)]
    turns = turning(at, last, lambda number: (f"procs:{number}", f"/procedures {number}"))
    text = f"{lines}\n\n{where} · `/procedures {shown[0].ref}` shows one, `/procedures add` teaches one"
    return Answer(text, (*rows, *turns), shows=tuple(one.ref for one in shown))


def card(procedure: Procedure, version: Version, zone: ZoneInfo) -> Answer:
    """Return one version of a procedure, with the buttons that fit its state."""
    lines = [" · ".join(_about(procedure, version, zone)), block(version.says.text)]
    rows: list[tuple[Button, ...]] = [proposal_row(version)] if version.status == "pending" else []
    if version.status == "active":
        rows.append(
            (
                Button(text="Edit", data=f"pedit:{procedure.id}", typed=f"/procedures {procedure.ref} edit …"),
                Button(text="Forget", data=f"pforget:{procedure.id}", typed=f"/forget {procedure.ref}"),
            )
        )
    others = [one for one in procedure.versions if one.number != version.number][-SHOWN_VERSIONS:]
    if others:
        rows.append(tuple(_version_button(one) for one in others))
    buttons = (*rows, (Button(text="‹ All procedures", data="procs:1"),))
    return Answer("\n".join(lines), buttons, shows=(procedure.ref,))


def edit_question(version: Version) -> Answer:
    """Return the message whose reply is the new version."""
    text = f"{EDIT_HOW.format(ref=version.ref)}\n{block(version.says.text)}"
    return Answer(text, awaits=f"pedit:{version.procedure_id}", shows=(version.ref,))


def forget_question(procedure: Procedure) -> Answer:
    """Return the confirmation that says what would go."""
    count = len(procedure.versions)
    what = "with its one version" if count == 1 else f"with all its {count} versions"
    forget = Button(text="Forget for good", data=f"pforget!:{procedure.id}", typed=f"/forget {procedure.ref}")
    text = f"Forget **{literal(procedure.shown.says.name)}** ({procedure.ref}) for good, {what}, from every layer?"
    return Answer(text, ((forget, Button(text="Keep it", data=f"proc:{procedure.id}")),), shows=(procedure.ref,))


def _list_line(procedure: Procedure, zone: ZoneInfo) -> str:
    version = procedure.shown
    parts = [f"**{procedure.ref}** {literal(version.says.name)}", literal(version.says.trigger)]
    parts += [] if version.status == "active" else ["waits for your Keep"]
    parts += [f"version {version.number}"] if version.number > 1 else []
    parts += [f"last used {day(procedure.used_at, zone)}"] if procedure.used_at else []
    return f"• {' · '.join(parts)}"


def _about(procedure: Procedure, version: Version, zone: ZoneInfo) -> Iterator[str]:
    yield f"**{procedure.ref}**"
    yield f"version {version.number}" + ("" if version.status == "active" else f" ({_STATES[version.status]})")
    how = "suggested by me" if version.turn_id is not None else "taught"
    kept = f", kept by {version.by or 'you'}" if version.turn_id is not None and version.status != "pending" else ""
    by = f" by {version.by or 'you'}" if version.turn_id is None else kept
    yield f"{how}{by}, {day(version.at, zone)}"
    if procedure.used_at and version.status == "active":
        yield f"last used {day(procedure.used_at, zone)}"


_STATES = {"pending": "not confirmed", "superseded": "no longer so"}


def _version_button(version: Version) -> Button:
    return Button(
        text=f"Version {version.number}",
        data=f"proc:{version.procedure_id}:{version.number}",
        typed=f"/procedures {version.ref} {version.number}",
    )
