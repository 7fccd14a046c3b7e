"""SQL that is refused: statements that are not supported, and functions that could harm.

DuckDB has functions that read files or its own process. So `types.functions` lists the functions
that may be called, and this module those that may stand in FROM. A function that a later DuckDB
adds is refused until someone has reviewed it.
"""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.errors import (
    InvalidSyntaxError,
    InvalidValueError,
    MismatchedTypeError,
    NotSupportedError,
    UnknownNameError,
)
from stategate.planner.postgres.expressions.documents.json_rules import JSON_ROWS
from stategate.planner.postgres.types.functions import PAIR_FUNCTIONS, ROW_FUNCTIONS, call_name
from stategate.planner.postgres.types.result_types import DIGITS_MAX
from stategate.planner.trees.column_names import type_name
from stategate.planner.trees.known_arguments import check_clauses
from stategate.planner.trees.nodes import CALLS, Nodes, kinds, position_of
from stategate.planner.trees.type_names import WITH_MODIFIERS
from stategate.planner.trees.type_syntax import INTERNAL_TYPES
from stategate.planner.values.sqltypes import data_type_of

TABLE_FUNCTIONS = frozenset(
    {
        *("generate_series", "unnest", "generate_subscripts", "regexp_split_to_table"),
        *("string_to_table", *JSON_ROWS, *PAIR_FUNCTIONS, *ROW_FUNCTIONS),
    }
)
"""The functions that may stand in FROM."""

_WRITES = kinds(exp.Insert, exp.Update, exp.Delete, exp.Merge)
_REFUSED: dict[type[exp.Expr], str] = {
    exp.Lock: "SELECT … FOR UPDATE",
    exp.Into: "SELECT INTO",
    exp.Command: "this statement",
    exp.Placeholder: "a placeholder other than $1, $2, …",
    exp.Pivot: "PIVOT",
    exp.HistoricalData: "AT (…)",
    exp.Columns: "COLUMNS(…)",
    exp.BitString: "a bit string",
    exp.HexString: "a bit string",
    exp.Variadic: "VARIADIC",
}
_BITS = frozenset({"bit", "varbit"})
_REFUSED_TYPES = frozenset(
    {
        *("bit", "varbit", "money", "xml", "cidr", "macaddr8", "jsonpath", "refcursor"),
        *("point", "line", "lseg", "box", "path", "polygon", "circle"),
        *("tsvector", "tsquery", "regconfig", "regdictionary"),
        *("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"),
        *("int4multirange", "int8multirange", "nummultirange"),
        *("datemultirange", "tsmultirange", "tstzmultirange"),
        *("pg_snapshot", "txid_snapshot", "cstring", "unknown", "record"),
        *("cardinal_number", "character_data", "sql_identifier", "time_stamp", "yes_or_no"),
    }
)
"""PostgreSQL's types that no value here has."""
_COMPUTING = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.DPipe)
"""Operators whose results are no booleans."""
_REFUSED_KINDS = _WRITES | _REFUSED.keys()
_HINTS: dict[type[exp.Expr], str] = {
    exp.Lock: "Reading takes no lock; leave the clause out.",
    exp.Into: "State is written by its pipeline; SELECT reads it.",
    exp.Pivot: "Use count(*) FILTER (WHERE …) for each column.",
    exp.Columns: "Name the columns.",
    exp.HistoricalData: "Versions are read by FOR SYSTEM_TIME AS OF time.",
    exp.BitString: "Write a number.",
    exp.Variadic: "Write the elements as arguments of their own.",
    exp.HexString: "Write bytes as '\\x1f'::bytea.",
    exp.Command: "SELECT, EXPLAIN, SHOW, DESCRIBE and SET are run.",
    exp.Placeholder: "Parameters are numbered: $1, $2, …",
}


def refuse(nodes: Nodes) -> None:
    """Refuse a query that has SQL which is not supported.

    Raises:
        NotSupportedError: it has such SQL (0A000), or a write in WITH (25006).
    """
    if nodes.has(_REFUSED_KINDS):
        raise _refusal(nodes)
    for select in nodes.of(exp.Select):
        if not select.expressions:
            raise NotSupportedError(
                "a SELECT without columns is not supported", hint="Select a constant: SELECT 1 …"
            )
    check_clauses(nodes)
    for data_type in nodes.of(exp.DataType):
        check_type(data_type)
    _check_quantified(nodes)
    _check_lengths(nodes)
    _check_empty_arrays(nodes)
    _check_modifiers(nodes)
    _check_stars(nodes)


