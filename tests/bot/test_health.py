import asyncio
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.health import LARGE_LOG_BYTES, LIVE_WITHIN_S, Finding, Heartbeat, OutOfReach, Reach, examine, liveness
from bot.home import Home
from bot.settings import Settings
from memory.errors import ModelMisconfigured
from memory.messages import text_message
from memory.ports import Usage
from memory.space import Space
from memory.store.database import Database
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder

SETTINGS = Settings.model_validate({})


async def _examined(home: Home, clock: FakeClock, **reach: Reach) -> dict[str, Finding]:
    return {found.about: found async for found in examine(SETTINGS, home, clock=clock, reach=reach, is_root=True)}


async def _space(home: Home, space_id: str, clock: FakeClock) -> Path:
    path = home.create_space(space_id).database
    await (await Database.open(path, "memory", clock=clock, backups=home.backups)).close()
    return path


@pytest.mark.parametrize(("shell", "is_root"), [("on", True), ("on", False), ("off", True)])
async def test_the_shell_and_root_do_not_go_together(
    tmp_path: Path, clock: FakeClock, shell: str, is_root: bool
) -> None:
    settings = Settings.model_validate({"REMEMBRANCER_SHELL": shell})
    looked = examine(settings, Home(tmp_path), clock=clock, reach={}, is_root=is_root)
    warned = [found.is_well async for found in looked if found.detail.startswith("root, whom no limit")]
    assert warned == ([False] if shell == "on" and is_root else [])


def test_a_server_that_polled_just_now_lives(tmp_path: Path, clock: FakeClock) -> None:
    heartbeat = Heartbeat(tmp_path / "heartbeat", clock)
    heartbeat.beat()
    clock.advance(LIVE_WITHIN_S)

    assert liveness(heartbeat).line() == "✓ heartbeat: 120 s ago"


def test_a_server_that_has_not_polled_for_long_does_not_live(tmp_path: Path, clock: FakeClock) -> None:
    heartbeat = Heartbeat(tmp_path / "heartbeat", clock)
    heartbeat.beat()
    clock.advance(LIVE_WITHIN_S + 1)

    found = liveness(heartbeat)

    assert not found.is_well
    assert found.line().startswith("✗ heartbeat: 121 s ago (more than 120 s")


@pytest.mark.parametrize("content", [None, "", "yesterday", "2027-03-02T09:00:00"])
def test_without_a_readable_beat_no_server_lives(tmp_path: Path, clock: FakeClock, content: str | None) -> None:
    path = tmp_path / "heartbeat"
    if content is not None:
        path.write_text(content)

    assert not liveness(Heartbeat(path, clock)).is_well


async def test_a_home_that_is_not_there_yet_is_well(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path / "none" / "yet")

    found = await _examined(home, clock)

    assert all(finding.is_well for finding in found.values())
    assert "(made at the first start)" in found["disk"].detail
    assert not home.root.exists()


async def test_every_database_is_opened_and_checked(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path)
    await _space(home, "local", clock)

    found = await _examined(home, clock)

    assert found["spaces/local/memory.db"].is_well
    assert found["spaces/local/memory.db"].detail.endswith("checked")


async def test_it_is_told_how_many_segments_have_a_vector_and_whose(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path)
    folder = home.create_space("42").path
    space = await Space.open(
        folder, default_zone=ZoneInfo("UTC"), clock=clock, backups=home.backups, embedder=FakeEmbedder()
    )
    async with space.db.transaction():
        for text in ("my plan", "your plan", "our plan"):
            await space.segments.store(
                await space.sessions.append(text_message("user", text, clock.now()), session_id=None)
            )
    await space.vectors.fill(2)
    await space.close()

    found = await _examined(home, clock)

    assert found["spaces/42/memory.db"].detail.endswith("2 of 3 segments have a vector (fake:96)")


async def test_what_was_spent_today_is_told_in_counts_alone(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path)
    folder = home.create_space("42").path
    space = await Space.open(folder, default_zone=ZoneInfo("UTC"), clock=clock, backups=home.backups)
    async with space.db.transaction():
        for model in ("gemini-3.8-flash", "offline-reader"):
            await space.sessions.record_usage(Usage(200_000), task="chat", model=model, turn_id=None)
    await space.close()

    found = await _examined(home, clock)
    clock.advance(24 * 3600)
    later = await _examined(home, clock)

    assert found["spaces/42/memory.db"].detail.endswith("checked; 2 model calls today, $0.30")
    assert later["spaces/42/memory.db"].detail.endswith("checked")


