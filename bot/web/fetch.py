"""Fetch: gets what stands at a public address, and goes nowhere else on the way.

A host is looked up once, each of its numbers is judged, and the connection goes to one of exactly those; the name only
serves to greet the host and to check its certificate. Redirects are followed here, hop by hop, by the same rules.
Nothing is remembered between two fetches: no cookie, no connection. Proxies of the environment are not used: they would
look hosts up by themselves.
"""

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext

import httpx2

from bot.web.addresses import NOT_PUBLIC, PORTS, Endpoint, Resolve, address_of, checked, host_of, is_public, resolve
from tools.tool import ToolError

TIMEOUT_S = 10.0
MAX_BYTES = 2_000_000
MAX_HOPS = 5
MAX_NUMBERS = 3
"""Of how many numbers of a host a connection is tried."""
READABLE = frozenset(
    {
        "text/html", "application/xhtml+xml", "text/plain", "text/markdown", "text/csv", "application/json",
        "text/xml", "application/xml",
    }
)  # fmt: skip
PDF = "application/pdf"
_KIND = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,60}")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADERS = {
    "user-agent": "Remembrancer (a personal assistant; reads single pages that a person asks for)",
    "accept": "text/html, application/xhtml+xml, text/plain, application/json, application/xml;q=0.9, */*;q=0.1",
    "accept-encoding": "gzip",
    "connection": "close",
}


@dataclass(frozen=True)
class Fetched:
    """What a host sent. `body` is unpacked; `was_cut`: more of it was there."""

    url: str
    media_type: str
    charset: str | None
    body: bytes
    was_cut: bool


class Fetcher:
    """Fetches pages. `resolve` and `is_allowed` decide who may be connected: a test puts its own server there."""

    def __init__(
        self,
        *,
        resolve: Resolve = resolve,
        is_allowed: Callable[[str], bool] = is_public,
        trust: Callable[[], SSLContext] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._resolve = resolve
        self._is_allowed = is_allowed
        self._trust = trust or system_trust
        self._timeout_s = timeout_s

    async def get(self, url: str, *, stays: bool = False) -> Fetched:
        """Fetch what stands at an address. `stays`: where it sends on to another site, that is not followed.

        Raises: ToolError that says why there is nothing, and what may be done.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._followed(checked(url), stays=stays)
        except TimeoutError as error:
            raise ToolError(f"the page did not come within {self._timeout_s:g} s; try another one") from error

    async def _followed(self, url: httpx2.URL, *, stays: bool) -> Fetched:
        for _ in range(MAX_HOPS + 1):
            outcome = await self._asked(url)
            if isinstance(outcome, Fetched):
                return outcome
            if stays and address_of(outcome).site != address_of(url).site:
                raise ToolError(f"{host_of(url)} sends on to another site; read {outcome} only if the member wants it")
            url = outcome
        raise ToolError(f"the page sent us on more than {MAX_HOPS} times")

    async def _asked(self, url: httpx2.URL) -> Fetched | httpx2.URL:
        """Return what stands there, or the address it sends us on to."""
        endpoints = await self._endpoints(url)
        for endpoint in endpoints:
            try:
                return await self._get(url, endpoint)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                if "CERTIFICATE" in str(error).upper():
                    raise ToolError(f"{host_of(url)} cannot prove that it is that host (certificate)") from error
            except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, zlib.error) as error:
                raise ToolError(f"{host_of(url)} broke off or sent what cannot be read") from error
        raise ToolError(f"{host_of(url)} cannot be reached")

    async def _endpoints(self, url: httpx2.URL) -> list[Endpoint]:
        host = host_of(url)
        try:
            found = list(await self._resolve(host.strip("[]"), url.port or PORTS[url.scheme]))
        except (OSError, UnicodeError) as error:
            raise ToolError(f"there is no host {host}") from error
        # One private number among public ones is an attempt.
        if not all(self._is_allowed(number) for number, _ in found):
            raise ToolError(NOT_PUBLIC)
        return found[:MAX_NUMBERS]

    async def _get(self, url: httpx2.URL, endpoint: Endpoint) -> Fetched | httpx2.URL:
        number, port = endpoint
        there = url.copy_with(host=number, port=port)
        headers = {**_HEADERS, "host": url.netloc.decode("ascii")}
        verify = self._trust() if url.scheme == "https" else False
        async with (
            httpx2.AsyncClient(verify=verify, trust_env=False, timeout=self._timeout_s) as client,
            client.stream("GET", there, headers=headers, extensions={"sni_hostname": host_of(url)}) as response,
        ):
            if response.status_code in _REDIRECTS and "location" in response.headers:
                return _next(url, response.headers["location"])
            if not response.is_success:
                # In the words of the protocol: the host's own stand under no mark of a stranger.
                reason = httpx2.codes.get_reason_phrase(response.status_code)
                raise ToolError(f"{host_of(url)} answered {response.status_code} {reason}".rstrip())
            return await _read(url, response)


@cache
def system_trust() -> SSLContext:
    """Return the authorities that this system trusts; reading them takes a moment."""
    return httpx2.create_ssl_context(trust_env=True)


def _next(url: httpx2.URL, location: str) -> httpx2.URL:
    try:
        return checked(url.join(location))
    except (httpx2.InvalidURL, ValueError) as error:
        raise ToolError(f"{host_of(url)} sends us on to what is no address") from error


async def _read(url: httpx2.URL, response: httpx2.Response) -> Fetched:
    named = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if named == PDF:
        raise ToolError("that is a PDF, which cannot be read from the web; the member can send the file itself")
    if named and named not in READABLE and not named.endswith(("+xml", "+json")):
        kind = named if _KIND.fullmatch(named) else "of no known kind"
        raise ToolError(f"what stands there is {kind}: only pages of text can be read")
    body = bytearray()
    async for piece in _unpacked(response):
        body += piece
        if len(body) > MAX_BYTES:
            break
    media_type = named or ("text/html" if b"<" in body[:500] else "text/plain")
    return Fetched(str(url), media_type, response.charset_encoding, bytes(body[:MAX_BYTES]), len(body) > MAX_BYTES)


async def _unpacked(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Yield the body, unpacked by no more than is wanted at a time: a small body may hold a very large one."""
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing in {"identity", ""}:
        async for piece in response.aiter_raw():
            yield piece
        return
    if packing not in {"gzip", "x-gzip"}:
        raise ToolError(f"the page comes packed in a way that was not asked for ({packing[:20]})")
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    async for piece in response.aiter_raw():
        yield unpacker.decompress(piece, MAX_BYTES + 1)
