"""The courier of the fake Bot API: brings updates to a webhook by real HTTP, each again until it is confirmed.

As many side by side as the webhook allows, so that a bot which allows more than one gets them in any order.
"""

import http.client
import json
import threading
import time
from contextlib import closing, suppress
from typing import Any
from urllib.parse import urlsplit

from tests.fakes.telegram_rules import Webhook
from tests.fakes.telegram_world import World

AGAIN_S = 0.05
ANSWER_S = 10.0


class Courier:
    """Works in threads of its own from `start` to `stop`; `state` guards the world, and a change notifies it.

    `brought` are the ids of updates with the status that was answered (0: none), in the order of the answers.
    """

    def __init__(self, world: World, state: threading.Condition) -> None:
        self._world = world
        self._state = state
        self._under_way: set[int] = set()
        self._is_stopping = False
        self._losses = 0
        self.is_down = False
        self.brought: list[tuple[int, int]] = []
        self._thread = threading.Thread(target=self._run, name="fake-telegram-courier", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._state:
            self._is_stopping = True
            self._state.notify_all()
        self._thread.join(10)

    def lose_next_confirmation(self) -> None:
        """Let the next confirmation get lost on its way: the update is brought again."""
        with self._state:
            self._losses += 1

    def _run(self) -> None:
        while True:
            with self._state:
                self._state.wait_for(lambda: self._is_stopping or self._next() is not None)
                hook, update = self._world.webhook, self._next()
                if self._is_stopping or hook is None or update is None:
                    return
                self._under_way.add(update["update_id"])
            threading.Thread(target=self._bring, args=(hook, update), name="fake-telegram-post", daemon=True).start()

    def _next(self) -> dict[str, Any] | None:
        hook = self._world.webhook
        if hook is None or self.is_down or len(self._under_way) >= hook.max_connections:
            return None
        waiting = self._world.take_updates(0, 100, hook.allowed)
        return next((update for update in waiting if update["update_id"] not in self._under_way), None)

    def _bring(self, hook: Webhook, update: dict[str, Any]) -> None:
        status = _post(hook, json.dumps(update).encode())
        update_id = update["update_id"]
        with self._state:
            self.brought.append((update_id, status))
            is_lost, self._losses = self._losses > 0, max(self._losses - 1, 0)
            if 200 <= status < 300 and not is_lost:
                self._world.pending.pop(update_id, None)
            else:
                reason = f"Wrong response from the webhook: {status}" if status else "Connection refused"
                hook.failure = {"last_error_date": int(time.time()), "last_error_message": reason}
                self._state.notify_all()
                self._state.wait_for(lambda: self._is_stopping, AGAIN_S)
            self._under_way.discard(update_id)
            self._state.notify_all()


def _post(hook: Webhook, body: bytes) -> int:
    """Return the status of the answer; 0 when there was none."""
    parts = urlsplit(hook.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=ANSWER_S)
    headers = {"Content-Type": "application/json"}
    if hook.secret is not None:
        headers["X-Telegram-Bot-Api-Secret-Token"] = hook.secret
    with closing(connection), suppress(OSError, http.client.HTTPException):
        connection.request("POST", parts.path or "/", body, headers)
        return connection.getresponse().status
    return 0
