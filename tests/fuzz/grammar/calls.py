"""Forms of calls, one for each signature of each of the planner's records.

A record that is added is drawn without being named here. A function is named only if it takes
special arguments, or if its value is not determined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stategate.planner.records.functions import OF_MANY_ROWS, OF_WINDOWS, RECORDS
from stategate.planner.records.record import (
    ANY,
    ByArguments,
    FunctionRecord,
    OfParameter,
    Parameter,
    Signature,
)
from stategate.stores.spec.schema import DOUBLE, INTEGER, DataType, Kind
from tests.fuzz.grammar.forms import Form, forms

NOT_DRAWN: Mapping[str, str] = {
    "any_value": "PostgreSQL has it from version 16 on",
    "group_concat": "PostgreSQL has no such function",
    "str_position": "a name of the parser's for position",
    **dict.fromkeys(
        ("array", "cast", "if", "row", "some", "all", "any", "exists", "interval", "extract"),
        "syntax, which has its own forms",
    ),
    **dict.fromkeys(
        ("clock_timestamp", "statement_timestamp", "transaction_timestamp", "now", "random"),
        "another value on each server; forms compare it",
    ),
    **dict.fromkeys(
        ("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"),
        "another value on each server; forms compare it",
    ),
    "gen_random_uuid": "another value in each call; a form tests it for NULL",
    "current_setting": "the session's settings are not those of PostgreSQL",
    **dict.fromkeys(
        ("coalesce", "greatest", "least", "nullif"), "forms of each type, whose arguments agree"
    ),
    **dict.fromkeys(("normalize", "position", "trim"), "syntax, which has its own forms"),
    "age": "with one argument it counts from today; forms have two",
    "grouping": "drawn with grouping sets",
}
"""Functions of the records that are not drawn from them, with the reason."""
_PLACES: Mapping[tuple[str, int], str] = {
    ("array_fill", 1): "'dims",
    ("array_fill", 2): "'bounds",
    ("array_length", 1): "'small",
    ("array_lower", 1): "'small",
    ("array_upper", 1): "'small",
    ("convert_from", 1): "'charset",
    ("convert_to", 1): "'charset",
    ("date_part", 0): "'unit",
    ("date_trunc", 0): "'unit",
    ("date_trunc", 2): "'zone",
    ("decode", 0): "'encoded",
    ("decode", 1): "'form",
    ("encode", 1): "'form",
    ("factorial", 0): "'small",
    ("format", 0): "'template",
    ("generate_subscripts", 1): "'small",
    ("json_object", 0): "'pairs",
    ("jsonb_object", 0): "'pairs",
    ("jsonb_path_exists", 1): "'path",
    ("jsonb_path_match", 1): "'path",
    ("jsonb_path_query", 1): "'path",
    ("jsonb_path_query_array", 1): "'path",
    ("jsonb_path_query_first", 1): "'path",
    ("jsonb_insert", 1): "'steps",
    ("jsonb_set", 1): "'steps",
    ("jsonb_set_lax", 1): "'steps",
    ("jsonb_set_lax", 4): "'treatment",
    ("length", 1): "'charset",
    ("lpad", 1): "'count",
    ("make_time", 2): "'seconds",
    ("make_timestamp", 5): "'seconds",
    ("make_timestamptz", 5): "'seconds",
    ("make_timestamptz", 6): "'zone",
    ("percentile_cont", 0): "'fraction",
    ("percentile_disc", 0): "'fraction",
    ("repeat", 1): "'count",
    ("rpad", 1): "'count",
    ("timezone", 0): "'zone",
    ("to_date", 0): "'stamp",
    ("to_date", 1): "'template of a time",
    ("to_number", 0): "'digits",
    ("to_number", 1): "'template of a number",
    ("to_timestamp", 0): "'stamp",
    ("to_timestamp", 1): "'template of a time",
    **{(name, 1): "'regex" for name in RECORDS if name.startswith("regexp_")},
}
"""Function and argument → the place of those arguments that mostly succeed."""
_OF_TEXT = {"date_trunc", "date_part", "timezone", "to_timestamp"}
"""Functions of which only some signatures take a text there."""
_DOCUMENTS: Mapping[str, str] = {
    **{f"json_extract_path{end}": "json" for end in ("", "_text")},
    **{f"jsonb_extract_path{end}": "jsonb" for end in ("", "_text")},
    **{name: "jsonb" for name in RECORDS if name.startswith("jsonb_path_")},
}
"""Functions of the records whose first argument of any type is a document."""
_ELEMENTS = ("bigint", "text", "integer")
"""Types in place of a pseudo type."""
_ANY = ("text", "integer", "numeric", "timestamptz", "jsonb", "bigint[]", "boolean", "interval")
"""Types in place of any type, in turn."""
_FLAGS = "'flags"
_WHOLE = frozenset({"integer", "bigint", "smallint"})
_BOUNDED = frozenset(
    {
        *("generate_series", "chr", "get_bit", "get_byte", "set_bit", "set_byte", "make_interval"),
        *("make_date", "make_time", "make_timestamp", "make_timestamptz", "power", "pow", "round"),
        *("trunc", "substr", "substring", "left", "right", "split_part", "overlay", "to_char"),
        *("exp", "width_bucket", "trim_array", "factorial", "regexp_count", "regexp_instr"),
        *("regexp_substr", "regexp_replace"),
    }
)
"""Functions whose arguments are columns or constants: others make huge results, or only errors."""


_DOUBLES = frozenset({"exp", "ln", "log", "log10", "pow", "power", "sqrt"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call with places for its arguments."""

    name: str
    form: Form
    result: str | None
    """The type of its value, if the record says it."""


