"""Stems: English as published, other languages by lighter rules."""

import sqlite3

import pytest

from memory.recall.stems import stem

WORDS = """
caresses ponies ties caress cats feed agreed plastered bled motoring singing conflated troubled sized hopping tanned
falling hissing fizzed failing filing happy sky relational conditional rational digitizer conformably radically
vilely analogously vietnamization predication operator feudalism decisiveness hopefulness callousness formality
sensitivity sensibility triplicate formative formalize electricity electrical hopeful goodness revival allowance
inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption homologous
communism activate angularity effective bowdlerize probate rate cease controlling roll yellow syzygy toy boying
psychology incredibly generously painting paintings painted deadlines reports offices cities studied studying
running argued meetings queue
"""


def test_english_stems_are_those_of_sqlite_porter() -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE words USING fts5 (word, tokenize = 'porter unicode61')")
    database.execute("CREATE VIRTUAL TABLE stems USING fts5vocab (words, 'instance')")
    words = dict(enumerate(WORDS.split()))
    database.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", words.items())
    published = {words[row]: term for term, row in database.execute("SELECT term, doc FROM stems")}
    database.close()
    assert {word: stem(word) for word in words.values()} == published


@pytest.mark.parametrize(
    "forms",
    [
        "go went gone going goes",
        "buy bought buys",
        "child children",
        "паспорт паспорта паспорту паспортом паспорте паспорты паспортов",
        "квартира квартиру квартире квартиры квартирой",
        "купил купила купили купить",
        "зеленая зеленую зеленый зеленого",
        "срок срока сроки сроков",
        "лекарство лекарства лекарством",
        "работает работают работал работа",
    ],
)
def test_inflections_of_a_word_share_a_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("word", ["a", "is", "дом", "ab1234", "三", "ال", "की"])
def test_a_short_or_foreign_word_is_never_emptied(word: str) -> None:
    assert stem(word)
