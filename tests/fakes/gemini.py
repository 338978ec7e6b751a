"""A Gemini server over real HTTP on loopback, as strict as the real one.

    with FakeGemini() as fake:
        fake.script(call("recall", {"query": "tax"}), say("On Friday."))      # replies to `task: chat`
        fake.answer("extract", lambda request: say('{"changes": []}'))        # a function of the request
        ... GeminiModel(api_key=fake.api_key, base_url=fake.url, ...) ...
        fake.assert_all_accepted()

Requests are routed by the line `task: …` at the head of the system instruction. A task's scripted replies go first,
then its function, then a default. Every request is kept (`requests`), with what was refused and why (`refusals`). Calls
are signed at random and their signatures asked for again. `python -m tests.fakes.gemini --port N` serves alone.
"""

import argparse
import asyncio
import base64
import contextlib
import json
import os
import socket
import sys
import threading
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.fakes.gemini_replies import Reply, error, say
from tests.fakes.gemini_rules import DATA_KEYS, Broken, call_key, canonical, check_request, get, part_call
from tests.fakes.gemini_vectors import EMBEDDING_METHODS, answer_vectors, texts_of

MODELS = ("gemini-3.8-flash", "gemini-3.5-flash-lite", "gemini-embedding-001")


@dataclass(frozen=True)
class Request:
    """A request as it arrived."""

    model: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def system(self) -> str:
        instruction = get(self.body, "systemInstruction") or {}
        return "".join(part.get("text", "") for part in instruction.get("parts", []))

    @property
    def texts(self) -> list[str]:
        """What vectors were asked for."""
        return texts_of(self.body)

    @property
    def task(self) -> str:
        if "contents" not in self.body:
            return "embed"
        head = self.system.partition("\n")[0]
        return head.removeprefix("task:").strip() if head.startswith("task:") else "chat"

    @property
    def contents(self) -> list[dict[str, Any]]:
        return list(self.body["contents"])

    @property
    def text(self) -> str:
        """The words of the last content."""
        return "\n".join(part["text"] for part in self.contents[-1]["parts"] if "text" in part)


Responder = Callable[[Request], Reply]


