"""Calls of Postgres's functions that DuckDB spells otherwise, or means otherwise by.

Each rule takes a call by its name and gives what stands in its place; `CALLS` is the list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sqlglot import exp

from planner.clock import local_now, now
from planner.errors import NotSupported, ValueProblem
from planner.functions import RESULTS, call_name
from planner.inference import FLOATS, INTEGERS, Types, arguments, as_decimal, common_type
from planner.literals import bytes_of
from planner.patterns import group_of, groups_in, regular_expression, replacement
from planner.sqltypes import duckdb_type
from planner.templates import strftime_format, strptime_format
from planner.trees import call, cast, outermost, position_of, wrapped
from stores.schema import Kind

CallRule: TypeAlias = Callable[[exp.Expr, list[exp.Expr], Types], exp.Expr | None]
"""From a call, copies of its arguments and the types to the call's replacement; None to keep it."""

_NUMBER_TEMPLATE = re.compile(r"(?i)[90RN]")


def rewrite_call(node: exp.Expr, types: Types) -> exp.Expr:
    """What stands in a call's place; the call itself if DuckDB means the same by it."""
    name = call_name(node)
    rule = CALLS.get(name)
    if rule is not None:
        fresh = rule(node, arguments(node), types)
        if fresh is not None:
            node.replace(fresh)
            return fresh
        return node
    wanted = _CAST.get(name)
    if wanted is not None:
        return wrapped(outermost(node), lambda inner: cast(inner, wanted))
    return node


_CAST = {
    name: duckdb_type(RESULTS[name])
    for name in (
        *("length", "char_length", "character_length", "strpos", "position", "bit_length"),
        *(
            "str_position",
            "ntile",
            "grouping",
            "ascii",
            "array_position",
            "json_array_length",
            "cardinality",
            "generate_subscripts",
        ),
    )
}
"""Functions whose result is narrower in Postgres."""


def _renamed(name: str) -> CallRule:
    return lambda node, given, types: call(name, *_copies(given))


