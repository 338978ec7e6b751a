"""`/export` sends everything as a file, to whom it belongs, and says what it leaves out."""

import io
from pathlib import Path
from zipfile import ZipFile

import pytest

from bot.commands.export import MOST_BYTES
from memory.transfer.export import export_bytes, export_name
from tests.bot.turn.house import House, house
from tests.fakes.clock import FakeClock

MEMBER, OPERATOR = 8, 7


async def asked(at: House, text: str = "/export", **more: object) -> tuple[str, str | None]:
    await at.say(text, kind="command", **more)
    row = at.screen.rows[-1]
    return row.message.text, row.message.export


async def test_everything_goes_out_as_a_file(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        told, export = await asked(at)

    assert export == "whole"
    assert told.startswith("Everything I hold here")
    assert "not encrypted" in told


async def test_media_that_are_too_large_are_left_out_and_that_is_said(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        async with at.space.db.transaction():
            part = await at.space.media.put(b"a long film", "video/mp4")
            await at.space.db.execute("UPDATE media SET size = ?", (MOST_BYTES + 1,))

        told, export = await asked(at)
        small = ZipFile(io.BytesIO(await export_bytes(at.space, has_media=False)))

    assert export == "without media"
    assert "media are left out" in told
    assert not [name for name in small.namelist() if part.sha256[:8] in name]
    assert "Media are left out" in small.read("README.md").decode()


async def test_what_is_too_large_even_so_is_left_to_the_command_line(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        at.space.files.write("a.bin", bytes(MOST_BYTES + 1))

        told, export = await asked(at)

    assert export is None
    assert "`remembrancer export`" in told


async def test_in_a_terminal_the_command_line_does_it(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        told, export = await asked(at, chat_id=None)

    assert (export, "`remembrancer export`" in told) == (None, True)


async def test_words_behind_it_get_a_line(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        told, export = await asked(at, "/export facts")

    assert (export, told) == (None, "/export alone sends everything I hold here as a file.")


@pytest.mark.parametrize(("who", "is_sent"), [(MEMBER, False), (OPERATOR, True)])
async def test_a_groups_memory_goes_to_the_operator_alone(tmp_path: Path, who: int, is_sent: bool) -> None:
    async with house(tmp_path, space_id="-100", operator_id=OPERATOR) as at:
        told, export = await asked(at, author_id=who)

    assert (export is not None) == is_sent
    assert ("Only the operator" in told) != is_sent


def test_the_name_is_short_whatever_the_space_is_called() -> None:
    assert len(export_name("x" * 64, FakeClock().now())) <= 60
