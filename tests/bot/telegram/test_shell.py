"""The shell on Telegram, with the real client and the real sandbox: shown whole, refused, granted, stopped."""

from dataclasses import dataclass
from pathlib import Path

from bot.commands.approvals import DECIDED
from bot.shell.sandbox import Bubblewrap
from bot.turn.asking import ask
from memory.messages import CallPart
from memory.ports import ModelReply, ModelRequest, OnText
from memory.store.approvals import LIFETIME
from tests.bot.shell.real import needs_sandbox
from tests.bot.shell.test_sandbox import running, until_running
from tests.bot.telegram.chat import Chat
from tests.bot.telegram.house import FRIEND, GROUP, OWNER, HeldClock, Talk, serving
from tests.bot.telegram.test_buttons import keyboard, last_of, mention, settled
from tests.bot.telegram.test_reminders import SENT
from tests.fakes.model import calls, says
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_world import Shown
from tools.approval import ASKED, TOO_LONG

COMMAND = "printf 'b\\na\\n' > words.txt\nsort words.txt   # `sorted`"


@dataclass
class Commanding(Talk):
    """Wants a command run for whatever the member says, and tells what came of it."""

    command: str = COMMAND

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        if request.task != "chat":
            return await super().generate(request, on_text=on_text)
        self.requests.append(request)
        newest = request.messages[-1]
        if newest.role == "user":
            return calls(("shell", {"command": self.command}))
        (response,) = [result.response for result in newest.results] or [{"output": newest.text}]
        return says("It waits for you." if ASKED in response else f"Done: {response.get('output') or response}")


async def asked(telegram: FakeTelegram, *, count: int = 1) -> Shown:
    """Let the owner ask for something and return the message that shows the command."""
    telegram.say(OWNER, "Sort my words.", date=SENT)
    await telegram.until(lambda: telegram.texts(OWNER).count("It waits for you.") == count)
    await settled(telegram)
    return [shown for shown in telegram.sent[OWNER] if shown.text.startswith("❔")][-1]


async def said(telegram: FakeTelegram, beginning: str) -> None:
    await telegram.until(lambda: any(text.startswith(beginning) for text in telegram.texts(OWNER)))


async def told_in(telegram: FakeTelegram, chat_id: int, words: str) -> None:
    await telegram.until(lambda: words in str(telegram.texts(chat_id)))


@needs_sandbox
async def test_a_command_is_shown_whole_refused_and_then_granted(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path, model := Commanding(), sandbox=Bubblewrap()):
        question = await asked(telegram)
        assert COMMAND in question.text
        assert {"type": "pre"}.items() <= next(
            entity for entity in question.entities if entity["type"] == "pre"
        ).items()
        assert keyboard(question) == [[("Approve a1", "approve:1"), ("Refuse a1", "refuse:1")]]
        telegram.press(OWNER, question, "refuse:1")
        await said(telegram, "Done: The member refused a1")
        assert not (tmp_path / "spaces" / str(OWNER) / "files").exists()
        await settled(telegram)
        again = await asked(telegram, count=2)
        telegram.press(OWNER, again, "approve:2")
        await said(telegram, "Done: a\nb")
        assert (tmp_path / "spaces" / str(OWNER) / "files" / "words.txt").read_text() == "b\na\n"
        await telegram.until(lambda: keyboard(last_of(telegram, again)) == [])
    assert last_of(telegram, question).text.endswith("❌ a1 refused")
    assert last_of(telegram, again).text.endswith("✅ a2 approved")
    assert len(model.requests) == 6


@needs_sandbox
async def test_a_second_tap_runs_nothing_and_says_so(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path, Commanding(command="echo x >> runs.txt"), sandbox=Bubblewrap()):
        question = await asked(telegram)
        for data in ("approve:1", "approve:1", "refuse:1"):
            telegram.press(OWNER, question, data)
        await telegram.until(lambda: telegram.texts(OWNER).count(DECIDED["approved"].format(ref="a1")) == 2)
        assert (tmp_path / "spaces" / str(OWNER) / "files" / "runs.txt").read_text() == "x\n"


