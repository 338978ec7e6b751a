"""The terminal: a chat with the same agent that serves Telegram, for a person or for a script.

On a terminal there is line editing, the answer streams in and background work goes on while the person reads. With
piped input each line is a message, each reply is printed plainly, and all work is finished before the next line. What
was typed is kept in no history file: it is private, and the transcript has it.
"""

import asyncio
import contextlib
import io
import json
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.patch_stdout import patch_stdout
from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.text import Text

from bot.errors import words_for
from bot.quoting import literal, unescaped
from bot.turn.progress import line
from bot.turn.screen import QuietScreen
from bot.views import printable
from memory.errors import OperatorMustAct
from memory.messages import CallPart, Message
from memory.space import Space
from memory.store.entries import Entry, Outgoing
from memory.store.mailbox import OutRow
from memory.store.redaction import Redactor, notice, strip_hidden

LEAVE = frozenset({"exit", "quit"})
PROMPT = "› "
HISTORY = 10
"""Messages shown on start."""
ARGS_CHARS = 80
SETTLE_S = 0.03
AGAIN = "(sent again: an interruption left open whether it was shown)\n"
_COMMAND = re.compile(r"/[a-z_]+(\s|$)")


class Runner(Protocol):
    """What the terminal needs of a space at work."""

    @property
    def space(self) -> Space: ...

    def start(self) -> None: ...

    async def close(self, *, grace_s: float = 0.0) -> None: ...

    async def receive(self, entry: Entry) -> bool: ...

    async def drain(self) -> None: ...


class PlainScreen(QuietScreen):
    """Prints each finished message as it is: for pipes."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        await self.say(f"{AGAIN if is_repeat else ''}{typed(row.message)}")
        return None

    async def say(self, text: str) -> None:
        self._out.write(f"{printable(unescaped(text))}\n")
        self._out.flush()


class LiveScreen:
    """Shows the answer while it grows, then for good, as Markdown: for people."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._live: Live | None = None

    def render(self, text: str, entry: Entry | None) -> list[Outgoing]:
        return [Outgoing(text=text)]

    async def begin(self, turn_id: int, entry: Entry) -> None:
        self._live = Live("…", console=self.console, transient=True, refresh_per_second=8)
        self._live.start()

    async def show_text(self, text: str) -> None:
        if self._live is not None:
            self._live.update(Markdown(printable(text)))

    async def show_call(self, call: CallPart) -> None:
        if self._live is not None:
            self._live.update(Text(printable(line(call)), style="dim"), refresh=True)

    async def show_tool(self, call: CallPart, *, is_ok: bool) -> None:
        self.console.print(tool_line(call, is_ok=is_ok), style="dim", markup=False, highlight=False)

    async def show_work(self, what: str) -> None:
        self.console.print(f"… {what}", style="dim", markup=False, highlight=False)

    async def end(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    async def deliver(self, row: OutRow, *, is_repeat: bool = False) -> str | None:
        await self.say(f"{AGAIN if is_repeat else ''}{typed(row.message)}")
        return None

    async def say(self, text: str) -> None:
        self.console.print(Markdown(printable(text)))
        self.console.print()


def typed(message: Outgoing) -> str:
    """Return the text of a message, where its picture or file lies and, for its buttons, what can be typed instead."""
    ways = [f"{button.text}: `{button.typed}`" for row in message.buttons for button in row if button.typed]
    lies = {"a picture": f"media/{message.photo}"} if message.photo else {}
    lies |= {"a file": f"files/{message.document}"} if message.document else {}
    places = [f"({what}: {literal(path)} in the folder of this memory)" for what, path in lies.items()]
    return "\n\n".join([message.text, *places, *([" · ".join(ways)] if ways else [])])


Screen = PlainScreen | LiveScreen


def make_screen() -> Screen:
    """Return the screen for this process: live where a person types and reads, else plain."""
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        return LiveScreen(Console())
    return PlainScreen(sys.stdout)


def banner(answerer: str, *, is_offline: bool) -> str:
    """Return the line that says who answers, and what that means."""
    if not is_offline:
        return f"{answerer} answers. /help lists the commands; exit leaves."
    return (
        "The built-in offline reader answers: it quotes what you told it and notes facts by plain rules, but it cannot "
        "converse or look anything up. For a model set GEMINI_API_KEY, for example in .env. "
        "/help lists the commands; exit leaves."
    )


class Chat:
    """A conversation in one space. `make_id` returns a new unique word for each message."""

    def __init__(self, runner: Runner, redactor: Redactor, *, make_id: Callable[[], str]) -> None:
        self._runner = runner
        self._redactor = redactor
        self._make_id = make_id

    async def converse(self, screen: Screen, greeting: str) -> None:
        """Talk until `exit`, `quit` or the end of input."""
        if isinstance(screen, LiveScreen):
            await self._with_person(screen, greeting)
        else:
            sys.stderr.write(f"{greeting}\n")
            await self.with_lines(_standard_input())

    async def with_lines(self, lines: TextIO) -> None:
        """Take each line as a message, and finish all work before the next one."""
        with _interruptible():
            # What an earlier process left open comes first.
            await self._runner.drain()
            while line := lines.readline():
                text = line.strip("\ufeff \t\r\n")
                if text.lower() in LEAVE:
                    break
                if text:
                    await self._runner.receive(self._entry(text))
                    await self._runner.drain()

    async def _with_person(self, screen: LiveScreen, greeting: str) -> None:
        screen.console.print(greeting, style="dim", markup=False, highlight=False)
        for said in history_lines(await self._recent()):
            screen.console.print(said, style="dim", markup=False, highlight=False)
        session: PromptSession[str] = PromptSession(history=InMemoryHistory(), reserve_space_for_menu=0)
        self._runner.start()
        try:
            with patch_stdout(raw=True):
                while (text := await _typed(session)) is not None:
                    if text and await self._is_received(text, screen):
                        await self._until_answered()
        finally:
            await self._runner.close()

    async def _is_received(self, text: str, screen: LiveScreen) -> bool:
        """Store what was typed; where that fails, say so and let the person go on typing."""
        try:
            return await self._runner.receive(self._entry(text))
        except OperatorMustAct as error:
            await screen.say(words_for(error))
            return False

    async def _until_answered(self) -> None:
        """Wait until nothing that came in waits for its answer; Ctrl-C stops the turn meanwhile."""
        loop = asyncio.get_running_loop()
        stops: list[asyncio.Task[bool]] = []

        def stop() -> None:
            stops.append(loop.create_task(self._runner.receive(self._entry("/stop")), name="stop by Ctrl-C"))

        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGINT, stop)
        mailbox = self._runner.space.mailbox
        try:
            while await mailbox.waiting() or await mailbox.undelivered():
                await self._runner.space.clock.sleep(SETTLE_S)
        finally:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(signal.SIGINT)
            await asyncio.gather(*stops)

    async def _recent(self) -> Sequence[Message]:
        space = self._runner.space
        async with space.db.transaction():
            session_id = await space.sessions.current_session()
        return (await space.sessions.tail(session_id))[-HISTORY:]

    def _entry(self, text: str) -> Entry:
        # Bytes that are no text came in as half characters, which no database takes.
        valid = text.encode("utf-8", "replace").decode("utf-8")
        redacted = self._redactor.redact(strip_hidden(valid))
        return Entry(
            source=f"cli:{self._make_id()}",
            kind="command" if _COMMAND.match(redacted.text) else "message",
            text=redacted.text,
            at=self._runner.space.clock.now(),
            notices=(notice(redacted, can_keep=True),) if redacted.kinds else (),
            secrets=redacted.spoken,
            has_offer=bool(redacted.spoken),
        )


