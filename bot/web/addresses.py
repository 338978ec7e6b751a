"""Addresses on the web: which ones may be asked at all. Everything that is not plainly public is refused.

Judged are the address as written, before anybody is asked, and each number that its name stands for, before anything is
connected. Nothing is connected here.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import httpx2

from tools.named import Address
from tools.tool import ToolError

Endpoint = tuple[str, int]
"""The number of a host and a port."""
Resolve = Callable[[str, int], Awaitable[Sequence[Endpoint]]]

MAX_URL_CHARS = 2_000
PORTS = {"http": 80, "https": 443}
_LOCAL_NAMES = frozenset(
    {"localhost", "localdomain", "local", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "onion"}
)
"""Last labels that name no host of the public web."""
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.IGNORECASE)
_DOTTED = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})")
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""A public IPv4 address as a network without IPv4 writes it (RFC 6052)."""
_INSIDES = (IPv4Network("192.0.0.0/24"), IPv4Network("168.63.129.16/32"))
"""Numbers that look public to the library, and that a cloud answers from inside."""
_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)+")


def checked(url: str | httpx2.URL) -> httpx2.URL:
    """Return the address if it may be asked, without its fragment. Raises: ToolError that says what is wrong."""
    if len(str(url)) > MAX_URL_CHARS:
        raise ToolError(f"the address is longer than {MAX_URL_CHARS} characters")
    try:
        parsed = httpx2.URL(url).copy_with(fragment=None)
        port = parsed.port
    except (httpx2.InvalidURL, ValueError) as error:
        raise ToolError("that is no address of a page; it looks like https://example.org/page") from error
    if parsed.scheme not in PORTS or not parsed.host:
        raise ToolError("only addresses that begin with http:// or https:// can be read")
    if parsed.userinfo:
        raise ToolError("an address with a name or password before the @ is not read")
    if port not in {None, *PORTS.values()}:
        raise ToolError("only the ports 80 and 443 are read")
    if not is_public_name(host_of(parsed)):
        raise ToolError(NOT_PUBLIC)
    return parsed


def address_of(url: str | httpx2.URL) -> Address:
    """Return the address as it is asked for, to compare it with others. Raises: ToolError as `checked` does."""
    parsed = checked(url)
    port = parsed.port or PORTS[parsed.scheme]
    return Address(parsed.scheme, host_of(parsed), port, parsed.raw_path.decode("ascii"))


NOT_PUBLIC = "that address does not lead to the public web; local and internal ones are not read"


def host_of(url: httpx2.URL) -> str:
    """Return the host as it is asked for: in ASCII, small letters, without the dot of the root."""
    return url.raw_host.decode("ascii").lower().removesuffix(".")


def is_public_name(host: str) -> bool:
    """Tell whether a host may be looked up. A number counts only in its ordinary form."""
    number = _literal(host)
    if number is not None:
        return is_public(host)
    last = host.rpartition(".")[2]
    return _NAME.fullmatch(host) is not None and not _NUMBER.fullmatch(last) and last not in _LOCAL_NAMES


def is_public(number: str) -> bool:
    """Tell whether a number belongs to the public internet and to one host in it."""
    address = ip_address(number.partition("%")[0])
    if isinstance(address, IPv6Address):
        if address in _TRANSLATED:
            address = IPv4Address(int(address) & 0xFFFFFFFF)
        elif address.ipv4_mapped or address.sixtofour or address.teredo or address.is_site_local:
            return False
    is_special = address.is_multicast or address.is_reserved or address.is_unspecified or address.is_loopback
    is_near = address.is_private or address.is_link_local or any(address in inside for inside in _INSIDES)
    return address.is_global and not is_special and not is_near


async def resolve(host: str, port: int) -> list[Endpoint]:
    """Look a host up in the system's own way; IPv4 first, which works everywhere. Raises: OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    found.sort(key=lambda one: one[0] != socket.AF_INET)
    return list(dict.fromkeys((str(where[0]), int(where[1])) for *_, where in found))


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    if ":" not in host and not _DOTTED.fullmatch(host):
        return None
    try:
        return ip_address(host)
    except ValueError:
        return None
