"""A call in FROM that gives one value, as a row of it: JDBC's `{? = call f($1)}` is sent so."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner.postgres.refused import TABLE_FUNCTIONS, unknown_function
from planner.trees.column_names import column_name


def spell_calls(tables: Sequence[exp.Table]) -> bool:
    """Replace all such calls, in place; whether there were any.

    Raises:
        UnknownNameError: as `_spell_call`.
    """
    return bool([table for table in tables if _spell_call(table)])


def _spell_call(table: exp.Table) -> bool:
    """Put `(SELECT f(x) AS alias)` in the place of `f(x) AS alias`, unless f gives rows.

    Returns:
        Whether there was one.

    Raises:
        UnknownNameError: an aggregate or window function, which has no rows here (42883).
    """
    call = table.this
    if not isinstance(call, exp.Func) or isinstance(call, exp.Unnest):
        return False
    name = column_name(call)
    if name in TABLE_FUNCTIONS or isinstance(call, exp.GenerateSeries | exp.Explode):
        return False
    if isinstance(call, exp.AggFunc):
        raise unknown_function(call, name, kind="table function")
    alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    given = alias.columns
    column = given[0].copy() if given else alias.this.copy()
    parts = [*(table.args.get(part) for part in ("catalog", "db")), call]
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