def history_lines(messages: Sequence[Message]) -> Iterator[str]:
    """Yield an earlier talk, a paragraph a message; of tools only what was called and whether that went well."""
    calls = {call.call_id: call for message in messages for call in message.calls}
    for message in messages:
        for result in message.results:
            call = calls.get(result.call_id) or CallPart(call_id=result.call_id, name=result.name)
            yield tool_line(call, is_ok="error" not in result.response)
        if message.text.strip() and message.role in ("user", "model"):
            yield f"{PROMPT if message.role == 'user' else ''}{printable(message.text)}"


def tool_line(call: CallPart, *, is_ok: bool) -> str:
    """Return `✓ name(args)` or `✗ name(args)`, long arguments cut."""
    args = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in call.args.items())
    cut = args if len(args) <= ARGS_CHARS else args[: ARGS_CHARS - 1] + "…"
    return printable(f"{'✓' if is_ok else '✗'} {call.name}({cut})")


def _standard_input() -> TextIO:
    """Return what is piped in, read as UTF-8 whatever the locale; a process may be started without any."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    return sys.stdin or io.StringIO()


async def _typed(session: PromptSession[str]) -> str | None:
    """Return the next line a person typed; None when they leave. Ctrl-C clears the line, and leaves an empty one."""
    while True:
        try:
            text = (await session.prompt_async(PROMPT)).strip()
        except EOFError:
            return None
        except KeyboardInterrupt:
            if not session.default_buffer.text:
                return None
            continue
        return None if text.lower() in LEAVE else text


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end a blocking read at once: the event loop would only note it."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
