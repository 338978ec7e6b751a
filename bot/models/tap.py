"""A tap on a streamed HTTP answer: the events as they came, beside what a library makes of them.

The library reads the stream and decides when it is broken; the tap only remembers each event's JSON on the way, so
that nothing is lost that the library has no field for. One tap belongs to one call: a context variable carries it
to the response hook of the shared client, and keeps calls side by side apart.
"""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpx2

_current: ContextVar["Tap | None"] = ContextVar("tap", default=None)


class Tap:
    """Collects the JSON events (`data: …`, closed by an empty line) of the one response it is attached to."""

    def __init__(self) -> None:
        self._response: httpx2.Response | None = None
        self._line = bytearray()
        self._event: list[bytes] = []
        self._events: list[dict[str, Any]] = []

    def attach(self, response: httpx2.Response) -> None:
        """Listen to a response whose body has not been read yet; a compressed one cannot be listened to."""
        self._response = response
        if "content-encoding" not in response.headers and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _TappedStream(response.stream, self)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._end_line(bytes(self._line + line).rstrip(b"\r"))
            self._line.clear()
        self._line += rest

    def take(self) -> dict[str, Any] | None:
        """Return the oldest event not taken yet, or None; a last event needs no empty line after it."""
        if not self._events:
            self.feed(b"\n\n")
        return self._events.pop(0) if self._events else None

    async def close(self) -> None:
        """Close the response, read to its end or not."""
        if self._response is not None:
            await self._response.aclose()

    def _end_line(self, line: bytes) -> None:
        if line.startswith(b"data: "):
            self._event.append(line.removeprefix(b"data: "))
        elif not line:
            self._end_event()

    def _end_event(self) -> None:
        body, self._event = b"\n".join(self._event), []
        try:
            event = json.loads(body)
        except ValueError:
            return
        if isinstance(event, dict):
            self._events.append(event)


class _TappedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, tap: Tap) -> None:
        self._stream = stream
        self._tap = tap

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._stream:
            self._tap.feed(data)
            yield data

    async def aclose(self) -> None:
        await self._stream.aclose()


@contextmanager
def tapped() -> Iterator[Tap]:
    """Make a tap the one that the next response of this task is attached to."""
    tap = Tap()
    token = _current.set(tap)
    try:
        yield tap
    finally:
        _current.reset(token)


async def attach_current_tap(response: httpx2.Response) -> None:
    """Attach the running call's tap: a response hook for the client."""
    tap = _current.get()
    if tap is not None:
        tap.attach(response)
