"""The frozen talk by itself: its shape, its patterns against phrasings, and what holds of its variants."""

from collections import Counter
from dataclasses import replace

import pytest

from bench.variants import BEHIND, SWAPS, variants
from memory.probe import frozen
from memory.probe.cases import is_askable, stated
from tests.memory.probe import found

CASES = {case.ref: case for case in frozen.cases()}

ACCEPTED = {
    "grant-report": (
        "It is due on 23 April.",
        "Grant report deadline: Fri 23 Apr 2027",
        "By the 23rd of April 2027.",
        "You have until April 23rd.",
        "Abgabe am 23.04.2027",
        "On the twenty-third of April.",
    ),
    "passport": (
        "It expires on 3 June 2027.",
        "Passport expiry: Thu 3 Jun 2027",
        "June 3, 2027",
        "Until the 3rd of June.",
        "2027-06-03",
    ),
    "dentist": (
        "13 April at 14:20",
        "Tue 13 Apr 2027 14:20",
        "At 2:20 pm on April 13th.",
        "On the 13th of April, 14.20 sharp.",
        "13.04., 14:20",
    ),
    "workshop-floor": (
        "You decided on oiled ash.",
        "Workshop floor: oiled ash",
        "Ash, oiled.",
        "Ash wood that is oiled, not the smoked oak.",
    ),
    "hallway": (
        "Linden green.",
        "You chose linden-green for it.",
        "Hallway: linden green",
        "a green called linden",
    ),
    "press-price": (
        "At most 7,350 euros.",
        "7350 €",
        "7.350 Euro",
        "seven thousand three hundred and fifty euros",
        "It must not cost more than €7 350.",
    ),
    "penicillin": ("Penicillin.", "You're allergic to penicillin.", "Allergy to penicillin: penicillin", "Penizillin"),
    "okafor": (
        "Never after 19:15.",
        "Not after 7:15 pm, the twins sleep.",
        "After 7.15 p.m.",
        "after a quarter past seven in the evening",
        "19.15",
    ),
    "press-number": ("KD-40718-B", "It is kd-40718-b.", "KD 40718 B", "The plate says KD40718B."),
    "bookkeeper": ("Ilse Brandl", "Your bookkeeper is Ilse Brandl.", "Brandl, Ilse", "Frau Brandl does your books."),
    "water-meter": ("5580-2136", "The number is 5580 2136.", "55802136", "Meter 5580–2136"),
    "birthday": ("14 мая", "У бабушки день рождения 14 мая.", "Fri 14 May 2027", "четырнадцатого мая", "14.05."),
    "home": ("Halle", "You live in Halle now.", "In Halle, since the end of March.", "Home: Halle"),
    "shoes": ("39.5", "Size 39,5", "You wear 39 ½.", "39 and a half"),
}
REJECTED = {
    "grant-report": ("16 April", "on the 19th", "23 March", "April 2, 3 pm", "23 euros in April", "April 2023"),
    "passport": ("13 June 2027", "3 July 2027", "June 30", "June 2027", "23 June"),
    "dentist": ("8 April at 9:40", "13 April at 9:40", "8 April at 14:20", "13 April", "at 14:20", "13 April, 14:25"),
    "workshop-floor": ("smoked oak", "oiled oak", "smoked ash", "oiled beech", "ashes"),
    "hallway": ("sage green", "celadon", "linden blossom", "green", "lime green"),
    "press-price": ("7,530 euros", "17,350 euros", "7,350,000 euros", "735 euros", "7,351 euros", "7,35"),
    "penicillin": ("amoxicillin", "peanuts", "pollen", "pencils"),
    "okafor": ("after 19:50", "after 9:15", "before 7:15 in the morning", "after 20:15", "quarter to seven"),
    "press-number": ("KD-40178-B", "KD-40718-A", "KD-4071", "AKD-40718-B", "40718"),
    "bookkeeper": ("Ilona Brandt", "Ilse Brandt", "Ilona Brandl", "Frau Brandt", "Ilse"),
    "water-meter": ("5580-2163", "5508-2136", "15580-2136", "5580-21367", "5580"),
    "birthday": ("18 мая", "14 марта", "4 мая", "114 мая", "14 июня", "в мае"),
    "home": ("Leipzig", "in the hall", "the hallway", "Hallein", "Chemnitz"),
    "shoes": ("40", "39", "139.5", "35.9", "39 euros 5"),
}


@pytest.mark.parametrize("ref", CASES)
def test_the_patterns_accept_several_phrasings_and_no_near_miss(ref: str) -> None:
    accepted = [text for text in ACCEPTED[ref] if stated(CASES[ref].patterns, text)]
    taken = [text for text in REJECTED[ref] if stated(CASES[ref].patterns, text)]

    assert min(len(ACCEPTED[ref]), len(REJECTED[ref])) >= 4
    assert accepted == list(ACCEPTED[ref])
    assert taken == []


def test_the_talk_has_sixty_turns_in_order_and_fourteen_facts_of_five_kinds() -> None:
    turns = frozen.talk()

    assert len(turns) == 60
    assert [turn.at for turn in turns] == sorted(turn.at for turn in turns)
    assert len(CASES) == 14
    assert len({case.kind for case in CASES.values()}) == 5
    assert sum(case.critical for case in CASES.values()) >= 4
    assert sum(bool(case.former) for case in CASES.values()) == 3


@pytest.mark.parametrize("ref", CASES)
def test_a_fact_is_asked_for_and_said_once_and_its_old_value_before_it(ref: str) -> None:
    case, texts = CASES[ref], [turn.text for turn in frozen.talk()]
    said = [number for number, text in enumerate(texts) if stated(case.patterns, text)]

    assert is_askable(case)
    assert [texts[number].count(case.quote) for number in said] == [1]
    for value, patterns in case.former:
        assert stated(patterns, value)
        assert not stated(patterns, case.value)
        assert not stated(case.patterns, value)
        assert [number < said[0] for number, text in enumerate(texts) if stated(patterns, text)] == [True]


def test_variants_say_the_same_things_with_other_words_in_another_order() -> None:
    told = variants(40, seed=1)

    assert told == variants(40, seed=1)
    assert (told[0].turns, told[0].cases) == (frozen.talk(), frozen.cases())
    for variant in told:
        assert [turn.at for turn in variant.turns] == [turn.at for turn in frozen.talk()]
        assert Counter(turn.episode for turn in variant.turns) == Counter(turn.episode for turn in frozen.talk())
        for case in variant.cases:
            assert [case.quote in turn.text for turn in variant.turns if stated(case.patterns, turn.text)] == [True]
            assert stated(case.patterns, case.value)
            assert is_askable(case)
            assert not any(stated(case.patterns, value) for value, _ in case.former)
        episodes = [turn.episode for turn in variant.turns]
        assert all(episodes.index(earlier) < episodes.index(later) for later, earlier in BEHIND.items())


def test_every_swap_changes_the_talk() -> None:
    text = "\n".join(turn.text for turn in frozen.talk())

    assert [swap for kind in SWAPS for swap in kind if any(word not in text for word in swap.words)] == []


def test_what_no_row_states_was_lost_by_the_extractor_whatever_else_was_found() -> None:
    asked = [replace(CASES["okafor"], message_id=7), replace(CASES["home"], fact_id=3)]
    before = found.run(found.case("okafor", critical=True), found.case("home"))

    entered = frozen.with_unextracted(before, asked).results

    assert [(one.ref, one.verdict, one.layer, one.critical) for one in entered] == [
        ("okafor", "lost", "extracted", True),
        ("home", "pass", "", False),
    ]
    assert entered[1] == before.results[1]
