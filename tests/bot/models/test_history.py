"""Whatever was stored becomes contents that the strict reading of Gemini's rules accepts."""

import base64
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models.history import UNSIGNED_CALL, Content, Sources, build_contents
from bot.models.parts import part_to_wire
from memory.messages import (
    CallPart,
    FilePart,
    Message,
    NotePart,
    OpaquePart,
    Part,
    ResultPart,
    TextPart,
    ThoughtPart,
    media_part,
)
from tests.bot.models.talk import AT, called, notice, results, said, user
from tests.fakes.gemini_rules import call_key, check_request

BLOCK = "Now: Tuesday 2 March 2027, 10:00 (Europe/Berlin)"
SIGNATURE = b"signed"
SOURCES = Sources(now=AT)


def build(*messages: Message, block: str | None = None, sources: Sources = SOURCES) -> list[Content]:
    contents = build_contents(messages, block, sources)
    check(contents)
    return contents


def check(contents: list[Content]) -> None:
    wire = [{"role": content.role, "parts": [part_to_wire(part) for part in content.parts]} for content in contents]
    every_part = [part for content in contents for part in content.parts]
    signatures = {
        base64.b64encode(part.signature).decode(): call_key(part_to_wire(part)["functionCall"])
        if isinstance(part, CallPart)
        else ""
        for part in every_part
        if part.signature is not None
    }
    check_request({"contents": wire}, signatures=signatures, opaque=_Everything(), expired=())


class _Everything(list[str]):
    """Opaque parts count as sent by the server unless they are of a known kind."""

    def __contains__(self, key: object) -> bool:
        return "hologram" in str(key)


def make_call(call_id: str, name: str = "recall", *, signature: bytes | None = None) -> CallPart:
    """Make a call; a signature belongs to one call only."""
    own = signature and signature + call_id.encode()
    return CallPart(call_id=call_id, name=name, args={"id": call_id}).model_copy(update={"signature": own})


def result(call_id: str, name: str = "recall") -> ResultPart:
    return ResultPart(call_id=call_id, name=name, response={"ok": call_id})


def words(content: Content) -> str:
    return "\n".join(part.text for part in content.parts if isinstance(part, TextPart))


# --- any history

ids = st.sampled_from(["a", "b", "c", "synth-1"])
signatures = st.sampled_from([None, SIGNATURE])
texts = st.sampled_from(["", " ", "hello", "what?"])
text_parts: st.SearchStrategy[Part] = st.builds(
    lambda text, signature: TextPart(text=text).model_copy(update={"signature": signature}), texts, signatures
)
thoughts: st.SearchStrategy[Part] = st.builds(lambda text: ThoughtPart(text=text), texts)
call_parts: st.SearchStrategy[Part] = st.builds(lambda i, s: make_call(i, signature=s), ids, signatures)
result_parts: st.SearchStrategy[Part] = st.builds(result, ids)
opaque: st.SearchStrategy[Part] = st.sampled_from(
    [OpaquePart(raw={}), OpaquePart(raw={"hologram": {"depth": 1}}), OpaquePart(raw={"functionCall": {}})]
)
files: st.SearchStrategy[Part] = st.sampled_from(
    [FilePart(uri="https://g/files/1"), media_part(b"x", "image/png").model_copy(update={"data": None})]
)
turn_ids = st.none() | st.integers(1, 3)


def messages_of(role: Any, part: st.SearchStrategy[Part]) -> st.SearchStrategy[Message]:
    return st.builds(
        lambda parts, turn: Message(role=role, parts=tuple(parts), at=AT, turn_id=turn),
        st.lists(part, max_size=4),
        turn_ids,
    )


histories = st.lists(
    st.one_of(
        messages_of("user", text_parts | files),
        messages_of("model", text_parts | thoughts | call_parts | opaque),
        messages_of("tool", result_parts | text_parts),
        messages_of("notice", text_parts),
    ),
    max_size=9,
)


@settings(max_examples=400)
@given(histories, st.none() | st.just(BLOCK), st.booleans())
def test_any_history_becomes_one_that_is_accepted(
    messages: list[Message], block: str | None, without_signatures: bool
) -> None:
    sources = Sources(now=AT, without_signatures=without_signatures)
    contents = build(*messages, block=block, sources=sources)
    if block:
        assert sum(part == TextPart(text=block) for content in contents for part in content.parts) == 1


@given(histories)
def test_the_words_of_the_member_are_never_lost(messages: list[Message]) -> None:
    sent = "\n".join(words(content) for content in build(*messages))
    for message in messages:
        if message.role == "user":
            assert all(part.text in sent for part in message.parts if isinstance(part, TextPart) and part.text.strip())


def test_every_cut_of_a_history_is_accepted() -> None:
    history = [
        user("one"),
        called(make_call("a", signature=SIGNATURE), make_call("b")),
        results(result("a"), result("b")),
        said("done"),
        user("two"),
        called(make_call("c", signature=SIGNATURE)),
        results(result("c")),
    ]
    for start in range(len(history)):
        for end in range(start + 1, len(history) + 1):
            build(*history[start:end], block=BLOCK)


