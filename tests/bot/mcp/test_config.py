"""The file of servers: what it may say, and the one line that says what is wrong with it."""

import json
from pathlib import Path

import pytest

from bot.mcp.config import Address, BadConfig, Program, read_config
from bot.settings import BadSettings, load


def config(folder: Path, **servers: object) -> Path:
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    return path


def wrong(folder: Path, **servers: object) -> str:
    with pytest.raises(BadConfig) as refusal:
        read_config(config(folder, **servers), {})
    return str(refusal.value).removeprefix(f"{folder}/mcp.json: ")


def test_programs_and_addresses_are_read_and_filled_from_the_environment(tmp_path: Path) -> None:
    notes = {"command": "notes", "args": ["-x"], "env": {"KEY": "a${A}b", "LEVEL": "info"}, "cwd": "sub"}
    far = {"url": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${B}"}, "approve": "writes"}
    read = read_config(config(tmp_path, notes=notes, far=far), {"A": "12345678", "B": "long-token-of-b"})
    program, address = read.servers.values()
    assert isinstance(program, Program)
    assert (program.env["KEY"], program.cwd, program.approve) == ("a12345678b", tmp_path / "sub", "always")
    assert isinstance(address, Address)
    assert (address.headers["Authorization"], address.spaces) == ("Bearer long-token-of-b", "operator")
    assert read.secrets == ("a12345678b", "Bearer long-token-of-b", "long-token-of-b")


@pytest.mark.parametrize(
    ("server", "line"),
    [
        ({"command": 3}, 'command: Input should be a valid string; for example "command": "npx"'),
        ({"command": "x", "url": "y"}, "it has either a command or a url"),
        ({}, "it has either a command or a url"),
        ({"command": "x", "headers": {}}, 'headers: there is no such entry; for example "headers"'),
        ({"command": "x", "env": {"A": 1}}, "env.A: Input should be a valid string"),
        ({"command": "x", "env": {"A": "${NOPE}"}}, "A: NOPE is not in the environment; for example NOPE=… in .env"),
        ({"url": "ftp://x"}, "url: is not an http(s) address"),
        ({"url": "http://x", "headers": {"A": "b\r\nc: d"}}, "headers: must be plain characters in one line"),
        ({"command": "x", "approve": "sometimes"}, "approve: must be one of 'always', 'writes' or 'never'"),
    ],
)
def test_a_wrong_server_is_named_with_what_is_wrong_and_an_example(
    tmp_path: Path, server: dict[str, object], line: str
) -> None:
    told = wrong(tmp_path, notes=server)
    assert told.startswith(f"server 'notes': {line}")
    assert "for example" in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"mcpServers": {"notes": {"command": "x"}, "notes": {"command": "y"}}}', "notes"),
        ('{"mcpServers": {"notes": {"command": "x", "approve": "always", "approve": "never"}}}', "approve"),
        ('{"mcpServers": {}, "mcpServers": {}}', "mcpServers"),
    ],
)
def test_a_name_that_stands_twice_is_refused(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    with pytest.raises(BadConfig) as refusal:
        read_config(path, {})
    assert str(refusal.value).startswith(f"{path}: '{name}' stands twice in one object; each name once")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["a__b", "a_", "1a", "", "a b", "x" * 33, "ä"])
def test_a_name_that_no_tool_could_bear_is_refused(tmp_path: Path, name: str) -> None:
    assert "a name has 1 to 32 letters" in wrong(tmp_path, **{name: {"command": "x"}})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"mcpServers": 3}', '{"servers": {}}'])
def test_a_file_that_is_none_is_said_with_an_example(tmp_path: Path, text: str) -> None:
    (tmp_path / "mcp.json").write_text(text)
    with pytest.raises(BadConfig, match=r"mcp.json: .*for example \{\"mcpServers\""):
        read_config(tmp_path / "mcp.json", {})


def test_no_complaint_shows_a_value(tmp_path: Path) -> None:
    told = wrong(tmp_path, notes={"command": "x", "env": {"A": {"deep": "my-private-token"}}, "approve": "my-private"})
    assert "private" not in told


def test_the_start_stops_at_a_wrong_file_and_masks_the_secrets_of_a_right_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("NOTES_TOKEN=the-token-of-notes\n")
    path = config(tmp_path, notes={"command": "x", "env": {"TOKEN": "${NOTES_TOKEN}"}})
    monkeypatch.setenv("REMEMBRANCER_MCP", str(path))
    loaded = load(tmp_path)
    assert list(loaded.settings.servers.servers) == ["notes"]
    assert "the-token-of-notes" in loaded.settings.secrets
    assert "the-token-of-notes" not in repr(loaded.settings)
    path.unlink()
    with pytest.raises(BadSettings, match=r"^REMEMBRANCER_MCP .*mcp.json: cannot be read \(No such file"):
        load(tmp_path)
