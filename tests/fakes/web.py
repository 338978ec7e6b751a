"""A piece of the web on loopback: hosts by name, plain and over TLS, strict about what a polite stranger may send.

    async with FakeWeb() as web:
        web.page("http://harbour.example/times", "<p>9:15</p>")
        fetcher = Fetcher(resolve=web.resolve, is_allowed=web.is_allowed, trust=web.trust)
        ...
    assert web.refusals == []

`names` gives other numbers to a host; every look-up is kept. What it serves is written to the wire as it is told, so
that a test can lie about length, packing and kind. It asks for no more than HTTP/1.1.
"""

import asyncio
import datetime
import ssl
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from bot.web.addresses import Endpoint, is_public

LOOPBACK = "127.0.0.1"
FORBIDDEN = ("cookie", "authorization", "referer", "proxy-authorization", "x-forwarded-for")


@dataclass(frozen=True)
class Served:
    """An answer: its head line, headers and body, and whether it stops half way without closing."""

    body: bytes = b""
    status: str = "200 OK"
    headers: Mapping[str, str] = field(default_factory=dict)
    stalls: bool = False


@dataclass(frozen=True)
class Asked:
    """A request as it arrived; `greeted` is the host named when TLS began."""

    url: str
    headers: Mapping[str, str]
    greeted: str | None


class FakeWeb:
    def __init__(self, *, certified: Sequence[str] = ("harbour.example",)) -> None:
        self.names: dict[str, Sequence[str]] = {}
        self.lookups: list[str] = []
        self.asked: list[Asked] = []
        self.refusals: list[str] = []
        self._pages: dict[str, Served] = {}
        self._certified = certified
        self._greeted: str | None = None
        self._servers: list[asyncio.Server] = []
        self._ports: dict[int, int] = {}
        self._authority = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    def page(
        self,
        url: str,
        body: str | bytes = b"",
        *,
        kind: str | None = "text/html",
        status: str = "200 OK",
        headers: Mapping[str, str] | None = None,
        stalls: bool = False,
    ) -> None:
        """Put a page on the web."""
        named = {"content-type": kind} if kind is not None else {}
        data = body.encode() if isinstance(body, str) else body
        self._pages[url] = Served(data, status, {**named, **(headers or {})}, stalls)

    def redirect(self, url: str, to: str, *, status: str = "302 Found") -> None:
        self._pages[url] = Served(status=status, headers={"location": to})

    async def resolve(self, host: str, port: int) -> list[Endpoint]:
        """Look a host up; one that is not named otherwise is served here."""
        self.lookups.append(host)
        numbers = self.names.get(host, [LOOPBACK])
        if not numbers:
            raise OSError("no such host")
        return [(number, self._ports[port] if number == LOOPBACK else port) for number in numbers]

    def is_allowed(self, number: str) -> bool:
        """Allow this server beside the real web."""
        return number == LOOPBACK or is_public(number)

    def trust(self) -> ssl.SSLContext:
        """Return what knows this server's own authority."""
        return self._authority

    async def __aenter__(self) -> Self:
        plain = await asyncio.start_server(self._serve, LOOPBACK, 0)
        secure = await asyncio.start_server(self._serve, LOOPBACK, 0, ssl=self._certificate())
        self._servers = [plain, secure]
        self._ports = {80: plain.sockets[0].getsockname()[1], 443: secure.sockets[0].getsockname()[1]}
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
            await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
            served = self._answer(head, is_secure=writer.get_extra_info("ssl_object") is not None)
            lines = [f"HTTP/1.1 {served.status}", *(f"{name}: {value}" for name, value in served.headers.items())]
            writer.write("\r\n".join([*lines, "", ""]).encode() + served.body)
            await writer.drain()
            if served.stalls:
                await reader.read()
        with suppress(ConnectionError, ssl.SSLError):
            writer.close()
            await writer.wait_closed()

    def _answer(self, head: str, *, is_secure: bool) -> Served:
        first, *rest = head.rstrip("\r\n").split("\r\n")
        method, path, version = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        host = headers.get("host", "")
        self.asked.append(Asked(f"http{'s' if is_secure else ''}://{host}{path}", headers, self._greeted))
        faults = [name for name in FORBIDDEN if name in headers]
        if method != "GET" or version != "HTTP/1.1" or not host or not path.startswith("/"):
            faults.append(first)
        self.refusals += faults
        if faults:
            return Served(status="400 Bad Request")
        return self._pages.get(self.asked[-1].url, Served(status="404 Not Found"))

    def _certificate(self) -> ssl.SSLContext:
        """Return a server's context for the certified hosts, signed by itself."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a web of tests")])
        now = datetime.datetime.now(datetime.UTC)
        hosts = x509.SubjectAlternativeName([_named(host) for host in self._certified])
        builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        builder = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(
            now + datetime.timedelta(days=1)
        )
        signed = builder.add_extension(hosts, critical=False).sign(key, hashes.SHA256())
        public = signed.public_bytes(serialization.Encoding.PEM)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        self._authority.load_verify_locations(cadata=public.decode())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "both.pem"
            path.write_bytes(public + private)
            context.load_cert_chain(path)
        context.sni_callback = self._note_greeting
        return context

    def _note_greeting(self, connection: ssl.SSLObject, host: str | None, context: ssl.SSLContext) -> None:
        self._greeted = host


def _named(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
