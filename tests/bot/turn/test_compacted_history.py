"""Whatever leaves a talk, and wherever it is cut: what is left is a request that the strict reading accepts."""

from hypothesis import given
from hypothesis import strategies as st

from memory.compaction.window import Limits, choose
from memory.messages import Message, text_message
from tests.bot.models.talk import AT
from tests.bot.models.test_history import BLOCK, build
from tests.memory.compaction.test_window import LIMITS, SOME_IDS, tails


@given(tails(), LIMITS, SOME_IDS, SOME_IDS, st.integers(1, 4))
def test_after_any_compactions_of_any_talk_the_next_request_is_accepted(
    tail: list[Message], limits: Limits, running: frozenset[int], unread: frozenset[int], times: int
) -> None:
    handoffs: list[Message] = []
    for number in range(times):
        window = choose(tail, limits, running=running, unread=unread)
        if window is None:
            break
        tail = tail[len(window.messages) :]
        handoffs.append(text_message("notice", f"Handoff h{number}: background.", AT, origin="program"))

    build(*handoffs, *tail, text_message("user", "And now?", AT), block=BLOCK)
