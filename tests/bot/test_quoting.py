"""What a person wrote is shown letter for letter, whatever signs of Markdown stand in it."""

from hypothesis import given
from hypothesis import strategies as st

from bot.quoting import block, literal, quotation, unescaped
from bot.telegram.markdown import to_entities

SIGNS = st.text(alphabet=st.sampled_from(list("ab1é会 \\`*_{}[]()<>#+-.!|~$&^:=\"'/%@;,")), min_size=1, max_size=40)
LINES = st.lists(SIGNS.map(str.strip).filter(bool), min_size=1, max_size=4)


@given(LINES)
def test_a_quotation_shows_exactly_the_words(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert to_entities(quotation(text))[0].strip("\n") == text


@given(LINES, st.sampled_from(["archive", "会议", "x1"]))
def test_bold_words_change_nothing_else(lines: list[str], word: str) -> None:
    text = "\n".join([*lines, f"the {word}, now"])
    at = text.rindex(word)
    shown, entities = to_entities(quotation(text, [(at, at + len(word))]))
    assert shown.strip("\n") == text
    bold = [entity for entity in entities if entity["type"] == "bold"]
    assert [shown[one["offset"] : one["offset"] + one["length"]] for one in bold] == [word]


@given(SIGNS.map(str.strip).filter(bool), SIGNS)
def test_words_inside_a_line_show_exactly(text: str, beside: str) -> None:
    assert to_entities(f"• {literal(text)}")[0].strip("\n") == f"• {text}"


@given(SIGNS.filter(lambda text: "`" not in text))
def test_the_source_of_a_literal_text_reads_as_the_text(text: str) -> None:
    """For pipes, which show Markdown as it is written. What looks like code keeps its signs."""
    assert unescaped(literal(text)) == text


def test_code_keeps_its_backslashes() -> None:
    assert unescaped(r"`\d\*` and 12\*34") == r"`\d\*` and 12*34"


@given(st.lists(SIGNS, min_size=1, max_size=5))
def test_a_block_shows_every_letter(lines: list[str]) -> None:
    text = "\n".join([*lines, "end"])
    shown, entities = to_entities(f"before\n{block(text)}")
    assert shown == f"before\n{text}"
    assert [entity["type"] for entity in entities] == ["pre"]


def test_plain_words_are_readable_as_source_too() -> None:
    text = "Der Code ist foo_bar, 3 * 4 = 12 (sagt Ana) – siehe https://example.org/a_b?c=d"
    assert quotation(text) == f"> {text.replace('*', chr(92) + '*')}"
