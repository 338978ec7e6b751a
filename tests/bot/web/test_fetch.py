"""Fetching goes to the number that was judged and nowhere else, takes so much and no more, and fails in words."""

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.web.fetch import MAX_BYTES, MAX_HOPS, Fetcher
from tests.fakes.web import LOOPBACK, FakeWeb
from tools.tool import ToolError

PAGE = "http://harbour.example/times"
SECURE = "https://harbour.example/times"


@pytest.fixture
async def web() -> AsyncIterator[FakeWeb]:
    async with FakeWeb() as web:
        yield web
    assert web.refusals == []


def fetcher(web: FakeWeb, *, timeout_s: float = 10.0) -> Fetcher:
    return Fetcher(resolve=web.resolve, is_allowed=web.is_allowed, trust=web.trust, timeout_s=timeout_s)


async def refusal(web: FakeWeb, url: str = PAGE, *, timeout_s: float = 10.0) -> str:
    """Return why nothing was fetched."""
    with pytest.raises(ToolError) as error:
        await fetcher(web, timeout_s=timeout_s).get(url)
    return str(error.value)


async def test_a_page_comes_with_its_kind_and_its_address(web: FakeWeb) -> None:
    web.page("http://harbour.example/times?day=1", "<p>9:15</p>", kind="text/html; charset=iso-8859-1")

    fetched = await fetcher(web).get("http://harbour.example/times?day=1#top")

    assert (fetched.media_type, fetched.charset, fetched.body) == ("text/html", "iso-8859-1", b"<p>9:15</p>")
    assert fetched.url == "http://harbour.example/times?day=1"
    assert not fetched.was_cut


async def test_the_name_is_looked_up_once_and_greeted_over_tls(web: FakeWeb) -> None:
    web.page(SECURE, "9:15", kind="text/plain")

    assert (await fetcher(web).get(SECURE)).body == b"9:15"
    assert web.lookups == ["harbour.example"]
    assert [asked.greeted for asked in web.asked] == ["harbour.example"]


async def test_a_host_without_its_own_certificate_is_not_read(web: FakeWeb) -> None:
    web.page("https://other.example/", "9:15")

    assert "certificate" in await refusal(web, "https://other.example/")
    assert web.asked == []


@pytest.mark.parametrize(
    "number", ["10.0.0.1", "127.0.0.2", "169.254.169.254", "::1", "fd00:ec2::254", "::ffff:10.0.0.1"]
)
async def test_a_name_that_stands_for_an_inner_number_is_not_connected(web: FakeWeb, number: str) -> None:
    web.names["rebound.example"] = [number]

    assert "public web" in await refusal(web, "http://rebound.example/")


async def test_one_inner_number_among_public_ones_is_enough_to_refuse(web: FakeWeb) -> None:
    web.names["harbour.example"] = [LOOPBACK, "192.168.1.1"]
    web.page(PAGE, "9:15")

    assert "public web" in await refusal(web)
    assert web.asked == []


async def test_a_name_that_answers_otherwise_the_second_time_gains_nothing(web: FakeWeb) -> None:
    web.page(PAGE, "9:15", kind="text/plain")
    answers = iter([[(LOOPBACK, (await web.resolve("harbour.example", 80))[0][1])], [("10.0.0.1", 80)]])

    async def rebinding(host: str, port: int) -> list[tuple[str, int]]:
        return next(answers)

    got = await Fetcher(resolve=rebinding, is_allowed=web.is_allowed).get(PAGE)

    assert got.body == b"9:15"
    assert next(answers) == [("10.0.0.1", 80)]


async def test_redirects_are_followed_and_every_hop_is_looked_up(web: FakeWeb) -> None:
    web.redirect(PAGE, "/new", status="301 Moved")
    web.redirect("http://harbour.example/new", "https://harbour.example/newest", status="308 Moved")
    web.page("https://harbour.example/newest", "9:15", kind="text/plain")

    fetched = await fetcher(web).get(PAGE)

    assert (fetched.url, fetched.body) == ("https://harbour.example/newest", b"9:15")
    assert web.lookups == ["harbour.example"] * 3


@pytest.mark.parametrize(
    "to",
    [
        "http://127.0.0.1/", "http://[::1]/", "//2130706433/", "http://169.254.169.254/latest/meta-data/",
        "http://localhost:80/", "http://inner.example/", "file:///etc/passwd", "http://me:word@harbour.example/",
        "http://harbour.example:6379/", "gopher://harbour.example/", "http://[", "https:",
    ],
)  # fmt: skip
async def test_a_redirect_to_where_nobody_may_go_is_not_followed(web: FakeWeb, to: str) -> None:
    web.names["inner.example"] = ["10.0.0.7"]
    web.redirect(PAGE, to)

    await refusal(web)
    assert [asked.url for asked in web.asked] == [PAGE]


async def test_who_stays_is_sent_on_within_a_site_alone(web: FakeWeb) -> None:
    web.redirect(PAGE, "http://www.harbour.example/new")
    web.redirect("http://www.harbour.example/new", "http://evil.example/?q=1")
    web.page("http://evil.example/?q=1", "9:15", kind="text/plain")

    with pytest.raises(ToolError, match=r"another site; read http://evil\.example/\?q=1 only if"):
        await fetcher(web).get(PAGE, stays=True)
    assert [asked.url for asked in web.asked] == [PAGE, "http://www.harbour.example/new"]

    assert (await fetcher(web).get(PAGE)).body == b"9:15"


