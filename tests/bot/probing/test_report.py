"""What a member reads of a night: one line when it was well, all they need when it was not."""

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.probing.amiss import CANARY_STEPS, LOST, REMEDIES, Amiss, layer_words
from bot.probing.report import MOST_ITEMS, NOTHING_YET, Findings, report, unexamined
from memory.catalogue import speaking
from memory.findings import Canary, CaseResult, Finding, JudgeCheck, Run, Step
from memory.probe.canary import ANSWERED, STEPS
from memory.store.probe_alarms import Alarm, AlarmKind
from tests.bot.probing.examinations import PRINT, WELL, known, lost

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2027, 3, 2, 2, 30, tzinfo=UTC)


def run(*results: CaseResult, **more: Any) -> Run:
    values: dict[str, Any] = {"canary": WELL, "has_model_arms": True, "usd": 0.018, **more}
    return Run(space_id="7", started_at=NOW, ended_at=NOW, results=results, fingerprint=PRINT, **values)


def alarm(number: int, ref: str, kind: AlarmKind = "lost", layer: str = "indexed") -> Alarm:
    return Alarm(number, ref, kind, layer, NOW, None, None)


def amiss(number: int, layer: str = "indexed", kind: AlarmKind = "lost", *, message_id: int | None = 12) -> Amiss:
    said = f"The rent of flat {number} is 850 euros."
    return Amiss(alarm(number, f"f{number}", kind, layer), f"rent {number}", said if message_id else "", message_id)


def test_a_healthy_night_is_one_silent_line() -> None:
    told = report(Findings(run(*(known(f"f{n}") for n in range(1, 42))), ok=True), ZONE)
    assert told.answer.text == "Memory 41/41 · sources 41/41 · canary ok · integrity ok · 1.8 ¢"
    assert (told.mood, told.is_news, told.answer.buttons) == ("quiet", False, ())


@pytest.mark.parametrize(
    ("more", "part"),
    [
        ({"canary": None}, "canary unknown"),
        ({"canary": Canary(is_well=None, steps=())}, "canary unknown"),
        ({"canary": Canary(is_well=False, steps=(Step(name="found", is_well=False),))}, "canary failed"),
        ({"has_integrity": False}, "integrity unknown"),
        ({"integrity": (Finding(about="index", count=2, words="rows too many"),)}, "integrity 1 found"),
        ({"has_model_arms": False}, "model rests"),
        ({"usd": None}, "cost unknown"),
    ],
)
def test_the_line_says_what_was_not_examined(more: dict[str, Any], part: str) -> None:
    assert part in report(Findings(run(known("f1"), **more), ok=True), ZONE).answer.text.split(" · ")


@pytest.mark.parametrize(
    ("more", "growth", "words"),
    [
        ({"stopped": "budget"}, None, "I could not examine all of it: the money for it was spent"),
        ({"judge": JudgeCheck(is_reliable=False)}, None, "The model that compares answers failed its own test"),
        ({}, (900, 1240), "grown to 1,240 tokens (900 before)"),
    ],
)
def test_a_well_night_says_in_a_line_what_a_member_should_know_besides(
    more: dict[str, Any], growth: tuple[int, int] | None, words: str
) -> None:
    told = report(Findings(run(known("f1"), **more), ok=True, growth=growth), ZONE)
    line, remark = told.answer.text.split("\n\n")
    assert line.startswith("Memory 1/1 ")
    assert words in remark
    assert (told.mood, told.is_news) == ("quiet", False)


def test_what_is_not_known_counts_neither_way() -> None:
    results = (known("f1"), known("f2", verdict="unknown", source=None), known("f3", verdict="unaskable"))
    text = report(Findings(run(*results, stopped="model"), ok=None), ZONE).answer.text
    assert text.startswith("Memory 1/1 · 1 unknown · sources 2/2")
    assert "the model gave no answers; nothing is called lost by that" in text


def test_an_empty_memory_is_well_and_says_so() -> None:
    told = report(Findings(run(), ok=True), ZONE)
    assert (told.answer.text, told.mood) == (NOTHING_YET, "quiet")


def test_a_regression_is_loud_and_says_what_where_since_when_and_what_to_do() -> None:
    found = Findings(
        run(lost("f1", "indexed", 12)),
        ok=False,
        news=[amiss(1)],
        changes=("the model (a → b)", "the summarise prompt"),
        healthy_on=date(2027, 3, 1),
    )
    told = report(found, ZONE)
    assert told.mood == "loud"
    assert told.answer.text == (
        "⚠️ **I examined my memory and found something amiss.**\n\n"
        "Memory 0/1 · sources 1/1 · canary ok · integrity ok · 1.8 ¢\n\n"
        "**rent 1** · f1 · since 2 Mar\nYou said (m12):\n> The rent of flat 1 is 850 euros.\n\n"
        "The message is there, but my search index has lost it. I can make the index anew.\n\n"
        "What has changed since the last healthy night (1 Mar): the model (a → b); the summarise prompt."
    )
    labels = [[button.text for button in row] for row in told.answer.buttons]
    assert labels == [["Restore from source", "Show source", "Dismiss"], ["Run again"]]
    assert told.answer.shows == ("m12",)


def test_a_healthy_night_is_told_in_the_language_that_is_spoken() -> None:
    with speaking("de"):
        told = report(Findings(run(*(known(f"f{n}") for n in range(1, 42))), ok=True), ZONE)
    assert told.answer.text == "Gedächtnis 41/41 · Quellen 41/41 · Probefakt ok · Dateien ok · 1.8 ¢"


