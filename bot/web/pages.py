"""Pages of the web as text: fetched, then made readable by a process of its own."""

import json

from bot.apart import done_apart
from bot.web.addresses import address_of
from bot.web.fetch import Fetched, Fetcher
from tools.named import Address
from tools.tool import ToolError
from tools.web import Page

DEADLINE_S = 15.0
MAX_CHARS = 100_000
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class WebPages:
    """Implements `Pages`."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    def address(self, url: str) -> Address:
        return address_of(url)

    async def read(self, url: str, *, stays: bool) -> Page:
        fetched = await self._fetcher.get(url, stays=stays)
        page = await _readable(fetched) if fetched.media_type in _HTML else Page(fetched.url, _decoded(fetched))
        if not page.text.strip():
            raise ToolError("the page holds no text that can be read (it may be drawn by scripts); try another one")
        was_cut = fetched.was_cut or len(page.text) > MAX_CHARS
        return Page(page.url, page.text[:MAX_CHARS], page.title, page.date, was_cut)


async def _readable(fetched: Fetched) -> Page:
    answer = await done_apart("bot.web.readable", fetched.url.encode() + b"\n" + fetched.body, deadline_s=DEADLINE_S)
    if answer is None:
        raise ToolError("the text of the page cannot be made out; try another one")
    found = json.loads(answer)
    return Page(fetched.url, found["text"], found["title"], found["date"])


def _decoded(fetched: Fetched) -> str:
    try:
        return fetched.body.decode(fetched.charset or "utf-8", "replace")
    except (LookupError, ValueError):  # unknown, or no name of a charset, or one that reads no such bytes
        return fetched.body.decode("utf-8", "replace")
