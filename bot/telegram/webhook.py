"""Webhook: updates brought by Telegram to a small HTTP server of ours, one at a time.

An update is confirmed (200) once it was taken; until then Telegram repeats it. Whoever has not the secret gets a bare
403 or 404. TLS is the business of the proxy in front. How it fares with us Telegram tells when it is asked; that is the
heartbeat here.
"""

import asyncio
import hmac
import json
import logging
import socket
from contextlib import suppress
from types import TracebackType
from urllib.parse import urlsplit

from pydantic import SecretStr
from telegram import WebhookInfo
from telegram.error import InvalidToken, TelegramError
from tornado.httpserver import HTTPServer
from tornado.iostream import StreamClosedError
from tornado.web import Application, HTTPError, RequestHandler

from bot.health import Heartbeat, OutOfReach
from bot.setting_values import HostPort
from bot.telegram.connection import KINDS, Connection, RawUpdate, is_update
from bot.telegram.intake import Take
from bot.telegram.retry import REFUSED, said_by, until_done
from memory.ports import Clock

log = logging.getLogger(__name__)

HEADER = "X-Telegram-Bot-Api-Secret-Token"
MAX_BODY_BYTES = 1_000_000
MAX_CONNECTIONS = 1
"""With more Telegram brings updates side by side, and those of one chat could change places."""
LOOK_S = 45.0
BACKLOG = 128
BODY_S = 20.0
IDLE_S = 120.0
LAST_UPDATES_S = 20.0
"""How long a stop waits for what is being taken."""
ERROR_CHARS = 120


class Webhook:
    """The webhook of one bot; a `Source`."""

    def __init__(
        self,
        connection: Connection,
        clock: Clock,
        heartbeat: Heartbeat,
        *,
        url: str,
        secret: SecretStr,
        listen: HostPort,
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._heartbeat = heartbeat
        self._url = url
        self._secret = secret.get_secret_value()
        self._listen = listen
        self._trouble: str | None = None
        self._was_stuck = False

    async def run(self, take: Take) -> None:
        """Take updates for ever; when cancelled, finish with what is being taken.

        Raises: OutOfReach when the token is refused or the address is not to be had.
        """
        desk = _Desk(urlsplit(self._url).path or "/", self._secret, take)
        server = self._serve(desk)
        try:
            await until_done("set webhook", self._set, self._clock)
            log.info("updates come by webhook: listening on %s:%s", self._listen.host, self._listen.port)
            while True:
                await self._look()
                await self._clock.sleep(LOOK_S)
        finally:
            server.stop()
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_UPDATES_S), desk.turn:
                    pass
            await server.close_all_connections()

    def _serve(self, desk: "_Desk") -> HTTPServer:
        # Without tornado's log of who came: anybody can fill it.
        application = Application(
            default_handler_class=_Counter, default_handler_args={"desk": desk}, log_function=lambda handler: None
        )
        server = HTTPServer(
            application, max_body_size=MAX_BODY_BYTES, body_timeout=BODY_S, idle_connection_timeout=IDLE_S
        )
        try:
            server.add_socket(_listening(self._listen))
        except OSError as error:
            raise OutOfReach(
                f"the webhook cannot listen on {self._listen.host}:{self._listen.port} ({error.strerror}); "
                "set TELEGRAM_WEBHOOK_LISTEN to an address of this machine that is free"
            ) from None
        return server

    async def _set(self) -> None:
        await self._connection.bot.set_webhook(
            self._url, secret_token=self._secret, allowed_updates=KINDS, max_connections=MAX_CONNECTIONS
        )

    async def _look(self) -> None:
        """Ask Telegram how the webhook does; one that is gone is set again. A trouble is logged once."""
        try:
            info = await self._connection.bot.get_webhook_info()
            if not is_same(info.url, self._url):
                self._note("another program took the webhook away; each bot can be served by one program only")
                await self._set()
                return
        except InvalidToken:
            raise OutOfReach(REFUSED) from None
        except TelegramError as error:
            self._note(f"Telegram does not answer: {said_by(error)}")
            return
        # One that is just on its way waits too: it counts when it is seen twice in a row.
        trouble = stuck(info)
        self._note(trouble if self._was_stuck else None)
        self._was_stuck = trouble is not None
        self._heartbeat.try_to_beat()

    def _note(self, trouble: str | None) -> None:
        if trouble is not None and self._trouble is None:
            log.warning("webhook in trouble: %s", trouble)
        elif trouble is None and self._trouble is not None:
            log.info("webhook well again")
        self._trouble = self._heartbeat.trouble = trouble


def _listening(listen: HostPort) -> socket.socket:
    """Raises: OSError when the address is not to be had."""
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    listening = socket.create_server((listen.host, listen.port), family=family, backlog=BACKLOG)
    listening.setblocking(False)
    return listening


def is_same(url: str, other: str) -> bool:
    """Whether two addresses lead to the same place: Telegram writes one in its own way."""
    return _place(url) == _place(other)


def _place(url: str) -> tuple[str, str, int | None, str, str]:
    parts = urlsplit(url)
    port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", port, parts.path or "/", parts.query


def stuck(info: WebhookInfo) -> str | None:
    """Return what hinders Telegram from bringing the updates that wait; None when nothing waits."""
    if not info.pending_update_count or not info.last_error_message:
        return None
    reason = " ".join(info.last_error_message.split())[:ERROR_CHARS]
    return f"Telegram cannot bring what waits ({info.pending_update_count}): {reason}"


class _Desk:
    """Where updates are handed in: the path, the secret, and one turn at a time."""

    def __init__(self, path: str, secret: str, take: Take) -> None:
        self.path = path
        self._secret = secret.encode()
        self.take = take
        self.turn = asyncio.Lock()
        self._is_refusal_told = False

    def knows(self, secret: str) -> bool:
        """Whether somebody has the secret; takes as long for a wrong one as for the right one."""
        is_known = hmac.compare_digest(secret.encode("utf-8", "surrogateescape"), self._secret)
        if not is_known and not self._is_refusal_told:
            self._is_refusal_told = True
            log.warning("webhook: somebody came without the secret and was refused; this is said once")
        return is_known


class _Counter(RequestHandler):
    """Takes one request. Every answer is a bare status."""

    def initialize(self, desk: _Desk) -> None:
        self._desk = desk

    async def prepare(self) -> None:
        if self.request.path != self._desk.path or self.request.method != "POST":
            await self._answer(404)
        elif not self._desk.knows(self.request.headers.get(HEADER, "")):
            await self._answer(403)

    async def post(self) -> None:
        update = _update(self.request.body)
        if update is None:
            await self._answer(400)
            return
        async with self._desk.turn:
            await self._answer(200 if await self._desk.take(update) else 500)

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        self.clear_header("Content-Type")

    def log_exception(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Log what broke here; of a request that is wrong, say nothing: anybody can bring one."""
        if not isinstance(error, HTTPError):
            super().log_exception(kind, error, trace)

    def write_error(self, status_code: int, **kwargs: object) -> None:
        self.finish()

    async def _answer(self, status: int) -> None:
        self.set_status(status)
        with suppress(StreamClosedError):
            await self.finish()


def _update(body: bytes) -> RawUpdate | None:
    """Return the update that a body holds; None for anything else."""
    try:
        update = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return update if is_update(update) else None