def test_an_alarm_is_told_in_the_language_that_is_spoken_and_quotes_what_was_said() -> None:
    broken = Amiss(alarm(2, "facts", "integrity", "facts have a value that nobody said; messages cannot be read: 3, 5"))
    canary = Amiss(alarm(3, "canary", "canary", "found literally"))
    results = run(lost("f1", "indexed", 12))
    found = Findings(results, ok=False, news=[amiss(1), broken, canary], healthy_on=date(2027, 3, 1), missed=2)
    with speaking("de"):
        told, canary_words = report(found, ZONE), layer_words(canary.alarm)
    assert told.mood == "loud"
    assert told.answer.text == (
        "⚠️ **Ich habe mein Gedächtnis geprüft, und 3 Dinge stimmen nicht.**\n\n"
        "Davor vergingen 2 Nächte ohne Prüfung; diese holt sie nach.\n\n"
        "Gedächtnis 0/1 · Quellen 1/1 · Probefakt ok · Dateien ok · 1.8 ¢\n\n"
        "**1** · **rent 1** · f1 · seit 2. März\nDu hast gesagt (m12):\n> The rent of flat 1 is 850 euros.\n\n"
        "Die Nachricht ist da, aber mein Suchverzeichnis hat sie verloren. "
        "Ich kann das Suchverzeichnis neu anlegen.\n\n"
        "**2** · seit 2. März\n"
        "In meinen Dateien stimmt etwas nicht (facts): Fakten haben einen Wert, den niemand gesagt hat; "
        "Nachrichten sind nicht lesbar: 3, 5. Der Betreiber kann nachsehen: `remembrancer doctor --deep`.\n\n"
        "**3** · seit 2. März\n"
        f"{canary_words} Deine eigenen Fakten werden davon getrennt geprüft, verloren sein "
        "muss also keiner; sag es dem Betreiber.\n\n"
        "Am Programm, seinem Modell und seinen Einstellungen hat sich seit der letzten guten Nacht (1. März) nichts "
        "geändert."
    )
    labels = [[button.text for button in row] for row in told.answer.buttons]
    assert labels[0] == ["Zurückholen 1", "Quelle 1", "Verwerfen 1"]
    assert labels[-1] == ["Noch einmal prüfen"]
    assert told.answer.buttons[0][0].typed == "/probe restore f1"


def test_of_many_only_the_first_are_told_each_with_its_own_buttons() -> None:
    news = [amiss(n) for n in range(1, 9)]
    told = report(Findings(run(*(lost(f"f{n}", "indexed") for n in range(1, 9))), ok=False, news=news), ZONE).answer
    assert "and 3 more: /probe" in told.text
    assert len(told.buttons) == MOST_ITEMS + 1
    data = [button.data for row in told.buttons for button in row]
    assert len(set(data)) == len(data)
    assert all(button.typed for row in told.buttons for button in row)


def test_what_has_no_source_offers_none() -> None:
    told = report(Findings(run(), ok=False, news=[amiss(1, "stored", message_id=None)]), ZONE).answer
    assert [button.text for button in told.buttons[0]] == ["Dismiss"]
    assert "ask the operator for a backup" in told.text


def test_what_was_told_before_is_a_word_in_the_line_and_silent() -> None:
    told = report(Findings(run(lost("f1", "read")), ok=False, still=[alarm(1, "f1", layer="read")]), ZONE)
    assert told.mood == "quiet"
    assert told.answer.text.endswith("still lost: 1 (since 2 Mar)")
    assert told.answer.buttons == ()


def test_what_is_well_again_is_told_quietly() -> None:
    told = report(Findings(run(known("f1")), ok=True, recovered=[amiss(1)]), ZONE)
    assert (told.mood, told.is_news) == ("quiet", True)
    assert told.answer.text.endswith("✓ Well again: rent 1 (f1).")


def test_what_cannot_be_examined_is_no_alarm() -> None:
    told = report(Findings(run(known("f1", verdict="unaskable")), ok=True, news=[amiss(1, "", "unaskable")]), ZONE)
    assert told.mood == "quiet"
    assert "Nothing is lost by that; `/facts f1 question …` gives a better one." in told.answer.text


def test_missed_nights_are_counted() -> None:
    assert "Before this, 6 nights passed" in report(Findings(run(known("f1")), ok=True, missed=6), ZONE).answer.text


def test_a_night_that_came_to_nothing_calls_nothing_lost_and_three_of_them_are_an_alarm() -> None:
    one = unexamined("the examination broke off three times", nights=1, since=date(2027, 3, 1))
    assert one.mood == "quiet"
    assert one.answer.text.endswith("the examination broke off three times; nothing is called lost.")
    three = unexamined("the examination did not run", nights=3, since=date(2027, 3, 1))
    assert (three.mood, three.is_news) == ("loud", True)
    assert "not been examined for 3 nights" in three.answer.text
    assert "the last that ended was on 1 Mar" in three.answer.text


def test_every_layer_has_a_sentence_without_a_word_of_the_trade() -> None:
    assert LOST.keys() == REMEDIES.keys()
    for layer in LOST:
        words = layer_words(alarm(1, "f1", layer=layer)).casefold()
        assert not any(jargon in words for jargon in ("segment", "prompt", "token", "ledger", "fts", "rank"))


def test_a_members_words_show_as_they_are_whatever_signs_stand_in_them() -> None:
    one = Amiss(alarm(1, "f1"), "code_word", "It is *not* `x_y` [here](http://a.b)", 3)
    text = report(Findings(run(), ok=False, news=[one]), ZONE).answer.text
    assert "> It is \\*not\\* \\`x_y\\` \\[here" in text


def test_each_step_of_the_canary_that_fails_is_told_in_words_and_not_by_its_name() -> None:
    assert set(CANARY_STEPS) == set(STEPS)
    answered = layer_words(alarm(1, "canary", "canary", ANSWERED))
    assert answered.endswith("That went wrong: asked about it, I did not answer with it.")
