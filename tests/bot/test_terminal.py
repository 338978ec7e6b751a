import asyncio
import io
import itertools
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from bot.terminal import Chat, LiveScreen, PlainScreen, banner, history_lines, make_screen, tool_line
from bot.views import printable
from memory.errors import StorageFull
from memory.messages import CallPart, Message, ResultPart, TextPart, ThoughtPart, text_message
from memory.space import Space
from memory.store.entries import Button, Entry, Outgoing
from memory.store.mailbox import OutRow
from memory.store.redaction import Redactor
from tests.fakes.clock import FakeClock

ENTRY = Entry(source="cli:1", kind="message", text="hello", at=FakeClock().now())


class Echo:
    """A space at work that answers every entry with its own words; `during` runs while it is at it."""

    def __init__(self, space: Space, screen: PlainScreen | LiveScreen) -> None:
        self.space = space
        self.entries: list[Entry] = []
        self.log: list[str] = []
        self.during: Callable[[Entry], Awaitable[None]] | None = None
        self._screen = screen
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._forever())

    async def close(self, *, grace_s: float = 0.0) -> None:
        self.log.append("closed")
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def receive(self, entry: Entry) -> bool:
        self.entries.append(entry)
        self.log.append(f"received {entry.text}")
        if entry.text == "/stop":
            return True
        async with self.space.db.transaction():
            return await self.space.mailbox.receive(entry)

    async def drain(self) -> None:
        for row in await self.space.mailbox.waiting():
            await self._screen.begin(1, row.entry)
            await self._screen.show_text("…")
            if self.during is not None:
                await self.during(row.entry)
            await self._screen.end()
            for number, text in enumerate([f"You said: {row.entry.text}", *row.entry.notices]):
                (message,) = self._screen.render(text, row.entry)
                await self._screen.deliver(_row(message, key=f"{row.id}:{number}"))
            async with self.space.db.transaction():
                await self.space.mailbox.finish(row.id)
        self.log.append("drained")

    async def _forever(self) -> None:
        while True:
            await self.drain()
            await asyncio.sleep(0)


def _row(message: Outgoing, *, key: str = "k") -> OutRow:
    return OutRow(id=1, key=key, turn_id=1, state="waiting", message=message, place=None, attempts=0, not_before=None)


@pytest.fixture
async def space(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Space]:
    space = await Space.open(
        tmp_path / "local", default_zone=ZoneInfo("Europe/Berlin"), clock=clock, backups=tmp_path / "backups"
    )
    yield space
    await space.close()


@pytest.fixture
def out() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def plain(space: Space, out: io.StringIO) -> Echo:
    return Echo(space, PlainScreen(out))


def _chat(echo: Echo, redactor: Redactor | None = None) -> Chat:
    ids = itertools.count(1)
    return Chat(echo, redactor or Redactor(()), make_id=lambda: str(next(ids)))


# Piped


async def test_each_piped_line_is_a_message_and_each_reply_is_printed(plain: Echo, out: io.StringIO) -> None:
    await _chat(plain).with_lines(io.StringIO("one\n\n  two  \r\nlast without an end"))

    assert out.getvalue() == "You said: one\nYou said: two\nYou said: last without an end\n"


async def test_all_work_is_finished_before_the_next_line_and_before_the_end(plain: Echo) -> None:
    await _chat(plain).with_lines(io.StringIO("one\ntwo\n"))

    assert plain.log == ["drained", "received one", "drained", "received two", "drained"]


@pytest.mark.parametrize("word", ["exit", "quit", "QUIT"])
async def test_exit_and_quit_leave_before_the_end_of_input(plain: Echo, word: str) -> None:
    await _chat(plain).with_lines(io.StringIO(f"one\n{word}\ntwo\n"))

    assert [entry.text for entry in plain.entries] == ["one"]


async def test_what_an_earlier_process_left_open_is_answered_first(plain: Echo, space: Space, out: io.StringIO) -> None:
    async with space.db.transaction():
        await space.mailbox.receive(ENTRY)

    await _chat(plain).with_lines(io.StringIO(""))

    assert out.getvalue() == "You said: hello\n"


