"""Updates brought by Telegram: confirmed only once they are stored, in order, and only from who has the secret."""

import asyncio
import http.client
import json
import logging
import os
import signal
import socket
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from bot.health import LIVE_WITHIN_S, Heartbeat, OutOfReach
from bot.telegram.connection import KINDS
from bot.telegram.reach import reach_telegram
from bot.telegram.webhook import HEADER, LOOK_S, MAX_BODY_BYTES, is_same
from tests.bot.telegram.house import OWNER, STRANGER, Talk, serving, settings_for, words_of
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_failures import refused, server_error, too_many_requests

SECRET = "canary-secret-of-the-webhook"
PATH = "/telegram/here"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def hook() -> dict[str, Any]:
    """The settings of a bot whose updates are brought to a free port."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return {
        "TELEGRAM_WEBHOOK_URL": f"http://127.0.0.1:{port}{PATH}",
        "TELEGRAM_WEBHOOK_SECRET": SECRET,
        "TELEGRAM_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
    }


def port_of(hook: dict[str, Any]) -> int:
    return int(hook["TELEGRAM_WEBHOOK_LISTEN"].rpartition(":")[2])


async def post(
    hook: dict[str, Any],
    body: bytes = b"{}",
    *,
    path: str = PATH,
    method: str = "POST",
    headers: dict[str, str] | None = None,
) -> tuple[int, bytes, dict[str, str]]:
    """Send a request as anybody could, and return status, body and headers of the answer."""

    def ask() -> tuple[int, bytes, dict[str, str]]:
        with closing(http.client.HTTPConnection("127.0.0.1", port_of(hook), timeout=10)) as connection:
            connection.request(method, path, body, {HEADER: SECRET} if headers is None else headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}

    return await asyncio.to_thread(ask)


async def until_closed(hook: dict[str, Any]) -> None:
    """Wait until nobody listens any more."""

    def knock() -> None:
        with suppress(OSError):
            while True:
                socket.create_connection(("127.0.0.1", port_of(hook))).close()

    await asyncio.to_thread(knock)


async def hooked(telegram: FakeTelegram) -> None:
    await telegram.until(lambda: telegram.webhook is not None)


async def test_a_message_that_is_brought_gets_one_reply(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]
) -> None:
    waiting = telegram.say(OWNER, "said while the bot was off")
    async with serving(telegram, tmp_path, **hook):
        later = telegram.say(OWNER, "hello")
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
        known = telegram.webhook
    assert telegram.texts(OWNER) == ["You said: said while the bot was off", "You said: hello"]
    assert telegram.courier.brought == [(waiting, 200), (later, 200)]
    assert telegram.count("getUpdates") == telegram.count("deleteWebhook") == 0
    (call,) = [call for call in telegram.calls if call.method == "setWebhook"]
    assert not call.params.get("drop_pending_updates")
    assert known is not None
    assert (known.secret, known.max_connections) == (SECRET, 1)
    assert known.allowed == list(KINDS)


async def test_what_is_brought_again_counts_once(telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]) -> None:
    talk = Talk()
    async with serving(telegram, tmp_path, talk, **hook):
        await hooked(telegram)
        telegram.courier.lose_next_confirmation()
        telegram.say(OWNER, "log 5 km run")
        await telegram.until(lambda: not telegram.pending and telegram.texts(OWNER))
    assert len(telegram.courier.brought) == 2
    assert len(talk.requests) == 1
    assert telegram.count("sendMessage") == 1


async def test_a_flood_is_stored_in_the_order_in_which_it_was_said(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]
) -> None:
    talk = Talk(gates={"flood 0": asyncio.Event()})
    for number in range(40):
        telegram.say(OWNER, f"flood {number}")
    async with serving(telegram, tmp_path, talk, **hook) as bot:
        await telegram.until(lambda: not telegram.pending, timeout=30)
        sources = [row["source"] for row in await bot.space_rows(OWNER, "SELECT source FROM inbox ORDER BY id")]
    assert len(sources) == 40
    assert sources == sorted(sources)


async def test_an_update_is_confirmed_only_once_it_is_stored(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]
) -> None:
    async with serving(telegram, tmp_path, **hook):
        telegram.say(OWNER, "first")
        await telegram.until(lambda: telegram.texts(OWNER))
        blocker = sqlite3.connect(tmp_path / "spaces" / str(OWNER) / "memory.db", isolation_level=None)
        blocker.execute("CREATE TRIGGER full BEFORE INSERT ON inbox BEGIN SELECT raise(ABORT, 'no room'); END")
        second = telegram.say(OWNER, "second")
        await telegram.until(lambda: telegram.courier.brought.count((second, 500)) >= 2)
        assert telegram.pending == [second]
        blocker.execute("DROP TRIGGER full")
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 3)
        blocker.close()
    assert "it waits at Telegram" in telegram.texts(OWNER)[1]
    assert telegram.texts(OWNER)[2] == "You said: second"


STRANGE: dict[str, tuple[dict[str, Any], int]] = {
    "another path": ({"path": "/"}, 404),
    "a longer path": ({"path": f"{PATH}/"}, 404),
    "health": ({"path": "/health"}, 404),
    "get": ({"method": "GET"}, 404),
    "unknown method": ({"method": "BREW"}, 405),
    "no secret": ({"headers": {}}, 403),
    "empty secret": ({"headers": {HEADER: ""}}, 403),
    "nearly the secret": ({"headers": {HEADER: SECRET[:-1]}}, 403),
    "odd secret": ({"headers": {HEADER: "käse"}}, 403),
    "packed words": ({"headers": {"content-type": FORM, "content-encoding": "canary-packing"}}, 400),
    "no json": ({"body": b"no json"}, 400),
    "no text": ({"body": b"\xff\xfe"}, 400),
    "deep json": ({"body": b"[" * 100_000}, 400),
    "no number": ({"body": b'{"message": {}}'}, 400),
    "nothing we take": ({"body": b'{"update_id": 5}'}, 200),
}


async def test_who_is_not_telegram_is_answered_without_a_word(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    said = json.dumps({"update_id": 5, "message": message("I am the owner")}).encode()
    caplog.set_level(logging.DEBUG, logger="bot")
    caplog.set_level(logging.DEBUG, logger="tornado")
    async with serving(telegram, tmp_path, **hook) as bot:
        await hooked(telegram)
        for what, (request, status) in STRANGE.items():
            answered, words, headers = await post(hook, **{"body": said, **request})
            assert (answered, words) == (status, b""), what
            assert set(headers) <= {"content-length", "date", "etag"}
        assert bot.opened == []
    assert sum("without the secret" in record.getMessage() for record in caplog.records) == 1
    assert SECRET[:-1] not in caplog.text
    assert "canary-packing" not in caplog.text
    assert "I am the owner" not in caplog.text


def message(text: str) -> dict[str, Any]:
    chat, sender = {"id": OWNER, "type": "private"}, {"id": OWNER, "is_bot": False, "first_name": "Ida"}
    return {"message_id": 1, "date": 1_800_000_000, "chat": chat, "from": sender, "text": text}


async def test_a_body_that_is_too_large_is_not_read(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]
) -> None:
    async with serving(telegram, tmp_path, **hook):
        await hooked(telegram)
        with pytest.raises((http.client.HTTPException, OSError, AssertionError)):
            status, *_ = await post(hook, b'{"update_id": 1, "x": "' + b"x" * MAX_BODY_BYTES + b'"}')
            assert status != 400
        telegram.say(OWNER, "hello")
        await telegram.until(lambda: telegram.texts(OWNER))


async def test_a_stranger_is_a_stranger_here_too(telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]) -> None:
    async with serving(telegram, tmp_path, **hook) as bot:
        telegram.say(STRANGER, "let me in")
        telegram.push_raw({"message": "nonsense"})
        await telegram.until(lambda: not telegram.pending)
        assert bot.opened == []
    assert telegram.count("sendMessage") == 0


async def test_a_webhook_that_is_refused_is_set_again_and_again_and_told_once(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    telegram.fail_next("setWebhook", refused(400, "Bad Request: bad webhook: Failed to resolve host"), times=2)
    telegram.fail_next("setWebhook", too_many_requests(33))
    telegram.say(OWNER, "hello")
    async with serving(telegram, tmp_path, **hook) as bot:
        for wait_s in (1, 2, 33):
            await bot.clock.until_asleep(wait_s)
            bot.clock.advance(wait_s)
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: hello"])
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "call=set webhook" in warnings[0]
    assert "failed to resolve host" in warnings[0]
    assert SECRET not in caplog.text


async def test_a_port_that_is_taken_ends_the_program_with_words(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]
) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", port_of(hook)))
        taken.listen()
        async with serving(telegram, tmp_path, **hook) as bot:
            with pytest.raises(OutOfReach, match="TELEGRAM_WEBHOOK_LISTEN"):
                await bot.serving
    assert telegram.webhook is None


async def test_a_refused_token_ends_the_program(telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]) -> None:
    async with serving(telegram, tmp_path, **hook) as bot:
        await bot.clock.until_asleep(LOOK_S)
        telegram.is_revoked = True
        bot.clock.advance(LOOK_S)
        with pytest.raises(OutOfReach, match="TELEGRAM_BOT_TOKEN") as caught:
            await bot.serving
    assert telegram.token not in repr(caught.value)
    assert caught.value.__suppress_context__


async def test_a_look_at_the_webhook_is_the_heartbeat(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]
) -> None:
    async with serving(telegram, tmp_path, **hook) as bot:
        await bot.clock.until_asleep(LOOK_S)
        heartbeat = Heartbeat(tmp_path / "logs" / "heartbeat", bot.clock)
        assert heartbeat.age_s() == 0
        telegram.fail_next("getWebhookInfo", server_error(502))
        bot.clock.advance(LOOK_S)
        await telegram.until(lambda: telegram.count("getWebhookInfo") == 2)
        await bot.clock.until_asleep(LOOK_S)
        assert heartbeat.age_s() == LOOK_S
        bot.clock.advance(LOOK_S)
        await telegram.until(lambda: telegram.count("getWebhookInfo") == 3)
        await bot.clock.until_asleep(LOOK_S)
        assert heartbeat.age_s() == 0
    assert 2 * LOOK_S < LIVE_WITHIN_S


async def test_a_webhook_that_another_program_took_away_is_set_again(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(telegram, tmp_path / "ours", **hook) as bot:
        await bot.clock.until_asleep(LOOK_S)
        async with serving(telegram, tmp_path / "other"):
            await telegram.until(lambda: telegram.webhook is None)
            bot.clock.advance(LOOK_S)
            await hooked(telegram)
        telegram.say(OWNER, "hello")
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: hello"])
    assert "another program took the webhook away" in caplog.text


async def test_polling_that_a_webhook_stops_says_what_to_do(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(telegram, tmp_path) as bot:
        await telegram.until(lambda: telegram.count("getUpdates"))
        telegram.set_webhook("http://127.0.0.1:9/elsewhere")
        await bot.clock.until_asleep(1)
    assert "another program set a webhook for this bot" in caplog.text


async def test_from_webhook_to_polling_and_back_nothing_is_lost(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]
) -> None:
    async with serving(telegram, tmp_path, **hook):
        telegram.say(OWNER, "one")
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: one"])
    telegram.say(OWNER, "two")
    async with serving(telegram, tmp_path):
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
        assert telegram.webhook is None
        await telegram.until(lambda: not telegram.pending)
    telegram.say(OWNER, "three")
    async with serving(telegram, tmp_path, **hook):
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 3)
    assert telegram.texts(OWNER) == ["You said: one", "You said: two", "You said: three"]


async def test_a_signal_lets_the_turn_in_flight_finish(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]
) -> None:
    talk = Talk(gates={"slow": asyncio.Event()})
    async with serving(telegram, tmp_path, talk, REMEMBRANCER_TURN_SECONDS="20", **hook) as bot:
        telegram.say(OWNER, "slow")
        while not talk.requests:
            await telegram.until(lambda: True)
        await telegram.until(lambda: not telegram.pending)
        os.kill(os.getpid(), signal.SIGTERM)
        await until_closed(hook)
        late = telegram.say(OWNER, "late")
        await telegram.until(lambda: (late, 0) in telegram.courier.brought)
        talk.gates["slow"].set()
        await bot.serving
    assert telegram.texts(OWNER) == ["You said: slow"]
    assert telegram.pending == [late]
    async with serving(telegram, tmp_path, talk, **hook):
        await telegram.until(lambda: len(telegram.texts(OWNER)) == 2)
    assert [words_of(request) for request in talk.requests] == ["slow", "late"]


async def test_a_stop_confirms_what_is_being_taken(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]
) -> None:
    async with serving(telegram, tmp_path, **hook) as bot:
        await bot.clock.until_asleep(LOOK_S)
        async with bot.shared.transaction():
            update_id = telegram.say(OWNER, "hello")
            while not any("_execute" in repr(task.get_coro()) for task in asyncio.all_tasks()):
                await telegram.until(lambda: True)
            os.kill(os.getpid(), signal.SIGTERM)
            await until_closed(hook)
        await bot.serving
    assert telegram.courier.brought == [(update_id, 200)]
    async with serving(telegram, tmp_path, **hook):
        await telegram.until(lambda: telegram.texts(OWNER) == ["You said: hello"])


# What is told of it


async def test_what_telegram_cannot_bring_is_told_in_health_and_log(
    telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(telegram, tmp_path, **hook) as bot:
        await bot.clock.until_asleep(LOOK_S)
        telegram.break_webhook("SSL error {error:0A000086}", waiting=3)
        for _ in range(2):
            bot.clock.advance(LOOK_S)
            await bot.clock.until_asleep(LOOK_S)
        heartbeat = bot.heartbeat
        assert heartbeat is not None
        assert heartbeat.trouble == "Telegram cannot bring what waits (3): SSL error {error:0A000086}"
        telegram.courier.is_down = False
        telegram.say(OWNER, "/health")
        await telegram.until(lambda: telegram.texts(OWNER))
        assert "⚠️ Telegram cannot bring what waits (3): SSL error" in telegram.texts(OWNER)[0]
        bot.clock.advance(LOOK_S)
        await bot.clock.until_asleep(LOOK_S)
        assert not heartbeat.trouble
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warnings == ["webhook in trouble: Telegram cannot bring what waits (3): SSL error {error:0A000086}"]


async def test_doctor_tells_how_updates_come(telegram: FakeTelegram, tmp_path: Path, hook: dict[str, Any]) -> None:
    settings = settings_for(telegram, tmp_path, **hook)
    assert await reach_telegram(settings) == (
        "answers as @remembrancer_bot; no webhook yet: the server sets it when it starts"
    )
    async with serving(telegram, tmp_path, **hook):
        await hooked(telegram)
        assert await reach_telegram(settings) == "answers as @remembrancer_bot, by webhook, 0 waiting"
    telegram.break_webhook("Connection refused", waiting=2)
    with pytest.raises(OutOfReach, match=r"cannot bring what waits \(2\): Connection refused; check that the server"):
        await reach_telegram(settings)
    with pytest.raises(OutOfReach, match=r"brings updates to 127\.0\.0\.1, and polling gets none"):
        await reach_telegram(settings_for(telegram, tmp_path))
    telegram.set_webhook("http://elsewhere.example.org/secret-path")
    with pytest.raises(OutOfReach, match=r"brings updates to elsewhere\.example\.org and not to") as caught:
        await reach_telegram(settings)
    assert "secret-path" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("https://Bot.example.org", "https://bot.example.org/"),
        ("https://bot.example.org:443/x", "https://bot.example.org/x"),
        ("HTTPS://bot.example.org/x?y=1", "https://bot.example.org/x?y=1"),
    ],
)
def test_an_address_is_known_in_the_way_telegram_writes_it(given: str, told: str) -> None:
    assert is_same(given, told)
    assert not is_same(given, "https://bot.example.org/another")


async def test_doctor_tells_an_operator_whom_the_bot_never_met(telegram: FakeTelegram, tmp_path: Path) -> None:
    with pytest.raises(OutOfReach, match="press Start") as caught:
        await reach_telegram(settings_for(telegram, tmp_path, TELEGRAM_OWNER_ID="404"))
    assert telegram.token not in str(caught.value)


async def test_doctor_tells_how_long_telegram_wants_to_be_left_alone(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.fail_next("getMe", too_many_requests(44))
    with pytest.raises(OutOfReach, match="left alone for 44 s"):
        await reach_telegram(settings_for(telegram, tmp_path))
