"""A JSON document in pieces says what it says as a whole, however it is cut."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.imports.json_stream import MAX_PIECE, JsonStream, NotJson

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


class Trickle(io.StringIO):
    """A file that gives a few characters at a time."""

    def __init__(self, text: str, size: int) -> None:
        super().__init__(text)
        self._size = size

    def read(self, size: int | None = -1, /) -> str:
        return super().read(self._size)


def walked(stream: JsonStream) -> Any:
    match stream.peek():
        case "{":
            return {key: walked(stream) for key in stream.fields()}
        case "[":
            return [walked(stream) for _ in stream.items()]
        case _:
            return stream.value()


@given(value=JSON, size=st.integers(1, 7), indent=st.sampled_from([None, 1]), is_ascii=st.booleans())
def test_walked_in_any_pieces_it_is_the_same_value(value: Any, size: int, indent: int | None, is_ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)

    assert walked(JsonStream(Trickle(text, size))) == value
    assert JsonStream(Trickle(text, size)).value() == value


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_control_characters_as_telegram_desktop_writes_them_are_read(size: int) -> None:
    assert JsonStream(Trickle(r'["a\x0Bb", "\\x1F", "\x1f"]', size)).value() == ["a\x0bb", r"\x1F", "\x1f"]


BROKEN = ("", "{", '{"a"', '{"a":', '{"a": 1', '{"a": 1,', "[1, 2", '["a', "{1: 2}", "[1 2]", "nope", "[1.5.2]")


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_cut_off_or_no_json_says_where(text: str) -> None:
    with pytest.raises(NotJson, match="near character"):
        walked(JsonStream(io.StringIO(text)))


def test_a_value_that_never_ends_is_given_up_before_it_fills_the_memory() -> None:
    class Endless(io.StringIO):
        read_so_far = 0

        def read(self, size: int | None = -1, /) -> str:
            assert size is not None
            self.read_so_far += size
            return '"' + "x" * (size - 1) if self.read_so_far == size else "x" * size

    file = Endless()
    with pytest.raises(NotJson, match="never ends"):
        JsonStream(file).value()
    assert file.read_so_far < 3 * MAX_PIECE


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(NotJson, match="nested too deeply"):
        JsonStream(io.StringIO("[" * 200_000)).value()


def test_a_number_without_end_is_refused() -> None:
    with pytest.raises(NotJson, match="too many digits"):
        JsonStream(io.StringIO("[" + "9" * 5_000 + "]")).value()
