"""The functions that SQL may call, their result types, and the columns of those in FROM.

All that is known about a function stands in `stategate.planner.records`. Names that begin with
`pg_sg_` are macros, which only rules of rewriting call.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.errors import UnknownNameError
from stategate.planner.records.duckdb_functions import DUCKDB_FUNCTIONS
from stategate.planner.records.functions import RECORDS
from stategate.planner.records.record import ByArguments, OfParameter
from stategate.planner.trees.column_names import column_name
from stategate.planner.trees.nodes import position_of
from stategate.stores.spec.schema import JSON, JSONB, TEXT, DataType

FUNCTIONS = frozenset(RECORDS) - {"str_position"} | DUCKDB_FUNCTIONS
"""The functions that may be called; `str_position` is how POSITION is parsed."""
RESULTS = {
    name: record.result for name, record in RECORDS.items() if isinstance(record.result, DataType)
}
"""The result types of PostgreSQL's functions that have one, whatever their arguments are."""
OF_ARGUMENT = {
    name: record.result.index
    for name, record in RECORDS.items()
    if isinstance(record.result, OfParameter)
}
"""Functions whose result has the type of a parameter, and the index of that parameter."""
OF_SIGNATURE = frozenset(
    name for name, record in RECORDS.items() if record.result is ByArguments.NUMBER
)
"""Functions of numbers whose result is a double or a numeric, depending on the signature."""
SAME_AS_FIRST = frozenset(
    name for name, record in RECORDS.items() if record.result is ByArguments.FIRST
)
"""Functions whose result has the type of their first argument."""
COMMON = frozenset(name for name, record in RECORDS.items() if record.result is ByArguments.COMMON)
"""Functions whose result has the type that their arguments of a pseudo type agree on."""


def call_name(node: exp.Expr) -> str:
    """Return the name of a function as the statement writes it, in lower case."""
    written = node.meta.get("name")
    if written and not isinstance(node, exp.Cast):  # `int4(x)` is one
        return str(written).lower()
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


ROW_FUNCTIONS = frozenset({"regexp_matches"})
"""Functions in FROM that are written as a SELECT."""
_KINDS = (("json", JSON), ("jsonb", JSONB))
PAIR_FUNCTIONS = frozenset(f"{name}_each{text}" for name, _ in _KINDS for text in ("", "_text"))
"""Functions in FROM with the columns `key` and `value`."""
ROW_TYPES: Mapping[str, tuple[DataType, ...]] = {
    **{
        name: (each.result,)
        for name, each in RECORDS.items()
        if each.returns_rows and isinstance(each.result, DataType)
    },
    **{f"{name}_each": (TEXT, kind) for name, kind in _KINDS},
    **{f"{name}_each_text": (TEXT, TEXT) for name, _ in _KINDS},
}
"""The types of the columns of functions in FROM, if all calls have the same."""
_VALUE_COLUMNS = {f"{name}_array_elements{text}" for name, _ in _KINDS for text in ("", "_text")}
"""Functions whose column is called `value`; for others, it has the name of the FROM item."""


def is_numbered(item: exp.Expr) -> bool:
    """Whether a function in FROM has WITH ORDINALITY, a last column that numbers its rows."""
    return bool(item.args.get("offset") or item.args.get("ordinality"))


def columns_of_function(item: exp.Expr) -> tuple[str, ...] | None:
    """Return the columns of a function in FROM; None for other items, or if not certain.

    Raises:
        UnknownNameError: its alias names more columns than it has (42P10).
    """
    if isinstance(item, exp.Unnest) and len(item.expressions) == 1:
        # sqlglot keeps a second column name as `offset`.
        name, number = "unnest", item.args.get("offset")
    elif isinstance(item, exp.Table) and isinstance(item.this, exp.Func):
        name, number = column_name(item.this), item.args.get("ordinality")
    else:
        return None
    alias = item.args.get("alias")
    given = [column.name for column in alias.columns] if alias is not None else []
    if isinstance(number, exp.Expr) and number.name != "offset":
        given.append(number.name)
    own = ["value" if name in _VALUE_COLUMNS else item.alias or name]
    if name in PAIR_FUNCTIONS:
        own = ["key", "value"]
    own += ["ordinality"] if number else []
    check_names(item, len(own), len(given))
    return (*given, *own[len(given) :])


def check_names(item: exp.Expr, columns: int, given: int) -> None:
    """Check how many columns of an item of FROM its alias names.

    Raises:
        UnknownNameError: it names more than there are (42P10).
    """
    if given > columns:
        raise UnknownNameError(
            f'table "{item.alias_or_name}" has {columns} columns available but {given} columns '
            "specified",
            position=position_of(item),
            sqlstate="42P10",
        )
