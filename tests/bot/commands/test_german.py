"""Every command and every button in German: no English is left in what the member reads."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.commands.offered import COMMANDS
from memory.store.mailbox import OutRow
from tests.bot.commands.test_facts import ME, command, press_data
from tests.bot.probing.examinations import ScriptedExamination
from tests.bot.turn.house import TaskModel, change, house
from tests.fakes.model import ScriptedModel, extracts, says

SAID = (
    change("Tierarzt", "Dr. Brandt", "Unser Tierarzt ist Dr. Brandt.", question="Wie heißt unser Tierarzt?"),
    change("Archiv", "Postgres", "Unser Archiv läuft auf Postgres.", question="Worauf läuft unser Archiv?"),
)
TYPED = (
    *("/start", "/help", "/help facts", "/tanz", "/hlep", "/stop", "/export x", "/export"),
    *("/facts", "/facts Tierarzt", "/facts Mond", "/facts f1", "/facts f99", "/facts f1 dance", "/facts f1 pin"),
    *("/facts f1 value Dr. Kern", "/facts f1 question x", "/undo", "/undo f1", "/undo x"),
    *("/facts f2 critical", "/undo f2", "/undo f2", "/keep", "/keep f1", "/drop f1", "/choose", "/choose f1 f2"),
    *("/recall", "/recall Tierarzt", "/recall r1 why", "/recall r9", "/recall m1", "/recall Unterseeboot"),
    *("/recall seit 1. Februar 2027", "/recall 2. März 2027", "/recall 1. Mai 2020", "/recall bis 1. Mai 2020"),
    *("/remember", "/remember Der Spind hat die Nummer 4711."),
    *("/remind", "/remind Unsinn", "/remind morgen 9:00 Zahnarzt", "/remind werktags um 9 Frühstück"),
    *("/remind 99 * * * * Tee", "/remind gestern Tee", "/remind am 31.02. Tee", "/remind um 3 Tee"),
    *("/reminders", "/reminders n1", "/reminders n1 snooze 10 min", "/reminders n1 snooze x", "/reminders n1 edit"),
    *("/reminders n1 edit 18:00 Tee", "/reminders n2 edit um 10", "/reminders n1 undo", "/reminders n9"),
    *("/reminders n1 done", "/reminders n1 dance", "/reminders n2 delete", "/reminders n1"),
    *("/procedures", "/procedures add", "/procedures add Unklar", "/procedures x", "/procedures p9"),
    *("/procedures add Rückblick, wenn ich frage: 1. nenne Fristen 2. frag mich", "/procedures", "/procedures p1"),
    *("/procedures p1 edit Rückblick, wenn ich frage: 1. nenne Fristen 2. warte", "/procedures p1", "/procedures p1 7"),
    *("/keep p1", "/drop p1", "/keepsecret", "/approve", "/approve a9", "/refuse"),
    *("/probe", "/probe f1", "/probe f77", "/probe list", "/probe add x", "/probe add a=b=c", "/probe drop"),
    *("/probe add Wie heißt unser Archiv? = Postgres", "/probe add Wie heißt der Mond? = Luna", "/probe list"),
    *("/probe x", "/probe restore f1", "/probe drop q1"),
    *("/health", "/usage", "/usage x", "/why", "/why t1", "/why t99", "/why x"),
    *("/settings", "/settings zone", "/settings language", "/settings report", "/settings probe", "/settings tone"),
    *("/settings name", "/settings budget", "/settings tools", "/settings dance", "/settings zone Mond"),
    *("/settings probe off", "/settings probe 25:00", "/settings budget viel", "/settings report dance"),
    *("/settings zone europe", "/settings zone Lisbon", "/settings tone " + "x" * 900, "/settings language xx"),
    *("/compact", "/compact x", "/compact h9", "/new", "/new"),
)
"""What is typed, in order; then every button of all these answers is pressed."""
TYPED_AT_LAST = (
    *("/forget", "/forget f99", "/forget Banane", "/forget f2", "/forget everything", "/forget everything falsch"),
)
NAMES = re.compile(r"set:(?:language|zone|name)=")
"""Buttons that say a name, and are not pressed: one of them would end the German."""
ENGLISH = re.compile(
    r"\b(?:the|is|of|and|nothing|to|it|its|with|for|what|are|you|your|this|that|there|shows?|since|until|which|has|have"
    r"|say|reply|message|facts?|reminders?|procedures?|no|not|yet|keep|kept|one|by|or|every|done|then|when|page)\b",
    re.IGNORECASE,
)
NOT_OURS = re.compile(
    r"```.*?```|`[^`]*`|“[^”]*”|„[^“]*“|^>[^\n]*|\]\([^)]*\)|(?<![\w/])/[a-z]+\b", re.DOTALL | re.MULTILINE
)
"""Code, quotations, links and names of commands."""


def english(rows: Sequence[OutRow]) -> Iterator[str]:
    """Yield the texts and buttons in which English words stand."""
    for row in rows:
        labels = [button.text for line in row.message.buttons for button in line if not NAMES.match(button.data)]
        for text in (row.message.text, *labels):
            if ENGLISH.search(NOT_OURS.sub(" ", text)):
                yield text


def test_every_command_is_tried() -> None:
    tried = {typed.split()[0].removeprefix("/") for typed in (*TYPED, *TYPED_AT_LAST)}
    assert {one.name for one in COMMANDS} - tried == set()


async def test_no_command_and_no_button_answers_a_german_member_in_english(tmp_path: Path) -> None:
    reads = ScriptedModel([extracts(one) for one in SAID] + [extracts()])
    model = TaskModel(ScriptedModel([says("Gut.")] * len(SAID)), reads)
    async with house(tmp_path, model=model, examination=ScriptedExamination(()), daily_usd=1.0) as h:
        await command(h, "/settings language de")
        for one in SAID:
            await h.say(str(one["quote"]), author_id=ME)
        for typed in TYPED:
            await command(h, typed)
        buttons = {button.data: row for row in h.screen.rows for line in row.message.buttons for button in line}
        for data, row in buttons.items():
            if not NAMES.match(data):
                await press_data(h, row, data)
        for typed in TYPED_AT_LAST:
            await command(h, typed)
        assert list(dict.fromkeys(english(h.screen.rows))) == []
