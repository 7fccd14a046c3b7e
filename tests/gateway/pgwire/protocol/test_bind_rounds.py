from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.pgwire.protocol.bind_rounds import Round, RoundForm, RoundReader, split_round
from stategate.gateway.pgwire.protocol.decode import read_bind, read_or_refuse, read_parse
from stategate.gateway.pgwire.protocol.errors import RemoteProtocolError
from tests.gateway.pgwire import wire

_RUN = wire.execute("") + wire.SYNC
_NAMES = st.sampled_from(["", "s", "s\u00e9", "statement"])
_TEXTS = st.sampled_from(["SELECT 1", "SELECT 2"])
_PARAMETERS = st.lists(st.one_of(st.none(), st.binary(max_size=9)), max_size=3)
_FORMATS = st.lists(st.sampled_from([0, 1]), max_size=3)


@st.composite
def rounds(draw: st.DrawFn) -> bytes:
    """Generate whole rounds, some with bytes changed, cut off or inserted."""
    bind = wire.bind(
        draw(st.sampled_from(["", "p"])),
        draw(_NAMES),
        draw(_PARAMETERS),
        parameter_formats=draw(_FORMATS),
        result_formats=draw(_FORMATS),
    )
    described = wire.describe("P", "") if draw(st.booleans()) else b""
    parse = wire.parse(draw(_NAMES), draw(_TEXTS)) if draw(st.booleans()) else b""
    made = parse + bind + described + _RUN
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
    found = split_round(received)
    if found is None:
        return None
    parse = None if found[0] is None else read_or_refuse(read_parse, found[0])
    portal, statement, formats, parameters, result_formats = read_or_refuse(read_bind, found[1])
    if parse is not None and (parse.statement, statement) != ("", ""):
        return None
    made = form(
        statement,
        portal=portal,
        parameter_formats=formats,
        result_formats=result_formats,
        described=found[2],
        parse=parse,
    )
    return made, parameters


@given(st.lists(rounds(), min_size=1, max_size=6))
def test_earlier_rounds_do_not_change_how_a_round_is_read(received: list[bytes]) -> None:
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
def test_rounds_of_one_form_differ_in_parameters(
    parameters: list[list[bytes | None]],
) -> None:
    reader = RoundReader()
    for each in parameters:
        found = reader.read(wire.bind("", "s", each, result_formats=[1]) + _RUN)
        assert found == (form("s", result_formats=(1,)), tuple(each))


@given(st.data(), st.integers(2, 3))
def test_parameters_of_the_same_size_together_differ_in_their_lengths(
    data: st.DataObject, count: int
) -> None:
    lengths = st.one_of(st.none(), st.binary(max_size=2), st.just(b"\0\0\0\1"))
    reader = RoundReader()
    for _ in range(12):
        each = data.draw(st.lists(lengths, min_size=count, max_size=count))
        assert reader.read(wire.bind("", "s", each) + _RUN) == (form("s"), tuple(each))


def test_layouts_of_parameters_are_limited() -> None:
    reader = RoundReader()
    for length in range(100):
        reader.read(wire.bind("", "s", [b"x" * length, b"y"]) + _RUN)
    assert len(reader._layouts) == 16
    many = RoundReader()
    for _ in range(3):
        found = many.read(wire.bind("", "s", [b"x"] * 65) + _RUN)
        assert found is not None
        assert found[1] == (b"x",) * 65
    assert not many._layouts


@pytest.mark.parametrize("before", [b"", wire.parse("", "SELECT $1")])
@given(st.lists(st.binary(max_size=30), min_size=2, max_size=40))
def test_a_repeated_form_is_the_same_object(before: bytes, keys: list[bytes]) -> None:
    reader = RoundReader()
    forms = []
    for key in keys:
        found = reader.read(before + wire.bind("", "", [key]) + _RUN)
        assert found is not None
        assert found[1] == (key,)
        forms.append(found[0])
    assert len(set(map(id, forms))) == 1


def test_a_long_head_is_not_kept() -> None:
    reader = RoundReader()
    long, short = "s" * 5000, "s"
    for name in (short, long, short, long):
        found = reader.read(wire.bind("", name, [b"1"]) + _RUN)
        assert found is not None
        assert found[0].statement == name
    assert len(reader._head) < 100


def test_a_round_is_recognised_by_its_constant_bytes() -> None:
    bind = wire.bind("", "s", [b"1"])
    run = wire.execute("") + wire.SYNC
    described = wire.describe("P", "") + run
    assert split_round(bind + run) == (None, bind[5:], False)
    assert split_round(bind + described) == (None, bind[5:], True)
    parse = wire.parse("", "SELECT 1")
    assert split_round(parse + bind + run) == (parse[5:], bind[5:], False)


@pytest.mark.parametrize(
    "other",
    [
        b"",
        wire.SYNC,
        wire.bind("", "s"),
        wire.bind("", "s") + wire.execute("", 1) + wire.SYNC,
        wire.bind("", "s") + wire.execute("p") + wire.SYNC,
        wire.bind("", "s") * 2 + wire.execute("") + wire.SYNC,
        wire.parse("", "") * 2 + wire.bind("", "") + wire.execute("") + wire.SYNC,
        wire.parse("", "") + wire.execute("") + wire.SYNC,
        b"P\0\0\0\0" + wire.bind("", "") + wire.execute("") + wire.SYNC,
        b"P\0\0\0\3" + wire.bind("", "") + wire.execute("") + wire.SYNC,
        b"P\xff\xff\xff\xff" + wire.bind("", "") + wire.execute("") + wire.SYNC,
        b"B" + wire.execute("") + wire.SYNC,
    ],
)
def test_other_bytes_are_not_a_round(other: bytes) -> None:
    assert split_round(other) is None