# --- single rules


def test_a_sound_history_is_sent_unchanged() -> None:
    history = [
        user("one"),
        called(make_call("a", signature=SIGNATURE), make_call("b")),
        results(result("a"), result("b")),
        said("done"),
        user("two"),
    ]
    contents = build(*history)
    assert [content.role for content in contents] == ["user", "model", "user", "model", "user"]
    assert [content.parts for content in contents] == [message.parts for message in history]


def test_a_call_without_a_result_is_answered_as_interrupted() -> None:
    contents = build(user("one"), called(make_call("a", signature=SIGNATURE), make_call("b")), results(result("b")))
    assert contents[-1].parts == (
        ResultPart(call_id="a", name="recall", response={"error": "interrupted"}),
        result("b"),
    )


def test_results_follow_their_calls_in_the_calls_order_and_under_their_names() -> None:
    contents = build(
        user("one"),
        called(make_call("a", "facts", signature=SIGNATURE), make_call("b")),
        results(result("b")),
        results(result("a", "other")),
    )
    assert contents[-1].parts == (result("a", "facts"), result("b"))


def test_a_second_result_for_a_call_is_left_out() -> None:
    contents = build(user("one"), called(make_call("a", signature=SIGNATURE)), results(result("a"), result("a")))
    assert contents[-1].parts == (result("a"),)


def test_calls_that_share_an_id_are_answered_in_order() -> None:
    first, second = make_call("a", signature=SIGNATURE), make_call("a", "facts")
    contents = build(user("one"), called(first, second), results(result("a"), result("a", "facts")))
    assert contents[-1].parts == (result("a"), result("a", "facts"))


def test_a_result_that_nobody_asked_for_is_told_as_a_note_of_the_program() -> None:
    contents = build(user("one"), said("done"), results(result("zz")), user("two"))
    assert "[From the program, not from the member] Result of the tool recall" in words(contents[-1])


def test_a_call_that_was_interrupted_by_the_members_next_words_is_closed_before_them() -> None:
    contents = build(user("one"), called(make_call("a", signature=SIGNATURE)), user("stop"), results(result("a")))
    assert [part.kind for content in contents for part in content.parts] == ["text", "call", "result", "text"]


def test_blank_answers_are_left_out_and_their_neighbours_joined() -> None:
    contents = build(user("one"), said(" \n"), Message(role="model", parts=(), at=AT), user("two"))
    assert contents == [Content("user", (TextPart(text="one"), TextPart(text="two")))]


def test_an_answer_of_thoughts_alone_is_left_out() -> None:
    thoughts = Message(role="model", parts=(ThoughtPart(text="Hm."),), at=AT)
    assert [content.role for content in build(user("one"), thoughts, user("two"))] == ["user"]


def test_blank_text_that_carries_a_signature_is_kept() -> None:
    signed = TextPart(text="").model_copy(update={"signature": SIGNATURE})
    message = Message(role="model", parts=(TextPart(text="done"), signed), at=AT)
    assert build(user("one"), message, user("two"))[1].parts[-1] == signed


def test_a_history_does_not_begin_with_the_model() -> None:
    contents = build(said("earlier"), user("two"), block=BLOCK)
    assert contents[0].role == "user"
    assert contents[1] == Content("model", (TextPart(text="earlier"),))
    assert words(contents[2]).endswith(BLOCK)


def test_a_history_does_not_end_with_the_model() -> None:
    contents = build(user("one"), said("half an answer"))
    assert contents[-1].role == "user"
    assert words(contents[-1]).startswith("[From the program, not from the member]")


def test_notices_are_labelled_as_the_programs() -> None:
    contents = build(
        user("one"), called(make_call("a", signature=SIGNATURE)), results(result("a")), notice("The budget is spent.")
    )
    assert words(contents[-1]) == "[From the program, not from the member] The budget is spent."
    assert len(contents) == 4


# --- signatures


def test_an_unsigned_call_of_the_current_turn_gets_the_documented_value_and_its_siblings_none() -> None:
    contents = build(user("one"), called(make_call("a"), make_call("b")), results(result("a"), result("b")))
    first, second = contents[1].parts
    assert first.signature == UNSIGNED_CALL
    assert second.signature is None


def test_the_first_call_of_each_step_of_the_current_turn_is_signed() -> None:
    steps = [called(make_call("a")), results(result("a")), called(make_call("b")), results(result("b"))]
    contents = build(user("one"), *steps)
    assert [part.signature for content in contents for part in content.parts if isinstance(part, CallPart)] == [
        UNSIGNED_CALL,
        UNSIGNED_CALL,
    ]


def test_an_unsigned_step_of_an_older_turn_is_told_in_words_by_the_program() -> None:
    contents = build(user("one"), called(make_call("a")), results(result("a")), said("done"), user("two"))
    assert [content.role for content in contents] == ["user", "model", "user"]
    assert 'The tool recall was run with {"id": "a"}; its result: {"ok": "a"}' in words(contents[0])
    assert not any(isinstance(part, CallPart | ResultPart) for content in contents for part in content.parts)


