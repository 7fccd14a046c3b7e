from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.errors import ValueFormatError
from stategate.stores.spec.schema import Kind

MACADDR = Kind.MACADDR.record
PAIRS = st.tuples(*[st.binary(min_size=6, max_size=6)] * 2)


@pytest.mark.parametrize(
    "text",
    [
        "08:00:2b:01:02:03",
        "08-00-2B-01-02-03",
        "08002b:010203",
        "08002b-010203",
        "0800.2b01.0203",
        "0800-2b01-0203",
        "08002b010203",
        "8:0:2b:1:2:3",
        "8-0-2b-1-2-3",
        " 08:00:2b:01:02:03\n",
    ],
)
def test_forms_of_an_address(text: str) -> None:
    assert MACADDR.parse is not None
    assert MACADDR.parse(text) == "08:00:2b:01:02:03"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "08:00:2b:01:02",
        "08:00:2b:01:02:03:04",
        "08:00-2b:01:02:03",
        "08:00:2b:01:02:0g",
        "08:00:2b:01:02:03x",
        "0800.2b01-0203",
        "08:00:2b:01:02:\u0663\u0663",
    ],
)
def test_other_texts(text: str) -> None:
    assert MACADDR.parse is not None
    with pytest.raises(ValueFormatError, match="invalid input syntax for type macaddr") as caught:
        MACADDR.parse(text)
    assert caught.value.sqlstate == "22P02"


@given(PAIRS)
def test_the_order_is_that_of_the_bytes(pair: tuple[bytes, bytes]) -> None:
    one, other = (MACADDR.decode(raw) for raw in pair)
    assert (one < other) is (pair[0] < pair[1])
    assert MACADDR.encode(one) == pair[0]


def test_bytes_that_are_not_an_address() -> None:
    with pytest.raises(ValueFormatError, match="incorrect binary data format"):
        MACADDR.decode(b"12345")
