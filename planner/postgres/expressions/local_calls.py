"""Writes the session's time zone into calls that look at the fields of moments.

A function with a moment among its arguments is known here to need none of its fields
(`_OF_INSTANTS`), has a rule, or is refused in zones other than UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.composing.functions.time_templates import shows_zone
from stategate.planner.postgres.expressions.printing import row_of
from stategate.planner.postgres.expressions.rules import text_of
from stategate.planner.postgres.expressions.time_calls import without_empty
from stategate.planner.postgres.expressions.zone_forms import (
    has_moments,
    in_zone,
    local,
    moment,
    no_zone,
    zone_arguments,
)
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import typed_literal
from stategate.planner.postgres.types.operands import arguments, is_open
from stategate.planner.postgres.types.signatures import OPEN, resolve
from stategate.planner.postgres.types.time_fields import (
    CUTS_WITHIN_DAY,
    cuts_within_day,
    named_field,
)
from stategate.planner.trees.nodes import call, cast, put, strip
from stategate.stores.spec.schema import (
    DATE,
    INTERVAL,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    DataType,
    Kind,
)

_Rule: TypeAlias = Callable[[exp.Expr, list[exp.Expr], Types], "exp.Expr | None"]
"""Takes a call, its arguments and the types; returns what replaces it, or None to keep it."""

_LOCAL = {Kind.DATE, Kind.TIMESTAMP}
_INSTANTS = """
    count min max any_value array_agg first_value last_value nth_value lag lead mode percentile_disc
    coalesce nullif greatest least case if array isfinite pg_typeof row num_nulls num_nonnulls
    array_append array_prepend array_cat array_length array_upper array_lower array_ndims array_dims
    array_position array_positions array_remove array_replace array_fill trim_array cardinality
    unnest generate_subscripts date_bin timezone exists in any all some cast filter within_group
    now current_timestamp statement_timestamp clock_timestamp transaction_timestamp to_timestamp
    grouping distinct approx_count_distinct arg_max arg_min max_by min_by first last epoch_us
    epoch_ms epoch_ns epoch list list_value sum avg and or rank dense_rank row_number percent_rank
    cume_dist ntile bool_and bool_or every xor quantile_disc
