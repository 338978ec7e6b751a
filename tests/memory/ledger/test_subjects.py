"""Keys of subjects and values: equal for one thing, different for two."""

import pytest

from memory.ledger.subjects import may_replace, normalise_subject, value_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Riga", "lives in  riga."),
        ("3,000 euros", "3000 euros"),
        ("1.234.567", "1234567"),
        ("Fish and Chips", "chips and fish"),
        ("ёлка", "Елка"),
    ],
)
def test_wordings_of_one_value_share_a_key(one: str, other: str) -> None:
    assert value_key(one) == value_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10.0.1.2", "10.0.2.1"),
        ("84,35", "35,84"),
        ("3 to 17", "17 to 3"),
        ("30 €", "30 $"),
        ("vegan", "not vegan"),
        ("1.5", "15"),
        ("-5 °", "5 °"),
        ("Postgres 16", "Postgres"),
        ("A-1", "A-2"),
        ("in", "on"),
    ],
)
def test_two_values_never_share_a_key(one: str, other: str) -> None:
    assert value_key(one) != value_key(other)


@pytest.mark.parametrize(
    ("old", "new", "may"),
    [
        ("tax report deadline", "report due date", True),
        ("vet", "animal doctor", True),
        ("Anna's birthday", "birthday of Anna", True),
        ("Anna's birthday", "Anne's birthday", False),
        ("invoice 1042", "invoice 1043", False),
        ("Anna", "Anne", False),
        ("Büro Berlin Adresse", "Büro München Adresse", False),
    ],
)
def test_a_twin_is_no_replacement(old: str, new: str, may: bool) -> None:
    assert may_replace(old, new) is may


@pytest.mark.parametrize("subject", ["the", "…", "", "my"])
def test_a_subject_of_nothing_but_small_words_keeps_them(subject: str) -> None:
    assert normalise_subject(subject) == subject.strip("…")