_OTHER_NAMES = INTERNAL_TYPES | {"citext"}
"""Names of types that are read elsewhere."""


def check_type(data_type: exp.DataType) -> None:
    """Refuse a type that PostgreSQL has and we have not, and a name that no type has.

    Raises:
        NotSupportedError: the type is not supported (0A000).
        UnknownNameError: there is no such type (42704).
        InvalidSyntaxError: it has a modifier, which the type does not take (42601).
    """
    name = type_name(data_type).removesuffix("[]")
    position = position_of(data_type) or position_of(data_type.parent or data_type)
    if name in _REFUSED_TYPES:
        raise NotSupportedError(
            f"type {name} is not supported",
            hint="Write an integer, or a text of digits." if name in _BITS else "Write a text.",
            position=position,
        )
    kind = data_type.args.get("kind")
    # `_text` is an array of texts; see `binding.qualifiers`.
    is_known = name in _OTHER_NAMES or name.startswith("_") or data_type_of(data_type) is not None
    if kind is not None and not is_known:
        written = kind if isinstance(kind, str) else kind.name
        raise UnknownNameError(
            f'type "{written}" does not exist', position=position, sqlstate="42704"
        )
    is_sized = bool(data_type.expressions) and data_type.this is not exp.DType.ARRAY
    if is_sized and name not in WITH_MODIFIERS:
        raise InvalidSyntaxError(
            f'type modifier is not allowed for type "{name}"', position=position
        )


def _check_quantified(nodes: Nodes) -> None:
    """Refuse ANY and ALL that are no side of a comparison."""
    for node in nodes.in_turn((exp.Any, exp.All)):
        if isinstance(node.parent, _COMPUTING):
            raise MismatchedTypeError(
                "op ANY/ALL (array) requires operator to yield boolean",
                position=position_of(node),
                sqlstate="42809",
            )
        if not isinstance(node.parent, exp.Binary):
            raise InvalidSyntaxError(
                f'syntax error at or near "{node.key.upper()}"', position=position_of(node)
            )


def _check_lengths(nodes: Nodes) -> None:
    """Refuse VALUES whose rows have different numbers of columns."""
    for values in nodes.of(exp.Values):
        rows = values.expressions
        lengths = {len(row.expressions) if isinstance(row, exp.Tuple) else 1 for row in rows}
        if len(lengths) > 1:
            raise InvalidSyntaxError(
                "VALUES lists must all be the same length", position=position_of(values)
            )


_MAY_BE_ARRAYS = {exp.DType.ARRAY, exp.DType.USERDEFINED}


def _check_empty_arrays(nodes: Nodes) -> None:
    """Refuse `ARRAY[]` that no cast gives a type."""
    for array in nodes.of(exp.Array):
        outer: exp.Expr | None = array.parent
        while isinstance(outer, exp.Array | exp.Paren):
            outer = outer.parent
        is_cast = isinstance(outer, exp.Cast) and outer.to.this in _MAY_BE_ARRAYS
        if not array.expressions and not is_cast:
            raise InvalidValueError(
                "cannot determine type of empty array",
                hint="Explicitly cast to the desired type, for example ARRAY[]::integer[].",
                position=position_of(array),
                sqlstate="42P18",
            )


def _check_modifiers(nodes: Nodes) -> None:
    """Refuse `varchar(1 + 1)`: the modifier of a type is a constant."""
    for modifier in nodes.of(exp.DataTypeParam):
        size = modifier.this.this if isinstance(modifier.this, exp.Neg) else modifier.this
        if not isinstance(size, exp.Literal | exp.Var):
            raise InvalidSyntaxError(
                "type modifiers must be simple constants or identifiers",
                position=position_of(modifier),
            )
    for data_type in nodes.of(exp.DataType):
        sizes = [each.this for each in data_type.expressions if isinstance(each, exp.DataTypeParam)]
        if data_type.this is not exp.DType.DECIMAL or len(sizes) != 2:
            continue
        precision, scale = sizes
        for each in sizes:
            text = each.this.name if isinstance(each, exp.Neg) else each.name
            if not text.isdigit():
                raise InvalidValueError(
                    f'invalid input syntax for type integer: "{text}"',
                    position=position_of(data_type) or position_of(data_type.parent or data_type),
                    sqlstate="22P02",
                )
        digits = int(precision.name) if precision.name.isdigit() else 0
        if isinstance(scale, exp.Neg) or int(scale.name) > digits or digits > DIGITS_MAX:
            raise NotSupportedError(
                f"a numeric of more than {DIGITS_MAX} digits, or whose scale is negative or above "
                "its precision, is not supported",
                hint="Round to the places, and cast to numeric.",
                position=position_of(data_type) or position_of(data_type.parent or data_type),
            )


