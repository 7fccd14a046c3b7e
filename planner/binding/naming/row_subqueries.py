"""Rows compared with the rows of a correlated subquery: `(a, 1) IN (SELECT x, y … WHERE z = a)`.

DuckDB compares them with an uncorrelated subquery only. The others become a subquery of one value,
which reads the comparison with each row: true if one is true, NULL if one is NULL, false otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, NotSupportedError
from stategate.planner.trees.brackets import without_brackets
from stategate.planner.trees.column_names import ONLY_COLUMN
from stategate.planner.trees.nodes import position_of, put, strip


def compare_with_rows(nodes: Iterable[exp.Expr], taken: set[str]) -> bool:
    """Write comparisons with correlated subqueries as such values, in place.

    Args:
        nodes: IN, ANY and ALL whose subqueries are correlated; inner ones first.
        taken: the names of the statement; gets those that are added.

    Returns:
        Whether one of them compares rows.

    Raises:
        NotSupportedError: the row has an aggregate or a window, which would belong to the subquery.
    """
    is_changed = False
    for node in nodes:
        whole = node if isinstance(node, exp.In) else node.parent
        row = None if whole is None else strip(whole.this)
        if whole is None or not isinstance(row, exp.Tuple):
            continue
        query = compared_query(node)
        assert query is not None
        is_negated = isinstance(node, exp.All)
        sign = exp.NEQ if is_negated else exp.EQ
        if not isinstance(node, exp.In) and type(whole) is not sign:
            raise NotSupportedError(
                "a row compared with the rows of a correlated subquery, but not by IN, = ANY or "
                "<> ALL, is not supported",
                position=position_of(row),
            )
        found: exp.Expr = _found_in(row, query, taken)
        put(whole, exp.Not(this=found) if is_negated else found)
        is_changed = True
    return is_changed


def compared_query(node: exp.Expr) -> exp.Expr | None:
    """Return the subquery of IN, ANY or ALL; None if it is something else."""
    found: object = None
    if isinstance(node, exp.In):
        found = node.args.get("query")
    elif isinstance(node, exp.Any | exp.All):
        found = strip(node.this)
    return found if isinstance(found, exp.Query) else None


def _found_in(row: exp.Tuple, query: exp.Expr, taken: set[str]) -> exp.Subquery:
    """Return the value of `row IN (query)`."""
    inside = row.walk(prune=lambda node: isinstance(node, exp.Query))
    if any(isinstance(node, exp.AggFunc | exp.Window) for node in inside):
        raise NotSupportedError(
            "a row of aggregates or windows IN a correlated subquery is not supported",
            hint="Compute them in a subquery in FROM.",
            position=position_of(row),
        )
    name = next(f"rows#{n}" for n in range(1, len(taken) + 2) if f"rows#{n}" not in taken)
    names = [f"{name}.{at}" for at in range(len(row.expressions) + 1)]
    taken.update((name, *names))
    # The row stands in one place only: it may have subqueries.
    pairs = [
        exp.EQ(this=_operand(value), expression=exp.column(each, table=name, quoted=True))
        for value, each in zip(list(row.expressions), names[1:], strict=True)
    ]
    rows: exp.Expr = without_brackets(query)
    rows.pop()
    item = exp.Subquery(this=rows, alias=_alias(name, names[1:]))
    same = exp.Alias(this=exp.and_(*pairs, copy=False), alias=_quoted(names[0]))
    compared = exp.Select(expressions=[same], from_=exp.From(this=item))
    is_same = exp.column(names[0], table=name, quoted=True)
    is_null = exp.Is(this=is_same.copy(), expression=exp.null())
    case = exp.Case(
        ifs=[
            exp.If(this=exp.LogicalOr(this=is_same), true=exp.true()),
            exp.If(this=exp.LogicalOr(this=is_null), true=exp.null()),
        ],
        default=exp.false(),
    )
    from_ = exp.From(this=exp.Subquery(this=compared, alias=_alias(name, [])))
    found = exp.Subquery(this=exp.Select(expressions=[case], from_=from_))
    found.meta["operator"] = True  # it has no name
    return found


def _alias(name: str, columns: Sequence[str]) -> exp.TableAlias:
    return exp.TableAlias(this=_quoted(name), columns=[_quoted(each) for each in columns])


def _quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)


def _operand(value: exp.Expr) -> exp.Expr:
    value.pop()
    return exp.Paren(this=value) if isinstance(value, exp.Binary | exp.Connector) else value


def note_column(query: exp.Expr, names: Sequence[str]) -> None:
    """Note the name of the result of a subquery that is a value.

    Raises:
        InvalidSyntaxError: it has several columns (42601).
    """
    if not _is_value(query):
        return
    if len(names) > 1:
        raise InvalidSyntaxError(
            "subquery must return only one column", position=position_of(query)
        )
    query.meta[ONLY_COLUMN] = names[0] if names else None


def _is_value(query: exp.Expr) -> bool:
    """Whether a query in an expression is one value, and no operand of EXISTS or of a row."""
    user = query.parent
    while isinstance(user, exp.Paren | exp.Subquery):
        user = user.parent
    if isinstance(user, exp.Exists):
        return False
    is_row = isinstance(user, exp.Binary) and isinstance(strip(user.this), exp.Tuple)
    return not is_row
