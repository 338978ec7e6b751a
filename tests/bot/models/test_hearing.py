"""A recording is written down by the utility model, from its bytes alone."""

import pytest

from bot.models.gemini import GeminiModel
from bot.turn.attachments.hearing import Hearing
from memory.errors import ModelSilent
from memory.messages import Message, estimate_message_tokens, media_part
from tests.bot.models.talk import AT
from tests.fakes.clock import FakeClock
from tests.fakes.gemini import FakeGemini
from tests.fakes.gemini_replies import say

RECORDING = media_part(b"OggS", "audio/ogg")


async def test_the_bytes_are_sent_with_the_task_and_the_words_come_back(
    fake: FakeGemini, model: GeminiModel, clock: FakeClock
) -> None:
    fake.script(say(" Call me at six. "), task="transcribe")
    assert await Hearing(model, clock).words_in(RECORDING) == "Call me at six."
    (request,) = fake.requests
    assert request.task == "transcribe"
    assert request.model == "gemini-3.5-flash-lite"
    assert request.contents[0]["parts"] == [{"inlineData": {"mimeType": "audio/ogg", "data": "T2dnUw=="}}]
    fake.assert_all_accepted()


async def test_half_a_transcript_is_none(fake: FakeGemini, model: GeminiModel, clock: FakeClock) -> None:
    fake.script(say("Call me at", finish="MAX_TOKENS"), task="transcribe")
    with pytest.raises(ModelSilent):
        await Hearing(model, clock).words_in(RECORDING)


def test_a_recording_is_reckoned_by_its_length() -> None:
    minute = RECORDING.model_copy(update={"duration_s": 60})
    assert estimate_message_tokens([Message(role="user", parts=(minute,), at=AT)]) == 1_920
