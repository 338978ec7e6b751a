"""The export in the chat: the file that Telegram is given holds the memory, and no copy of it is left behind."""

import io
import json
from pathlib import Path
from zipfile import ZipFile

from tests.bot.telegram.house import OWNER, serving
from tests.bot.telegram.test_buttons import settled
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_failures import refused


async def test_a_member_gets_everything_as_one_file_and_none_is_kept(telegram: FakeTelegram, tmp_path: Path) -> None:
    async with serving(telegram, tmp_path):
        telegram.say(OWNER, "The locker code is 4711.")
        await telegram.until(lambda: telegram.texts(OWNER))
        telegram.say(OWNER, "/export")
        await telegram.until(lambda: any(one.document for one in telegram.sent[OWNER]))
        await settled(telegram)

    (document,) = [one.document for one in telegram.sent[OWNER] if one.document]
    assert document.name == f"remembrancer-{OWNER}-20270302.zip"
    assert (document.caption or "").startswith("Everything I hold here")
    with ZipFile(io.BytesIO(document.data)) as archive:
        lines = [json.loads(line) for line in archive.read("messages.jsonl").decode().splitlines()]
    assert lines[0]["text"] == "The locker code is 4711."
    assert [path for path in tmp_path.rglob("*.zip*") if path.is_file()] == []


async def test_a_file_that_telegram_refuses_is_told(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.fail_next("sendDocument", refused(400, "Bad Request: file must be non-empty"))
    async with serving(telegram, tmp_path):
        telegram.say(OWNER, "/export")
        await telegram.until(lambda: "would not take the file" in "".join(telegram.texts(OWNER)))
