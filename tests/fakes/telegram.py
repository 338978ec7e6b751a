"""A Bot API server over real HTTP on loopback, as strict as Telegram, and the script a test writes for it.

    with FakeTelegram() as telegram:
        telegram.say(7, "Hello")                              # a private message, queued as an update
        bot = Bot(telegram.token, base_url=telegram.base_url)  # here or in another process
        telegram.wait_for(lambda: telegram.texts(7) == ["Hi"])

The server runs in a thread of its own; every method of `FakeTelegram` may be called from any thread, and `until` awaits
without holding up the test's event loop. Updates stay queued until a later `offset` confirms them, so a new poller gets
them again. It keeps no clock of its own: a 429 is scripted with `fail_next` (failures: `telegram_failures`), and
that nobody called during the wait is read from `calls`.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.fakes.telegram_courier import Courier
from tests.fakes.telegram_failures import CONFLICT, HOOKED, Call, Failure, Scripted
from tests.fakes.telegram_http import Broken, disconnected, read_params, refusal
from tests.fakes.telegram_rules import REACTIONS, Refused, Webhook, bad_request, utf16_len
from tests.fakes.telegram_world import Chat, Shown, World

FILE = "file"
"""How the reading of a file is named among the calls, and in a script of failures."""


@dataclass(eq=False)
class _Held:
    """A request that waits for something to happen (a poll, a stalled answer)."""

    loop: asyncio.AbstractEventLoop
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    is_overtaken: bool = False


class FakeTelegram:
    """The server and its script.

    `base_url` and `base_file_url` are what TELEGRAM_BASE_URL and TELEGRAM_BASE_FILE_URL take. A wrong token gets 401
    (404 when it is malformed), as does the right one while `is_revoked`. A poll waits at most `max_poll_s`. `now` dates
    what is sent, in seconds since 1970.
    """

    def __init__(
        self,
        *,
        token: str = "123456:AAF4ke-Token_for-tests_only_0000000",
        max_poll_s: float = 1.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.token = token
        self.bot_id = int(token.split(":", maxsplit=1)[0])
        self.is_revoked = False
        self._max_poll_s = max_poll_s
        self._world = World(self.bot_id, now)
        self._calls: list[Call] = []
        self._script: list[Scripted] = []
        self._held: list[_Held] = []
        self._poll: _Held | None = None
        self._is_stopping = False
        self._state = threading.Condition(threading.RLock())
        self.courier = Courier(self._world, self._state)
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen(128)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.base_url = f"{self.address}/bot"
        self.base_file_url = f"{self.address}/file/bot"
        routes = [
            Route("/file/bot{token}/{path:path}", self._serve_file, methods=["GET"]),
            Route("/bot{token}/{method}", self._serve_call, methods=["GET", "POST"]),
        ]
        config = uvicorn.Config(
            Starlette(routes=routes), log_config=None, access_log=False, lifespan="off", ws="none", log_level=100
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="fake-telegram", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        self.courier.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.should_exit = True
        with self._change():
            self._is_stopping = True
        self.courier.stop()
        self._thread.join(10)

    # -- what people do -----------------------------------------------------------------------------------------------

    def open_chat(self, chat_id: int, *, topics: tuple[int, ...] = ()) -> None:
        """Make a chat known to the bot (speaking does so too); negative ids are groups."""
        with self._change():
            self._world.chat(chat_id).topics |= set(topics)

    def name(self, user_id: int, name: str) -> None:
        """Give a person a first name; without it they are called by their number."""
        with self._change():
            self._world.names[user_id] = name

    def close_topic(self, chat_id: int, thread_id: int) -> None:
        """The topic is deleted: nothing can be sent to it any more."""
        with self._change():
            self._world.chat(chat_id).topics.discard(thread_id)

    def say(
        self,
        user_id: int,
        text: str | None,
        *,
        chat_id: int | None = None,
        thread_id: int | None = None,
        reply_to: int | None = None,
        date: int | None = None,
        **fields: Any,
    ) -> int:
        """Queue a message of a person and return its update id. `fields` are added to the message as they are.

        A `/command` gets its entity, `reply_to` (a message id) the whole message it answers.
        """
        with self._change():
            chat = self._world.chat(user_id if chat_id is None else chat_id)
            if thread_id is not None:
                chat.topics.add(thread_id)
            shown = Shown(
                chat.chat_id, self._world.next_message_id(), text or "", is_bots=False, date=date or self._world.date(),
                reply_to=reply_to, thread_id=thread_id,
            )  # fmt: skip
            self._world.post(shown)
            return self._world.queue({"message": self._incoming(chat, shown, user_id, fields)})

    def edit(self, user_id: int, message_id: int, text: str, **fields: Any) -> int:
        """Queue a person's edit of their own message and return the update id."""
        with self._change():
            chat = next(c for c in self._world.chats.values() if message_id in c.messages)
            shown = chat.messages[message_id]
            shown.text, shown.edits = text, shown.edits + 1
            return self._world.queue({"edited_message": self._incoming(chat, shown, user_id, fields)})

    def press(self, user_id: int, shown: Shown, data: str, *, is_expired: bool = False) -> int:
        """Queue the tap on a button of a message of the bot and return the update id; the button must be there."""
        rows = (shown.keyboard or {}).get("inline_keyboard", [])
        assert data in [b.get("callback_data") for row in rows for b in row], f"no button {data!r}"
        with self._change():
            press_id = f"press{len(self._world.open_presses) + len(self._world.answered_presses) + 1}"
            if not is_expired:
                self._world.open_presses.add(press_id)
            query = {
                "id": press_id, "from": self._world.user_json(user_id), "chat_instance": "1", "data": data,
                "message": self._world.message_json(shown),
            }  # fmt: skip
            return self._world.queue({"callback_query": query})

    def react(self, user_id: int, shown: Shown, *emoji: str, **fields: Any) -> int:
        """Queue the change of a person's reaction to a message of the bot, to none without `emoji`; returns the
        update id. `fields` are added, such as an `actor_chat` in place of the `user` (None).
        """
        with self._change():
            assert set(emoji) <= REACTIONS
            now = [{"type": "emoji", "emoji": sign} for sign in emoji]
            before = self._world.reactions.get((shown.chat_id, shown.message_id, user_id), [])
            self._world.reactions[shown.chat_id, shown.message_id, user_id] = now
            chat = self._world.chat(shown.chat_id).as_json()
            body = {
                "chat": chat, "message_id": shown.message_id, "user": self._world.user_json(user_id),
                "date": self._world.date(), "old_reaction": before, "new_reaction": now,
            }  # fmt: skip
            return self._world.queue({"message_reaction": {k: v for k, v in (body | fields).items() if v is not None}})

    def push_raw(self, update: dict[str, Any]) -> int:
        """Queue any JSON as an update (numbered if it has no `update_id`) and return its id."""
        with self._change():
            return self._world.queue(update)

    def add_file(self, file_id: str, data: bytes) -> None:
        """Make a file that getFile finds and the file address serves."""
        with self._change():
            self._world.files[file_id] = data

    def block(self, user_id: int, *, is_blocked: bool = True) -> None:
        """The person blocks the bot: 403 on everything sent to them."""
        with self._change():
            self._world.chat(user_id).is_blocked = is_blocked

    def let_in(self, chat_id: int) -> None:
        """Somebody brings the bot into a group again."""
        with self._change():
            self._world.chat(chat_id).is_left = False

    def is_in(self, chat_id: int) -> bool:
        """Whether the bot has not left a group."""
        with self._state:
            return not self._world.chat(chat_id).is_left

    def migrate(self, chat_id: int, new_chat_id: int) -> None:
        """The group becomes a supergroup: calls with the old id are refused and name the new one."""
        with self._change():
            self._world.chat(new_chat_id)
            self._world.chat(chat_id).migrated_to = new_chat_id

    # -- what goes wrong ----------------------------------------------------------------------------------------------

    def fail_next(
        self, method: str, failure: Failure, *, times: int | None = 1, chat_id: int | None = None, skip: int = 0
    ) -> None:
        """Let the next calls of a method (`*`: any) fail, after `skip` that do not; `times` None: until `heal`."""
        with self._change():
            self._script.append(Scripted(failure, method, chat_id, skip, times))

    def set_webhook(self, url: str) -> None:
        """Another program sets a webhook."""
        with self._change():
            self._world.call("setWebhook", {"url": url})

    def break_webhook(self, reason: str, *, waiting: int) -> None:
        """From now on nothing can be brought to the webhook that is set, and so many updates wait."""
        with self._change():
            self.courier.is_down = True
            for _ in range(waiting):
                self._world.queue({"message": {}})
            assert self._world.webhook is not None
            self._world.webhook.failure = {"last_error_date": int(time.time()), "last_error_message": reason}

    def heal(self) -> None:
        """Drop every scripted failure that is left."""
        with self._change():
            self._script.clear()

    # -- what a test looks at -----------------------------------------------------------------------------------------

    @property
    def sent(self) -> dict[int, list[Shown]]:
        """The bot's messages by chat as they stand now, oldest first (copies; deleted ones are gone)."""
        with self._state:
            return {
                chat_id: [deepcopy(shown) for shown in chat.messages.values() if shown.is_bots]
                for chat_id, chat in self._world.chats.items()
            }

    def messages(self, chat_id: int) -> list[Shown]:
        """Return all messages of a chat as they stand now, the people's too, oldest first (copies)."""
        with self._state:
            return deepcopy(list(self._world.chat(chat_id).messages.values()))

    @property
    def calls(self) -> list[Call]:
        """Every call that arrived, oldest first (copies)."""
        with self._state:
            return deepcopy(self._calls)

    @property
    def pending(self) -> list[int]:
        """The ids of updates no poller confirmed yet."""
        with self._state:
            return sorted(self._world.pending)

    @property
    def webhook(self) -> Webhook | None:
        """The webhook that is set."""
        with self._state:
            return deepcopy(self._world.webhook)

    @property
    def commands(self) -> list[dict[str, str]]:
        """The commands of the default scope."""
        with self._state:
            return self._world.call("getMyCommands", {})  # type: ignore[no-any-return]

    @property
    def answered_presses(self) -> dict[str, str]:
        """The texts of answered callback queries by their id."""
        with self._state:
            return dict(self._world.answered_presses)

    def drafts(self, chat_id: int) -> dict[int, str]:
        """The drafts that stream in a chat now."""
        with self._state:
            return dict(self._world.chat(chat_id).drafts)

    def texts(self, chat_id: int) -> list[str]:
        """The texts of the bot's messages in a chat as they stand now."""
        return [shown.text for shown in self.sent.get(chat_id, [])]

    def count(self, method: str, *, chat_id: int | None = None) -> int:
        """How many calls of a method arrived, failed ones included."""
        return sum(c.method == method and chat_id in {None, c.chat_id} for c in self.calls)

    def message_id_of(self, update_id: int) -> int:
        """The id of the message an update that is still pending carries."""
        with self._state:
            update = self._world.pending[update_id]
            return int(next(body for key, body in update.items() if key != "update_id")["message_id"])

    def wait_for(self, predicate: Callable[[], object], timeout: float = 10.0) -> None:
        """Block until the predicate holds; it is asked again after every change. Raises TimeoutError."""
        with self._state:
            if not self._state.wait_for(lambda: bool(predicate()), timeout):
                recent = [(call.method, call.status) for call in self._calls[-12:]]
                raise TimeoutError(f"not within {timeout} s; the last calls: {recent}")

    async def until(self, predicate: Callable[[], object], timeout: float = 10.0) -> None:
        """The same for tests whose bot runs on this very event loop."""
        await asyncio.to_thread(self.wait_for, predicate, timeout)

    # -- serving ------------------------------------------------------------------------------------------------------

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Hold the lock for a change and wake everybody who waits for one."""
        with self._state:
            yield
            self._state.notify_all()
            for held in self._held:
                held.loop.call_soon_threadsafe(held.changed.set)

    def _incoming(self, chat: Chat, shown: Shown, user_id: int, fields: dict[str, Any]) -> dict[str, Any]:
        body = self._world.message_json(shown) | {"from": self._world.user_json(user_id)}
        if not shown.text:
            del body["text"]
        if shown.text.startswith("/"):
            length = utf16_len(shown.text.split()[0])
            body["entities"] = [{"type": "bot_command", "offset": 0, "length": length}]
        if shown.reply_to is not None and shown.reply_to in chat.messages:
            body["reply_to_message"] = self._world.message_json(chat.messages[shown.reply_to])
        return body | fields

    async def _serve_file(self, request: Request) -> Response:
        call = Call(FILE, {"path": request.path_params["path"]})
        with self._change():
            self._calls.append(call)
            failure = self._next_failure(call)
            data = self._world.files.get(call.params["path"].removeprefix("files/"))
        if failure is not None:
            return await self._broken(request, failure)
        if self._token_fault(request) or data is None:
            return JSONResponse({"ok": False, "error_code": 404, "description": "Not Found"}, 404)
        return Response(data, media_type="application/octet-stream")

    async def _serve_call(self, request: Request) -> Response:
        fault = self._token_fault(request)
        try:
            if fault:
                raise fault
            call = Call(request.path_params["method"], await read_params(request))
            with self._change():
                self._calls.append(call)
                failure = self._next_failure(call)
            response = await self._respond(request, call, failure)
        except Refused as refused:
            return refusal(refused)
        with self._change():
            call.status = 0 if isinstance(response, Broken) else response.status_code
        return response

    def _token_fault(self, request: Request) -> Refused | None:
        given = request.path_params["token"]
        if given == self.token and not self.is_revoked:
            return None
        number, _, secret = given.partition(":")
        if number.isdigit() and len(secret) >= 30:
            return Refused(401, "Unauthorized")
        return Refused(404, "Not Found")

    def _next_failure(self, call: Call) -> Failure | None:
        for scripted in self._script:
            if not scripted.is_for(call):
                continue
            if scripted.skip:
                scripted.skip -= 1
                continue
            if scripted.times is not None:
                scripted.times -= 1
                if scripted.times == 0:
                    self._script.remove(scripted)
            return scripted.failure
        return None

    async def _respond(self, request: Request, call: Call, failure: Failure | None) -> Response:
        try:
            if failure is None or failure.is_accepted:
                result = await self._carry_out(request, call)
        except Refused as refused:
            return refusal(refused)
        if failure is None:
            return JSONResponse({"ok": True, "result": result})
        return await self._broken(request, failure)

    async def _broken(self, request: Request, failure: Failure) -> Response:
        match failure.manner:
            case "answer":
                return refusal(Refused(failure.status, failure.description, **failure.parameters))
            case "page":
                return Response(failure.description, failure.status, media_type="text/html")
            case "stall":
                await self._hold(request, lambda: False, timeout_s=None)
        return Broken()

    async def _carry_out(self, request: Request, call: Call) -> Any:
        if call.method == "getUpdates":
            return await self._get_updates(request, call.params)
        with self._change():
            return self._world.call(call.method, call.params)

    async def _get_updates(self, request: Request, params: dict[str, Any]) -> list[dict[str, Any]]:
        offset, limit = int(params.get("offset", 0)), int(params.get("limit", 100))
        if not 1 <= limit <= 100:
            raise bad_request("limit must be between 1 and 100")
        with self._state:
            if self._world.webhook is not None:
                raise Refused(409, HOOKED)
        allowed = params.get("allowed_updates") or []

        def take() -> list[dict[str, Any]]:
            with self._state:
                return deepcopy(self._world.take_updates(offset, limit, allowed))

        timeout_s = min(float(params.get("timeout", 0)), self._max_poll_s)
        with self._change():
            if self._poll is not None:
                self._poll.is_overtaken = True
            updates = take()
        if not updates and timeout_s:
            await self._hold(request, take, timeout_s=timeout_s, is_poll=True)
            updates = take()
        return updates

    async def _hold(
        self, request: Request, is_over: Callable[[], object], *, timeout_s: float | None, is_poll: bool = False
    ) -> None:
        """Wait until it is over, the client is gone, or the server stops. Raises Refused when another poll came."""
        held = _Held(asyncio.get_running_loop())
        with self._state:
            self._held.append(held)
            if is_poll:
                self._poll = held
        gone = asyncio.create_task(disconnected(request), name="fake-telegram-disconnect")
        try:
            async with asyncio.timeout(timeout_s):
                while not (self._is_stopping or gone.done() or held.is_overtaken or is_over()):
                    changed = asyncio.create_task(held.changed.wait(), name="fake-telegram-change")
                    try:
                        await asyncio.wait({gone, changed}, return_when=asyncio.FIRST_COMPLETED)
                    finally:
                        changed.cancel()
                    held.changed.clear()
        except TimeoutError:
            pass
        finally:
            gone.cancel()
            with self._state:
                self._held.remove(held)
                if self._poll is held:
                    self._poll = None
        if held.is_overtaken:
            raise Refused(409, CONFLICT)
