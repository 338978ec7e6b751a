"""What a summary may say of its window."""

import pytest

from memory.compaction.claims import Source, claims, unsupported

WINDOW = """We fly to Lisbon on 12 March at 17:30 with Ana Brandt, the tickets cost 1,250.50 euros.
The form is at https://example.org/forms/a7 and the office wants it by 2027-04-01.
Please set a reminder for the visit at the dentist."""


def against(summary: str, by_model: str = "") -> list[str]:
    return unsupported(summary, Source(WINDOW), said_by_model=by_model)


@pytest.mark.parametrize(
    "summary",
    [
        "The member talked about tickets to Lisbon on 12 March with Ana Brandt.",
        "The tickets cost 1250.50 euros and the office wanted the form by 1 of 04, 2027.",
        "The form was at https://example.org/forms/a7.",
        "The member asked for a reminder about the dentist.",
    ],
)
def test_what_stands_in_the_window_passes(summary: str) -> None:
    assert against(summary) == []


@pytest.mark.parametrize(
    ("summary", "named"),
    [
        ("The tickets to Lisbon cost 1,260 euros.", "1,260"),
        ("The tickets were for 13 March with Ana.", "13 March"),
        ("The tickets were for 12 April with Ana.", "12 April"),
        ("The member talked with Boris about tickets.", "Boris"),
        ("The form was at https://example.org/forms/a8.", "https://example.org/forms/a8"),
        ("The member asked to delete old notes.", "The member asked to delete old notes."),
        ("A reminder for the dentist was set.", "set"),
        ("The member asked it to wipe the old disk.", "The member asked it to wipe the old disk."),
        ("Anna is ill and sad.", "Anna is ill and sad."),
    ],
)
def test_what_does_not_stand_there_is_named(summary: str, named: str) -> None:
    assert named in against(summary)


def test_a_deed_passes_when_the_assistant_said_so() -> None:
    assert against("A reminder for the dentist was set.", by_model="I have set the reminder.") == []


def test_a_word_that_only_contains_a_deed_is_none() -> None:
    assert "set" in against("A reminder for the dentist was set.", by_model="The sunset was fine.")


def test_german_nouns_are_not_taken_for_names() -> None:
    text = (
        "Die Oma hat im Keller drei Gläser Marmelade, einen Korb Äpfel, zwei Flaschen Saft und einen Sack Kartoffeln."
    )

    assert [claim.text for claim in claims(text) if claim.kind == "name"] == []


def test_claims_do_not_overlap() -> None:
    found = [
        (claim.kind, claim.text) for claim in claims("On 12 March 2027 at 17:30 call Ana at ana@example.org, room 4b.")
    ]

    assert found == [
        ("date", "12 March 2027"),
        ("number", "17:30"),
        ("name", "Ana"),
        ("address", "ana@example.org"),
        ("number", "4"),
    ]
