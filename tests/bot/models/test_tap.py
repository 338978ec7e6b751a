"""The tap remembers every event, however the bytes were cut."""

import json

from hypothesis import given
from hypothesis import strategies as st

from bot.models.tap import Tap

events = st.lists(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=9), min_size=1), max_size=5)


@given(events, st.integers(1, 7), st.sampled_from(["\n", "\r\n"]))
def test_events_are_the_same_however_the_bytes_are_cut(sent: list[dict[str, object]], size: int, line_end: str) -> None:
    body = "".join(f"data: {json.dumps(event)}{line_end}{line_end}" for event in sent).encode()
    tap = Tap()
    for start in range(0, len(body), size):
        tap.feed(body[start : start + size])
    assert [tap.take() for _ in sent] == sent
    assert tap.take() is None


def test_a_last_event_without_an_empty_line_counts() -> None:
    tap = Tap()
    tap.feed(b'data: {"a": 1}')
    assert tap.take() == {"a": 1}


def test_an_event_over_several_lines_is_one() -> None:
    tap = Tap()
    tap.feed(b'data: {"a":\ndata: 1}\n\n')
    assert tap.take() == {"a": 1}


def test_what_is_not_an_event_is_passed_over() -> None:
    tap = Tap()
    tap.feed(b': hello\n\ndata: [1]\n\ndata: {\n\ndata: {"a": 1}\n\n')
    assert tap.take() == {"a": 1}
