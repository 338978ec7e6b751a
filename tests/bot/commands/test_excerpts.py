"""The part of a text that answers a question, with the words that match, in every script."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.excerpts import EXCERPT_CHARS, excerpt, matched

LONG = "The rain went on and on. " * 30


def marked(text: str, question: str) -> list[str]:
    found = excerpt(text, question)
    return [found.text[start:stop] for start, stop in found.matches]


@pytest.mark.parametrize(
    ("text", "question", "words"),
    [
        ("We use Postgres for the archives.", "archive database", ["archives"]),
        ("Der Schlüssel liegt unterm Topf.", "wo liegt der SCHLUSSEL?", ["Schlüssel", "liegt"]),
        ("Паспорт лежит в ящике.", "где лежит паспорт", ["Паспорт", "лежит"]),
        ("明天上午十点的会议改到三号楼。", "会议", ["会议"]),
        ("It is due on 12 March at 17:30.", "what is due in march?", ["due", "March"]),
        ("Anna's key", "anna", ["Anna's"]),
        ("nothing here", "submarine", []),
    ],
)
def test_the_words_of_the_question_are_marked_in_their_own_spelling(text: str, question: str, words: list[str]) -> None:
    assert marked(text, question) == words


def test_a_short_text_is_whole_and_a_long_one_shows_the_best_sentence() -> None:
    assert excerpt("The key is here.", "key").is_whole
    found = excerpt(f"{LONG}The blue kayak lies behind the boathouse. {LONG}", "where is the blue kayak?")
    assert not found.is_whole
    assert "The blue kayak lies behind the boathouse." in found.text
    assert found.text.startswith("…")
    assert found.text.endswith("…")
    assert marked(found.text, "blue kayak") == ["blue", "kayak"]


def test_of_a_sentence_too_long_to_show_the_matching_part_is_shown() -> None:
    found = excerpt(f"{'and then ' * 200}the kayak {'and so on ' * 200}", "kayak")
    assert "the kayak" in found.text
    assert len(found.text) <= EXCERPT_CHARS + 2


def test_of_a_sentence_too_long_to_show_the_part_with_most_of_the_question_is_shown() -> None:
    found = excerpt(f"Note 41 says {'and then ' * 50}the code for door 41 is Q8{' and so on' * 50}", "code for door 41")
    assert "the code for door 41 is Q8" in found.text


@given(st.text(max_size=900), st.text(max_size=60))
def test_an_excerpt_is_a_stretch_of_the_text_within_the_limit(text: str, question: str) -> None:
    found = excerpt(text, question)
    whole = "\n".join(line.strip() for line in text.strip().splitlines() if line.strip())
    assert found.text.removeprefix("…").removesuffix("…") in whole or found.text in whole
    assert len(found.text) <= EXCERPT_CHARS + 2
    assert found.is_whole == (found.text == whole)
    edges = [found.text[at] for start, stop in found.matches for at in (start, stop - 1)]
    assert not any(unicodedata.category(char)[0] in "PSZ" for char in edges)


def test_why_names_the_words_that_are_there_and_those_that_are_not() -> None:
    words = matched("What's the archive's database in March?", "The archives, said in 2027-03")
    assert words.found == ("archive's",)
    assert words.missing == ("database", "March")
