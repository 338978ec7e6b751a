"""The command `import`: what is taken in, from which kind of file, and on wish the facts that it states.

Told apart by content: an export of a memory (a zip), an export of Telegram Desktop, else lines of JSON.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path

from bot.command_line.app import FINE, NOT_WELL, App, many, say, show, space_id, tombstones_of
from bot.command_line.progress import progress
from bot.errors import line_for
from bot.imports.choosing import chosen_chat, member_of
from bot.imports.reading_back import estimate, queue, unread
from bot.imports.telegram_desktop import (
    SNIFFED_CHARS,
    BadExport,
    Chat,
    Reading,
    Skipped,
    is_telegram_export,
    opened,
    survey,
)
from bot.inputs import UsageFault, lines_of
from bot.models.prices import AS_OF, shown_usd
from memory.importing import CLOCKS_DIFFER, Imported, Importer, read_lines
from memory.messages import Message
from memory.space import Space
from memory.store.redaction import Redactor
from memory.store.tombstones import Tombstones
from memory.transfer.taking_in import TakenIn, is_export, take_in

_ZIP_BEGINS = b"PK\x03\x04"
_SKIPPED = {"media": "media without words", "service": "service messages", "unreadable": "without words or time"}


@dataclass
class _Source:
    """Messages to take in, and what is said about those that were left out."""

    messages: Iterable[Message]
    count: int
    skipped: Counter[Skipped] = field(default_factory=Counter)
    ahead: int = 0

    def said_until(self, latest: datetime) -> Iterator[Message]:
        """Yield them, but for those of a later time: nothing that is said from now on could come after them."""
        for message in self.messages:
            if message.at > latest:
                self.ahead += 1
            else:
                yield message

    def left_out(self) -> str:
        """Return what was left out, in words; "" for nothing."""
        counts = [f"{count} {_SKIPPED[why]}" for why, count in self.skipped.items()]
        counts += [f"{self.ahead} dated ahead of now"] if self.ahead else []
        return f"; left out: {', '.join(counts)}" if counts else ""


@dataclass
class _Work:
    """One import at work."""

    args: argparse.Namespace
    app: App
    space: Space
    tombstones: Tombstones

    @cached_property
    def redact(self) -> Callable[[str], str]:
        """Returns a text as it may be stored."""
        redactor = Redactor(self.app.settings.secrets)
        return lambda text: redactor.redact(text).text

    @property
    def is_forgotten(self) -> Callable[[Message], Awaitable[bool]]:
        """Tells whether a message was forgotten after it was said."""
        return lambda entry: self.tombstones.covers(self.space.id, entry.text, said_at=entry.at)


async def import_(args: argparse.Namespace, app: App) -> int:
    """Take in a file. Raises: UsageFault, BadImport."""
    path: Path = args.file
    if not path.exists():
        raise UsageFault(f"there is no file {path}")
    if path.is_dir():
        raise UsageFault(f"{path} is a folder, not a file")
    if is_export(path):
        return await _take_in(args, app)
    if _is_cut_off_zip(path):
        raise UsageFault(f"{path} is a zip that is damaged or cut off; make the export again, or copy it again")
    if path.is_file() and is_telegram_export(_head(path)):
        chat, me = _chosen(args, app)
        return await _store(args, app, lambda space: _telegram(path, space, chat, me))
    if args.chat is not None or args.me is not None:
        raise UsageFault("--chat and --me are for an export of Telegram Desktop, which this file is not")
    lines = lines_of(path)
    return await _store(args, app, lambda space: _lines(lines, space))


def _is_cut_off_zip(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_ZIP_BEGINS)) == _ZIP_BEGINS


async def _store(args: argparse.Namespace, app: App, source_of: Callable[[Space], _Source]) -> int:
    async with (
        app.home.locked_after(say),
        app.open_space(space_id(args, app), read_only=False) as space,
        tombstones_of(app) as tombstones,
    ):
        work, source, own = _Work(args, app, space, tombstones), source_of(space), list[int]()
        try:
            with progress("importing", source.count) as advance:
                done = await Importer(space.db, space.sessions, space.segments).store(
                    source.said_until(app.clock.now() + CLOCKS_DIFFER),
                    redact=work.redact,
                    is_forgotten=work.is_forgotten,
                    on_stored=advance,
                    on_own=own.append,
                )
        except BadExport as error:
            raise UsageFault(f"{args.file}: {error}") from None
        show(f"{_said(done)} (space {space.id}){source.left_out()}")
        return await _extract(work, own) if args.extract else FINE


def _said(done: Imported) -> str:
    return (
        f"{done.stored} stored, {done.known} known already, {done.forgotten} forgotten earlier and left out, "
        f"{done.redacted} with a secret masked"
    )


def _lines(lines: list[str], space: Space) -> _Source:
    messages = read_lines(lines, space.zone)
    return _Source(messages, len(messages))


# Telegram Desktop


def _head(path: Path) -> str:
    with opened(path) as file:
        return file.read(SNIFFED_CHARS)


def _chosen(args: argparse.Namespace, app: App) -> tuple[Chat, str | None]:
    """Return the chat that is meant and the key of the member; None in a group's memory, where all are members."""
    try:
        with opened(args.file) as file:
            found = survey(file)
        chat = chosen_chat(found, args.chat)
        wanted = space_id(args, app)
        if wanted.startswith("-"):
            return chat, None
        owner = app.settings.telegram_owner_id
        known = wanted if wanted.isdecimal() else str(owner) if owner is not None else None
        return chat, member_of(chat, found, args.me, known_id=known)
    except (BadExport, UsageFault) as error:
        raise UsageFault(f"{args.file}: {error}") from None


