"""The header of the PROXY protocol: its two versions, cut anywhere, and whatever is not one."""

from __future__ import annotations

import ipaddress
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.access.proxy_header import Header, ProxyHeaderError, Source, read_header
from tests.support.proxy_headers import LOCAL, SIGNATURE, block, line, told

SOURCES = st.tuples(st.ip_addresses(), st.integers(0, 0xFFFF)).filter(
    lambda source: not source[0].is_loopback
)


@given(SOURCES, st.booleans(), st.binary(max_size=300), st.binary(max_size=20))
def test_a_header_cut_anywhere_is_read_once_it_is_complete(
    source: tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int],
    is_line: bool,
    notes: bytes,
    rest: bytes,
) -> None:
    address, port = str(source[0]), source[1]
    whole = line(address, port) if is_line else told(address, port, notes=notes)
    for length in range(len(whole)):
        assert read_header(whole[:length]) is None
    found = read_header(whole + rest)
    assert found is not None
    assert found.length == len(whole)
    assert found.source is not None
    mapped = getattr(source[0], "ipv4_mapped", None)
    expected = None if mapped is not None and mapped.is_loopback else address
    assert found.source.address == expected


@given(st.binary(max_size=300))
def test_any_bytes_are_a_header_or_refused_or_cut(data: bytes) -> None:
    for start in (b"", b"PROXY ", b"PROXY TCP4 ", SIGNATURE, SIGNATURE + b"\x21\x11"):
        try:
            found = read_header(start + data)
        except ProxyHeaderError:
            continue
        assert found is None or found.length <= len(start + data)


@pytest.mark.parametrize(
    ("data", "source"),
    [
        (b"PROXY UNKNOWN\r\n", Source(None, None)),
        (b"PROXY UNKNOWN 192.0.2.1 some thing 1 2\r\n", Source(None, None)),
        (line("127.0.0.1", 5), Source(None, None)),
        (line("::ffff:127.0.0.1", 5), Source(None, None)),
        (told("::1", 5), Source(None, None)),
        (line("2001:DB8::0:1", 5), Source("2001:db8::1", 5)),
        (LOCAL, None),
        (block(0x20, 0x11, b"x" * 12), None),
        (block(0x20, 0xFF, b""), None),
        (block(0x21, 0x00, b"notes"), Source(None, None)),
        (block(0x21, 0x31, b"x" * 216), Source(None, None)),
    ],
)
def test_headers_with_another_or_no_client(data: bytes, source: Source | None) -> None:
    assert read_header(data + b"more") == Header(source, len(data))


@pytest.mark.parametrize(
    "data",
    [
        b"x",
        b"PROXX",
        b"GET / HTTP/1.1\r\n",
        b"\0\0\0\x08\x04\xd2\x16\x2f",
        b"\x16\x03\x01",
        b"\r\n\r\n\0\r\nQUIX",
        b"PROXY \r\n",
        b"PROXY tcp4 192.0.2.1 192.0.2.2 1 2\r\n",
        b"PROXY TCP4  192.0.2.1 192.0.2.2 1 2\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2 \r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 01 2\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1 65536\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 -1 2\r\n",
        b"PROXY TCP4 192.0.2.01 192.0.2.2 1 2\r\n",
        b"PROXY TCP4 192.0.2.1 2001:db8::1 1 2\r\n",
        b"PROXY TCP4 localhost 192.0.2.2 1 2\r\n",
        b"PROXY TCP6 192.0.2.1 192.0.2.2 1 2\r\n",
        b"PROXY TCP6 fe80::1%lo fe80::2 1 2\r\n",
        b"PROXY UNKNOWNS\r\n",
        b"PROXY UNKNOWN " + b"x" * 93,
        b"PROXY TCP4 " + b"1" * 96,
        block(0x11, 0x11, b"x" * 12),
        block(0x22, 0x11, b"x" * 12),
        block(0x21, 0x11, b"x" * 11),
        block(0x21, 0x21, b"x" * 35),
        block(0x21, 0x31, b"x" * 215),
        block(0x21, 0x12, b"x" * 12),
        block(0x21, 0x41, b"x" * 12),
        SIGNATURE + struct.pack("!BBH", 0x21, 0x11, 4_097),
    ],
)
def test_what_is_no_header_is_refused(data: bytes) -> None:
    with pytest.raises(ProxyHeaderError):
        read_header(data)


def test_a_line_may_be_as_long_as_the_specification_says() -> None:
    longest = b"PROXY UNKNOWN " + b"x" * 91 + b"\r\n"
    assert len(longest) == 107
    assert read_header(longest) == Header(Source(None, None), 107)
    assert read_header(longest[:-1]) is None
