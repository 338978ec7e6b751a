"""The wire of the fake Bot API: parameters out of a request, refusals and broken answers into one."""

import json
from email import message_from_bytes
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from tests.fakes.telegram_rules import Refused, bad_request

JSON_PARAMS = {
    "allowed_updates", "caption_entities", "commands", "entities", "link_preview_options", "reaction",
    "reply_markup", "reply_parameters", "scope",
}  # fmt: skip
BOOLEAN_PARAMS = {"disable_notification", "drop_pending_updates", "is_big", "protect_content", "show_alert"}


class Broken(Response):
    """An answer that ends before it is whole, whereupon the connection is closed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4096")]})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})


async def disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def refusal(refusal: Refused) -> JSONResponse:
    body: dict[str, Any] = {"ok": False, "error_code": refusal.code, "description": refusal.description}
    if refusal.parameters:
        body["parameters"] = refusal.parameters
    return JSONResponse(body, refusal.code)


async def read_params(request: Request) -> dict[str, Any]:
    body = await request.body()
    kind = request.headers.get("content-type", "")
    try:
        if kind.startswith("application/json"):
            return dict(json.loads(body))
        if kind.startswith("multipart/form-data"):
            fields: dict[str, Any] = _multipart(kind, body)
        else:
            pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict")
            fields = dict([*request.query_params.items(), *pairs])
        return {name: _value(name, value) for name, value in fields.items()}
    except UnicodeDecodeError:
        raise bad_request("strings must be encoded in UTF-8") from None
    except ValueError:
        raise bad_request("can't parse parameters") from None


def _value(name: str, value: Any) -> Any:
    if name in JSON_PARAMS and isinstance(value, str):
        return json.loads(value)
    if name in BOOLEAN_PARAMS:
        return value in {"true", "True", "1"}
    return value


def _multipart(kind: str, body: bytes) -> dict[str, Any]:
    """Return the fields of a form: text as str, a file as (name, bytes)."""
    fields: dict[str, Any] = {}
    # The policy of HTTP reads names in UTF-8, where that of mail would not.
    for part in message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body, policy=HTTP).walk():
        name = part.get_param("name", header="content-disposition")
        data = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(data, bytes):
            file_name = part.get_filename()
            fields[name] = data.decode() if file_name is None else (file_name, data)
    return fields
