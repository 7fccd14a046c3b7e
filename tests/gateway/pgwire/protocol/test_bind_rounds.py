from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.pgwire.protocol import codec
from gateway.pgwire.protocol.bind_rounds import Round, RoundForm, RoundReader
from gateway.pgwire.protocol.errors import RemoteProtocolError
from tests.gateway.pgwire import wire

_RUN = wire.execute("") + wire.SYNC
_NAMES = st.sampled_from(["", "s", "s\u00e9", "statement"])
_PARAMETERS = st.lists(st.one_of(st.none(), st.binary(max_size=9)), max_size=3)
_FORMATS = st.lists(st.sampled_from([0, 1]), max_size=3)


@st.composite
def rounds(draw: st.DrawFn) -> bytes:
    """Whole rounds, now and then with a byte changed, cut off or put in."""
    bind = wire.bind(
        draw(st.sampled_from(["", "p"])),
        draw(_NAMES),
        draw(_PARAMETERS),
        parameter_formats=draw(_FORMATS),
        result_formats=draw(_FORMATS),
    )
    described = wire.describe("P", "") if draw(st.booleans()) else b""
    made = bind + described + _RUN
    at = draw(st.integers(0, len(made)))
    match draw(st.integers(0, 7)):
        case 0:
            return made[:at]
        case 1:
            return made[:at] + draw(st.binary(max_size=4)) + made[at:]
        case 2:
            return made[:at] + draw(st.binary(min_size=1, max_size=1)) + made[at + 1 :]
        case _:
            return made


def form(
    statement: str, *, portal: str = "", result_formats: tuple[int, ...] = (), **others: Any
) -> RoundForm:
    fields = {"parameter_formats": (), "described": False, **others}
    return RoundForm(portal=portal, statement=statement, result_formats=result_formats, **fields)


def read_whole(received: bytes) -> Round | None:
    found = codec.split_round(received)
    if found is None:
        return None
    portal, statement, formats, parameters, result_formats = codec.guarded(
        codec.read_bind, found[0]
    )
    made = form(
        statement,
        portal=portal,
        parameter_formats=formats,
        result_formats=result_formats,
        described=found[1],
    )
    return made, parameters


@given(st.lists(rounds(), min_size=1, max_size=6))
def test_what_was_read_before_changes_nothing(received: list[bytes]) -> None:
    reader = RoundReader()
    for each in received:
        try:
            expected = read_whole(each)
        except RemoteProtocolError:
            with pytest.raises(RemoteProtocolError):
                reader.read(each)
        else:
            assert reader.read(each) == expected


@given(st.lists(_PARAMETERS, min_size=2, max_size=6))
def test_only_the_parameters_change(parameters: list[list[bytes | None]]) -> None:
    reader = RoundReader()
    for each in parameters:
        found = reader.read(wire.bind("", "s", each, result_formats=[1]) + _RUN)
        assert found == (form("s", result_formats=(1,)), tuple(each))


@given(st.lists(st.binary(max_size=30), min_size=2, max_size=40))
def test_a_form_that_comes_again_is_the_same_object(keys: list[bytes]) -> None:
    reader = RoundReader()
    forms = []
    for key in keys:
        found = reader.read(wire.bind("", "s", [key]) + _RUN)
        assert found is not None
        assert found[1] == (key,)
        forms.append(found[0])
    assert len(set(map(id, forms))) == 1


def test_a_long_head_is_not_remembered() -> None:
    reader = RoundReader()
    long, short = "s" * 5000, "s"
    for name in (short, long, short, long):
        found = reader.read(wire.bind("", name, [b"1"]) + _RUN)
        assert found is not None
        assert found[0].statement == name
    assert len(reader._head) < 100