class FakeGemini:
    """The server, in a thread of its own; a context manager."""

    def __init__(
        self,
        *,
        api_key: str = "fake-key",
        models: Iterable[str] = MODELS,
        max_prompt_tokens: int = 1_000_000,
        port: int = 0,
    ) -> None:
        self.api_key = api_key
        self._known_models = tuple(models)
        self._prompt_limit = max_prompt_tokens
        self.models = set(self._known_models)
        self.max_prompt_tokens = max_prompt_tokens
        self.expired_files: set[str] = set()
        self.requests: list[Request] = []
        self.refusals: list[str] = []
        self._port = port
        self._scripts: defaultdict[str, deque[Reply]] = defaultdict(deque)
        self._responders: dict[str, Responder] = dict(_DEFAULTS)
        self._signatures: dict[str, str] = {}
        self._opaque: set[str] = set()
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def script(self, *replies: Reply, task: str = "chat") -> Self:
        """Queue replies to the next requests of a task."""
        self._scripts[task].extend(replies)
        return self

    def answer(self, task: str, responder: Responder) -> Self:
        """Answer a task by a function whenever nothing is scripted."""
        self._responders[task] = responder
        return self

    def forget_signatures(self) -> None:
        """Behave like another model: no signature issued so far is accepted any more."""
        self._signatures.clear()

    def reset(self) -> None:
        """Forget requests, refusals, scripts and settings, as if newly started."""
        self.models = set(self._known_models)
        self.max_prompt_tokens = self._prompt_limit
        self._responders = dict(_DEFAULTS)
        for kept in (self.expired_files, self.requests, self.refusals, self._scripts, self._signatures, self._opaque):
            kept.clear()

    def of_task(self, task: str) -> list[Request]:
        return [request for request in self.requests if request.task == task]

    def assert_all_accepted(self) -> None:
        """Check that no rule was broken and that every scripted reply was asked for."""
        assert not self.refusals, f"refused: {self.refusals}"
        left = {task: len(queue) for task, queue in self._scripts.items() if queue}
        assert not left, f"scripted replies nobody asked for: {left}"

    # the server

    def __enter__(self) -> Self:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self._port))
        listener.listen()  # from here on a client waits instead of being refused
        self._port = listener.getsockname()[1]
        config = uvicorn.Config(
            self._app(), http="h11", ws="none", loop="asyncio", lifespan="off", log_level="critical", access_log=False
        )
        config.timeout_graceful_shutdown = 1
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="fake-gemini", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        assert self._thread is not None
        self._server.should_exit = True
        self._thread.join(timeout=10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def wait(self) -> None:
        """Serve until interrupted."""
        assert self._thread is not None
        self._thread.join()

    def _app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/{version}/models/{call:path}", self._serve, methods=["POST"]),
                Route("/{version}/models/{model}", self._describe, methods=["GET"]),
            ]
        )

    async def _describe(self, http: HttpRequest) -> Response:
        model = http.path_params["model"]
        if http.headers.get("x-goog-api-key") != self.api_key:
            return self._refuse(error(400, "INVALID_ARGUMENT", "API key not valid."))
        if model not in self.models:
            return self._refuse(error(404, "NOT_FOUND", f"models/{model} is not found."))
        return JSONResponse({"name": f"models/{model}", "displayName": model})

    async def _serve(self, http: HttpRequest) -> Response:
        model, _, method = http.path_params["call"].partition(":")
        try:
            request = await self._accept(http, model, method)
        except Broken as broken:
            self.refusals.append(broken.message)
            return self._refuse(error(broken.code, _STATUS.get(broken.code, "INVALID_ARGUMENT"), broken.message))
        reply = self._vectors(request, method) if method in EMBEDDING_METHODS else self._sign(self._next(request))
        if reply.stalls:
            await _disconnected(http)
            return Response(status_code=499)
        if reply.status != 200 or method in EMBEDDING_METHODS:
            return self._refuse(reply)
        if reply.raw is not None:
            return Response(reply.raw, media_type="text/event-stream")
        usage = self._usage(request, reply)
        if method == "generateContent":
            return JSONResponse(_whole(reply.events) | {"usageMetadata": usage, "modelVersion": model})
        events = [event | {"modelVersion": model} for event in reply.events]
        if events:
            events[-1] = {"usageMetadata": usage} | events[-1]
        return StreamingResponse(_stream(events, reply), media_type="text/event-stream")

    async def _accept(self, http: HttpRequest, model: str, method: str) -> Request:
        methods = {"generateContent", "streamGenerateContent"} | EMBEDDING_METHODS
        if http.path_params["version"] != "v1beta" or method not in methods:
            raise Broken("Not Found", 404)
        if method == "streamGenerateContent" and http.query_params.get("alt") != "sse":
            raise Broken("this fake streams server-sent events only (alt=sse)")
        if http.headers.get("x-goog-api-key") != self.api_key or "key" in http.query_params:
            raise Broken("API key not valid. Please pass a valid API key.")
        try:
            body = json.loads(await http.body())
        except ValueError:
            raise Broken("Invalid JSON payload received.") from None
        request = Request(model, body, dict(http.headers))
        self.requests.append(request)
        if model not in self.models:
            raise Broken(f"models/{model} is not found for API version v1beta", 404)
        if method in EMBEDDING_METHODS:
            answer_vectors(body, method=method, model=model)
            return request
        check_request(body, signatures=self._signatures, opaque=self._opaque, expired=self.expired_files)
        tokens = _tokens(body)
        if tokens > self.max_prompt_tokens:
            limit = self.max_prompt_tokens
            raise Broken(f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({limit}).")
        return request

    def _vectors(self, request: Request, method: str) -> Reply:
        script = self._scripts["embed"]
        if script:
            return script.popleft()
        return Reply(body=answer_vectors(request.body, method=method, model=request.model))

    def _next(self, request: Request) -> Reply:
        script = self._scripts[request.task]
        if script:
            return script.popleft()
        return self._responders.get(request.task, _DEFAULTS["chat"])(request)

    def _sign(self, reply: Reply) -> Reply:
        """Sign the first call of an answer, give ids where they are to be given, and remember what was sent."""
        signed = False
        events = json.loads(json.dumps(reply.events))
        for part in (part for event in events for part in _parts(event)):
            body = part_call(part)
            if body and not signed and "thoughtSignature" not in part:
                part["thoughtSignature"] = base64.b64encode(os.urandom(24)).decode()
            signed = signed or bool(body)
            if body and body.get("id") == "":
                part["functionCall"]["id"] = f"call-{os.urandom(4).hex()}"
            if signature := part.get("thoughtSignature"):
                self._signatures[signature] = call_key(body) if body else ""
            if not any(key in part for key in DATA_KEYS):
                self._opaque.add(canonical(part))
        return Reply(**{**reply.__dict__, "events": tuple(events)})

    def _usage(self, request: Request, reply: Reply) -> dict[str, int]:
        prompt, output = _tokens(request.body), _tokens(reply.events)
        return {"promptTokenCount": prompt, "candidatesTokenCount": output, "totalTokenCount": prompt + output}

    def _refuse(self, reply: Reply) -> Response:
        if isinstance(reply.body, bytes):
            return Response(reply.body, reply.status, headers=reply.headers)
        return JSONResponse(reply.body, reply.status, headers=reply.headers)


_STATUS = {403: "PERMISSION_DENIED", 404: "NOT_FOUND"}


async def _stream(events: list[dict[str, Any]], reply: Reply) -> AsyncIterator[bytes]:
    for index, event in enumerate(events):
        if index == reply.breaks_after:
            raise ConnectionAbortedError
        if index and reply.pause_s:
            await asyncio.sleep(reply.pause_s)
        yield b"data: " + json.dumps(event).encode() + b"\r\n\r\n"


async def _disconnected(http: HttpRequest) -> None:
    while (await http.receive())["type"] != "http.disconnect":
        pass


def _parts(event: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        part
        for candidate in event.get("candidates", [])
        for part in (candidate.get("content") or {}).get("parts") or []
        if isinstance(part, dict)
    ]


def _whole(events: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Join the events of a stream to the one answer of generateContent."""
    whole: dict[str, Any] = {}
    for event in events:
        earlier = _parts(whole)
        whole |= event
        if earlier:
            whole["candidates"][0]["content"]["parts"] = earlier + _parts(event)
    return whole


def _tokens(value: object) -> int:
    return -(-len(json.dumps(value, ensure_ascii=False).encode()) // 4)


def _summary(request: Request) -> Reply:
    """An extract: the first words of what was to be summarised."""
    words = " ".join(request.text.split())
    return say(f"The talk went like this: {words[:900]}")


def _judgement(request: Request) -> Reply:
    lines = dict(line.split(": ", 1) for line in request.text.splitlines() if ": " in line)
    expected, given = lines.get("expected", "?").casefold(), lines.get("answer", "").casefold()
    return say("YES" if expected in given else "NO")


_DEFAULTS: dict[str, Responder] = {
    "chat": lambda request: say("Understood."),
    "extract": lambda request: say('{"changes": []}'),
    "summarise": _summary,
    "judge": _judgement,
    "entail": lambda request: say("YES"),
    "route": lambda request: say("KEEP"),
    "transcribe": lambda request: say("A voice note."),
    "web": lambda request: say("Nothing was found."),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a strict fake of the Gemini API on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--api-key", default="fake-key")
    options = parser.parse_args()
    with FakeGemini(port=options.port, api_key=options.api_key) as fake:
        sys.stdout.write(f"{fake.url}\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            fake.wait()


if __name__ == "__main__":
    main()