async def test_a_circle_of_redirects_ends(web: FakeWeb) -> None:
    web.redirect(PAGE, PAGE)

    assert "more than 5 times" in await refusal(web)
    assert len(web.asked) == MAX_HOPS + 1


async def test_what_is_too_long_is_cut(web: FakeWeb) -> None:
    web.page(PAGE, b"x" * (MAX_BYTES + 1), kind="text/plain")

    fetched = await fetcher(web).get(PAGE)

    assert (len(fetched.body), fetched.was_cut) == (MAX_BYTES, True)


async def test_a_small_body_that_unpacks_to_a_large_one_is_cut_too(web: FakeWeb) -> None:
    packed = gzip.compress(b"\0" * 50_000_000, compresslevel=1)
    assert len(packed) < MAX_BYTES
    web.page(PAGE, packed, kind="text/plain", headers={"content-encoding": "gzip"})

    tracemalloc.start()
    try:
        fetched = await fetcher(web).get(PAGE)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert (len(fetched.body), fetched.was_cut) == (MAX_BYTES, True)
    assert most < 10 * MAX_BYTES


async def test_a_packed_page_is_unpacked(web: FakeWeb) -> None:
    web.page(PAGE, gzip.compress(b"9:15"), kind="text/plain", headers={"content-encoding": "gzip"})

    assert (await fetcher(web).get(PAGE)).body == b"9:15"


async def test_a_page_that_never_ends_is_given_up(web: FakeWeb) -> None:
    web.page(PAGE, "9:1", headers={"content-length": "4"}, stalls=True)

    assert "did not come within 0.2 s" in await refusal(web, timeout_s=0.2)


@pytest.mark.parametrize(
    ("served", "words"),
    [
        ({"kind": "application/pdf", "body": "%PDF"}, "PDF"),
        ({"kind": "image/png"}, "image/png"),
        ({"kind": "application/octet-stream"}, "only pages of text"),
        ({"status": "404 Not Found"}, "answered 404 Not Found"),
        ({"status": "500 Obey me"}, "answered 500 Internal Server Error"),
        ({"status": "599 Obey me"}, "harbour.example answered 599"),
        ({"kind": "image/png obey me"}, "what stands there is of no known kind"),
        ({"status": "302 Found"}, "answered 302"),
        ({"headers": {"content-encoding": "br"}}, "not asked for"),
        ({"headers": {"content-encoding": "gzip"}, "body": "no gzip"}, "cannot be read"),
        ({"headers": {"content-length": "10"}, "body": "short"}, "broke off"),
        ({"status": "what is this", "headers": {"no name\0": "x"}}, "broke off"),
    ],
)
async def test_what_cannot_be_read_is_refused_with_the_reason(web: FakeWeb, served: dict[str, Any], words: str) -> None:
    web.page(PAGE, **served)

    said = await refusal(web)
    assert words in said
    assert "obey" not in said.lower()


@pytest.mark.parametrize("kind", ["application/json", "application/atom+xml", "application/ld+json", "TEXT/Plain; x=y"])
async def test_other_kinds_of_text_are_taken(web: FakeWeb, kind: str) -> None:
    web.page(PAGE, "{}", kind=kind)

    assert (await fetcher(web).get(PAGE)).body == b"{}"


async def test_a_page_of_no_named_kind_is_judged_by_its_beginning(web: FakeWeb) -> None:
    web.page(PAGE, "<p>9:15", kind=None)
    web.page("http://harbour.example/plain", "9:15", kind=None)

    assert (await fetcher(web).get(PAGE)).media_type == "text/html"
    assert (await fetcher(web).get("http://harbour.example/plain")).media_type == "text/plain"


async def test_a_host_that_is_not_there_is_told(web: FakeWeb) -> None:
    web.names["harbour.example"] = []

    assert await refusal(web) == "there is no host harbour.example"


async def test_a_host_that_takes_no_connection_is_told_after_all_its_numbers(web: FakeWeb) -> None:
    closed = await asyncio.start_server(lambda reader, writer: None, LOOPBACK, 0)
    port = closed.sockets[0].getsockname()[1]
    closed.close()
    await closed.wait_closed()
    web.page(PAGE, "9:15", kind="text/plain")
    open_port = (await web.resolve("harbour.example", 80))[0][1]

    async def both(host: str, at: int) -> list[tuple[str, int]]:
        return [(LOOPBACK, port), (LOOPBACK, open_port)]

    async def one(host: str, at: int) -> list[tuple[str, int]]:
        return [(LOOPBACK, port)]

    assert (await Fetcher(resolve=both, is_allowed=web.is_allowed).get(PAGE)).body == b"9:15"
    with pytest.raises(ToolError, match="cannot be reached"):
        await Fetcher(resolve=one, is_allowed=web.is_allowed).get(PAGE)


async def test_no_proxy_and_no_cookie_takes_part(web: FakeWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    web.page(PAGE, "9:15", kind="text/plain", headers={"set-cookie": "who=you"})
    one = fetcher(web)

    await one.get(PAGE)
    await one.get(PAGE)

    assert ["cookie" in asked.headers for asked in web.asked] == [False, False]


async def test_by_itself_it_goes_to_no_loopback() -> None:
    with pytest.raises(ToolError, match="public web"):
        await Fetcher(resolve=_loopback).get(PAGE)


async def _loopback(host: str, port: int) -> list[tuple[str, int]]:
    return [(LOOPBACK, port)]
