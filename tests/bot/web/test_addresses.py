"""What may be asked on the web at all: plainly public hosts, whatever a local one is disguised as."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.web.addresses import checked, host_of, is_public, is_public_name
from tools.tool import ToolError

PRIVATE_V4 = [
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1",
    "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "168.63.129.16",
]  # fmt: skip
PRIVATE_V6 = [
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1", "100::1", "2001:db8::1", "2001::1", "2002:7f00:1::", "fc00::1", "fd00:ec2::254", "fe80::1",
    "fe80::1%eth0", "fec0::1", "ff02::1",
]  # fmt: skip
PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "64:ff9b::808:808"]
REFUSED = [
    "", " ", "harbour", "javascript:alert(1)", "file:///etc/passwd", "ftp://harbour.example/", "data:text/html,x",
    "gopher://harbour.example:70/", "//harbour.example/x", "http://", "http:///x", "https://?x",
    "http://localhost/", "http://LOCALHOST/", "http://localhost./", "http://a.localhost/", "http://printer/",
    "http://router.lan/", "http://nas.local/", "http://metadata.google.internal/computeMetadata/v1/",
    "http://x.home.arpa/", "http://abc.onion/", "http://.example/", "http://a..example/",
    "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/",
    "http://017700000001/", "http://0177.0.0.1/", "http://127.0.0.01/", "http://0/", "http://1.2.3.4.5/",
    "http://[::1]/", "http://[::ffff:7f00:1]/", "http://[fd00:ec2::254]/", "http://[::ffff:169.254.169.254]/",
    "http://169.254.169.254/latest/meta-data/", "http://127。0。0。1/", "http://①②⑦.⓪.⓪.①/", "http://１２７.0.0.1/",
    "http://me@harbour.example/", "http://me:word@harbour.example/", "http://harbour.example@127.0.0.1/",
    "http://harbour.example\\@127.0.0.1/", "http://harbour.example:8080/", "http://harbour.example:22/",
    "https://harbour.example:0/", "http://harbour.example:99999/", "http://harbour.example:x/", "http://[::1/",
    "http://harbour.example/\0", "http://har bour.example/", "https://harbour.example/" + "x" * 2_000,
]  # fmt: skip
TAKEN = {
    "http://harbour.example": "harbour.example",
    "HTTPS://Harbour.Example./times?day=1#top": "harbour.example",
    "https://harbour.example:443/x": "harbour.example",
    "http://harbour.example:80/x": "harbour.example",
    "https://bücher.example/": "xn--bcher-kva.example",
    "https://1.1.1.1/": "1.1.1.1",
    "https://[2606:4700:4700::1111]/": "2606:4700:4700::1111",
    "https://3.example/": "3.example",
}


@pytest.mark.parametrize("number", PRIVATE_V4 + PRIVATE_V6)
def test_a_number_that_is_not_plainly_public_is_refused(number: str) -> None:
    assert not is_public(number)


@pytest.mark.parametrize("number", PUBLIC)
def test_a_public_number_is_taken(number: str) -> None:
    assert is_public(number)


@pytest.mark.parametrize("url", REFUSED)
def test_an_address_that_is_none_or_leads_inside_is_refused(url: str) -> None:
    with pytest.raises(ToolError):
        checked(url)


@pytest.mark.parametrize("url", TAKEN)
def test_an_address_of_the_public_web_is_taken(url: str) -> None:
    taken = checked(url)

    assert host_of(taken) == TAKEN[url]
    assert taken.fragment == ""


def spellings(address: IPv4Address) -> list[str]:
    """Return the ways in which systems read an IPv4 address."""
    number, parts = int(address), address.packed
    octal = ".".join(f"0{part:o}" for part in parts)
    return [
        str(address), str(number), hex(number), f"0{number:o}", octal, ".".join(hex(part) for part in parts),
        f"{parts[0]}.{number & 0xFFFFFF}", f"{parts[0]}.{parts[1]}.{number & 0xFFFF}", f"[::ffff:{address}]",
        f"[::{address}]", f"[64:ff9b::{address}]", f"{address}.",
    ]  # fmt: skip


@given(address=st.ip_addresses(v=4), spelling=st.integers(0, 11))
@example(address=IPv4Address("169.254.169.254"), spelling=7)
def test_no_spelling_of_a_private_number_passes(address: IPv4Address, spelling: int) -> None:
    written = spellings(address)[spelling]
    try:
        host = host_of(checked(f"http://{written}/"))
    except ToolError:
        return
    assert is_public(host)
    assert address.is_global
    assert not address.is_multicast
    assert not address.is_reserved


@given(address=st.ip_addresses(v=6))
@example(address=IPv6Address("::1"))
def test_what_is_called_public_is_global_for_the_library_too(address: IPv6Address) -> None:
    if is_public(str(address)):
        assert address.is_global or address in IPv6Network("64:ff9b::/96")
        assert not address.is_multicast


@given(name=st.text(max_size=30))
def test_any_name_is_judged(name: str) -> None:
    if is_public_name(name):
        assert "." in name or is_public(str(ip_address(name)))
