"""Types of times under a session's TimeZone and DateStyle.

Encoders and decoders are chosen by type. So a type whose text depends on the settings has them as a
part, and all that is kept by type is kept by the settings, too. Their binary form is the same for
all. Under the default settings each type is the plain one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from stategate.gateway.pgwire.types.fields import Array, Fields, numbers
from stategate.gateway.pgwire.types.time_columns import timestamp_text
from stategate.gateway.pgwire.types.wire_type import EncodeColumn, WireType
from stategate.planner.engine import (
    Column,
    DataType,
    Kind,
    TimeSettings,
    Zone,
    offset_printer,
    offset_text,
    zone_printer,
)

_READ = frozenset({Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ})
_SECOND_US = 1_000_000
_INFINITY = (1 << 63) - 1
_OFFSETS_MAX = 1024
"""Printers that are kept, one for each offset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedType(DataType):
    """A type of times under other settings than the default ones."""

    times: TimeSettings


def timed(data_type: DataType, times: TimeSettings) -> DataType:
    """Return a type under settings: with them as a part if its texts depend on them."""
    if times.is_plain:
        return data_type
    if data_type.kind in _READ:
        return TimedType(kind=data_type.kind, times=times)
    if data_type.element is None and not data_type.fields:
        return data_type
    element = None if data_type.element is None else timed(data_type.element, times)
    fields = tuple((name, timed(inner, times)) for name, inner in data_type.fields)
    if element == data_type.element and fields == data_type.fields:
        return data_type
    return replace(data_type, element=element, fields=fields)


def timed_columns(columns: tuple[Column, ...], times: TimeSettings) -> tuple[Column, ...]:
    """Return the columns of a result as they are printed under settings."""
    if times.zone.is_never_ahead:
        return columns
    return tuple(replace(column, type=timed(column.type, times)) for column in columns)


def timed_wire_type(data_type: TimedType, plain: WireType) -> WireType:
    """Return the wire form of a type under settings.

    Args:
        data_type: the type.
        plain: its wire form under the default settings.
    """
    zone = data_type.times.zone
    if data_type.kind is not Kind.TIMESTAMPTZ or zone.is_never_ahead:
        return plain
    text = zone_printer(zone)
    return replace(
        plain,
        encode_text=text,
        encode_texts=lambda values: [text(value) for value in values],
        encode_column_text=_column_text_in(zone),
    )


@lru_cache(maxsize=_OFFSETS_MAX)
def _column_printer(ahead_s: int) -> EncodeColumn:
    return timestamp_text(offset_text(ahead_s).encode(), offset_printer(ahead_s))


def _column_text_in(zone: Zone) -> EncodeColumn:
    """Return the encoder of whole columns: those with one offset are printed together."""

    def encode_column(array: Array) -> Fields:
        micros = numbers(array, "i8")
        ahead = _ahead_of_all(zone, micros)
        offsets: Sequence[int] = np.unique(ahead).tolist()
        nulls = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
        local = micros + ahead * _SECOND_US
        if len(offsets) < 2:
            return _column_printer(offsets[0] if offsets else 0)(_stamps(local, nulls))
        parts: list[Fields] = []
        places: list[npt.NDArray[Any]] = []
        for each in offsets:
            where = np.flatnonzero(ahead == each)
            held = None if nulls is None else nulls[where]
            parts.append(_column_printer(each)(_stamps(local[where], held)))
            places.append(where)
        order = np.empty(len(micros), np.int64)
        order[np.concatenate(places)] = np.arange(len(micros))
        return pa.concat_arrays(parts).take(pa.array(order))

    return encode_column


def _stamps(micros: npt.NDArray[Any], nulls: npt.NDArray[Any] | None) -> Array:
    return pa.array(
        micros.astype("M8[us]") if nulls is None else micros, pa.timestamp("us"), mask=nulls
    )


_QUARTER_US = 900 * _SECOND_US


def _ahead_of_all(zone: Zone, micros: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return by how many seconds the local time of each moment is ahead of UTC."""
    quarters, places = np.unique(micros // _QUARTER_US, return_inverse=True)
    begins = quarters * _QUARTER_US
    firsts = [zone.ahead_of(each) for each in begins.tolist()]
    lasts = [zone.ahead_of(each) for each in (begins + _QUARTER_US - 1).tolist()]
    ahead = np.array(firsts, np.int64)[places] if firsts else np.zeros(len(micros), np.int64)
    changing = np.array([a != b for a, b in zip(firsts, lasts, strict=True)], np.bool_)
    for at in np.flatnonzero(changing[places]) if changing.any() else ():
        ahead[at] = zone.ahead_of(int(micros[at]))
    ahead[(micros >= _INFINITY) | (micros <= -_INFINITY)] = 0
    return ahead