async def test_what_could_not_be_taken_up_is_counted_without_a_word_of_it(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path)
    path = await _space(home, "42", clock)
    database = await Database.open(path, "memory", clock=clock, backups=home.backups)
    async with database.transaction():
        await database.execute(
            "INSERT INTO inbox (source, kind, state, body, received_at) VALUES ('a', 'message', 'dead', 'plan', '2027')"
        )
    await database.close()

    found = await _examined(home, clock)

    assert "; 1 that came in could not be taken up" in found["spaces/42/memory.db"].detail
    assert "plan" not in found["spaces/42/memory.db"].detail


async def test_a_damaged_database_is_named_with_what_to_do_and_left_alone(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path)
    path = await _space(home, "local", clock)
    damaged = path.read_bytes()[:8192] + b"\x5a" * 20_000
    path.write_bytes(damaged)
    await _space(home, "other", clock)

    found = await _examined(home, clock)

    assert not found["spaces/local/memory.db"].is_well
    assert "backup" in found["spaces/local/memory.db"].detail
    assert found["spaces/other/memory.db"].is_well
    assert path.read_bytes() == damaged


async def test_a_file_that_is_no_database_is_named(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path)
    home.create_space("local").database.write_text("this is no database " * 100)

    found = await _examined(home, clock)

    assert not found["spaces/local/memory.db"].is_well


async def test_a_log_that_is_never_emptied_is_not_well(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path)
    path = await _space(home, "local", clock)
    with path.with_name("memory.db-wal").open("wb") as log:
        log.truncate(LARGE_LOG_BYTES + 1)

    finding = (await _examined(home, clock))["spaces/local/memory.db"]

    assert not finding.is_well
    assert "log has grown to 67 MB" in finding.detail


async def test_a_home_that_others_may_read_is_not_well(tmp_path: Path, clock: FakeClock) -> None:
    home = Home(tmp_path / "home")
    home.create()
    home.root.chmod(0o755)

    found = await _examined(home, clock)

    assert found["privacy"].line() == f"✗ privacy: other users may read the home; run: chmod 700 {home.root}"


async def test_a_home_on_a_file_is_not_well(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "file").write_text("x")

    found = await _examined(Home(tmp_path / "file"), clock)

    assert not found["disk"].is_well


async def test_each_service_says_what_it_answered(tmp_path: Path, clock: FakeClock) -> None:
    async def telegram() -> str:
        return "answers as @example_bot"

    async def gemini() -> str:
        raise ModelMisconfigured("HTTP 400 API_KEY_INVALID")

    async def proxy() -> str:
        raise OutOfReach("the token is not accepted; check TELEGRAM_BOT_TOKEN")

    async def network() -> str:
        raise ConnectionRefusedError

    found = await _examined(Home(tmp_path), clock, Telegram=telegram, Gemini=gemini, proxy=proxy, network=network)

    assert found["Telegram"].line() == "✓ Telegram: answers as @example_bot"
    assert found["Gemini"].line() == (
        "✗ Gemini: the model cannot be used as configured (HTTP 400 API_KEY_INVALID); "
        "check GEMINI_API_KEY and GEMINI_MODEL"
    )
    assert found["proxy"].line() == "✗ proxy: the token is not accepted; check TELEGRAM_BOT_TOKEN"
    assert found["network"].line() == "✗ network: out of reach (ConnectionRefusedError); check the network"


async def test_a_service_that_never_answers_is_given_up(tmp_path: Path, clock: FakeClock) -> None:
    async def silent() -> str:
        await asyncio.Event().wait()
        return "never"

    found = {
        finding.about: finding
        async for finding in examine(
            SETTINGS, Home(tmp_path), clock=clock, reach={"Telegram": silent}, is_root=True, deadline_s=0.01
        )
    }

    assert found["Telegram"].line() == "✗ Telegram: no answer within 0 s; check the network"
