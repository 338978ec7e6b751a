"""Named: which addresses of the web stand in the talk because somebody other than the model put them there.

Whoever reads an address sends it, so in one of the model's own making words of the talk can leave. What counts is a
host that a member wrote themselves, with whatever stands behind it; and an address that stands exactly so among the
sources of a search, in what was forwarded or handed over, or in a page. A page counts only if its own address stood
there too: one that the model made up may be repeated by what answers it. All comes from the messages the prompt holds.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from memory.messages import CallPart, Message, ResultPart
from memory.space import Space
from tools.files import FilesTool
from tools.recall import RecallTool
from tools.tool import ToolError

SEARCH, FETCH = "web_search", "fetch_url"
_STRANGERS = frozenset({"forward", "document"})
_LINK = re.compile(r"""https?://(?:[^\s\\<>"()\[\]]|\([^\s\\<>"()]*\))+""", re.IGNORECASE)
_END = ".,:;!?'*_~|"
"""What may follow a link in a sentence, and may also be its last sign."""
_AUTHORITY = re.compile(r"https?://([^/?#\\@]+)", re.IGNORECASE)
_HOST = re.compile(
    r"(?<![\w@./=&?#%+-])(?:https?://)?([\w-]+(?:\.[\w-]+)+)(?![\w@-])(?::\d+)?(?:[/?#]\S*)?", re.IGNORECASE
)
"""A host as people write it, together with what follows: a host in there is part of the address."""


@dataclass(frozen=True)
class Address:
    """An address as it is asked for: the same for all its spellings. `target` is its path and its query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def site(self) -> str:
        return self.host.removeprefix("www.")


AddressOf = Callable[[str], Address]
"""Takes a text for an address, in the one way in which it would be fetched. Raises: ToolError."""


class Named:
    """What the messages name that it took, in their order."""

    def __init__(self, address_of: AddressOf) -> None:
        self._address_of = address_of
        self._sites: set[str] = set()
        self._links: dict[str, set[str]] = {}
        """As they were written, by their site: few of them are ever compared."""
        self._addresses: dict[str, Address | None] = {}
        """What those are that were; None for what is no address."""
        self._calls: dict[str, CallPart] = {}
        self._wholes: set[str] = set()
        """The hashes of pages that are kept whole, of which `recall` shows the rest."""

    def covers(self, address: Address) -> bool:
        """Tell whether an address may be read unasked."""
        return address.site in self._sites or self.has(address)

    def has(self, address: Address) -> bool:
        """Tell whether it stands there as it is, so that nothing in it is the model's; the root of a site also if its
        host does.
        """
        if address.target == "/" and address.site in self._sites:
            return True
        return any(self._parsed(link) == address for link in self._links.get(address.site, ()))

    def take(self, message: Message) -> None:
        """Take what the next message names."""
        if message.role == "user" and message.origin == "own":
            self._sites.update(filter(None, (self._site_of(match[1]) for match in _HOST.finditer(message.text))))
            self._keep(_links(message.text))
        elif message.origin in _STRANGERS:
            self._keep(_links(message.text))
        if message.calls:
            self._calls = {call.call_id: call for call in message.calls}
        if message.role == "notice":  # a call in it is one that the member read and approved
            self._keep(_url_of(call) for call in message.calls)
        for result in message.results:
            self._take_result(result)

    def _take_result(self, result: ResultPart) -> None:
        response = result.response
        if result.name == SEARCH:
            self._keep(source["url"] for source in response.get("sources", ()))
        elif result.name == FETCH and self._is_others(result.call_id):
            self._wholes.update(filter(None, [result.whole]))
            self._keep(_links(_shown(response), response.get("url", "")))
        elif (result.name == RecallTool.name and response.get("sha256") in self._wholes) or (
            result.name == FilesTool.name and "document" in response
        ):
            self._keep(_links(_shown(response)))

    def _is_others(self, call_id: str) -> bool:
        """Tell whether the address of a call is none of the model's own making."""
        call = self._calls.get(call_id)
        address = None if call is None else self._parsed(_url_of(call))
        return address is not None and self.has(address)

    def _keep(self, links: Iterable[str]) -> None:
        for link in links:
            authority = _AUTHORITY.match(link)
            site = self._site_of(authority[1].partition(":")[0]) if authority else None
            if site:
                self._links.setdefault(site, set()).add(link)

    def _site_of(self, host: str) -> str | None:
        """Return the site of a host as it is written. One in other letters is worth the long way round."""
        if host.isascii():
            return host.lower().removesuffix(".").removeprefix("www.")
        address = self._parsed(f"https://{host}/")
        return address.site if address else None

    def _parsed(self, url: str) -> Address | None:
        if url not in self._addresses:
            try:
                self._addresses[url] = self._address_of(url)
            except ToolError:
                self._addresses[url] = None
        return self._addresses[url]


async def named_in(space: Space, turn_id: int, address_of: AddressOf) -> Named:
    """Return what is named in what a turn's prompt holds of the session, and in the turn itself. Reads only."""
    turn = await space.sessions.turn(turn_id)
    covered = await space.handoffs.last_covered(turn.session_id)
    named = Named(address_of)
    # Of a turn that became too long for its prompt, the beginning still counts.
    for message in await space.sessions.turn_messages(turn_id):
        named.take(message)
    for message in await space.sessions.tail(turn.session_id, after=covered):
        named.take(message)
    return named


def _links(*texts: str) -> list[str]:
    found = [link for text in texts for link in _LINK.findall(text)]
    return found + [link.rstrip(_END) for link in found if link[-1] in _END]


def _shown(response: dict[str, Any]) -> str:
    """Return what the model saw of a text: all of it, or its beginning and its end."""
    return "\n".join(str(response[part]) for part in ("text", "head", "tail") if part in response)


def _url_of(call: CallPart) -> str:
    return str(call.args.get("url", "")).strip() if call.name == FETCH else ""
