from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stategate.stores.errors import ValueFormatError
from stategate.stores.spec.schema import Kind

INT32, INT64 = (st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (32, 64))


@given(INT32)
@example(-719_529)
def test_dates_of_any_year_are_cells(days: int) -> None:
    expected = str(np.datetime64(days, "D"))
    if abs(days) >= 2**31 - 1:
        expected = "infinity" if days > 0 else "-infinity"
    assert Kind.DATE.record.cell is not None
    assert Kind.DATE.record.cell(days) == expected


@given(INT64)
@example(-(1 << 63))
def test_moments_of_any_year_are_cells(micros: int) -> None:
    assert Kind.TIMESTAMP.record.cell is not None
    unit = "M8[us]" if micros % 1_000_000 else "M8[s]"
    expected = str(np.datetime64(micros, "us").astype(unit))
    if abs(micros) >= 2**63 - 1:
        expected = "infinity" if micros > 0 else "-infinity"
    assert Kind.TIMESTAMP.record.cell(micros) == expected


@given(st.datetimes())
def test_moments_are_printed_without_zeros_at_the_end(moment: dt.datetime) -> None:
    micros = (moment - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
    expected = moment.isoformat(" ")
    expected = expected.rstrip("0") if moment.microsecond else expected
    assert Kind.TIMESTAMP.record.text(micros) == expected.encode()
    assert Kind.TIMESTAMPTZ.record.text(micros) == expected.encode() + b"+00"


@pytest.mark.parametrize("kind", [Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ])
def test_a_count_that_the_wire_cannot_hold(kind: Kind) -> None:
    lowest = -(1 << (8 * kind.record.length - 1)) + 5
    with pytest.raises(ValueFormatError) as caught:
        kind.record.encode(lowest)
    assert caught.value.sqlstate == "22008"
