"""Texts of addresses, as PostgreSQL reads and prints them."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.network_text import parse_inet


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("10.0.0.1/32", "10.0.0.1"),
        ("010.00.0.1/08", "10.0.0.1/8"),
        ("10/9", "10.0.0.0/9"),
        ("10./8", "10.0.0.0/8"),
        ("::FFFF:102:304", "::ffff:1.2.3.4"),
        ("::1:2", "::0.1.0.2"),
        ("::5/64", "::5/64"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ],
)
def test_an_address_is_printed_in_one_form(text: str, printed: str) -> None:
    assert parse_inet(text) == printed


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "10", "10.1", "256.0.0.1", "1.2.3.4.5", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4/-1"),
        *(" 1.2.3.4", "::1/129", "::1/064", "fe80::1%eth0", "1::2::3", "1.2.3.4/255.0.0.0"),
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidValueError, match="invalid input syntax for type inet"):
        parse_inet(text)


@given(st.ip_addresses(), st.integers(min_value=0, max_value=32))
def test_what_is_printed_is_read_as_the_same(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address, bits: int
) -> None:
    printed = parse_inet(f"{address}/{bits}")
    assert parse_inet(printed) == printed
    assert ipaddress.ip_interface(printed) == ipaddress.ip_interface(f"{address}/{bits}")
