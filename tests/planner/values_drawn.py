"""Drawn expressions without columns, as SQL of a type, over a few parameters."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from stategate.stores.spec.schema import Row

HOUR_US = 3_600_000_000
PARAMETERS = {
    "integer": "$1::integer",
    "bigint": "$2::bigint",
    "text": "$3::text",
    "date": "$4::date",
    "timestamp": "$5::timestamp",
    "timestamptz": "$6::timestamptz",
    "interval": "$7::interval",
    "double": "$8::double precision",
}
"""A parameter of each type; `given` draws their values in this order."""

_MICROS = st.integers(-48, 48).map(lambda hours: hours * HOUR_US) | st.integers(-(10**15), 10**15)
_INTERVALS = st.tuples(
    st.integers(-3, 3), st.integers(-40, 40), st.integers(-30, 30).map(lambda h: h * HOUR_US)
)
_VALUES: tuple[st.SearchStrategy[object], ...] = (
    st.integers(-4, 4) | st.sampled_from([-(1 << 31), (1 << 31) - 1]),
    st.integers(-4, 4) | st.sampled_from([-(1 << 63), (1 << 63) - 1]),
    st.sampled_from(["", "a", "aa", "ab", "B", "é", "zz", "A~"]),
    st.integers(-3, 3) | st.integers(-10_000, 10_000),
    _MICROS,
    _MICROS,
    _INTERVALS,
    st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.5, 3.0]),
)


@st.composite
def given_values(draw: st.DrawFn) -> Row:
    """Draw the values of the parameters; some are NULL."""
    return tuple(draw(st.one_of(each, each, each, st.none())) for each in _VALUES)


_UNITS = ("hour", "day", "week", "month", "quarter", "year", "minute")


@cache
def expressions(of: str, depth: int = 2) -> st.SearchStrategy[str]:
    """Draw expressions of a type, such as `$1::integer + 2`."""
    leaves = st.one_of(st.just(PARAMETERS[of]), st.sampled_from(_LITERALS[of]))
    return leaves if not depth else st.one_of(leaves, *_composed(of, depth - 1))


_LITERALS = {
    "integer": ["0", "1", "-1", "3", "2147483647"],
    "bigint": ["0::bigint", "2::bigint", "-1::bigint", "9223372036854775807"],
    "text": ["'a'::text", "'ab'::text", "'é'::text", "''::text"],
    "date": ["date '1970-01-01'", "date '1969-12-31'", "date '2000-02-29'"],
    "timestamp": ["timestamp '1970-01-01 01:30'"],
    "timestamptz": ["timestamptz '1970-01-01 02:00+00'"],
    "interval": ["interval '1 hour'", "interval '1 month'", "interval '-1 day 2 hours'"],
    "double": ["0.5::double precision", "2::double precision"],
}


def _composed(of: str, depth: int) -> list[st.SearchStrategy[str]]:
    def built(text: str, *types: str) -> st.SearchStrategy[str]:
        operands = st.tuples(*[expressions(each, depth) for each in types])
        return operands.map(lambda found: text.format(*[f"({each})" for each in found]))

    match of:
        case "integer" | "bigint":
            narrow = [built("{} + {}", of, "integer"), built("{} - {}", "integer", of)]
            more = [built("length({})::" + of, "text"), built("{} / {}", of, "integer")]
            return [*narrow, built("{} * {}", of, of), built("-{}", of), *more]
        case "text":
            plain = [built("{} || {}", of, of), built("upper({})", of), built("lower({})", of)]
            cut = [built("left({}, {})", of, "integer"), built("right({}, {})", of, "integer")]
            return [*plain, *cut, built("replace({}, 'a', 'b')", of), built("{}::text", "integer")]
        case "date":
            moved = [built("{} + {}", of, "integer"), built("{} - {}", of, "integer")]
            return [*moved, built("{}::date", "timestamp"), built("{} + {}", "integer", of)]
        case "timestamp" | "timestamptz":
            unit = st.sampled_from(_UNITS)
            cut = [st.builds(lambda u, e: f"date_trunc('{u}', {e})", unit, expressions(of, depth))]
            days = [built("{} + {}", "date", "interval")] if of == "timestamp" else []
            other = [built("{}::timestamptz", "date")] if of == "timestamptz" else []
            moved = [built("{} + {}", of, "interval"), built("{} - {}", of, "interval")]
            return [*cut, *moved, *days, *other, built("coalesce({}, {})", of, of)]
        case "interval":
            return [built("{} * {}", of, "integer"), built("{} * {}", "double", of)]
        case _:
            return [built("{} + {}", of, of)]