"""
_OF_INSTANTS = frozenset(_INSTANTS.split())
"""Functions of moments whose result does not depend on a zone."""
_TEXTS = frozenset({"concat", "concat_ws", "format", "quote_literal", "quote_nullable"})
_JSON = frozenset(
    {
        *("to_json", "to_jsonb", "json_build_array", "jsonb_build_array", "row_to_json"),
        *("json_build_object", "jsonb_build_object", "json_agg", "jsonb_agg"),
        *("json_object_agg", "jsonb_object_agg", "array_to_json"),
    }
)


def localize_call(node: exp.Func, types: Types) -> None:
    """Rewrite a call in place, its arguments first.

    Raises:
        NotSupportedError: its result depends on the zone in a way that is not known here.
    """
    name = call_name(node)
    if name.startswith("pg_sg_"):
        return
    if types.times.zone.is_never_ahead:
        if name == "to_char":
            _replace(node, _to_char(node, arguments(node), types), types)
        return
    _adopt(name, node, types)
    given = arguments(node)
    rule = _RULES.get(name)
    if rule is not None:
        _replace(node, rule(node, given, types), types)
    elif name in _TEXTS:
        _print(given, types, name="pg_sg_zoned_text")
    elif name in _JSON:
        _print_json(node, given, types)
    elif name == "array_to_string":
        _print(given[:1], types, name="pg_sg_zoned_text")
    elif name not in _OF_INSTANTS and any(has_moments(types.of(each)) for each in given):
        raise no_zone(f"{name}() of timestamptz", node, types.times)


def _replace(node: exp.Expr, fresh: exp.Expr | None, types: Types) -> None:
    if fresh is None:
        return
    known = types.of(node)
    put(node, fresh)
    types.note(fresh, known)


def _adopt(name: str, node: exp.Expr, types: Types) -> None:
    """Make moments of the arguments that a function takes as moments: dates, timestamps, texts."""
    given = arguments(node)
    if any(isinstance(each, exp.Star) for each in given):
        return
    known = [OPEN if is_open(each) else types.of(each) for each in given]
    taken = resolve(name, known) or ()
    for each, of, wanted in zip(given, known, taken, strict=False):
        if wanted is None or of is None:
            continue
        bare = strip(each)
        if of == OPEN and wanted.kind in {*_LOCAL, Kind.TIMESTAMPTZ}:
            if isinstance(bare, exp.Literal):
                fresh = typed_literal(bare, wanted, types.times.literals)
                put(each, fresh)
                types.note(fresh, wanted)
        elif wanted.kind is Kind.TIMESTAMPTZ and of.kind in _LOCAL:
            fresh = moment(each, types.times)
            put(each, fresh)
            types.note(fresh, TIMESTAMPTZ)


def _is_moment(node: exp.Expr, types: Types) -> bool:
    return types.kind_of(node) is Kind.TIMESTAMPTZ


def _local(node: exp.Expr, types: Types) -> exp.Expr:
    fresh = local(node, types.times)
    types.note(fresh, TIMESTAMP)
    return fresh


# --- texts ---------------------------------------------------------------------------------------


def _print(given: Sequence[exp.Expr], types: Types, *, name: str) -> None:
    """Print the moments among the arguments, and the arrays of them."""
    for each in given:
        found = types.of(each)
        if found == TIMESTAMPTZ:
            fresh, of = in_zone(name, each, "TEXT", types.times), TEXT
        elif found is not None and found.element == TIMESTAMPTZ:
            fresh = in_zone(f"{name}s", each, "TEXT[]", types.times)
            of = DataType(kind=Kind.ARRAY, element=TEXT)
        elif has_moments(found):
            raise no_zone("a text of a row with a timestamptz", each, types.times)
        else:
            continue
        put(each, fresh)
        types.note(fresh, of)


def _print_json(node: exp.Expr, given: Sequence[exp.Expr], types: Types) -> None:
    for each in given:
        value = strip(each.this) if isinstance(each, exp.Order) else strip(each)
        row = row_of(value)
        if row is not None:
            written = strip(value)
            _print_json(node, list(written.expressions), types)
            continue
        known = types.of(value)
        if known is None and not isinstance(value, exp.Literal | exp.Parameter | exp.Null):
            _check_item(value, types)
        _print([value], types, name="pg_sg_zoned_iso")


def _check_item(value: exp.Expr, types: Types) -> None:
    """Refuse json of a row whose columns are moments, or are not known."""
    members = types.columns.members(value) if isinstance(value, exp.Column) else None
    if members is None or any(of is None or has_moments(of) for _, _, of in members):
        raise no_zone("json of a row or value that may have a timestamptz", value, types.times)


def _to_char(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    if not given or not _is_moment(given[0], types):
        return None
    template, times = given[1], types.times
    text = text_of(strip(template))
    if text is not None and not shows_zone(text):
        if times.zone.is_never_ahead or not text:
            return None
        return call("to_char", _local(given[0], types), template.copy())
    micros = call("epoch_us", given[0].copy())
    zone = exp.Literal.string(times.zone.name)
    return cast(call("pg_sg_zoned_time_text", micros, without_empty(template), zone), "TEXT")


# --- fields --------------------------------------------------------------------------------------


def _date_trunc(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    if len(given) != 2 or not _is_moment(given[1], types):
        return None
    unit, time = given
    text = text_of(strip(unit))
    within = None if text is None else cuts_within_day(text)

    def cut_within_day() -> exp.Expr:
        """The offset stays, as the hour that occurs twice needs."""
        given = (time.copy(), _local(time, types), _cut(unit, time, types))
        return cast(call("pg_sg_cut_back", *given), "TIMESTAMPTZ")

    def cut_days() -> exp.Expr:
        return moment(_cut(unit, time, types), types.times)

    if within is not None:
        return cut_within_day() if within else cut_days()
    names = [exp.Literal.string(each) for each in CUTS_WITHIN_DAY]
    is_within = exp.In(this=exp.Lower(this=unit.copy()), expressions=names)
    cases = [exp.If(this=is_within, true=cut_within_day())]
    return cast(exp.Case(ifs=cases, default=cut_days()), "TIMESTAMPTZ")


def _cut(unit: exp.Expr, time: exp.Expr, types: Types) -> exp.Expr:
    cut = call("date_trunc", unit.copy(), _local(time, types))
    types.note(cut, TIMESTAMP)
    return cut


def _extract(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    source = node.expression
    if not _is_moment(source, types):
        return None
    fresh = _field(named_field(node.this.name), source, types)
    if fresh is not None:
        return cast(fresh, "DECIMAL(24,0)")
    if named_field(node.this.name) != "epoch":
        put(source, _local(source, types))
    return None


def _date_part(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    if len(given) != 2 or not _is_moment(given[1], types):
        return None
    unit, source = given
    text = text_of(strip(unit))
    if text is None:
        raise no_zone("date_part() with a unit that is no literal", node, types.times)
    fresh = _field(named_field(text), source, types)
    if fresh is not None:
        return cast(fresh, "DOUBLE")
    if named_field(text) != "epoch":
        put(source, _local(source, types))
    return None


_OFFSET_PARTS = {"timezone": "", "timezone_hour": "_hours", "timezone_minute": "_minutes"}


def _field(field: str | None, source: exp.Expr, types: Types) -> exp.Expr | None:
    """Return a field of the zone; None for other fields."""
    part = _OFFSET_PARTS.get(field or "")
    if part is None:
        return None
    return call(f"pg_sg_ahead{part}", source.copy(), *zone_arguments(types.times))


def _age(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    if not any(_is_moment(each, types) for each in given):
        return None
    locals_ = [_local(each, types) if _is_moment(each, types) else each.copy() for each in given]
    if len(locals_) == 1:
        today = cast(cast(_local(exp.CurrentTimestamp(), types), "DATE"), "TIMESTAMP")
        types.note(today, TIMESTAMP)
        locals_.insert(0, today)
    fresh = call("age", *locals_)
    types.note(fresh, INTERVAL)
    return fresh


# --- moments of local times ----------------------------------------------------------------------


def _of_local_parts(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Write make_timestamptz without a zone as the moment of a local time."""
    if len(given) != 6:
        return None
    return _as_moment(call("make_timestamp", *(each.copy() for each in given)), types)


