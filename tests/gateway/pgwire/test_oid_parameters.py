"""Parameters of type oid and oid[]: numbers to the engine, four bytes without sign on the wire."""

from __future__ import annotations

import struct

import pytest

from gateway.pgwire.parameters import OID_ARRAY_OID, OID_OID, parameter_types, requested_types
from planner.engine import DataType, Kind, QueryError

BIGINT = DataType(kind=Kind.BIGINT)
BIGINTS = DataType(kind=Kind.ARRAY, element=BIGINT)


@pytest.mark.parametrize("oid", [0, 1, 26, 2**31, 2**32 - 1])
def test_an_oid(oid: int) -> None:
    assert requested_types([OID_OID]) == (BIGINT,)
    (parameter,) = parameter_types([OID_OID], [BIGINT])
    assert parameter.oid == OID_OID
    assert parameter.decode_binary(struct.pack(">I", oid)) == oid
    assert parameter.decode_text(str(oid).encode()) == oid


def test_an_array_of_oids() -> None:
    assert requested_types([OID_ARRAY_OID]) == (BIGINTS,)
    (parameter,) = parameter_types([OID_ARRAY_OID], [BIGINTS])
    assert parameter.oid == OID_ARRAY_OID
    head = struct.pack(">iiIii", 1, 1, OID_OID, 3, 1)
    fields = struct.pack(">iIiiI", 4, 2**32 - 1, -1, 4, 16_384)
    assert parameter.decode_binary(head + fields) == [2**32 - 1, None, 16_384]
    assert parameter.decode_text(b"{7,NULL}") == [7, None]


def test_eight_bytes_are_no_oid() -> None:
    (parameter,) = parameter_types([OID_OID], [BIGINT])
    with pytest.raises(QueryError) as caught:
        parameter.decode_binary(bytes(8))
    assert caught.value.sqlstate == "22P03"