def _copies(nodes: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [node.copy() for node in nodes]


def _text_of(node: exp.Expr) -> str | None:
    """The text of a literal; None for all else."""
    return node.name if isinstance(node, exp.Literal) and node.is_string else None


def _unsupported(node: exp.Expr, message: str, hint: str | None = None) -> NotSupported:
    return NotSupported(message, hint=hint, position=position_of(node))


# --- text ----------------------------------------------------------------------------------------


def _substring(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Positions below 1 count, but give no characters; `FROM 'pattern'` is a regular expression."""
    start = node.args.get("start") if isinstance(node, exp.Substring) else given[1]
    count = (
        node.args.get("length") if isinstance(node, exp.Substring) else next(iter(given[2:]), None)
    )
    if start is None:
        start = exp.Literal.number(1)
    pattern = _text_of(start)
    if pattern is not None and count is None:
        found = exp.Literal.string(regular_expression(pattern, position_of(start)))
        group = exp.Literal.number(group_of(pattern))
        return call("pg_sg_regexp_group", given[0].copy(), found, group)
    plain = [n for n in (start, count) if n is not None]
    if all(isinstance(n, exp.Literal) and n.name.isdigit() and n.name != "0" for n in plain):
        return call("substring", given[0].copy(), *_copies(plain))
    if count is None:
        return call("pg_sg_substring_from", given[0].copy(), start.copy())
    return call("pg_sg_substring", given[0].copy(), start.copy(), count.copy())


def _concat(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """A boolean is t or f here, a double has no `.0`."""
    shown: list[exp.Expr] = []
    for each in given:
        kind = types.kind_of(each)
        macro = "pg_sg_boolean_text" if kind is Kind.BOOLEAN else None
        macro = "pg_sg_float_text" if kind in FLOATS else macro
        shown.append(each.copy() if macro is None else call(macro, each.copy()))
    return call(call_name(node), *shown)


_SPEC = re.compile(r"%(?:(\d+)\$)?(-)?(\d+)?([sIL%])|%")


def _format(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    template = _text_of(given[0]) if given else None
    if template is None:
        raise _unsupported(node, "format() takes a template that is written out")
    pieces: list[exp.Expr] = []
    at, following = 0, 1
    for found in _SPEC.finditer(template):
        pieces.append(exp.Literal.string(template[at : found.start()]))
        at = found.end()
        kind = found[4]
        if kind is None:
            raise ValueProblem(
                "unrecognized format() type specifier", position=position_of(given[0])
            )
        if kind == "%":
            pieces.append(exp.Literal.string("%"))
            continue
        place = int(found[1]) if found[1] else following
        following = place + 1
        if not 0 < place < len(given):
            raise ValueProblem("too few arguments for format()", position=position_of(node))
        pieces.append(_formatted(given[place], kind, found[2], found[3], types))
    pieces.append(exp.Literal.string(template[at:]))
    return call("concat", *pieces)


def _formatted(
    node: exp.Expr, kind: str, left: str | None, width: str | None, types: Types
) -> exp.Expr:
    text = cast(node.copy(), "TEXT")
    if types.kind_of(node) is Kind.BOOLEAN:
        text = call("pg_sg_boolean_text", node.copy())
    macro = {"I": "pg_sg_quote_ident", "L": "pg_sg_quote_nullable"}.get(kind)
    shown = text if macro is None else call(macro, text)
    if width is None:
        return shown
    shown = call("coalesce", shown, exp.Literal.string(""))
    side = "rpad" if left else "lpad"
    wide = call("greatest", exp.Literal.number(int(width)), call("length", shown.copy()))
    return call(side, shown, cast(wide, "INTEGER"), exp.Literal.string(" "))


def _pad(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    fill = given[2].copy() if len(given) > 2 else exp.Literal.string(" ")
    return call(call_name(node), given[0].copy(), call("pg_sg_length", given[1].copy()), fill)


def _overlay(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    count = given[3].copy() if len(given) > 3 else call("length", given[1].copy())
    return call("pg_sg_overlay", *_copies(given[:3]), count)


def _octets(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    name = "octet_length" if types.kind_of(given[0]) is Kind.BYTEA else "strlen"
    return cast(call(name, given[0].copy()), "INTEGER")


def _length(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    name = "octet_length" if types.kind_of(given[0]) is Kind.BYTEA else "length"
    return cast(call(name, given[0].copy()), "INTEGER")


def _encode(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    form = (_text_of(given[1]) or "").lower() if len(given) > 1 else ""
    if form == "hex":
        return call("lower", call("hex", bytes_of(given[0])))
    if form == "base64":
        return call("to_base64", bytes_of(given[0]))
    raise _unsupported(node, "encode() writes hex and base64 only")


def _decode(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    form = (_text_of(given[1]) or "").lower() if len(given) > 1 else ""
    if form in {"hex", "base64"}:
        return call("unhex" if form == "hex" else "from_base64", given[0].copy())
    raise _unsupported(node, "decode() reads hex and base64 only")


def _string_to_array(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    null = given[2].copy() if len(given) > 2 else exp.null()
    found = call("pg_sg_string_to_array", *_copies(given[:2]), null)
    return call("unnest", found) if call_name(node) == "string_to_table" else found


def _array_to_string(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    return call("pg_sg_array_to_string", *_copies(given)) if len(given) > 2 else None


# --- regular expressions -------------------------------------------------------------------------


def _pattern(node: exp.Expr) -> exp.Expr:
    """A pattern for RE2; one that is not written out must be its kind already."""
    text = _text_of(node)
    if text is None:
        return node.copy()
    return exp.Literal.string(regular_expression(text, position_of(node)))


def _flagged(pattern: exp.Expr, given: list[exp.Expr], at: int) -> exp.Expr:
    """A pattern with the flags that stand beside it, as RE2 takes them inside."""
    flags = _text_of(given[at]) if len(given) > at else ""
    kept = "".join(flag for flag in flags or "" if flag in "is")
    text = _text_of(pattern)
    return exp.Literal.string(f"(?{kept}){text}") if kept and text is not None else pattern


def _regexp_replace(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    new = given[2]
    text = _text_of(new)
    shown = exp.Literal.string(replacement(text)) if text is not None else new.copy()
    found = [given[0].copy(), _pattern(given[1]), shown]
    flags = _text_of(given[3]) if len(given) > 3 else None
    if len(given) > 4 or (len(given) > 3 and flags is None):
        raise _unsupported(node, "regexp_replace() takes text, pattern, replacement and flags")
    kept = "".join(flag for flag in flags or "" if flag in "gis")
    return call("regexp_replace", *found, *([exp.Literal.string(kept)] if kept else []))


def _regexp_match(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    pattern = _flagged(_pattern(given[1]), given, 2)
    text = _text_of(pattern)
    if text is None:
        raise _unsupported(node, "regexp_match() takes a pattern that is written out")
    groups = range(1, groups_in(text) + 1) or (0,)
    found = [
        call("pg_sg_regexp_group", given[0].copy(), pattern.copy(), exp.Literal.number(group))
        for group in groups
    ]
    matches = call("regexp_matches", given[0].copy(), pattern.copy())
    return exp.Case(ifs=[exp.If(this=matches, true=exp.Array(expressions=found))])


def _regexp_call(name: str, flags_at: int = 2) -> CallRule:
    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        return call(name, given[0].copy(), _flagged(_pattern(given[1]), given, flags_at))

    return rule


def _regexp_substr(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    zero = exp.Literal.number(0)
    return call("pg_sg_regexp_group", given[0].copy(), _pattern(given[1]), zero)


def _regexp_matches(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    raise _unsupported(
        node,
        "regexp_matches() is not supported",
        "regexp_match() gives the first match; ~ says whether there is one.",
    )


# --- times ---------------------------------------------------------------------------------------


def _to_char(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    value, template = given[0], given[1]
    kind, text = types.kind_of(value), _text_of(template)
    if kind in INTEGERS or kind in FLOATS or kind is Kind.DECIMAL:
        number = cast(cast(value.copy(), "DECIMAL(38,10)"), "TEXT")
        if kind in FLOATS:
            number = call("pg_sg_float_text", value.copy())
        return call("pg_sg_number_text", number, template.copy())
    if kind is Kind.INTERVAL:
        raise _unsupported(
            node, "to_char() of an interval is not supported", "Cast it to text, or use extract()."
        )
    known = None if text is None else strftime_format(text)
    if known is not None and kind is not None:
        return call("strftime", cast(value.copy(), "TIMESTAMP"), exp.Literal.string(known))
    if kind is None and text is not None and not re.search(r"[A-CE-KMOQT-Y]", text.upper()):
        number = cast(cast(value.copy(), "DECIMAL(38,10)"), "TEXT")
        return call("pg_sg_number_text", number, template.copy())
    micros = call("epoch_us", cast(value.copy(), "TIMESTAMP"))
    return call("pg_sg_time_text", micros, template.copy())


def _to_timestamp(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    if len(given) == 1:
        return call("to_timestamp", cast(given[0].copy(), "DOUBLE"))
    text = _text_of(given[1])
    known = None if text is None else strptime_format(text)
    if known is None:
        raise _unsupported(
            given[1],
            f"{call_name(node)}() with this template is not supported",
            "Use fields of fixed width, such as YYYY-MM-DD HH24:MI:SS, or a cast.",
        )
    read = call("strptime", given[0].copy(), exp.Literal.string(known))
    return cast(read, "DATE" if call_name(node) == "to_date" else "TIMESTAMPTZ")


_UNITS = frozenset(
    {
        *("microseconds", "milliseconds", "second", "minute", "hour", "day", "week", "month"),
        *("quarter", "year", "decade", "century", "millennium"),
    }
)


def _date_trunc(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    unit = _text_of(given[0])
    if unit is not None and unit.lower() not in _UNITS:
        raise ValueProblem(f'unit "{unit}" not recognized', position=position_of(given[0]))
    value = given[1].copy()
    if types.kind_of(given[1]) is Kind.DATE or _text_of(given[1]) is not None:
        value = cast(value, "TIMESTAMPTZ")
    if len(given) < 3:
        return call("date_trunc", given[0].copy(), value)
    local = call("timezone", given[2].copy(), cast(value, "TIMESTAMPTZ"))
    return call("timezone", given[2].copy(), call("date_trunc", given[0].copy(), local))


def extracted(field: str, source: exp.Expr, types: Types, *, exact: bool) -> exp.Expr:
    """A field of a time, as `extract` (exact) or `date_part` has it."""
    field = field.lower().rstrip("s") if field.lower() != "microseconds" else "microsecond"
    if isinstance(source, exp.Literal) and source.is_string:
        source = cast(source.copy(), "TIMESTAMP")
    fractions = {"second": 6, "millisecond": 3, "epoch": 6}
    read = {"second": "microseconds", "millisecond": "microseconds"}.get(field, field)
    part: exp.Expr = call("date_part", exp.Literal.string(read), source.copy())
    if field == "epoch":
        return cast(part, "DECIMAL(24,6)" if exact else "DOUBLE")
    scale = fractions.get(field)
    part = cast(part, "DECIMAL(18,0)")
    if scale is not None:
        unit = exp.Literal.number(f"0.{'1'.rjust(scale, '0')}")
        part = exp.Paren(this=exp.Mul(this=part, expression=unit))
    return part if exact else cast(part, "DOUBLE")


def _date_part(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    field = _text_of(given[0])
    return None if field is None else extracted(field, given[1], types, exact=False)


def _date_bin(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    return call("time_bucket", *_copies(given))


# --- numbers and arrays --------------------------------------------------------------------------


def _same_type(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """gcd, lcm: as wide as their arguments."""
    found = common_type([types.of(each) for each in given])
    if found is None or found.kind not in INTEGERS:
        return None
    return cast(call(call_name(node), *_copies(given)), duckdb_type(found))


def _sign(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    kind = types.kind_of(given[0])
    wanted = "DECIMAL(1,0)" if kind is Kind.DECIMAL else "DOUBLE"
    return cast(call("sign", given[0].copy()), wanted)


def _div(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    left, right = (types.of(each) for each in given[:2])
    if None in {as_decimal(left), as_decimal(right)}:
        return None
    both = exp.IntDiv(this=given[0].copy(), expression=given[1].copy())
    if left is not None and right is not None and {left.kind, right.kind} <= set(INTEGERS):
        return cast(exp.Paren(this=both), "DECIMAL(19,0)")
    divided = exp.Div(this=cast(given[0].copy(), "DOUBLE"), expression=given[1].copy())
    return cast(call("trunc", divided), "DECIMAL(38,0)")


def _factorial(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    return cast(call("factorial", cast(given[0].copy(), "INTEGER")), "DECIMAL(38,0)")


_SPELLED = {Kind.TIMESTAMP: "timestamp without time zone", Kind.DECIMAL: "numeric"}
_SPELLED |= {Kind.TIMESTAMPTZ: "timestamp with time zone", Kind.TIME: "time without time zone"}
_SPELLED |= {Kind.DOUBLE: "double precision", Kind.NULL: "unknown"}


def _pg_typeof(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    found = types.of(given[0])
    if found is None:
        return None
    inner, suffix = (found.element, "[]") if found.element is not None else (found, "")
    return exp.Literal.string(_SPELLED.get(inner.kind, str(inner)) + suffix)


def _array_length(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    return call("pg_sg_array_length", *_copies(given)) if len(given) > 1 else None


def _bit_count(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    return cast(call("bit_count", given[0].copy()), "BIGINT")


def _num_nulls(counts_nulls: bool) -> CallRule:
    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        parts = [
            exp.Case(
                ifs=[
                    exp.If(
                        this=exp.Is(this=each.copy(), expression=exp.null()),
                        true=exp.Literal.number(int(counts_nulls)),
                    )
                ],
                default=exp.Literal.number(int(not counts_nulls)),
            )
            for each in given
        ]
        total: exp.Expr = parts[0]
        for part in parts[1:]:
            total = exp.Add(this=total, expression=part)
        return cast(exp.Paren(this=total), "INTEGER")

    return rule


def _generate_series(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """A series of dates is one of moments."""
    for each in given[:2]:
        if types.kind_of(each) is Kind.DATE:
            each.replace(cast(each.copy(), "TIMESTAMPTZ"))
        if types.kind_of(each) is Kind.DECIMAL:
            raise _unsupported(
                node,
                "generate_series of numeric is not supported",
                "Generate integers, and divide them.",
            )
    return _bounded_series(node, given, types)


def _bounded_series(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """In FROM a series streams; anywhere else it is a list in memory, which no limit counts."""
    if isinstance(node.parent, exp.Table) or not given:
        return None
    start = exp.Literal.number(0) if len(given) == 1 else given[0].copy()
    step = given[2].copy() if len(given) > 2 else exp.Literal.number(1)
    stop = given[0] if len(given) == 1 else given[1]
    counts = types.kind_of(given[0]) in INTEGERS
    name = "pg_sg_series_end" if counts else "pg_sg_moments_end"
    stop.replace(call(name, start, stop.copy(), step))
    return None


# --- json ----------------------------------------------------------------------------------------


def _json_path(name: str) -> CallRule:
    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        return call(name, given[0].copy(), exp.Array(expressions=_copies(given[1:])))

    return rule


def _json_agg(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """json_agg is the json of array_agg; what stands around the aggregate stays around it."""
    outer = outermost(node)
    inside = exp.ArrayAgg(this=node.expressions[0].copy())
    if outer is node:
        return call("to_json", inside)
    node.replace(inside)
    return wrapped(outer, lambda inner: call("to_json", inner))


def _json_set(name: str) -> CallRule:
    """A function that gives rows, as the unnesting of a list."""

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
        if isinstance(node.parent, exp.Table):
            return None
        return call("unnest", call(name, given[0].copy()))

    return rule


JSON_ROWS = {
    "json_array_elements": "pg_sg_json_elements",
    "json_array_elements_text": "pg_sg_json_elements_text",
    "json_object_keys": "json_keys",
}
JSON_ROWS |= {f"jsonb{name.removeprefix('json')}": inner for name, inner in JSON_ROWS.items()}
"""Functions that give a row for each element, and what gives the list of them."""

CALLS: Mapping[str, CallRule] = {
    **dict.fromkeys(("substring", "substr"), _substring),
    **dict.fromkeys(("concat", "concat_ws"), _concat),
    **dict.fromkeys(("lpad", "rpad"), _pad),
    "format": _format,
    "overlay": _overlay,
    "octet_length": _octets,
    "length": _length,
    "repeat": _renamed("pg_sg_repeat"),
    "initcap": _renamed("pg_sg_initcap"),
    "to_hex": _renamed("pg_sg_to_hex"),
    "split_part": _renamed("pg_sg_split_part"),
    "chr": _renamed("pg_sg_chr"),
    "quote_ident": _renamed("pg_sg_quote_ident"),
    "quote_literal": _renamed("pg_sg_quote_literal"),
    "quote_nullable": _renamed("pg_sg_quote_nullable"),
    "encode": _encode,
    "decode": _decode,
    "convert_from": lambda node, given, types: call("decode", given[0].copy()),
    "sha256": lambda node, given, types: call("unhex", call("sha256", bytes_of(given[0]))),
    "normalize": lambda node, given, types: call("nfc_normalize", given[0].copy()),
    **dict.fromkeys(("string_to_array", "string_to_table"), _string_to_array),
    "array_to_string": _array_to_string,
    "regexp_replace": _regexp_replace,
    "regexp_match": _regexp_match,
    "regexp_matches": _regexp_matches,
    "regexp_count": _regexp_call("pg_sg_regexp_count", 3),
    "regexp_like": _regexp_call("regexp_matches"),
    "regexp_substr": _regexp_substr,
    "regexp_split_to_array": _regexp_call("regexp_split_to_array"),
    "regexp_split_to_table": _regexp_call("regexp_split_to_table"),
    "to_char": _to_char,
    **dict.fromkeys(("to_timestamp", "to_date"), _to_timestamp),
    "date_trunc": _date_trunc,
    "date_part": _date_part,
    "date_bin": _date_bin,
    "current_setting": _renamed("pg_sg_setting"),  # with all that there are, by `lifting`
    **dict.fromkeys(("now", "current_timestamp", "transaction_timestamp"), now),
    **dict.fromkeys(("statement_timestamp", "clock_timestamp"), now),
    **dict.fromkeys(("current_time", "localtime"), local_now("TIME")),
    "localtimestamp": local_now("TIMESTAMP"),
    "current_date": _renamed("today"),
    **dict.fromkeys(("gcd", "lcm"), _same_type),
    "sign": _sign,
    "div": _div,
    "factorial": _factorial,
    "width_bucket": _renamed("pg_sg_width_bucket"),
    "every": _renamed("bool_and"),
    "bit_count": _bit_count,
    "num_nulls": _num_nulls(counts_nulls=True),
    "num_nonnulls": _num_nulls(counts_nulls=False),
    "pg_typeof": _pg_typeof,
    "array_length": _array_length,
    "array_upper": _renamed("pg_sg_array_length"),
    "array_lower": _renamed("pg_sg_array_lower"),
    "array_ndims": _renamed("pg_sg_array_ndims"),
    "array_dims": _renamed("pg_sg_array_dims"),
    "array_positions": _renamed("pg_sg_array_positions"),
    "array_remove": _renamed("pg_sg_array_remove"),
    "array_replace": _renamed("pg_sg_array_replace"),
    "array_fill": _renamed("pg_sg_array_fill"),
    "trim_array": _renamed("pg_sg_trim_array"),
    "array_append": _renamed("list_append"),
    "array_prepend": _renamed("list_prepend"),
    "array_cat": _renamed("list_concat"),
    "generate_series": _generate_series,
    "range": _bounded_series,
    **dict.fromkeys(("json_typeof", "jsonb_typeof"), _renamed("pg_sg_json_typeof")),
    "jsonb_array_length": lambda node, given, types: cast(
        call("json_array_length", given[0].copy()), "INTEGER"
    ),
    **dict.fromkeys(("json_extract_path", "jsonb_extract_path"), _json_path("pg_sg_json_path")),
    **dict.fromkeys(
        ("json_extract_path_text", "jsonb_extract_path_text"), _json_path("pg_sg_json_path_text")
    ),
    **dict.fromkeys(("json_build_object", "jsonb_build_object"), _renamed("json_object")),
    **dict.fromkeys(("json_build_array", "jsonb_build_array"), _renamed("json_array")),
    **dict.fromkeys(("to_jsonb", "array_to_json", "row_to_json"), _renamed("to_json")),
    **dict.fromkeys(("json_agg", "jsonb_agg"), _json_agg),
    **dict.fromkeys(("json_object_agg", "jsonb_object_agg"), _renamed("json_group_object")),
    "jsonb_pretty": _renamed("json_pretty"),
    **{name: _json_set(inner) for name, inner in JSON_ROWS.items()},
}
"""Which rule takes which call."""