def _check_stars(nodes: Nodes) -> None:
    """Refuse stars that are no columns of a SELECT list."""
    for star in nodes.of(exp.Star):
        if isinstance(star.parent, exp.Alias):
            name = star.parent.args["alias"]
            raise InvalidSyntaxError(
                f'syntax error at or near "{name.name}"', position=position_of(name)
            )
        if isinstance(star.parent, exp.Paren):
            raise InvalidSyntaxError('syntax error at or near "*"', position=position_of(star))
        if _is_row_value(star):
            raise NotSupportedError(
                "a whole row as a value is not supported",
                hint="Name its columns.",
                position=position_of(star),
            )


def _refusal(nodes: Nodes) -> NotSupportedError:
    kind = type(next(nodes.among(_REFUSED_KINDS)))
    if kind in _WRITES:
        return NotSupportedError(
            f"cannot execute {kind.key.upper()} in a read-only gateway",
            hint="State is written by its pipeline; SELECT reads it.",
            sqlstate="25006",
        )
    return NotSupportedError(
        f"{_REFUSED[kind]} is not supported", hint=_HINTS.get(kind), position=_place(nodes, kind)
    )


def _is_row_value(star: exp.Star) -> bool:
    """Whether a star is a row as a value: `ROW(t.*)`, or `(t.*)` that is cast or compared."""
    row = star.parent.parent if isinstance(star.parent, exp.Column) else None
    if isinstance(row, exp.Tuple) or (isinstance(row, exp.Anonymous) and row.name.lower() == "row"):
        return True
    return isinstance(row, exp.Paren) and isinstance(row.parent, exp.Cast | exp.Binary)


def _place(nodes: Nodes, kind: type[exp.Expr]) -> int | None:
    """Return the place of the first node of a type, or of the first word inside it."""
    return position_of(nodes.of(kind)[0])


OF_WINDOWS = frozenset(
    {
        *("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"),
        *("first_value", "last_value", "nth_value"),
    }
)
"""The functions that are called with OVER only."""


def check_over(nodes: Nodes) -> None:
    """Refuse window functions without OVER.

    Raises:
        MismatchedTypeError: a window function has no OVER (42809).
        NotSupportedError: it has WITHIN GROUP, such as `rank(1) WITHIN GROUP (…)`.
    """
    for node in nodes.among(CALLS):
        if call_name(node) not in OF_WINDOWS:
            continue
        outer = node
        while isinstance(outer.parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
            outer = outer.parent
        is_called = outer.arg_key == "this"
        if is_called and isinstance(outer.parent, exp.WithinGroup):
            raise NotSupportedError(
                f"{call_name(node)}(…) WITHIN GROUP is not supported", position=position_of(node)
            )
        if not is_called or not isinstance(outer.parent, exp.Window):
            raise MismatchedTypeError(
                f"window function {call_name(node)} requires an OVER clause",
                position=position_of(node),
                sqlstate="42809",
            )


NO_FUNCTION = (
    "No function matches the given name and argument types. "
    "You might need to add explicit type casts."
)
"""PostgreSQL's hint."""


def unknown_function(
    node: exp.Expr, name: str, given: str = "", *, kind: str = "function"
) -> UnknownNameError:
    """Return the error for a call of a function that does not exist with these types."""
    start = node.meta.get("start")
    return UnknownNameError(
        f"{kind} {name}({given}) does not exist",
        hint=f"Use one of these: {', '.join(sorted(TABLE_FUNCTIONS))}."
        if kind != "function"
        else NO_FUNCTION,
        position=None if start is None else int(start) + 1,
        sqlstate="42883",
    )