@needs_sandbox
async def test_a_tap_counts_over_a_restart_and_not_after_its_time(telegram: FakeTelegram, tmp_path: Path) -> None:
    clock = HeldClock()
    async with serving(telegram, tmp_path, Commanding(), clock=clock, sandbox=Bubblewrap()):
        first = await asked(telegram)
    async with serving(telegram, tmp_path, Commanding(), clock=clock, sandbox=Bubblewrap()):
        telegram.press(OWNER, first, "approve:1")
        await said(telegram, "Done: a\nb")
        await settled(telegram)
        second = await asked(telegram, count=2)
    clock.advance(LIFETIME.total_seconds())
    async with serving(telegram, tmp_path, model := Commanding(), clock=clock, sandbox=Bubblewrap()):
        await telegram.until(lambda: keyboard(last_of(telegram, second)) == [])
        assert "counts as refused" in last_of(telegram, second).text
        telegram.press(OWNER, second, "approve:2")
        await said(telegram, DECIDED["expired"].format(ref="a2"))
        await settled(telegram)
        await asked(telegram, count=3)
    notices = [m.text for m in model.requests[0].messages if m.role == "notice"]
    assert any("a2, your call of shell, was not answered in time" in text for text in notices)


@needs_sandbox
async def test_stop_ends_an_approved_command(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path, Commanding(command="sleep 63"), sandbox=Bubblewrap()):
        question = await asked(telegram)
        telegram.press(OWNER, question, "approve:1")
        await until_running("sleep 63")
        # The chat's clock is a little behind ours.
        telegram.say(OWNER, "/stop", date=SENT - 5)
        await telegram.until(lambda: any(text.startswith("Stopped") for text in telegram.texts(OWNER)))
        assert not running("sleep 63")


async def test_neither_a_friend_nor_a_group_has_the_shell(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path, model := Commanding(), sandbox=Bubblewrap()):
        telegram.say(FRIEND, "Sort my words.")
        telegram.say(OWNER, "@Remembrancer_Bot Sort my words.", chat_id=GROUP, entities=mention())
        for chat_id in (FRIEND, GROUP):
            await told_in(telegram, chat_id, "there is no tool")
            assert not any(text.startswith("❔") for text in telegram.texts(chat_id))
    assert all("shell" not in [spec.name for spec in request.tools] for request in model.requests)


@needs_sandbox
async def test_a_long_command_is_shown_whole_over_several_messages(telegram: FakeTelegram, tmp_path: Path) -> None:
    lines = [f"echo line {number:04} > /dev/null" for number in range(250)]
    async with serving(telegram, tmp_path, Commanding(command="\n".join(lines)), sandbox=Bubblewrap()):
        await asked(telegram)
    shown = "\n".join(telegram.texts(OWNER))
    assert [line for line in lines if line not in shown] == []
    with_buttons = [one for one in telegram.sent[OWNER] if keyboard(one)]
    assert len(with_buttons) == 1
    assert "Without an answer by" in with_buttons[0].text


async def test_a_call_that_would_go_out_as_a_file_is_not_asked_for(chat: Chat) -> None:
    for number, words in enumerate(["§" * 11_950, "¶" * 11_000]):
        call = CallPart(call_id=f"c{number}", name="n__note", args={"text": words})
        async with chat.space.db.transaction():
            turn = await chat.space.sessions.begin_turn()
            result = await ask(chat.space, chat.screen, call, turn, chat.entry(author_id=OWNER))
            await chat.space.sessions.end_turn(turn.id, "done")
        await chat.delivery.drain()
        assert (result == {"error": TOO_LONG}) is (number == 0)
    shown = "".join(chat.texts)
    assert (shown.count("§"), shown.count("¶")) == (0, 11_000)
    assert [keyboard(shown) for shown in chat.telegram.sent[OWNER] if keyboard(shown)] == [
        [[("Approve a2", "approve:2"), ("Refuse a2", "refuse:2")]]
    ]
    assert [one.ref for one in await chat.space.approvals.untold()] == []