def _telegram(path: Path, space: Space, chat: Chat, me: str | None) -> _Source:
    reading = Reading(chat, me, space.zone)

    def messages() -> Iterable[Message]:
        with opened(path) as file:
            yield from reading.messages(file)

    return _Source(messages(), chat.count, reading.skipped)


# Facts


async def _extract(work: _Work, own: list[int]) -> int:
    """Read the facts of what was taken in, once the price is agreed to."""
    space, settings = work.space, work.app.settings
    wanted = await unread(space, own)
    is_free = settings.gemini_api_key is None
    today = work.app.clock.now().date()
    price = await estimate(space, wanted, model=settings.gemini_utility_model, on=today)
    if not price.messages:
        show("facts: nothing left to read in it")
        return FINE
    if is_free:
        show(f"facts: {many(price.messages, 'message')} to read, offline and free: no GEMINI_API_KEY is set")
    else:
        guess = "" if price.is_known else "; the model's price is not known, this one is assumed"
        show(
            f"facts: {many(price.messages, 'message')} to read with {settings.gemini_utility_model}, "
            f"about {price.tokens:,} tokens, about {shown_usd(price.usd)} "
            f"(prices as of {AS_OF.day} {AS_OF:%B %Y}{guess})"
        )
        if not _agreed(work.args):
            show("facts: none was read; the messages are stored and can be found")
            return FINE
    await queue(space, wanted)
    with progress("reading facts", price.messages) as advance:
        done = await work.app.read_back(space, work.tombstones, on_read=advance)
    facts = f"{many(done.facts, 'more fact')} hold{'s' if done.facts == 1 else ''} now"
    show(f"facts: {many(done.read, 'message')} read, {facts} (remembrancer facts lists them)")
    if done.stopped_by is None and not done.left:
        return FINE
    why = line_for(done.stopped_by()) if done.stopped_by is not None else "the model failed on them"
    say(
        f"{many(done.left, 'message')} still to be read: {why}; the server goes on with them by itself, "
        "and so does this command when it is given again"
    )
    return NOT_WELL


def _agreed(args: argparse.Namespace) -> bool:
    """Ask whether to go on. Raises: UsageFault where nobody can be asked."""
    if args.yes:
        return True
    if not sys.stdin.isatty():
        raise UsageFault("nobody can be asked here: give --yes to read facts at that price; the messages are stored")
    return input("read them? [y/N] ").strip().casefold() in ("y", "yes", "j", "ja")


# Exports of a memory


async def _take_in(args: argparse.Namespace, app: App) -> int:
    if args.extract or args.chat is not None or args.me is not None:
        raise UsageFault("an export of a memory brings its facts along: leave --extract, --chat and --me out")
    async with (
        app.home.locked_after(say),
        app.open_space(space_id(args, app), read_only=False) as space,
        tombstones_of(app) as tombstones,
    ):
        work = _Work(args, app, space, tombstones)
        done = await take_in(args.file, space, tombstones, redact=work.redact)
    show("\n".join(_taken_lines(done, space.id)))
    return FINE


def _taken_lines(done: TakenIn, wanted: str) -> list[str]:
    lines = [f"{_said(done.messages)} (space {wanted})"]
    for what, counts in (
        ("facts", done.facts),
        ("procedures", done.procedures),
        ("reminders", done.reminders),
        ("files", done.files),
    ):
        left = f", {counts.left_out} left out" if counts.left_out else ""
        lines.append(f"{what}: {counts.added} taken over, {counts.known} known already{left}")
    return lines
