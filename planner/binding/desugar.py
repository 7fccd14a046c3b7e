"""Rewrite forms that DuckDB lacks, or reads in another way than Postgres.

`(a, b) > (1, 2)` becomes comparisons of single columns, since DuckDB orders NULLs in rows where the
result in SQL is unknown. `FROM s FOR SYSTEM_TIME AS OF t` becomes the versions valid at t. Ranges
of all pages (`ctid`) are removed.
"""

from __future__ import annotations

from sqlglot import exp

from planner.binding.ctid import drop_page_ranges
from planner.binding.pushdown import may_be_missing
from planner.errors import NotSupportedError
from planner.postgres.expressions.row_comparisons import (
    COMPARISONS,
    as_row,
    check_widths,
    is_row_call,
    spelled_comparison,
)
from planner.postgres.from_functions import spell_calls, spell_functions
from planner.postgres.qualified_operators import spell_operators
from planner.postgres.select_forms import FORMS, spell_selects
from planner.trees.node_index import Nodes
from planner.trees.nodes import position_of
from stores.spec.schema import VALID_FROM, VALID_TO


def spelled_nodes(tree: exp.Query) -> Nodes:
    """Replace such forms in a tree, in place, and return its nodes.

    Raises:
        InvalidSyntaxError: rows of different width are compared.
        NotSupportedError: rows are too wide, versions of a time range are asked for, or some pages.
    """
    nodes = Nodes(tree)
    if spell_operators(nodes.of(exp.Operator)):
        nodes.renew()
    if spell_calls(nodes.of(exp.Table)):
        nodes.renew()
    if nodes.has(FORMS):
        spell_selects(nodes)
    spell_functions(nodes)
    has_rows = bool(nodes.of(exp.Tuple)) or any(map(is_row_call, nodes.of(exp.Anonymous)))
    has_versions = bool(nodes.of(exp.Version))
    if drop_page_ranges(nodes.of(exp.Between)):
        nodes.renew()
    if has_rows:
        _spell_rows(nodes)
    if has_versions:
        for table in nodes.of(exp.Table):
            _spell_version(table)
        nodes.renew()
    return nodes


def _spell_rows(nodes: Nodes) -> None:
    for kind in COMPARISONS:
        # Inner ones first: the outer ones copy them.
        if [node for node in reversed(nodes.of(kind)) if _spell_comparison(node)]:
            nodes.renew()
    for within in nodes.of(exp.In):
        row, members = as_row(within.this), list(map(as_row, within.expressions))
        if isinstance(row, exp.Tuple):
            within.set("this", row)
        for place, member in enumerate(members):
            if isinstance(row, exp.Tuple) and isinstance(member, exp.Tuple):
                check_widths(row, member, position_of(member))
                within.expressions[place].replace(member)
    nodes.renew()


def _spell_comparison(node: exp.Expr) -> bool:
    """Compare rows column by column; return whether the operands are rows."""
    assert isinstance(node, exp.Binary)
    spelled = spelled_comparison(type(node), node.this, node.expression)
    if spelled is not None:
        node.replace(spelled)
    return spelled is not None


def _spell_version(table: exp.Table) -> None:
    """Replace AS OF by a condition for the versions that were valid at a time."""
    version = table.args.get("version")
    if version is None:
        return
    if version.text("kind").upper() != "AS OF":
        raise NotSupportedError(
            f"FOR SYSTEM_TIME {version.text('kind').upper()} is not supported",
            hint=f"Compare {VALID_FROM.name} and {VALID_TO.name}.",
        )
    time = version.expression
    table.set("version", None)
    select = table.parent_select
    name = table.alias_or_name
    if isinstance(select, exp.Select) and _filters(select, table, _valid_at(time, name)):
        return
    alias = table.args.get("alias") or exp.TableAlias(this=table.this.copy())
    bare = exp.Table(this=table.this.copy(), db=table.args.get("db"))
    inner = exp.select("*").from_(bare).where(_valid_at(time, table.name), copy=False)
    table.replace(exp.Subquery(this=inner, alias=alias.copy()))


def _filters(select: exp.Select, table: exp.Table, condition: exp.Expr) -> bool:
    """Add a condition where it drops rows of one relation only; return whether it could."""
    from_, joins = select.args.get("from_"), select.args.get("joins") or []
    join = next((each for each in joins if each.this is table), None)
    if join is None and (from_ is None or from_.this is not table):
        return False
    if not may_be_missing(select, table, None):
        select.where(condition, copy=False)
        return True
    on = None if join is None else join.args.get("on")
    if join is None or on is None or join.side.upper() != "LEFT":
        return False
    if may_be_missing(select, table, join):
        return False
    join.set("on", exp.and_(exp.Paren(this=on), condition))
    return True


def _valid_at(time: exp.Expr, name: str) -> exp.Expr:
    begins, ends = (
        exp.column(column.name, table=exp.to_identifier(name, quoted=True))
        for column in (VALID_FROM, VALID_TO)
    )
    return exp.and_(
        exp.LTE(this=begins, expression=_time(time)),
        exp.Paren(
            this=exp.or_(
                exp.GT(this=ends, expression=_time(time)),
                exp.Is(this=ends.copy(), expression=exp.null()),
            )
        ),
    )


def _time(node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=node.copy()) if isinstance(node, exp.Binary) else node.copy()
