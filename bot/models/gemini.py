"""Gemini behind the port `Model`, over google-genai: the one home of that library; vectors come by way of it too.

It sends each request over a client of its own (API version v1beta), streams the answer, asks again where that helps,
and maps everything the library can raise to the errors of memory. What the other modules of this folder decide (the
history's repair, parts, retries, verdicts) is only called here. The library is used for the wire, its errors and its
settings; contents go out and events come in as raw JSON, because its types drop what they do not know.

The deadline of a request covers everything: attempts, waits, the fallback. Half of it without a byte is a stall.
"""

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import Literal, Self

import httpx2
from google import genai
from google.genai import errors, types

from bot.models.answer import Answer, begin_answer, settle
from bot.models.failures import Failure, Kind, failure_of_status, fault_of
from bot.models.garble import has_written_call
from bot.models.history import Sources, build_contents
from bot.models.parts import Wire, part_to_wire
from bot.models.retry import wait_before_retry
from bot.models.standby import REST, SPARED, Standby
from bot.models.tap import Tap, attach_current_tap, tapped
from memory.ports import Clock, ModelReply, ModelRequest, OnText, ToolSpec

GOOGLE = "https://generativelanguage.googleapis.com"

_API_VERSION = "v1beta"

_EMBEDDING_TASKS = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}

_PLACEHOLDER = "replaced by extra_body"

_SETTINGS_ERRORS = (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, UnicodeEncodeError)
_WIRE_ERRORS = (
    errors.APIError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
    OSError,
    # Unreadable answers: the library meets them with these, wherever its reading stumbles.
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
)

_log = logging.getLogger(__name__)