def _to_timestamp(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Read a text with a template as a local time; to_timestamp reads it as one of UTC."""
    if len(given) != 2:
        return None
    in_utc = call("to_timestamp", *(each.copy() for each in given))
    types.note(in_utc, TIMESTAMPTZ)
    return _as_moment(cast(in_utc, "TIMESTAMP"), types)


def _as_moment(time: exp.Expr, types: Types) -> exp.Expr:
    types.note(time, TIMESTAMP)
    return moment(time, types.times)


def _now_as(data_type: str, of: DataType) -> _Rule:
    """Return a rule for a part of the local time at which the statement began."""

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        digits = node.args.get("this")
        now = exp.CurrentTimestamp(this=None if digits is None else digits.copy())
        types.note(now, TIMESTAMPTZ)
        fresh = _local(now, types)
        if of != TIMESTAMP:
            fresh = cast(fresh, data_type)
            types.note(fresh, of)
        return fresh

    return rule


def _neighbour(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Make a moment of a value of lag or lead, or of its default, beside a moment."""
    values = [given[0], *given[2:]]
    for each in values if any(_is_moment(value, types) for value in values) else ():
        if types.kind_of(each) in _LOCAL:
            fresh = moment(each, types.times)
            put(each, fresh)
            types.note(fresh, TIMESTAMPTZ)
    return None


def _generate_series(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Keep a series of moments: its rule counts days of the session's zone."""
    for each in given[:2]:
        if types.kind_of(each) in _LOCAL and any(_is_moment(g, types) for g in given[:2]):
            put(each, moment(each, types.times))
    return None


_RULES: Mapping[str, _Rule] = {
    "to_char": _to_char,
    "date_trunc": _date_trunc,
    "extract": _extract,
    "date_part": _date_part,
    "age": _age,
    "make_timestamptz": _of_local_parts,
    "to_timestamp": _to_timestamp,
    "generate_series": _generate_series,
    **dict.fromkeys(("lag", "lead"), _neighbour),
    "current_date": _now_as("DATE", DATE),
    "localtimestamp": _now_as("TIMESTAMP", TIMESTAMP),
    **dict.fromkeys(("localtime", "current_time"), _now_as("TIME", TIME)),
}
"""The rules, by name of function."""
