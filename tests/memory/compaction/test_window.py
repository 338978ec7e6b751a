"""Which messages leave the prompt, and which never do."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory.compaction.window import WHOLE, Limits, Window, choose, key
from memory.messages import CallPart, Message, Part, ResultPart, Role, TextPart

START = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)


def message(number: int, role: Role, turn: int | None, *parts: Part) -> Message:
    return Message(role=role, parts=parts, at=START + timedelta(minutes=number), id=number, turn_id=turn)


def words(count: int) -> TextPart:
    return TextPart(text="x" * count)


@st.composite
def tails(draw: st.DrawFn) -> list[Message]:
    """A tail of turns with tools, edits (a later turn at an early place), notices, cut-off turns and open calls."""
    tail: list[Message] = []
    for turn in range(1, draw(st.integers(0, 12)) + 1):
        said = draw(st.lists(st.integers(1, 900), min_size=1, max_size=2))
        late: set[int] = set()
        shapes: list[tuple[Role, tuple[Part, ...]]] = [("user", (words(count),)) for count in said]
        for step in range(draw(st.integers(0, 3))):
            calls = [f"c{step}-{n}" for n in range(draw(st.integers(1, 2)))]
            shapes.append(("model", tuple(CallPart(call_id=c, name="recall") for c in calls)))
            if draw(st.integers(0, 4)) == 0:
                # The edit of a message that the member sent while the turn ran: it stands where that one stood.
                shapes.append(("user", (words(30),)))
                late.add(len(tail) + len(shapes))
            answered = calls[: draw(st.integers(0, len(calls)))]
            shapes += [("tool", (ResultPart(call_id=c, name="recall", response={}),)) for c in answered]
        if draw(st.booleans()):
            shapes.append(("model", (words(draw(st.integers(0, 900))),)))
        if draw(st.booleans()):
            shapes.append(("notice", (words(20),)))
        edited = draw(st.integers(0, 9)) == 0
        for role, parts in shapes:
            number = len(tail) + 1
            tail.append(message(number, role, turn + (20 if number in late else 5 if edited else 0), *parts))
    return tail


LIMITS = st.builds(Limits, keep_turns=st.integers(0, 5), min_chars=st.integers(1, 4000))
SOME_IDS = st.frozensets(st.integers(1, 60), max_size=2)


@given(tails(), LIMITS, SOME_IDS, SOME_IDS)
def test_a_window_is_a_prefix_that_keeps_pairs_newest_turns_and_what_is_unsettled(
    tail: list[Message], limits: Limits, running: frozenset[int], unread: frozenset[int]
) -> None:
    window = choose(tail, limits, running=running, unread=unread)
    if window is None:
        return
    count = len(window.messages)
    rest = tail[count:]

    assert list(window.messages) == tail[:count]
    assert window.chars >= limits.min_chars
    called = {(m.turn_id, c.call_id) for m in window.messages for c in m.calls}
    assert not any((m.turn_id, r.call_id) in called for m in rest for r in m.results)
    assert not {m.turn_id for m in window.messages} & running
    assert not {m.id for m in window.messages} & unread
    starts = [n for n, m in enumerate(rest) if m.role == "user" and (n == 0 or rest[n - 1].turn_id != m.turn_id)]
    assert len(starts) >= limits.keep_turns
    assert not rest or rest[0].role == "user"


@given(tails(), LIMITS)
def test_what_is_settled_and_old_always_leaves_whatever_calls_stay_open(tail: list[Message], limits: Limits) -> None:
    """An orphaned call holds nothing back: only its own result could."""
    window = choose(tail, Limits(keep_turns=0, min_chars=1))

    assert (window is None) == (sum(len(m.text) for m in tail) + sum(len(m.calls) for m in tail) == 0 or not tail)


@given(tails())
def test_a_new_session_takes_the_whole_tail(tail: list[Message]) -> None:
    window = choose(tail, WHOLE)

    assert window is None or list(window.messages) == tail


def turn(number: int, chars: int) -> list[Message]:
    return [message(number * 2, "user", number, words(chars)), message(number * 2 + 1, "model", number, words(chars))]


def test_the_newest_turns_stay() -> None:
    tail = [m for n in range(1, 8) for m in turn(n, 1000)]

    window = choose(tail, Limits(keep_turns=4, min_chars=6000))

    assert window is not None
    assert window.ids == (2, 3, 4, 5, 6, 7)
    assert window.turns == 3


def test_a_small_window_is_left_alone() -> None:
    tail = [m for n in range(1, 7) for m in turn(n, 1000)]

    assert choose(tail, Limits(keep_turns=4, min_chars=6000)) is None


def test_the_least_size_is_half_of_a_low_threshold() -> None:
    assert Limits.of(threshold_tokens=24_000, keep_turns=4).min_chars == 6000
    assert Limits.of(threshold_tokens=1000, keep_turns=4).min_chars == 2000


def test_a_running_turn_holds_back_what_follows_it() -> None:
    tail = [m for n in range(1, 5) for m in turn(n, 1000)]

    window = choose(tail, Limits(keep_turns=0, min_chars=1), running=frozenset({3}))

    assert window is not None
    assert window.ids == (2, 3, 4, 5)


def test_a_window_is_named_by_its_content() -> None:
    window = Window(tuple(turn(1, 10)), 1)
    changed = Window((window.messages[0], message(3, "model", 1, words(11))), 1)

    assert key(1, window) == key(1, Window(tuple(turn(1, 10)), 1))
    assert len({key(1, window), key(2, window), key(1, changed)}) == 3
