"""A server of tools in the whole program: switched on, asked about, approved, run; and gone with the program."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.__main__ import Remembrancer
from bot.health import OutOfReach
from bot.mcp.config import read_config
from bot.settings import Settings
from tests.bot.mcp.programs import is_running, pid_of
from tests.fakes import mcp_program
from tests.fakes.gemini import FakeGemini
from tests.fakes.gemini_replies import call, say
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_world import Shown
from tests.program import ROOT, Program, wait_until

OWNER = 4242
KEY = "AIza-not-a-key-of-anybody-0123456789abc"
ITS_TOKEN = "a-token-of-the-notes"
KEEPING = """
import asyncio, sys
from pathlib import Path
from bot.mcp.config import read_config
from bot.mcp.servers import Servers

async def keep():
    async with Servers(read_config(Path(sys.argv[1]), {})) as servers:
        await asyncio.sleep(1_000)

asyncio.run(keep())
"""


def configured(folder: Path, **more: object) -> Path:
    """Write a file of one server, the fake program over `folder`/notes."""
    (folder / "notes").mkdir(parents=True, exist_ok=True)
    notes = {"command": sys.executable, "args": [mcp_program.__file__, str(folder / "notes")], **more}
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"notes": notes, "gone": {"command": "/no/such/command"}}}))
    return path


def newest(telegram: FakeTelegram, beginning: str) -> Shown:
    """Wait for a message and return it."""
    telegram.wait_for(lambda: any(text.startswith(beginning) for text in telegram.texts(OWNER)), timeout=30)
    return next(shown for shown in reversed(telegram.sent[OWNER]) if shown.text.startswith(beginning))


def press(telegram: FakeTelegram, shown: Shown, label: str) -> None:
    rows = (shown.keyboard or {})["inline_keyboard"]
    telegram.press(OWNER, shown, next(b["callback_data"] for row in rows for b in row if b["text"] == label))


def test_a_tool_is_switched_on_approved_and_run_and_learns_nothing_of_us(tmp_path: Path) -> None:
    config = configured(tmp_path, env={"NOTES_TOKEN": "${NOTES_TOKEN}"})
    with FakeTelegram() as telegram, FakeGemini(api_key=KEY) as gemini:
        gemini.script(call("notes__environment"), say("I asked you."), say("That is what it runs in."))
        more = {"REMEMBRANCER_MCP": str(config), "NOTES_TOKEN": ITS_TOKEN}
        program = Program(tmp_path / "home", telegram, gemini, OWNER, **more)
        program.start()
        try:
            telegram.say(OWNER, "/settings tools")
            page = newest(telegram, "Tools:")
            press(telegram, page, "○ environment")
            telegram.wait_for(lambda: "It takes nothing." in telegram.sent[OWNER][-1].text, timeout=30)
            press(telegram, telegram.sent[OWNER][-1], "Switch on")
            telegram.wait_for(lambda: "✓ notes__environment" in newest(telegram, "Tools:").text, timeout=30)
            telegram.say(OWNER, "What does it run in?")
            press(telegram, newest(telegram, "❔"), "Approve a1")
            newest(telegram, "That is what it runs in.")
            server = pid_of(tmp_path / "notes")
            program.terminate()
        finally:
            program.stop()
        gemini.assert_all_accepted()
        told = json.dumps(gemini.of_task("chat")[-1].body)
    assert "PATH" in told
    assert not any(secret in told for secret in (telegram.token, KEY, ITS_TOKEN))
    assert not is_running(server)
    databases = b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*.db*"))
    assert ITS_TOKEN.encode() not in databases
    assert ITS_TOKEN not in program.said()
    assert "a private word on stderr" not in program.said()


def test_a_server_does_not_outlive_a_program_that_is_killed(tmp_path: Path) -> None:
    config = configured(tmp_path)
    keeper = subprocess.Popen([sys.executable, "-c", KEEPING, str(config)], env=os.environ | {"PYTHONPATH": str(ROOT)})
    wait_until((tmp_path / "notes" / "asked.jsonl").exists, "a server that is asked")
    server = pid_of(tmp_path / "notes")
    keeper.send_signal(signal.SIGKILL)
    keeper.wait()
    wait_until(lambda: not is_running(server), "a server that ended")


async def test_doctor_says_of_each_server_whether_it_can_be_reached(tmp_path: Path) -> None:
    servers = read_config(configured(tmp_path), {})
    settings = Settings.model_validate({"REMEMBRANCER_HOME": str(tmp_path / "home")}).with_servers(servers)
    reach = Remembrancer(settings).reach()
    assert await reach["MCP notes"]() == "answers, 12 tools"
    with pytest.raises(OutOfReach, match=r"its command cannot be run; look at its entry in mcp.json"):
        await reach["MCP gone"]()
    assert not is_running(pid_of(tmp_path / "notes"))
