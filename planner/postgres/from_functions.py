"""Functions in FROM that DuckDB does not take there, written as subqueries.

A function that returns one value becomes a query of one row: JDBC sends `{? = call f($1)}` as such
a call. `unnest` of several arrays, `jsonb_each` and `regexp_matches` become queries, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner.postgres.refused import TABLE_FUNCTIONS, unknown_function
from planner.postgres.types.row_functions import ROW_FUNCTIONS, is_numbered
from planner.trees.column_names import column_name
from planner.trees.node_index import Nodes, kinds
from planner.trees.nodes import call, cast

_CALLS = kinds(exp.Unnest, exp.Anonymous)


def spell_functions(nodes: Nodes) -> None:
    """Write `unnest(a, b)`, `jsonb_each(x)` and `regexp_matches(…)` as queries, in place."""
    if not nodes.has(_CALLS):
        return
    for spell in (_name_numbered, _spell_unnests, _spell_row_functions):
        if spell(nodes):
            nodes.renew()


def spell_calls(tables: Sequence[exp.Table]) -> bool:
    """Write functions that return one value as queries, in place; whether there were any.

    Raises:
        UnknownNameError: as `_spell_call`.
    """
    return bool([table for table in tables if _spell_call(table)])


def _spell_call(table: exp.Table) -> bool:
    """Replace `f(x) AS alias` by `(SELECT f(x) AS alias)`, unless f returns rows.

    Returns:
        Whether it was replaced.

    Raises:
        UnknownNameError: f is an aggregate or a window function (42883).
    """
    called = table.this
    if not isinstance(called, exp.Func) or isinstance(called, exp.Unnest):
        return False
    name = column_name(called)
    if name in TABLE_FUNCTIONS or isinstance(called, exp.GenerateSeries | exp.Explode):
        return False
    if isinstance(called, exp.AggFunc):
        raise unknown_function(called, name, kind="table function")
    alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    given = alias.columns
    column = given[0].copy() if given else alias.this.copy()
    parts = [*(table.args.get(part) for part in ("catalog", "db")), called]
    value, *rest = (part.copy() for part in parts if part is not None)
    for part in rest:
        value = exp.Dot(this=value, expression=part)
    items: list[exp.Expr] = [exp.Alias(this=value, alias=column)]
    if table.args.get("ordinality"):
        ordinal = given[1].copy() if len(given) > 1 else exp.to_identifier("ordinality")
        one = exp.Cast(this=exp.Literal.number(1), to=exp.DataType.build("bigint"))
        items.append(exp.Alias(this=one, alias=ordinal))
    query = exp.Subquery(this=exp.Select(expressions=items))
    if isinstance(table.parent, exp.Join):
        table.replace(exp.Lateral(this=query, alias=alias.copy()))
    else:
        query.set("alias", alias.copy())
        query.set("joins", table.args.get("joins"))
        table.replace(query)
    return True


def _name_numbered(nodes: Nodes) -> bool:
    """Name the column of `unnest(a) WITH ORDINALITY AS u`, which PostgreSQL calls u.

    DuckDB calls it `unnest`, and finds `u.u` only without ORDINALITY.
    """
    numbered = [n for n in nodes.of(exp.Unnest) if is_numbered(n) and len(n.expressions) == 1]
    items = [n.parent if isinstance(n.parent, exp.Lateral) else n for n in numbered]
    bare = [item for item in items if not item.alias_column_names]
    for item in bare:
        alias = item.args.get("alias") or exp.TableAlias(this=exp.to_identifier("unnest"))
        alias.set("columns", [alias.this.copy()])
        item.set("alias", alias)
    return bool(bare)


def _spell_unnests(nodes: Nodes) -> bool:
    several = [unnest for unnest in nodes.of(exp.Unnest) if len(unnest.expressions) > 1]
    for unnest in reversed(several):
        _spell_unnest(unnest)
    return bool(several)


def _spell_row_functions(nodes: Nodes) -> bool:
    items = sorted((*nodes.of(exp.Table), *nodes.of(exp.Lateral)), key=lambda item: -item.depth)
    return bool([item for item in items if _spell_rows(item)])


def _spell_unnest(unnest: exp.Expr) -> None:
    """Write `unnest(a, b)` as a SELECT of both, side by side; the shorter one ends in NULLs."""
    arrays = unnest.expressions
    alias = unnest.args.get("alias") or exp.TableAlias(this=exp.to_identifier("unnest"))
    given = [column.name for column in alias.columns]
    ordinal = unnest.args.get("offset")
    names = [given[i] if i < len(given) else "unnest" for i in range(len(arrays))]
    items: list[exp.Expr] = [
        exp.alias_(exp.Explode(this=array.copy()), f"u{i}", quoted=True)
        for i, array in enumerate(arrays)
    ]
    if ordinal:
        longest = exp.Greatest(
            this=_length(arrays[0]), expressions=[_length(array) for array in arrays[1:]]
        )
        items.append(exp.alias_(exp.Explode(this=call("range", longest)), "n", quoted=True))
        names.append(ordinal.name if isinstance(ordinal, exp.Expr) else "ordinality")
    columns = [exp.to_identifier(name, quoted=True) for name in names]
    outer = exp.TableAlias(this=alias.this.copy(), columns=columns)
    if ordinal:
        inner = exp.select(*items)
        counted: list[exp.Expr] = [exp.column(f"u{i}", quoted=True) for i in range(len(arrays))]
        counted.append(exp.Add(this=exp.column("n", quoted=True), expression=exp.Literal.number(1)))
        query = exp.select(*counted).from_(inner.subquery("unnested"))
    else:
        query = exp.select(*items)
    if any(array.find(exp.Column) for array in arrays):
        unnest.replace(exp.Lateral(this=exp.Subquery(this=query), alias=outer))
    else:
        unnest.replace(exp.Subquery(this=query, alias=outer))


def _spell_rows(table: exp.Expr) -> bool:
    """Write `jsonb_each(x)` or `regexp_matches(…)` as a SELECT; whether it was one of them."""
    function = table.this
    name = function.name.lower() if isinstance(function, exp.Anonymous) else ""
    if name not in ROW_FUNCTIONS or not function.expressions or table.args.get("ordinality"):
        return False
    alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name))
    given = [column.copy() for column in alias.columns]
    if name == "regexp_matches":
        names = [alias.name]
        query = exp.select(function.copy())
    else:
        names, whole = ["key", "value"], function.expressions[0]
        path = "jsonb_extract_path_text" if name.endswith("_text") else "jsonb_extract_path"
        columns = [exp.column(each, quoted=True) for each in ("whole", "key")]
        inner = exp.select(
            exp.alias_(cast(whole.copy(), "JSON"), "whole", quoted=True),
            exp.alias_(call("json_object_keys", cast(whole.copy(), "JSON")), "key", quoted=True),
        )
        query = exp.select(columns[1].copy(), call(path, *columns)).from_(inner.subquery("each"))
    columns_as = [*given, *(exp.to_identifier(n, quoted=True) for n in names[len(given) :])]
    outer = exp.TableAlias(this=alias.this.copy(), columns=columns_as)
    subquery = exp.Subquery(this=query)
    if isinstance(table, exp.Table) and not function.find(exp.Column):
        subquery.set("alias", outer)
        table.replace(subquery)
    else:
        table.replace(exp.Lateral(this=subquery, alias=outer))
    return True


def _length(array: exp.Expr) -> exp.Expr:
    return exp.Coalesce(
        this=cast(call("cardinality", array.copy()), "BIGINT"), expressions=[exp.Literal.number(0)]
    )
