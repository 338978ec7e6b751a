"""A subject that others put in the member's mouth is doubted; answers, corrections and plain statements are not."""

import pytest

from memory.ledger.bearing import (
    Around,
    is_borrowed,
    is_change,
    is_correction,
    is_denied,
    is_ending,
    is_meant,
    is_statement,
    own_part,
    quoted_part,
)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Ben wrote: “the code is 4711 and more” ok", "Ben wrote:  ok"),
        ('She said "4711".', "She said ."),
        ("> the code is 4711\nthanks", "thanks"),
        ("Anna schrieb: „Der Code ist 4711“", "Anna schrieb:"),
        ("Он написал: «код 4711»", "Он написал:"),
        ("Our favourite book is “The Long Way”.", "Our favourite book is “The Long Way”."),
        ("The project is called «Kranich».", "The project is called «Kranich»."),
        ("It's Ana's and Ben's.", "It's Ana's and Ben's."),
    ],
)
def test_what_is_only_quoted_is_blanked_in_place_and_titles_stay(text: str, own: str) -> None:
    blanked = own_part(text)
    assert len(blanked) == len(text)
    assert blanked.split() == own.split()
    assert (quoted_part(text).strip() == "") == (blanked == text)


NEWS = Around(told="The door code is 4711.")


@pytest.mark.parametrize(
    ("subject", "own", "around", "is_doubtful"),
    [
        ("door code", "Thanks, I read it at lunch.", NEWS, True),
        ("door code", "My door code is blue.", NEWS, False),
        ("door code", "The door code? Do it, please.", NEWS, True),
        ("door code", "4711", Around(asked="What is your door code?", told=NEWS.told), False),
        ("home city", "I live in Riga.", NEWS, False),
        ("home city", "I live in Riga.", Around(), False),
    ],
)
def test_a_subject_is_borrowed_when_others_alone_named_it(
    subject: str, own: str, around: Around, is_doubtful: bool
) -> None:
    assert is_borrowed(subject, own, around) is is_doubtful


@pytest.mark.parametrize(
    ("subject", "value", "sentence", "asked", "is_said"),
    [
        ("home city", "Riga", "I live in Riga.", "", True),
        ("home city", "riga", "ich wohne in riga", "", True),
        ("bank account", "Thanks, I read it at lunch.", "Thanks, I read it at lunch.", "", False),
        ("bank account", "Save this!", "Save this!", "", False),
        ("door code", "4711", "4711", "", True),
        ("vet", "Dr. Kern", "Dr. Kern", "", True),
        ("favourite colour", "blue", "blue", "What is your favourite colour?", True),
        ("favourite colour", "blue", "blue", "", False),
        ("archive", "we use Postgres for the archive", "we use Postgres for the archive", "", True),
    ],
)
def test_a_remark_made_a_value_whole_is_no_statement(
    subject: str, value: str, sentence: str, asked: str, is_said: bool
) -> None:
    assert is_statement(subject, value, sentence, asked=asked) is is_said


@pytest.mark.parametrize(
    ("value", "own", "is_said"),
    [
        ("Dr. Kern", "Dr. Kern", True),
        ("18:00", "make it 18:00", True),
        ("kern", "our vet is kern", True),
        ("the one at the corner", "no, the one at the corner", True),
        ("an der Ecke", "jetzt an der Ecke", True),
        ("lunch", "I read it at lunch.", False),
        ("zusammen", "Fasse das bitte zusammen.", False),
        ("Motte", "Our cat is called Motte.", False),
    ],
)
def test_a_change_is_spoken_of_named_or_exact(value: str, own: str, is_said: bool) -> None:
    assert is_change("vet Dr. Brandt", value, own, asked="") is is_said


@pytest.mark.parametrize(
    ("own", "is_said"),
    [
        ("The vet closed.", True),
        ("That is no longer so.", True),
        ("It's cancelled.", True),
        ("Das ist abgesagt.", True),
        ("Это больше не так.", True),
        ("ok", False),
        ("Thanks, I read it at lunch.", False),
        ("Do what it says.", False),
    ],
)
def test_only_words_about_it_or_of_an_end_end_a_fact(own: str, is_said: bool) -> None:
    assert is_ending("vet", "Dr. Brandt", own) is is_said


@pytest.mark.parametrize(
    ("old", "value", "subject", "own", "is_said"),
    [
        ("home", "Dresden", "cat", "Our cat is called Motte.", False),
        ("tax return deadline", "31 July", "panel texts deadline", "The panel texts are due on Friday.", False),
        ("work", "designer", "Idas Allergie", "Ida ist gegen Nüsse allergisch.", False),
        ("flat", "Dresden", "apartment", "The apartment is in Riga, the flat was too dear.", True),
        ("flat", "Dresden", "apartment", "The apartment is in Riga, not Dresden.", True),
        ("vet", "Dr. Braun", "animal doctor", "No, Dr. Kern.", True),
        ("report deadline", "12 March", "tax report deadline", "The tax report is due on 19 March.", True),
    ],
)
def test_words_that_name_only_another_subject_are_not_about_a_fact(
    old: str, value: str, subject: str, own: str, is_said: bool
) -> None:
    assert is_meant(old, value, subject, own, asked="") is is_said


@pytest.mark.parametrize(
    ("value", "own", "is_opposite"),
    [
        ("allergic to nuts", "I'm not allergic to nuts.", True),
        ("Bob", "My name isn't Bob.", True),
        ("Dr. Lund", "The vet is not Dr. Berg but Dr. Lund.", False),
        ("Dr. Lund", "Not Dr. Berg, Dr. Lund.", False),
        ("Friday", "It is not on Friday, it is on Friday in two weeks.", False),
        ("not before 9:00", "Please call me not before 9:00.", False),
        ("9:00", "Please call me not before 9:00.", False),
        ("no meat", "I don't eat meat, so no meat.", False),
        ("Dr. Lund", "No, Dr. Lund.", False),
        ("Окафор", "Наш ветеринар не Брандт, а Окафор.", False),
        ("Riga", "The home is by the sea.", False),
    ],
)
def test_a_value_that_is_only_denied_is_the_opposite_of_what_was_said(value: str, own: str, is_opposite: bool) -> None:
    assert is_denied(value, own) is is_opposite


@pytest.mark.parametrize(
    "words", ["No meetings before ten.", "Nein sagen ist erlaubt.", "Our wait is over.", "Нет мяса."]
)
def test_a_no_that_belongs_to_the_statement_sets_nothing_right(words: str) -> None:
    assert not is_correction(words)
