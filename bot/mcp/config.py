"""Config: the servers of `mcp.json`, in the form that other programs read too, validated once at start.

Nothing is started or connected here. No complaint shows a value: tokens stand in this file.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from bot import setting_values as values

SERVERS = "mcpServers"
EXAMPLE = '{"mcpServers": {"notes": {"command": "npx", "args": ["-y", "some-server"]}}}'
_NAME = re.compile(r"[A-Za-z](?:_?[A-Za-z0-9-]){0,31}")
"""A tool is called by `<server>__<tool>`: no name of a server may hold that sign."""
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME = re.compile(r"auth|token|key|secret|pass|cookie|credential", re.IGNORECASE)
MIN_SECRET_CHARS = 8
"""Shorter values are not masked: they would take ordinary words out of what people say."""


class BadConfig(Exception):
    """The file is wrong; the message is the one line for the person who starts the program."""


class _Doubled(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _address(value: str) -> str:
    values.address(value)
    return value


class Server(BaseModel):
    """What every server may say: which of its calls ask the member first, and which spaces may use it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    approve: Literal["always", "writes", "never"] = "always"
    spaces: Literal["operator", "all"] = "operator"


class Program(Server):
    """A server that is started here and spoken to over its stdin and stdout."""

    type: Literal["stdio"] = "stdio"
    command: str = Field(min_length=1)
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = Field(default={}, repr=False)
    cwd: Path | None = None


class Address(Server):
    """A server that is spoken to over HTTP."""

    type: Literal["http", "streamable-http"] = "http"
    url: Annotated[str, AfterValidator(_address)] = Field(repr=False)
    headers: Mapping[str, str] = Field(default={}, repr=False)


@dataclass(frozen=True)
class Config:
    """The servers by their names, and the values of theirs that must appear in no log, message or database."""

    servers: Mapping[str, Program | Address]
    secrets: tuple[str, ...] = ()


NO_SERVERS = Config({})


def read_config(path: Path, environment: Mapping[str, str | None]) -> Config:
    """Read the file; `${NAME}` in `env` and `headers` is what the environment holds under that name.

    Raises: BadConfig.
    """
    named = _named_servers(path)
    servers: dict[str, Program | Address] = {}
    secrets: dict[str, None] = {}
    for name, given in named.items():
        server = _server(path, name, given)
        field = "env" if isinstance(server, Program) else "headers"
        filled = {key: _filled(path, name, key, text, environment) for key, text in _texts(server).items()}
        if isinstance(server, Address) and not all(map(_is_header, (*filled, *filled.values()))):
            raise _wrong(path, name, "headers: must be plain characters in one line", _example("headers"))
        secrets.update(dict.fromkeys(_secrets(_texts(server), filled)))
        changes: dict[str, object] = {field: filled}
        if isinstance(server, Program) and server.cwd is not None:
            changes["cwd"] = path.parent / server.cwd.expanduser()
        servers[name] = server.model_copy(update=changes)
    return Config(servers, tuple(secrets))


def _named_servers(path: Path) -> Mapping[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_once_each)
    except OSError as error:
        raise BadConfig(f"{path}: cannot be read ({error.strerror}); for example {EXAMPLE}") from None
    except UnicodeDecodeError:
        raise BadConfig(f"{path}: is not UTF-8 text; for example {EXAMPLE}") from None
    except json.JSONDecodeError as error:
        raise BadConfig(f"{path}: line {error.lineno} is not JSON ({error.msg}); for example {EXAMPLE}") from None
    except _Doubled as error:
        raise BadConfig(
            f"{path}: {_shown(error.name)} stands twice in one object; each name once; for example {EXAMPLE}"
        ) from None
    named = read.get(SERVERS) if isinstance(read, dict) else None
    if not isinstance(named, dict):
        raise BadConfig(f"{path}: holds no object {SERVERS!r}; for example {EXAMPLE}")
    return named


def _once_each(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of the file. Raises: _Doubled: of two, JSON would take the last and say nothing."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Doubled(name)
        found[name] = value
    return found


def _server(path: Path, name: str, given: object) -> Program | Address:
    if not _NAME.fullmatch(name):
        raise _wrong(path, name, "a name has 1 to 32 letters, digits, - and single _, a letter first", '"my-notes"')
    if not isinstance(given, dict) or ("command" in given) == ("url" in given):
        raise _wrong(path, name, "it has either a command or a url", '{"command": "npx"} or {"url": "https://…/mcp"}')
    kind: type[Program | Address] = Program if "command" in given else Address
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        # Of a table of values, the name of the value tells where; the type of a union's arm does not.
        where = ".".join(str(part) for part in first["loc"])
        raise _wrong(path, name, f"{where}: {_complaint(first)}", _example(str(first["loc"][0]))) from None


def _complaint(error: Mapping[str, Any]) -> str:
    match error["type"]:
        case "extra_forbidden":
            return "there is no such entry"
        case "literal_error":
            return f"must be one of {error['ctx']['expected']}"
        case "setting":
            return str(error["ctx"]["what"])
        case _:
            return str(error["msg"])


_EXAMPLES: Mapping[str, str] = {
    "type": '"type": "stdio" with a command, "type": "http" with a url',
    "command": '"command": "npx"',
    "args": '"args": ["-y", "some-server"]',
    "env": '"env": {"API_TOKEN": "${API_TOKEN}"}',
    "cwd": '"cwd": "~/notes"',
    "url": '"url": "https://example.org/mcp"',
    "headers": '"headers": {"Authorization": "Bearer ${API_TOKEN}"}',
    "approve": '"approve": "always"',
    "spaces": '"spaces": "operator"',
}


def _example(field: str) -> str:
    return _EXAMPLES.get(field, f"only {', '.join(_EXAMPLES)}")


def _texts(server: Program | Address) -> Mapping[str, str]:
    return server.env if isinstance(server, Program) else server.headers


def _filled(path: Path, server: str, key: str, text: str, environment: Mapping[str, str | None]) -> str:
    def value(match: re.Match[str]) -> str:
        found = environment.get(match[1])
        if not found:
            raise _wrong(path, server, f"{key}: {match[1]} is not in the environment", f"{match[1]}=… in .env")
        return found

    return _REFERENCE.sub(value, text)


def _is_header(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _secrets(texts: Mapping[str, str], filled: Mapping[str, str]) -> Iterator[str]:
    """Yield what is a secret by its own name or by that of what it refers to; of `Bearer abc…` the last word too."""
    for key, text in texts.items():
        if any(_SECRET_NAME.search(name) for name in (key, *_REFERENCE.findall(text))):
            yield from (word for word in (filled[key], *filled[key].split()[-1:]) if len(word) >= MIN_SECRET_CHARS)


def _wrong(path: Path, server: str, what: str, example: str) -> BadConfig:
    return BadConfig(f"{path}: server {_shown(server)}: {what}; for example {example}")


def _shown(name: str) -> str:
    return repr((name if name.isprintable() else repr(name))[:40])
