"""What a text is indexed under and what a query asks for."""

import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.terms import asks_only, date_terms, fold, is_small_talk, query, terms

SAME_WORDS = [
    ("Зелёная папка", "зеленая папка"),
    ("ΜΆΙΟΣ", "μάιος"),
    ("İstanbul", "istanbul"),
    ("Straße", "STRASSE"),
    ("Müller", "Mueller"),
    ("Málaga", unicodedata.normalize("NFD", "Málaga")),
    ("Ｔｏｋｙｏ", "tokyo"),
    ("zero\u200bwidth", "zerowidth"),
    ("soft\u00adhyphen", "softhyphen"),
    ("\u200fשלום\u200f", "שָׁלוֹם"),
    ("مُحَمَّد", "محمد"),
    ("الموعد", "موعد"),
    ("configuração", "configuracao"),
    ("O'Brien", "OBrien"),
    ("O’Brien", "Brien"),
    ("Caroline's", "Caroline"),
    ("deadlines", "deadline"),
    ("bought", "buying"),
    ("отчёта", "отчёт"),
    ("билеты", "билет"),
    ("папку", "папка"),
    ("कमरों", "कमरे"),
    ("17:30", "5:30 pm"),
    ("17:30", "17 Uhr 30"),
    ("9 am", "9:00"),
    ("1,200", "1200"),
    ("1 200", "1.200"),
    ("+49 (170) 123-4567", "0170 1234567"),
    ("AB-1234-X", "ab1234x"),
    ("12 March 2027", "2027-03-12"),
    ("March 12th", "12. März"),
    ("12.03.2027", "12 марта 2027"),
    ("3/12/2027", "12 mars 2027"),
    ("Freitag", "пятницу"),
    ("١٢", "12"),
    ("2nd", "2"),
    ("10km", "10 km"),
    ("👩‍🚀 launch", "👩🚀"),
]


@pytest.mark.parametrize(("stored", "asked"), [*SAME_WORDS, *((b, a) for a, b in SAME_WORDS)])
def test_two_spellings_of_the_same_thing_share_a_term(stored: str, asked: str) -> None:
    assert set(query(asked).terms) & set(terms(stored))


@pytest.mark.parametrize(("one", "other"), [("мой", "мои"), ("がぎ", "かき"), ("3.5", "5.3"), ("tea", "coffee")])
def test_different_words_share_no_term(one: str, other: str) -> None:
    assert not {term for term in terms(one) if len(term) > 1} & {term for term in terms(other) if len(term) > 1}


@pytest.mark.parametrize(
    "text", ["会议设备清单在东京", "この書類は大阪にある", "회의자료는서울에있다", "เอกสารการประชุมอยู่ที่กรุงเทพ", "ການປະຊຸມ"]
)
def test_every_stretch_of_one_to_four_characters_of_an_unspaced_script_is_indexed(text: str) -> None:
    indexed = set(terms(text))
    for size in range(1, 5):
        for start in range(len(text) - size + 1):
            assert set(query(text[start : start + size]).wanted) <= indexed


def test_question_words_are_left_out_of_a_query_and_kept_in_the_index() -> None:
    assert query("When did the report arrive?").wanted == ("report", "arriv")
    assert "when" in terms("when")


def test_a_query_of_question_words_alone_keeps_them() -> None:
    assert query("who?").wanted == ("who",)


def test_the_other_spellings_of_a_number_are_no_loss_when_absent() -> None:
    asked = query("17:30")
    assert asked.wanted == ("17", "30")
    assert asked.also == ("1730",)


@pytest.mark.parametrize(
    "text", ["", "hi", "Hello!", "Thanks, how are you?", "привет", "Guten Morgen", "你好", "what?", " ?! "]
)
def test_greetings_and_bare_question_words_are_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ["tax", "Where is the key?", "会议", "где паспорт?", "42", "🎉"])
def test_whatever_names_a_thing_is_no_small_talk(text: str) -> None:
    assert not is_small_talk(text)


def test_a_day_has_the_terms_of_each_of_its_spellings() -> None:
    for spelling in ("12 March", "2027-03-12", "Friday", "12.3.2027", "März", "2027"):
        assert set(query(spelling).terms) & set(date_terms(date(2027, 3, 12)))


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(text)
    assert fold(once) == once


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_composed_and_decomposed_text_have_the_same_terms(text: str) -> None:
    assert terms(unicodedata.normalize("NFC", text)) == terms(unicodedata.normalize("NFD", text))


@given(st.text() | st.text(alphabet="ʼ's’`´aя1ö- "))
def test_a_term_holds_no_space_no_quote_and_no_control_character(text: str) -> None:
    for term in (*terms(text), *query(text).terms):
        assert term
        assert not any(unicodedata.category(char) in {"Cc", "Zs", "Zl", "Zp", "Po", "Ps", "Pe"} for char in term)


@given(st.text())
def test_what_a_query_wants_is_what_its_text_is_indexed_under(text: str) -> None:
    assert set(query(text).terms) <= set(terms(text))


@given(
    text=st.lists(
        st.sampled_from(["the", "vet's", "is", "Dr.", "Brandt", "5:30 pm", "12 March", "müller", "?"]), max_size=5
    ),
    known=st.lists(st.sampled_from(["the", "vet", "brandt", "dr", "mueller", "muller", "1730", "md0312"]), max_size=8),
)
def test_a_text_asks_only_what_is_known_when_all_its_terms_are(text: list[str], known: list[str]) -> None:
    words = " ".join(text)

    assert asks_only(words, set(known)) == (set(query(words).terms) <= set(known))