def test_real_signatures_of_older_turns_stay() -> None:
    contents = build(
        user("one"), called(make_call("a", signature=SIGNATURE)), results(result("a")), said("done"), user("two")
    )
    assert contents[1].parts[0].signature == SIGNATURE + b"a"


def test_signatures_are_left_out_when_the_server_refused_them() -> None:
    history = [
        user("one"),
        called(make_call("a", signature=SIGNATURE)),
        results(result("a")),
        said("done"),
        user("two"),
    ]
    step = [called(make_call("b", signature=SIGNATURE)), results(result("b"))]
    sources = Sources(now=AT, without_signatures=True)
    contents = build(*history, *step, sources=sources)
    signatures = [part.signature for content in contents for part in content.parts if part.signature is not None]
    assert signatures == [UNSIGNED_CALL]


# --- the memory block


def test_the_memory_block_stays_at_the_end_of_the_turns_opening_while_steps_follow() -> None:
    history = [user("old"), said("ok"), user("new")]
    first = build(*history, block=BLOCK)
    later = build(*history, called(make_call("a", signature=SIGNATURE)), results(result("a")), block=BLOCK)
    last = build(
        *history,
        called(make_call("a", signature=SIGNATURE)),
        results(result("a")),
        notice("stop now"),
        block=BLOCK,
    )
    assert first[-1].parts == (TextPart(text="new"), TextPart(text=BLOCK))
    assert later[: len(first)] == first
    assert last[: len(later)] == later


def test_a_new_turn_after_an_unfinished_one_carries_the_memory_block() -> None:
    contents = build(
        user("one", turn_id=1),
        called(make_call("a", signature=SIGNATURE), turn_id=1),
        results(result("a"), turn_id=1),
        user("two", turn_id=2),
        block=BLOCK,
    )
    assert contents[-1].parts == (TextPart(text="two"), TextPart(text=BLOCK))


def test_words_that_enter_a_running_turn_do_not_move_the_memory_block() -> None:
    contents = build(
        user("one", turn_id=1),
        called(make_call("a", signature=SIGNATURE), turn_id=1),
        results(result("a"), turn_id=1),
        user("hurry", turn_id=1),
        block=BLOCK,
    )
    assert contents[0].parts == (TextPart(text="one"), TextPart(text=BLOCK))


def test_a_turn_that_the_program_opens_carries_the_memory_block() -> None:
    contents = build(user("one"), said("asked"), notice("The member tapped Keep."), block=BLOCK)
    assert words(contents[-1]).endswith(BLOCK)


# --- media and files


def test_media_whose_bytes_are_gone_are_named_in_a_note() -> None:
    photo = media_part(b"pixels", "image/png")
    message = Message(role="user", parts=(photo, TextPart(text="what is it?")), at=AT)
    assert build(message)[0].parts[0] == photo
    gone = message.model_copy(update={"parts": (photo.model_copy(update={"data": None}), *message.parts[1:])})
    assert f"[photo {photo.sha256[:8]}]" in words(build(gone)[0])


def test_what_is_shown_stays_before_the_block_while_the_steps_follow() -> None:
    photo = media_part(b"pixels", "image/png")
    step = Message(role="model", parts=(make_call("c1", signature=SIGNATURE),), at=AT)
    messages = (user("look"), step, results(ResultPart(call_id="c1", name="recall", response={"ok": 1})))
    contents = build_contents(messages, BLOCK, SOURCES, shown=(TextPart(text="One is left out."), photo))
    check(contents)
    assert [content.role for content in contents] == ["user", "model", "user"]
    look, note, label, shown, block = contents[0].parts
    assert (look, shown, block) == (TextPart(text="look"), photo, TextPart(text=BLOCK))
    assert isinstance(note, TextPart)
    assert note.text.endswith("One is left out.")
    assert note.text.startswith("[From the program")
    assert isinstance(label, TextPart)
    assert photo.label in label.text


def test_notes_of_a_message_are_the_programs() -> None:
    message = Message(role="user", parts=(NotePart(text="[a place: 1, 2]"),), at=AT)
    (part,) = build(message)[0].parts
    assert part == TextPart(text="[From the program, not from the member] [a place: 1, 2]")
    assert message.text == ""


@pytest.mark.parametrize(("hours", "is_sent"), [(1, True), (46, True), (49, False), (72, False)])
def test_an_uploaded_file_is_replaced_by_a_note_once_it_has_expired(hours: int, is_sent: bool) -> None:
    file = FilePart(uri="https://generativelanguage.googleapis.com/v1beta/files/abc", mime_type="image/png")
    message = Message(role="user", parts=(file, TextPart(text="look")), at=AT)
    sources = Sources(now=AT + timedelta(hours=hours))
    assert (build(message, sources=sources)[0].parts[0] == file) is is_sent
    if not is_sent:
        assert "no longer available" in words(build(message, sources=sources)[0])