async def test_commands_are_told_from_messages_that_begin_with_a_slash(plain: Echo) -> None:
    await _chat(plain).with_lines(io.StringIO("/facts\n/recall tax report\n/etc/hosts is broken\n/ hm\n"))

    assert [entry.kind for entry in plain.entries] == ["command", "command", "message", "message"]


async def test_every_entry_has_a_source_of_its_own_and_the_time_it_was_typed(plain: Echo, clock: FakeClock) -> None:
    await _chat(plain).with_lines(io.StringIO("same\nsame\n"))

    assert [(entry.source, entry.at) for entry in plain.entries] == [("cli:1", clock.now()), ("cli:2", clock.now())]


async def test_a_secret_never_reaches_the_space_and_the_person_is_told(plain: Echo, out: io.StringIO) -> None:
    await _chat(plain, Redactor(["canary-secret-key"])).with_lines(io.StringIO("my key is canary-secret-key\n"))

    assert "canary" not in plain.entries[0].text
    assert "Not stored: something that looked like this bot's own key." in out.getvalue()


async def test_input_is_utf_8_and_bytes_that_are_no_text_do_not_stop_the_talk(
    plain: Echo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    piped = io.TextIOWrapper(io.BytesIO("größer\n".encode() + b"caf\xe9\nnext\n"), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", piped)

    await _chat(plain).converse(make_screen(), "Somebody answers.")

    assert [entry.text for entry in plain.entries] == ["größer", "caf?", "next"]


async def test_a_process_without_a_standard_input_has_nothing_to_say(
    plain: Echo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    screen = make_screen()

    await _chat(plain).converse(screen, "Somebody answers.")

    assert isinstance(screen, PlainScreen)
    assert (plain.entries, capsys.readouterr().err) == ([], "Somebody answers.\n")


# On a terminal


@pytest.fixture
def typed() -> "Typed":
    return Typed()


class Typed:
    """A terminal with a person at it."""

    def __init__(self) -> None:
        self.shown = io.StringIO()
        self.screen = LiveScreen(Console(file=self.shown, force_terminal=True, width=80, color_system=None))

    async def run(self, echo: Echo, keys: str) -> str:
        with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
            self.keys(pipe, keys)
            await asyncio.wait_for(_chat(echo).converse(self.screen, "Somebody answers."), 20)
        return self.shown.getvalue()

    def keys(self, pipe: PipeInput, keys: str) -> None:
        pipe.send_text(keys)


@pytest.mark.parametrize("leave", ["exit\r", "quit\r", "\x04", "\x03"])
async def test_a_person_leaves_by_word_end_of_input_or_interrupt(space: Space, typed: Typed, leave: str) -> None:
    echo = Echo(space, typed.screen)

    shown = await typed.run(echo, f"hello there\r{leave}")

    assert shown.startswith("Somebody answers.\n")
    assert "You said: hello there" in shown
    assert echo.log[-1] == "closed"


async def test_what_could_not_be_stored_is_said_and_the_chat_goes_on(space: Space, typed: Typed) -> None:
    class Full(Echo):
        async def receive(self, entry: Entry) -> bool:
            if entry.text == "first":
                raise StorageFull(self.space.db.path)
            return await super().receive(entry)

    echo = Full(space, typed.screen)

    shown = await typed.run(echo, "first\rsecond\rexit\r")

    assert "The disk is full, so this was not stored." in shown
    assert "You said: second" in shown


async def test_an_interrupt_clears_a_line_that_was_begun(space: Space, typed: Typed) -> None:
    echo = Echo(space, typed.screen)

    await typed.run(echo, "no, not this\x03but this\rexit\r")

    assert [entry.text for entry in echo.entries] == ["but this"]


async def test_an_interrupt_during_a_turn_stops_the_turn_and_not_the_chat(space: Space, typed: Typed) -> None:
    echo = Echo(space, typed.screen)

    async def interrupt(entry: Entry) -> None:
        if entry.text == "long":
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0)

    echo.during = interrupt

    await typed.run(echo, "long\rshort\rexit\r")

    assert [(entry.text, entry.kind) for entry in echo.entries] == [
        ("long", "message"),
        ("/stop", "command"),
        ("short", "message"),
    ]


async def test_the_recent_talk_is_shown_on_start(space: Space, typed: Typed, clock: FakeClock) -> None:
    async with space.db.transaction():
        session_id = await space.sessions.current_session()
        for number in range(12):
            await space.sessions.append(text_message("user", f"line {number}", clock.now()), session_id=session_id)

    shown = await typed.run(Echo(space, typed.screen), "exit\r")

    assert "line 1\n" not in shown
    assert "› line 2\n" in shown
    assert "› line 11\n" in shown


# What is shown


async def test_a_reply_that_may_have_been_shown_says_so(out: io.StringIO) -> None:
    await PlainScreen(out).deliver(_row(Outgoing(text="Hello.")), is_repeat=True)

    assert out.getvalue().splitlines()[1:] == ["Hello."]
    assert "sent again" in out.getvalue()


async def test_what_a_button_does_can_be_typed(out: io.StringIO) -> None:
    rows = ((Button(text="Pin", data="pin:1:1", typed="/facts f1 pin"), Button(text="f1", data="fact:1")),)
    await PlainScreen(out).deliver(_row(Outgoing(text="**vet**", buttons=rows)))
    assert out.getvalue() == "**vet**\n\nPin: `/facts f1 pin`\n"


async def test_where_a_file_lies_is_shown_in_its_place(out: io.StringIO) -> None:
    await PlainScreen(out).deliver(_row(Outgoing(text="📎 my_list.md", document="trips/my_list_.md")))
    assert out.getvalue() == "📎 my_list.md\n\n(a file: files/trips/my_list_.md in the folder of this memory)\n"


async def test_a_live_reply_is_shown_as_markdown_once_it_is_complete(typed: Typed) -> None:
    await typed.screen.begin(1, ENTRY)
    await typed.screen.show_text("**Fri")
    call = CallPart(call_id="1", name="recall", args={"query": "tax"})
    await typed.screen.show_call(call)
    await typed.screen.show_tool(call, is_ok=True)
    await typed.screen.end()
    await typed.screen.deliver(_row(Outgoing(text="**Friday** at 17:30")))

    assert "🧠 looking in my memory…" in typed.shown.getvalue()
    assert '✓ recall(query="tax")' in typed.shown.getvalue()
    assert typed.shown.getvalue().rstrip().endswith("Friday at 17:30")


def test_history_shows_calls_with_how_they_went_and_no_thoughts(clock: FakeClock) -> None:
    calls = (CallPart(call_id="a", name="recall", args={"query": "tax"}), CallPart(call_id="b", name="clock"))
    results = (
        ResultPart(call_id="a", name="recall", response={"items": []}),
        ResultPart(call_id="b", name="clock", response={"error": "no"}),
    )
    messages = [
        text_message("user", "When is it due?", clock.now()),
        Message(role="model", parts=(ThoughtPart(text="hm"), *calls), at=clock.now()),
        Message(role="tool", parts=results, at=clock.now()),
        text_message("notice", "not for people", clock.now()),
        Message(role="model", parts=(TextPart(text="On Friday."),), at=clock.now()),
    ]

    assert list(history_lines(messages)) == [
        "› When is it due?",
        '✓ recall(query="tax")',
        "✗ clock()",
        "On Friday.",
    ]


def test_long_arguments_are_cut() -> None:
    line = tool_line(CallPart(call_id="1", name="remember", args={"text": "x" * 500}), is_ok=False)

    assert line.startswith('✗ remember(text="xxx')
    assert line.endswith("…)")
    assert len(line) < 100


def test_no_text_can_steer_the_terminal() -> None:
    assert printable("a\x1b]0;title\x07b\x1b[2J\x9bc\tд\n👩‍👧") == "a]0;titleb[2Jc\tд\n👩‍👧"


def test_the_banner_says_what_the_offline_reader_can_do_and_how_to_get_a_model() -> None:
    assert "GEMINI_API_KEY" in banner("reader", is_offline=True)
    assert banner("gemini-3.8-flash", is_offline=False).startswith("gemini-3.8-flash answers.")
