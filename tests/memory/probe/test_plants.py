"""Canaries: plausible sentences, no two alike, each with a detail that stands in it and not in its question."""

from random import Random

import pytest

from memory.probe.plants import TEMPLATES, Plant, Template, draw, fill


def drawn(seed: int) -> Plant:
    return draw(Random(seed))


def test_no_two_nights_of_a_year_are_alike() -> None:
    sentences = [drawn(seed).sentence for seed in range(365)]

    assert len(set(sentences)) == 365


def test_the_details_of_a_year_are_nearly_all_different() -> None:
    assert len({drawn(seed).detail for seed in range(365)}) > 340


def test_the_same_night_draws_the_same_canary() -> None:
    assert drawn(7) == drawn(7)


def test_every_template_is_drawn_in_a_year() -> None:
    starts = {template.sentence.partition("{")[0] for template in TEMPLATES}

    assert all(any(drawn(seed).sentence.startswith(start) for seed in range(365)) for start in starts)


def test_there_are_templates_enough_in_three_languages() -> None:
    sentences = [template.sentence for template in TEMPLATES]
    russian = [one for one in sentences if any("а" <= char <= "я" for char in one.lower())]
    german = [one for one in sentences if one.split()[0] in {"Unser", "Meine", "Die"}]

    assert len(set(sentences)) == len(sentences)
    assert len(german) >= 3
    assert len(russian) >= 3
    assert len(sentences) - len(german) - len(russian) >= 24


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.sentence)
def test_a_question_names_its_subject_and_not_its_answer(template: Template) -> None:
    plant = fill(template, Random(1))

    assert plant.sentence.count(plant.detail) == 1
    assert plant.detail not in plant.question
    assert plant.question.endswith("?")
    assert "{" not in plant.sentence + plant.question
    assert set(plant.names) <= {*plant.names, plant.detail}
    assert all(name in plant.sentence for name in plant.names)
