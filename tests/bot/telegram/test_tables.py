"""A table too wide for a phone is told row by row; nothing of it is lost."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.telegram.render import render
from bot.telegram.tables import MAX_COLUMNS, stacked

PRICES = """| Name | What it is for | Per month |
|:-----|:--------------:|----------:|
| **Standard** | small households, `a\\|b` | 12 € |
| [Plus](https://example.org/plus) | larger ones with a garden | |
"""


def shown(markdown: str) -> str:
    (piece,) = render(markdown)
    return piece.text


def kinds(markdown: str) -> list[str]:
    (piece,) = render(markdown)
    return [entity["type"] for entity in piece.entities]


def test_a_narrow_table_stays_a_grid() -> None:
    table = "| Day | Sun |\n|---|--:|\n| Mon | 7 h |\n| Tue | 11 h |\n"
    assert kinds(table) == ["pre"]
    assert max(map(len, shown(table).splitlines())) <= MAX_COLUMNS


def test_a_wide_table_is_a_paragraph_a_row_with_its_markup() -> None:
    assert shown(PRICES) == (
        "Name: Standard\nWhat it is for: small households, a|b\nPer month: 12 €\n\n"
        "Name: Plus\nWhat it is for: larger ones with a garden\nPer month: –"
    )
    assert kinds(PRICES) == ["bold", "bold", "bold", "code", "bold", "bold", "text_link", "bold", "bold"]


def test_a_table_of_many_columns_is_told_too() -> None:
    columns = [f"c{number}" for number in range(12)]
    table = f"|{'|'.join(columns)}|\n|{'-|' * 12}\n|{'|'.join('1' * 12)}|\n"
    assert shown(table) == "\n".join(f"{name}: 1" for name in columns)


def test_signs_of_double_width_count_twice_and_throw_no_grid_out_of_line() -> None:
    table = "| 品名 | 値段 |\n|---|---|\n| りんご | 100 |\n"
    assert shown(table) == "品名: りんご\n値段: 100"
    assert kinds("| Task | Done |\n|---|---|\n| milk | ✅ |\n") == ["pre"]
    assert kinds(f"| Task | Done |\n|---|---|\n| milk | {'好' * 14} |\n") == ["bold", "bold"]


@pytest.mark.parametrize("prefix", ["> ", "  ", "> > "])
def test_a_table_stays_in_the_quotation_or_list_it_stands_in(prefix: str) -> None:
    table = "".join(f"{prefix}{line}\n" for line in PRICES.splitlines())
    before = "- item\n\n" if prefix == "  " else ""
    lines = stacked(before + table).removeprefix(before).splitlines()
    assert all(line.startswith(prefix) for line in lines)
    assert [line.removeprefix(prefix) for line in lines if line.strip("> ")] == [
        line for line in stacked(PRICES).splitlines() if line
    ]


def test_names_that_are_empty_or_marked_and_cells_too_many_are_kept() -> None:
    table = f"| | **Price:** |\n|---|---|\n| {'small ' * 6}| 1 | 2 |\n"
    assert shown(table) == f"• {'small ' * 6}".rstrip() + "\nPrice: 1 | 2"


def test_a_table_of_names_alone_shows_them() -> None:
    names = ["long " * 4 + "long", "wide " * 4 + "wide"]
    assert shown(f"| {' | '.join(names)} |\n|---|---|\n").splitlines() == names


def test_what_stands_around_a_table_stays() -> None:
    text = f"Before.\n\n{PRICES}\nBetween.\n\n{PRICES}\nAfter, and `| a | b |`."
    assert [line for line in stacked(text).splitlines() if line in ("Before.", "Between.", "After, and `| a | b |`.")]
    assert stacked(text).count("**Per month**: 12 €") == 2


CELLS = st.text("abcXYZ äß日✅`*_[]()<>$\\:-", max_size=20)


@given(st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=5))
def test_any_table_keeps_its_letters(rows: list[list[str]]) -> None:
    head, *body = [f"| {' | '.join(row)} |" for row in rows]
    table = "\n".join([head, f"|{'---|' * len(rows[0])}", *body])
    letters = Counter(sign for row in rows for cell in row for sign in cell if sign.isalnum())
    assert letters <= Counter("".join(piece.text for piece in render(table)))
