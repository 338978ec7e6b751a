"""What a member reads of procedures: the list, the card of one version, and the buttons under them.

Pure. What a procedure says is always shown whole and letter for letter: nothing in it may look like less than it is.
"""

from collections.abc import Iterator, Sequence
from zoneinfo import ZoneInfo

from bot.commands.menus import day, page_of, turning
from bot.quoting import block, literal
from bot.turn.answer import Answer
from bot.turn.told import proposal_row
from memory.catalogue import N_, _, ngettext
from memory.store.entries import Button
from memory.store.procedures import Procedure, Version

A_PAGE = 8
A_ROW = 4
SHOWN_VERSIONS = 4
"""So many earlier versions have a button, the newest of them."""

EXAMPLE = N_(
    "Weekly review\nTrigger: when I ask for the weekly review\n1. List the deadlines of the next two weeks\n"
    "2. Ask me what was decided"
)
ADD_HOW = N_(
    "Teach me how you want something done: a name, when you want it, and the steps, a line each. Reply to this message "
    "with it, or send `/procedures add` and the text. For example:\n{example}\nIn one line: `/procedures add "
    "Weekly review, when I ask for the weekly review: 1. list the deadlines 2. ask me what was decided`"
)
NO_PROCEDURES = N_("I know no procedures yet.")
EDIT_HOW = N_("Reply to this message with **{ref}** as it is to be, whole:")


def add_how() -> str:
    """Return how a procedure is taught."""
    return _(ADD_HOW).format(example=block(_(EXAMPLE)))


def page(procedures: Sequence[Procedure], number: int, zone: ZoneInfo) -> Answer:
    """Return a page of procedures, of which there is at least one. Beyond the last page comes the last."""
    last = -(-len(procedures) // A_PAGE)
    at = min(max(number, 1), last)
    shown = procedures[(at - 1) * A_PAGE : at * A_PAGE]
    lines = "\n".join(_list_line(one, zone) for one in shown)
    count = ngettext("{count} procedure", "{count} procedures", len(procedures)).format(count=len(procedures))
    where = f"{count} · {page_of(at, last)}" if last > 1 else count
    cards = [Button(text=one.ref, data=f"proc:{one.id}") for one in shown]
    rows = [tuple(cards[start : start + A_ROW]) for start in range(0, len(cards), A_ROW)]
    turns = turning(at, last, lambda number: (f"procs:{number}", f"/procedures {number}"))
    how = _("`/procedures {ref}` shows one, `/procedures add` teaches one").format(ref=shown[0].ref)
    text = f"{lines}\n\n{where} · {how}"
    return Answer(text, (*rows, *turns), shows=tuple(one.ref for one in shown))


def card(procedure: Procedure, version: Version, zone: ZoneInfo) -> Answer:
    """Return one version of a procedure, with the buttons that fit its state."""
    lines = [" · ".join(_about(procedure, version, zone)), block(version.says.text)]
    rows: list[tuple[Button, ...]] = [proposal_row(version)] if version.status == "pending" else []
    if version.status == "active":
        rows.append(
            (
                Button(text=_("Edit"), data=f"pedit:{procedure.id}", typed=f"/procedures {procedure.ref} edit …"),
                Button(text=_("Forget"), data=f"pforget:{procedure.id}", typed=f"/forget {procedure.ref}"),
            )
        )
    others = [one for one in procedure.versions if one.number != version.number][-SHOWN_VERSIONS:]
    if others:
        rows.append(tuple(_version_button(one) for one in others))
    buttons = (*rows, (Button(text=_("‹ All procedures"), data="procs:1"),))
    return Answer("\n".join(lines), buttons, shows=(procedure.ref,))


def edit_question(version: Version) -> Answer:
    """Return the message whose reply is the new version."""
    text = f"{_(EDIT_HOW).format(ref=version.ref)}\n{block(version.says.text)}"
    return Answer(text, awaits=f"pedit:{version.procedure_id}", shows=(version.ref,))


def forget_question(procedure: Procedure) -> Answer:
    """Return the confirmation that says what would go."""
    count = len(procedure.versions)
    text = ngettext(
        "Forget **{name}** ({ref}) for good, with its one version, from every layer?",
        "Forget **{name}** ({ref}) for good, with all its {count} versions, from every layer?",
        count,
    ).format(name=literal(procedure.shown.says.name), ref=procedure.ref, count=count)
    forget = Button(text=_("Forget for good"), data=f"pforget!:{procedure.id}", typed=f"/forget {procedure.ref}")
    return Answer(text, ((forget, Button(text=_("Keep it"), data=f"proc:{procedure.id}")),), shows=(procedure.ref,))


def _list_line(procedure: Procedure, zone: ZoneInfo) -> str:
    version = procedure.shown
    parts = [f"**{procedure.ref}** {literal(version.says.name)}", literal(version.says.trigger)]
    parts += [] if version.status == "active" else [_("waits for your Keep")]
    parts += [_("version {number}").format(number=version.number)] if version.number > 1 else []
    parts += [_("last used {day}").format(day=day(procedure.used_at, zone))] if procedure.used_at else []
    return f"• {' · '.join(parts)}"


def _about(procedure: Procedure, version: Version, zone: ZoneInfo) -> Iterator[str]:
    yield f"**{procedure.ref}**"
    state = "" if version.status == "active" else f" ({_(_STATES[version.status])})"
    yield _("version {number}").format(number=version.number) + state
    yield _from_whom(version).format(name=version.by, day=day(version.at, zone))
    if procedure.used_at and version.status == "active":
        yield _("last used {day}").format(day=day(procedure.used_at, zone))


_STATES = {"pending": N_("not confirmed"), "superseded": N_("no longer so")}


def _from_whom(version: Version) -> str:
    if version.turn_id is None:
        return _("taught by {name}, {day}") if version.by else _("taught by you, {day}")
    if version.status == "pending":
        return _("suggested by me, {day}")
    return _("suggested by me, kept by {name}, {day}") if version.by else _("suggested by me, kept by you, {day}")


def _version_button(version: Version) -> Button:
    return Button(
        text=_("Version {number}").format(number=version.number),
        data=f"proc:{version.procedure_id}:{version.number}",
        typed=f"/procedures {version.ref} {version.number}",
    )
