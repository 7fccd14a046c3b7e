"""Compare two servers' answers to one statement.

Names, types, rows and SQLSTATE must be equal, except for differences that the planner's README
documents. Each exception is listed here with its reason; nothing else is ignored.
"""

from __future__ import annotations

import itertools
import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from psycopg import pq
from psycopg.adapt import Transformer

from tests.planner.postgres.compare import with_equal_numbers

_JSON, _JSONB, _NUMERICS, _FLOATS = 114, 3802, frozenset({1700, 1231}), frozenset({700, 701})
ROWS_MAX = 20_000
"""Maximum rows read of a result: shrinking a statement can remove its join condition."""
_DOUBLE, _NUMERIC = 701, 1700
_REAL = struct.Struct("f")
_ARRAYS = frozenset({1000, 1005, 1007, 1009, 1016})
_NUMERIC_DIGITS = 16
"""Digits of a numeric quotient: 16 after the point here, at least 16 significant ones in
PostgreSQL. Only such numbers are compared by the digits that both have.
"""
_SMALLEST = Decimal(1).scaleb(-_NUMERIC_DIGITS)
"""A smaller quotient may be 0 here, and has its place in the order of rows as if it were."""
_INEXACT = re.compile(
    r"percentile_cont|percent_rank|cume_dist|ln\(|extract\(epoch|/.*\)::\s*(?:double|real)"
    r"|corr\(|covar|regr_|a?(?:sin|cos|tan)h?\(|cot\(|cbrt|degrees|radians|atan2"
)
"""Results computed in doubles, whose last digit depends on the order of operations; and numeric
quotients cast to double."""
_OF_NUMERICS = re.compile(r"\b(stddev\w*|var_\w+|variance|sqrt|ln|log|log10|exp|pow|power)\(|\^")
"""Functions of numerics whose results are doubles here."""
_INFINITE = re.compile(r"percentile_cont")
"""Functions that return infinity here where PostgreSQL's arithmetic gives NaN."""
_SUM_OF_QUOTIENTS = re.compile(r"(sum|avg)\(.*/", re.DOTALL)
"""Aggregates of quotients, which lack a few digits in every row here."""
_EITHER_ZERO = re.compile(
    r"DISTINCT|GROUP BY|UNION|INTERSECT|EXCEPT|min\(|max\(|greatest|least|percentile_cont"
)
"""Clauses that choose among equal values; SQL does not say whether 0 or -0 is returned."""
_NO_TIMES = frozenset({"22007", "22008", "22009", "22023"})
"""Errors for a text that is not a time; PostgreSQL reads parts of some as dates or zones."""
_READS_TIMES = re.compile(r"::\s*(?:date|timestamp)")
_READS_NUMBERS = re.compile(
    r"(?:to_char|array_to_string)\((?:[^()]|\([^()]*\))*\)+::\s*(?:date|timestamp|interval)"
)
"""Printed numbers cast to a time: PostgreSQL reads any numbers in it, whatever is between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A server's answer."""

    names: tuple[str, ...] = ()
    types: tuple[int, ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()
    sqlstate: str | None = None
    message: str = ""
    is_cut: bool = False
    """True if the server had more than `ROWS_MAX` rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a statement is sent."""

    extended: bool = False
    parameters: bool = False
    bare: bool = False
    """Whether the statement does not name the types of its parameters."""
    binary: bool = False

    def __str__(self) -> str:
        if not self.extended:
            return "simple"
        parts = ["extended", "binary" if self.binary else "text"]
        parts += ["bare" * self.bare + " parameters"] * self.parameters
        return ", ".join(parts)


def ask(connection: pq.abc.PGconn, sql: str, values: Sequence[str], way: Way) -> Reply:
    """Send a statement and read its answer, up to `ROWS_MAX` rows."""
    if way.extended:
        connection.send_query_params(
            sql.encode(), [value.encode() for value in values], result_format=int(way.binary)
        )
    else:
        connection.send_query(sql.encode())
    connection.set_single_row_mode()
    names: tuple[str, ...] = ()
    types: tuple[int, ...] = ()
    rows: list[tuple[object, ...]] = []
    is_cut, failed = False, None
    while (result := connection.get_result()) is not None:
        if result.status not in (pq.ExecStatus.SINGLE_TUPLE, pq.ExecStatus.TUPLES_OK):
            failed = failed or result
        elif not is_cut:
            columns = range(result.nfields)
            names = tuple((result.fname(i) or b"").decode() for i in columns)
            types = tuple(result.ftype(i) for i in columns)
            rows += rows_of(result, types, binary=way.binary)
            if len(rows) > ROWS_MAX:
                is_cut = True
                connection.get_cancel().cancel()
    if is_cut:
        return Reply(names=names, types=types, is_cut=True)
    if failed is not None:
        state = (failed.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
        text = (failed.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b"").decode()
        return Reply(sqlstate=state or "lost", message=text or connection.error_message.decode())
    return Reply(names=names, types=types, rows=tuple(rows))


def rows_of(
    result: pq.abc.PGresult, types: Sequence[int], *, binary: bool
) -> list[tuple[object, ...]]:
    """Return the rows of a result, with values that are equal if they mean the same."""
    formats = pq.Format.BINARY if binary else pq.Format.TEXT
    # Numbers have several texts, also within json; all other values must have equal bytes.
    read = {i: oid for i, oid in enumerate(types) if oid in _NUMERICS | _FLOATS}
    loaders = {i: Transformer().get_loader(oid, formats).load for i, oid in read.items()}
    found = []
    for row in range(result.ntuples):
        cells: list[object] = []
        for column in range(result.nfields):
            value = result.get_value(row, column)
            if value is None:
                cells.append(None)
            elif types[column] in {_JSON, _JSONB}:
                text = bytes(value).removeprefix(b"\x01").decode()
                cells.append(with_equal_numbers(text))
            elif column in loaders:
                number = loaders[column](value)
                # A real can have two shortest texts.
                cells.append(
                    _REAL.unpack(_REAL.pack(number))[0] if types[column] == 700 else number
                )
            elif types[column] in _ARRAYS and binary:
                # Skip the flag "may contain NULL": a slice inherits it from the whole array.
                cells.append(bytes(value[:4]) + bytes(value[8:]))
            else:
                cells.append(bytes(value))
        found.append(tuple(cells))
    return found


def difference(
    ours: Reply, theirs: Reply, *, ordered: Sequence[int], sql: str
) -> tuple[str, str] | None:
    """Return the kind of the difference and its details; None if the answers agree."""
    if theirs.sqlstate is not None or ours.sqlstate is not None:
        if ours.sqlstate == theirs.sqlstate or _is_documented(ours, theirs, sql):
            return None
        kind = f"{ours.sqlstate or 'rows'} for {theirs.sqlstate or 'rows'}"
        said = ours.message or theirs.message
        return f"{kind}: {shape(said)}", f"ours: {ours.message or ours.rows[:3]}\ntheirs: " + (
            theirs.message or str(theirs.rows[:3])
        )
    has_doubles = _OF_NUMERICS.search(_bare(sql)) is not None
    if has_doubles:
        theirs = _as_doubles(theirs, ours.types)
    if ours.types != theirs.types:
        pairs = zip(ours.types, theirs.types, strict=False)
        wrong = sorted({f"{a} for {b}" for a, b in pairs if a != b})
        return f"types {', '.join(wrong)}", f"ours: {ours.types}\ntheirs: {theirs.types}"
    if ours.names != theirs.names:
        named = zip(ours.names, theirs.names, strict=True)
        wrong = sorted({f"{a} for {b}" for a, b in named if a != b})
        return f"names {', '.join(wrong)}", f"ours: {ours.names}\ntheirs: {theirs.names}"
    exact = _INEXACT.search(sql) is None and not has_doubles
    ours, theirs = _settled(ours, theirs, sql)
    one, other = _bag(ours.rows), _bag(theirs.rows)
    if not _same(one, other, exact=exact):
        return "rows", _shown(one, other)
    if ordered:
        # Among equal rows, 0 and -0 are in any order.
        keys = [tuple(row[i] for i in ordered) for row in _without_signs(ours).rows]
        wanted = [tuple(row[i] for i in ordered) for row in _without_signs(theirs).rows]
        if not _same(keys, wanted, exact=exact):
            return "order of rows", f"ours: {keys}\ntheirs: {wanted}"
    return None


def _is_documented(ours: Reply, theirs: Reply, sql: str) -> bool:
    """Whether two answers, one of them an error, differ in a documented way."""
    if {ours.sqlstate, theirs.sqlstate} <= _NO_TIMES:
        return _READS_TIMES.search(sql) is not None
    if ours.sqlstate == "22003":
        return any(map(_is_too_large, itertools.chain(*theirs.rows)))
    return ours.sqlstate == "22007" and _READS_NUMBERS.search(_bare(sql)) is not None


def _as_doubles(reply: Reply, types: Sequence[int]) -> Reply:
    """Return an answer with doubles for the numerics that the other one has as doubles."""
    places = {
        place
        for place, (one, other) in enumerate(zip(types, reply.types, strict=False))
        if (one, other) == (_DOUBLE, _NUMERIC)
    }
    if not places:
        return reply

    def shown(place: int, cell: object) -> object:
        return float(cell) if place in places and isinstance(cell, Decimal) else cell

    rows = tuple(tuple(shown(*each) for each in enumerate(row)) for row in reply.rows)
    kept = (_DOUBLE if place in places else oid for place, oid in enumerate(reply.types))
    return replace(reply, types=tuple(kept), rows=rows)


def _settled(ours: Reply, theirs: Reply, sql: str) -> tuple[Reply, Reply]:
    """Return both answers without the parts that SQL leaves open for such a statement."""
    if _EITHER_ZERO.search(sql) is not None:
        ours, theirs = _without_signs(ours), _without_signs(theirs)
    if _INFINITE.search(sql) is not None:
        places = _undefined(theirs)
        ours, theirs = _without_infinities(ours, places), _without_infinities(theirs, places)
    if _SUM_OF_QUOTIENTS.search(sql) is not None:
        ours, theirs = _without_last_digits(ours), _without_last_digits(theirs)
    return ours, theirs


def _is_too_large(cell: object) -> bool:
    """Whether a numeric exceeds our 38 digits, 16 of them after the point."""
    return isinstance(cell, Decimal) and cell.is_finite() and abs(cell) >= 10**22


def _bare(sql: str) -> str:
    """Return a statement with all text literals emptied."""
    return re.sub(r"'[^']*'", "''", sql)


def shape(message: str) -> str:
    """Return a message without names and numbers, to group failures by."""
    return re.sub(r"\d+", "0", re.sub(r"\"[^\"]*\"|'[^']*'", "_", message))[:90]


def _without_signs(reply: Reply) -> Reply:
    rows = tuple(
        tuple(0.0 if isinstance(cell, float) and cell == 0 else cell for cell in row)
        for row in reply.rows
    )
    return replace(reply, rows=rows)


def _without_last_digits(reply: Reply) -> Reply:
    """Round numerics with more than 14 digits after the point to 14."""
    unit = Decimal(1).scaleb(-14)

    def shown(cell: object) -> object:
        if not isinstance(cell, Decimal) or not cell.is_finite() or abs(cell) >= 1_000_000:
            return cell
        return cell if round(cell, 14) == cell else cell.quantize(unit)

    return replace(reply, rows=tuple(tuple(map(shown, row)) for row in reply.rows))


def _undefined(reply: Reply) -> set[int]:
    """Return the places of the columns that hold a NaN."""
    return {
        place
        for row in reply.rows
        for place, cell in enumerate(row)
        if isinstance(cell, float) and math.isnan(cell)
    }


def _without_infinities(reply: Reply, places: set[int]) -> Reply:
    """Replace infinities in some columns with NaN."""

    def shown(place: int, cell: object) -> object:
        is_infinite = isinstance(cell, float) and math.isinf(cell)
        return math.nan if is_infinite and place in places else cell

    rows = tuple(tuple(shown(*each) for each in enumerate(row)) for row in reply.rows)
    return replace(reply, rows=rows)


def _bag(rows: Sequence[tuple[object, ...]]) -> list[tuple[object, ...]]:
    # The key rounds numbers: those that differ only in later digits need a second key.
    return sorted(rows, key=lambda row: (_row_key(row), tuple(map(_number, row))))


def _number(cell: object) -> float | Decimal:
    is_finite = isinstance(cell, float | Decimal) and math.isfinite(cell)
    return cell if is_finite else 0  # type: ignore[return-value]  # narrowed by is_finite


def _row_key(row: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(map(_sort_key, row))


def _sort_key(cell: object) -> str:
    if isinstance(cell, Decimal) and cell.is_finite():
        return f"{cell:.9e}" if abs(cell) > _SMALLEST else "0"
    if isinstance(cell, list):
        return str([_sort_key(each) for each in cell])
    if isinstance(cell, float):
        return f"{cell:.9e}" if math.isfinite(cell) and cell else repr(cell)
    return repr(cell)


def _same(
    one: Sequence[tuple[object, ...]], other: Sequence[tuple[object, ...]], *, exact: bool
) -> bool:
    return len(one) == len(other) and all(
        _is_same(a, b, exact=exact)
        for mine, wanted in zip(one, other, strict=True)
        for a, b in zip(mine, wanted, strict=True)
    )


def _is_same(one: object, other: object, *, exact: bool) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        if one == other:
            return math.copysign(1, one) == math.copysign(1, other)
        return not exact and math.isclose(one, other, rel_tol=1e-12)
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        return one == other or _is_near(one, other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            _is_same(a, b, exact=exact) for a, b in zip(one, other, strict=True)
        )
    return one == other


def _is_near(one: Decimal, other: Decimal) -> bool:
    """Whether two values differ only after the digits that a quotient has here."""
    try:
        _, digits, exponent = other.as_tuple()
        if not isinstance(exponent, int) or max(len(digits), -exponent) < _NUMERIC_DIGITS:
            return False
        return abs(one - other) <= max(Decimal(1).scaleb(exponent), _SMALLEST)
    except InvalidOperation:
        return False


def _shown(one: Sequence[tuple[object, ...]], other: Sequence[tuple[object, ...]]) -> str:
    ours_in, theirs_in = set(map(_row_key, one)), set(map(_row_key, other))
    mine = [row for row in one if _row_key(row) not in theirs_in]
    theirs = [row for row in other if _row_key(row) not in ours_in]
    return (
        f"ours: {len(one)} rows, of them not in theirs {mine[:4]}\n"
        f"theirs: {len(other)} rows, of them not in ours {theirs[:4]}"
    )
