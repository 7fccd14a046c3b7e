"""Functions in Python that each database gets, because SQL cannot compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from stategate.planner.composing.functions import byte_calls, degrees
from stategate.planner.composing.functions.formatting import formatted
from stategate.planner.composing.functions.json_functions import JSON_FUNCTIONS
from stategate.planner.composing.functions.number_templates import (
    float_text,
    number_text,
    read_number,
)
from stategate.planner.composing.functions.raising import as_raised_text
from stategate.planner.composing.functions.rowwise import PythonFunction, rowwise
from stategate.planner.composing.functions.time_reading import day_by_template, moment_by_template
from stategate.planner.composing.functions.time_templates import (
    local_time_text,
    time_text,
    zoned_time_text,
)
from stategate.planner.composing.functions.unicode_text import unistr
from stategate.planner.errors import InvalidValueError
from stategate.planner.patterns import functions
from stategate.planner.patterns.like import like_pattern
from stategate.planner.values.array_text import json_of_array
from stategate.planner.values.byte_text import hex_digits_of
from stategate.planner.values.moment_text import time_words, words_in_session
from stategate.planner.values.numerics import quotient
from stategate.planner.values.text_hash import hashtext, hashtextextended
from stategate.planner.values.times import shown_in_zone
from stategate.planner.values.times.local_series import zoned_series


def _divided(one: str, other: str, apart: int) -> str:
    """Return one / other * 10**apart, with 16 digits after the decimal point."""
    if not int(other):
        raise InvalidValueError("division by zero", sqlstate="22012")
    return f"{quotient(Decimal(one), Decimal(other), apart):f}"


def _raise(messages: Any) -> Any:
    """Raise the first message that is not NULL; it begins with its SQLSTATE.

    DuckDB's own `error` is volatile, and a window cannot be ordered by volatile expressions. DuckDB
    does not compute volatile expressions in advance, however, which the catalog's macros need in
    COALESCE.
    """
    for message in messages.to_pylist():
        if message is not None:
            raise as_raised_text(message)
    return pa.nulls(len(messages))


_T, _I, _B, _LIST = "VARCHAR", "INTEGER", "BLOB", "VARCHAR[]"
_OF_VALUES: dict[str, tuple[Callable[..., Any], Sequence[str], str]] = {
    "divided": (_divided, (_T, _T, _I), _T),
    "number_text": (
        lambda number, template: number_text(Decimal(number), template),
        (_T, _T),
        _T,
    ),
    "float_template_text": (float_text, ("DOUBLE", _T, _I), _T),
    "time_text": (time_text, ("BIGINT", _T), _T),
    "local_time_text": (local_time_text, ("BIGINT", _T), _T),
    "zoned_time_text": (zoned_time_text, ("BIGINT", _T, _T), _T),
    "day_by_template": (day_by_template, (_T, _T), "BIGINT"),
    "moment_by_template": (moment_by_template, (_T, _T), "BIGINT"),
    "text_in_zone": (shown_in_zone.text_in_zone, ("BIGINT", _T, _I), _T),
    "iso_in_zone": (shown_in_zone.iso_in_zone, ("BIGINT", _T, _I), _T),
    "session_words": (words_in_session, (_T, _T, _T, _T), _T),
    "zoned_series": (zoned_series, (*["BIGINT"] * 5, _T), "BIGINT[]"),
    "time_words": (time_words, (_T, _T), _T),
    "json_of_array": (json_of_array, (_T, "INTEGER"), _T),
    "hashtext": (hashtext, (_T,), _I),
    "hashtextextended": (hashtextextended, (_T, "BIGINT"), "BIGINT"),
    "digits_of": (hex_digits_of, (_T,), _T),
    "encode": (byte_calls.encode, (_B, _T), _T),
    "decode": (byte_calls.decode, (_T, _T), _B),
    "convert_from": (byte_calls.convert_from, (_B, _T), _T),
    "convert_to": (byte_calls.convert_to, (_T, _T), _B),
    "length_in": (byte_calls.length_in, (_B, _T), _I),
    "get_byte": (byte_calls.get_byte, (_B, _I), _I),
    "set_byte": (byte_calls.set_byte, (_B, _I, _I), _B),
    "get_bit": (byte_calls.get_bit, (_B, "BIGINT"), _I),
    "set_bit": (byte_calls.set_bit, (_B, "BIGINT", _I), _B),
    "unistr": (unistr, (_T,), _T),
    **{each.__name__: (each, ("DOUBLE",), "DOUBLE") for each in degrees.OF_ONE},
    "atan2d": (degrees.atan2d, ("DOUBLE", "DOUBLE"), "DOUBLE"),
    "bytes_substring": (byte_calls.substring, (_B, _I, _I), _B),
    "bytes_overlay": (byte_calls.overlay, (_B, _B, _I, _I), _B),
    "bytes_position": (byte_calls.position, (_B, _B), _I),
    "bytes_trim": (byte_calls.trimmed, (_B, _B, _T), _B),
    "hashed": (byte_calls.hashed, (_B, _T), _B),
    "reverse": (byte_calls.reversed_text, (_T,), _T),
    "format": (formatted, (_T, _LIST), _T),
    "number_of": (read_number, (_T, _T), _T),
    "matches": (functions.is_match, (_T, _T), "BOOLEAN"),
    "matches_in_any_case": (functions.is_match_in_any_case, (_T, _T), "BOOLEAN"),
    "like_pattern": (like_pattern, (_T, _T), _T),
    "similar": (functions.is_similar, (_T, _T, _T), "BOOLEAN"),
    "substring_matching": (functions.substring, (_T, _T), _T),
    "substring_similar": (functions.substring_similar, (_T, _T, _T), _T),
    "regexp_like": (functions.regexp_like, (_T, _T, _T), "BOOLEAN"),
    "regexp_match": (functions.regexp_match, (_T, _T, _T), _LIST),
    "regexp_matches": (functions.regexp_matches, (_T, _T, _T), "VARCHAR[][]"),
    "regexp_split_to_array": (functions.regexp_split_to_array, (_T, _T, _T), _LIST),
    "regexp_split_to_table": (functions.regexp_split_to_table, (_T, _T, _T), _LIST),
    "regexp_count": (functions.regexp_count, (_T, _T, _I, _T), _I),
    "regexp_substr": (functions.regexp_substr, (_T, _T, _I, _I, _T, _I), _T),
    "regexp_instr": (functions.regexp_instr, (_T, _T, _I, _I, _I, _T, _I), _I),
    "regexp_replace": (functions.regexp_replace, (_T, _T, _T, _T), _T),
    "regexp_replace_nth": (functions.regexp_replace_nth, (_T, _T, _T, _I, _I, _T), _T),
}
"""Functions of values, by name without its beginning, with their types; NULL gives NULL."""

PYTHON_FUNCTIONS: dict[str, PythonFunction] = {
    "pg_sg_error": (_raise, ("VARCHAR",), '"NULL"'),
    **{f"pg_sg_{name}": rowwise(*entry) for name, entry in _OF_VALUES.items()},
    **JSON_FUNCTIONS,
}
"""By name: the function, the types of its arguments, and its result type."""