class GeminiModel:
    """Implements `Model`. The task `chat` goes to the chat model, all others to the utility model.

    Close it, or use it as a context manager.
    """

    def __init__(
        self,
        *,
        api_key: str,
        chat_model: str,
        utility_model: str,
        fallback_model: str | None = None,
        base_url: str | None = None,
        clock: Clock,
    ) -> None:
        self._chat_model = chat_model
        self._utility_model = utility_model
        self._standby = Standby(chat_model, fallback_model or utility_model, clock)
        self._clock = clock
        # Identity encoding, so that the tap reads what the library reads.
        self._http = httpx2.AsyncClient(
            timeout=None, headers={"accept-encoding": "identity"}, event_hooks={"response": [attach_current_tap]}
        )
        self._client = genai.Client(
            vertexai=False,
            api_key=api_key,
            http_options=types.HttpOptions(
                base_url=base_url or GOOGLE, api_version=_API_VERSION, httpx_async_client=self._http
            ),
        )

    @property
    def name(self) -> str:
        return self._chat_model

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections; the model cannot be used afterwards."""
        await self._client.aio.aclose()
        self._client.close()
        await self._http.aclose()

    async def reach(self) -> str:
        """Ask for the chat model by its name and return what the service calls it.

        Raises: ModelFault.
        """
        try:
            found = await self._client.aio.models.get(model=self._chat_model)
        except _WIRE_ERRORS as error:
            raise fault_of([self._failure(error, self._chat_model)]) from None
        return found.display_name or found.name or self._chat_model

    async def vectors(
        self, texts: Sequence[str], *, model: str, task: Literal["query", "document"], size: int, timeout_s: float
    ) -> list[list[float]] | Failure:
        """Ask once for a vector of each text; up to a hundred texts, which is what the service takes at a time."""
        config = types.EmbedContentConfig(
            task_type=_EMBEDDING_TASKS[task],
            output_dimensionality=size,
            http_options=types.HttpOptions(timeout=max(1, int(timeout_s * 1000))),
        )
        # One content each: bare strings would be merged into one by some models.
        contents = [types.Content(parts=[types.Part(text=text)]) for text in texts]
        try:
            answer = await self._client.aio.models.embed_content(model=model, contents=contents, config=config)
        except _WIRE_ERRORS as error:
            return self._failure(error, model)
        return [list(embedding.values or ()) for embedding in answer.embeddings or ()]

    async def generate(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        deadline = asyncio.timeout(request.deadline_s)
        try:
            async with deadline:
                outcome = await self._ask_models(request, on_text)
        except TimeoutError:
            if not deadline.expired():
                raise
            outcome = [Failure("unreachable", f"no answer within {request.deadline_s:g} s")]
        if isinstance(outcome, ModelReply):
            return outcome
        raise fault_of(outcome)

    async def _ask_models(self, request: ModelRequest, on_text: OnText | None) -> ModelReply | list[Failure]:
        ends = self._clock.now() + timedelta(seconds=request.deadline_s)
        if request.task != "chat":
            return await self._ask(self._utility_model, request, ends, on_text, spare_s=0.0)
        outcomes: list[list[Failure]] = []
        models = self._standby.candidates()
        for model in models:
            spare_s = SPARED * request.deadline_s if model != models[-1] else 0.0
            outcome = await self._ask(model, request, ends, on_text, spare_s=spare_s)
            if isinstance(outcome, ModelReply):
                return self._standby.accounted(outcome)
            outcomes.append(outcome)
            if outcome[-1].kind not in REST:
                return outcome
            self._standby.let_rest(model, outcome)
        # What passes by itself says more than a model that does not exist.
        return next((outcome for outcome in outcomes if outcome[-1].kind != "gone"), outcomes[-1])

    async def _ask(
        self, model: str, request: ModelRequest, ends: datetime, on_text: OnText | None, *, spare_s: float
    ) -> ModelReply | list[Failure]:
        failures: list[Failure] = []
        while True:
            remaining_s = (ends - self._clock.now()).total_seconds()
            outcome = await self._attempt(model, request, remaining_s, failures, on_text)
            if isinstance(outcome, ModelReply):
                return outcome
            failures.append(outcome)
            _log.info("%s for %s gave no answer: %s %s", model, request.task, outcome.kind, outcome.detail)
            left_s = (ends - self._clock.now()).total_seconds()
            wait_s = wait_before_retry(failures, left_s - (spare_s if outcome.kind in REST else 0.0))
            if wait_s is None:
                return failures
            if wait_s:
                await self._clock.sleep(wait_s)

    async def _attempt(
        self,
        model: str,
        request: ModelRequest,
        remaining_s: float,
        failures: Sequence[Failure],
        on_text: OnText | None,
    ) -> ModelReply | Failure:
        met = {failure.kind for failure in failures}
        config = _config(request, self._contents(model, request, met), remaining_s)
        answer = begin_answer(request)
        with tapped() as tap:
            try:
                failure = await self._read(model, config, tap, answer, request, on_text)
            finally:
                await tap.close()
        return failure or settle(answer, request, model=model, is_last_try="garbled" in met)

    async def _read(
        self,
        model: str,
        config: types.GenerateContentConfig,
        tap: Tap,
        answer: Answer,
        request: ModelRequest,
        on_text: OnText | None,
    ) -> Failure | None:
        """Stream the answer; None when the stream ended by itself (what it said is another question)."""
        stream = await self._client.aio.models.generate_content_stream(
            model=model, contents=_PLACEHOLDER, config=config
        )
        while True:
            event = await self._next_event(stream, tap, model)
            if event is None or isinstance(event, Failure):
                return event
            shown = answer.text
            answer.add(event)
            if answer.error is not None:
                code = answer.error.get("code")
                return failure_of_status(
                    code if isinstance(code, int) else 500, event, now=self._clock.now(), model=model
                )
            if answer.has_degenerated():
                return Failure("garbled", "the answer repeats itself", reason="repetition")
            if on_text is not None and answer.text != shown:
                await _show(answer.text, request, on_text)

    async def _next_event(
        self, stream: AsyncIterator[types.GenerateContentResponse], tap: Tap, model: str
    ) -> Wire | Failure | None:
        try:
            chunk = await anext(stream, None)
        except _WIRE_ERRORS as error:
            return self._failure(error, model)
        if chunk is None:
            return None
        return tap.take() or chunk.model_dump(mode="json", by_alias=True, exclude_none=True)

    def _failure(self, error: Exception, model: str) -> Failure:
        """Map everything that `_WIRE_ERRORS` names; messages stay out, they may quote the request."""
        if isinstance(error, errors.APIError):
            headers = getattr(error.response, "headers", None) or {}
            wait = headers.get("retry-after")
            return failure_of_status(error.code, error.details, retry_after=wait, now=self._clock.now(), model=model)
        kind = type(error).__name__
        if isinstance(error, _SETTINGS_ERRORS):
            return Failure("misconfigured", f"the key or the base address cannot be sent ({kind})")
        return Failure("unreachable", kind)

    def _contents(self, model: str, request: ModelRequest, met: set[Kind]) -> list[Wire]:
        sources = Sources(
            now=self._clock.now(),
            without_signatures="unsigned" in met or self._standby.is_foreign(model),
            without_files="no_file" in met,
        )
        contents = build_contents(request.messages, request.memory_block, sources, shown=request.shown)
        return [{"role": content.role, "parts": [part_to_wire(part) for part in content.parts]} for content in contents]


async def _show(text: str, request: ModelRequest, on_text: OnText) -> None:
    """Show the text so far, unless there is nothing to see or a call is being written as text."""
    if text.strip() and not has_written_call(text, [tool.name for tool in request.tools]):
        await on_text(text)


def _config(request: ModelRequest, contents: list[Wire], remaining_s: float) -> types.GenerateContentConfig:
    mode = types.FunctionCallingConfigMode.AUTO if request.tools_enabled else types.FunctionCallingConfigMode.NONE
    calling = types.ToolConfig(function_calling_config=types.FunctionCallingConfig(mode=mode))
    declarations = [_declaration(tool) for tool in request.tools]
    tools = [types.Tool(function_declarations=declarations)] if declarations else []
    if request.searches:
        tools.append(types.Tool(google_search=types.GoogleSearch()))
    return types.GenerateContentConfig(
        system_instruction=request.system,
        tools=tools or None,
        tool_config=calling if declarations else None,
        response_mime_type="application/json" if request.schema else None,
        response_json_schema=request.schema,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
        http_options=types.HttpOptions(
            timeout=max(1, int(remaining_s * 1000 / 2)),
            # The library would announce its read timeout as the limit of the whole answer.
            headers={"X-Server-Timeout": str(max(1, math.ceil(remaining_s)))},
            extra_body={"contents": contents},
        ),
    )


def _declaration(tool: ToolSpec) -> types.FunctionDeclaration:
    """An object without properties is refused as a schema; a tool without parameters declares none."""
    has_parameters = bool(tool.parameters.get("properties"))
    return types.FunctionDeclaration(
        name=tool.name,
        description=tool.description,
        parameters_json_schema=tool.parameters if has_parameters else None,
    )
