"""What an answer asserts: a value that is denied, asked for or named as former is not stated."""

from functools import partial

import pytest

from memory.probe.assertions import admits_ignorance, asserted, states_as_current
from memory.probe.cases import stated
from tests.memory.probe.scripted import case_of

CODE, FOUR = case_of("1234"), case_of("16:00")


@pytest.mark.parametrize(
    "text",
    [
        "It is 1234.",
        "The code? 1234.",
        "It used to be 9999, now it's 1234.",
        "It was changed from 9999 to 1234.",
        "Not 9999 but 1234.",
        "It isn't 9999 any more: 1234.",
        "Früher 9999, jetzt 1234.",
        "Nicht 9999, sondern 1234.",
        "Раньше было 9999, теперь 1234.",
        "Don't worry, the code is 1234.",
        "You never changed it: 1234",
        "It must not exceed 1234.",
        "Es darf nicht mehr als 1234 sein.",
        'From earlier (2 March): "The code is 1234."',
        "Dr. Moll said it is 1234.",
    ],
)
def test_a_value_that_is_said_to_hold_is_stated(text: str) -> None:
    assert "1234" in asserted(text)


@pytest.mark.parametrize(
    "text",
    [
        "It is not 1234.",
        "It isn't 1234.",
        "I don't know whether it is 1234.",
        "I can't say whether it is 1234 or 9999.",
        "It's no longer 1234.",
        "It used to be 1234, now it is 9999.",
        "It was changed from 1234 to 9999.",
        "9999 instead of 1234.",
        "Is it 1234?",
        "Es ist nicht 1234.",
        "Früher 1234, jetzt 9999.",
        "9999 statt 1234.",
        "Ich weiß nicht, ob es 1234 ist.",
        "Это не 1234.",
        "Раньше было 1234, теперь 9999.",
        "Ce n'est pas 1234.",
        "No es 1234.",
        "It is neither 1234 nor 9999.",
    ],
)
def test_a_value_that_is_denied_asked_for_or_former_is_not(text: str) -> None:
    assert "1234" not in asserted(text)


def test_what_is_asserted_is_left_as_it_is() -> None:
    text = "Dr. Brandt, on 12. March at 17:30: 3,000 euros — done.\nAnd  more."

    assert asserted(text) == text


@pytest.mark.parametrize(
    ("value", "quote", "answer", "is_stated"),
    [
        ("mushrooms", "I don't eat mushrooms", "You don't eat mushrooms.", True),
        ("9:00", "Never call before 9:00", "Never call before 9:00", True),
        ("fish", "I eat fish", "You don't eat fish.", False),
    ],
)
def test_what_was_said_with_a_denial_may_be_answered_with_one(
    value: str, quote: str, answer: str, is_stated: bool
) -> None:
    states = partial(stated, (value,))

    assert states_as_current(states, answer, own=(quote, value)) is is_stated


@pytest.mark.parametrize(
    "answer",
    [
        "I don't have that. Nothing you told me, as far as I can see, answers it.",
        "I don't know.",
        "I do not have any record of a lighthouse.",
        "There's no mention of it in what you told me.",
        "You haven't told me about a harpsichord yet.",
        "I couldn't find anything about that.",
        "That isn't recorded. Would you like to tell me?",
        "That was forgotten.",
        "I'm not sure, you never told me.",
        "It's not in my memory.",
        "I have no information about this.",
        "Das weiß ich nicht.",
        "Dazu habe ich nichts gespeichert.",
        "Ich habe dazu keine Informationen.",
        "Das hast du mir noch nicht gesagt.",
        "Этого я не знаю.",
        "К сожалению, у меня нет такой информации.",
        "Вы мне об этом не говорили.",
        "Je ne sais pas.",
        "Je n'ai aucune information à ce sujet.",
        "No lo sé.",
        "No tengo esa información.",
        "Non lo so.",
        "Não sei.",
        "我不知道。",
        "You asked me to forget that, so I no longer have it.",
        "The name has been erased from my memory.",
        "Davon weiß ich leider nichts.",
        "Об этом мне ничего не известно.",
        "I don't have that recorded. The nearest I have: Kitchen budget: 4,000 euros.",
    ],
)
def test_saying_that_one_does_not_know_is_an_admission(answer: str) -> None:
    assert admits_ignorance(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "It is 1234.",
        "Nothing on top of 64,000 euros.",
        "Sie kostet nichts.",
        "The keeper is called Anna.",
        "Das ist Herr Voss.",
        "Его зовут Клякса.",
        "There are 84 steps.",
        "I don't know, but I'd guess it is 84.",
        "You never told me, probably 84 though.",
        "Das weiß ich nicht, ich schätze 84.",
        "",
        "%%% upstream connect error %%%",
    ],
)
def test_an_answer_or_a_guess_is_none(answer: str) -> None:
    assert not admits_ignorance(answer)