def sort_of(data_type: DataType) -> str:
    """Return the grammar's name of a type."""
    if data_type.kind is Kind.DECIMAL:
        return "numeric"
    return str(data_type).replace("double", "double precision")


def calls_of(record: FunctionRecord) -> Iterator[Call]:
    """Yield a call for each signature, with types in place of pseudo types."""
    for each in record.forms:
        for signature in each.signatures or ((),):
            if record.name == "generate_series" and signature[0] == INTEGER:
                continue  # a series of integers is documented to be bigint
            if record.name in _DOUBLES and DOUBLE not in signature:
                continue  # those of numerics are documented to be doubles
            yield from _calls(record, signature)
            if each.is_variadic:
                more = signature[0] if record.returns_rows else ANY
                yield from _calls(record, (*signature, more, more))


def is_pseudo(parameter: Parameter) -> bool:
    """Whether a parameter takes its type from the arguments."""
    return isinstance(parameter, str) and parameter != ANY


def _calls(record: FunctionRecord, signature: Signature) -> Iterator[Call]:
    pseudo = any(map(is_pseudo, signature))
    for at, element in enumerate(_ELEMENTS if pseudo else _ELEMENTS[:1]):
        sorts = [_sort(each, element, at + index) for index, each in enumerate(signature)]
        if record.name in _DOCUMENTS:
            sorts = [_DOCUMENTS[record.name], *("text" for _ in sorts[1:])]
        if record.name in _VARIABLES and len(sorts) > 2:
            sorts[2:] = [_DOCUMENTS[record.name], *("boolean" for _ in sorts[3:])]
        places = [_place(record.name, index, sort) for index, sort in enumerate(sorts)]
        # A bare text would leave the pseudo type open.
        ends = [
            "::text" if is_pseudo(each) and sort == "text" else ""
            for each, sort in zip(signature, sorts, strict=True)
        ]
        listed = ("{" + place + "}" + end for place, end in zip(places, ends, strict=True))
        text = f"{record.name}({', '.join(listed)})"
        yield Call(name=record.name, form=forms(text)[0], result=_result(record, sorts))


_VARIABLES = frozenset(name for name in RECORDS if name.startswith("jsonb_path_"))
"""Functions whose third argument holds variables."""


def _sort(parameter: DataType | str, element: str, turn: int) -> str:
    if not isinstance(parameter, str):
        return sort_of(parameter)
    if parameter in {"anyarray", "anycompatiblearray"}:
        return f"{element}[]"
    return _ANY[turn % len(_ANY)] if parameter == ANY else element


def _place(name: str, index: int, sort: str) -> str:
    special = _PLACES.get((name, index))
    if special is not None and (sort == "text" or name not in _OF_TEXT or index):
        return special
    if name.startswith("regexp_") and sort == "text" and index > 1:
        is_text = name == "regexp_replace" and index == 2
        return "text" if is_text else _FLAGS
    if name in _BOUNDED:
        return f"{sort}!"
    return sort


def _result(record: FunctionRecord, sorts: Sequence[str]) -> str | None:
    found = record.result
    if record.name == "pg_typeof":
        return None  # a regtype
    if isinstance(found, DataType):
        return sort_of(found)
    if isinstance(found, OfParameter):
        return sorts[found.index]
    if found is ByArguments.FIRST:
        return sorts[0] if sorts else None
    if found is ByArguments.COMMON:
        return sorts[0]
    if found is ByArguments.NUMBER:
        return "double precision" if sorts[0] in {"double precision", "real"} else None
    return None


WITHIN_GROUP = frozenset({"mode", "percentile_cont", "percentile_disc"})
"""Aggregates that are drawn with WITHIN GROUP."""
EVERY: Mapping[str, tuple[Call, ...]] = {
    name: tuple(calls_of(record)) for name, record in RECORDS.items() if name not in NOT_DRAWN
}
"""The calls of each function that is drawn."""
SCALARS = tuple(
    call
    for name, calls in EVERY.items()
    if name not in OF_MANY_ROWS and not RECORDS[name].returns_rows
    for call in calls
)
"""Calls that return a value for each row."""
SERIES_CALLS = tuple(call for name in EVERY if RECORDS[name].returns_rows for call in EVERY[name])
"""Calls that return any number of rows."""
AGGREGATES = tuple(
    call
    for name, calls in EVERY.items()
    if name in OF_MANY_ROWS - OF_WINDOWS and name not in WITHIN_GROUP
    for call in calls
)
"""Calls of aggregates; those with WITHIN GROUP are forms of their own."""
WINDOWS = tuple(call for name in sorted(OF_WINDOWS) for call in EVERY[name])
"""Calls of window functions."""
