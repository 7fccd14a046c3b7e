"""Forms that Postgres has and DuckDB has not, or means otherwise, spelled so that both agree.

`(a, b) > (1, 2)` becomes comparisons of one column each, for DuckDB's rows order NULLs, where SQL's
are unknown. `FROM s FOR SYSTEM_TIME AS OF t` becomes the versions that were valid at t. Ranges of
all pages (`ctid`) are left out.
"""

from __future__ import annotations

from sqlglot import exp

from planner.ctid import drop_page_ranges
from planner.errors import NotSupported, SyntaxProblem
from planner.from_functions import spell_calls
from planner.named_operators import spell_operators
from planner.predicates import strip
from planner.pushdown import may_be_missing
from planner.select_forms import FORMS, spell_selects
from planner.trees import position_of
from planner.volatile import check_copied
from planner.walk import Nodes
from stores.schema import VALID_FROM, VALID_TO

ROW_WIDTH_MAX = 32
"""Columns of a compared row: each is compared as often as it has columns before it."""

_UNEQUAL = "unequal number of entries in row expressions"
_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_STRICT: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.LT: exp.LT,
    exp.LTE: exp.LT,
    exp.GT: exp.GT,
    exp.GTE: exp.GT,
}


def spelled_nodes(tree: exp.Query) -> Nodes:
    """The nodes of a tree in which such forms have been replaced, in place.

    Raises:
        SyntaxProblem: rows of different width are compared.
        NotSupported: rows are too wide, versions of a time range are asked for, or some pages.
    """
    nodes = Nodes(tree)
    if spell_operators(nodes.of(exp.Operator)):
        nodes.renew()
    if spell_calls(nodes.of(exp.Table)):
        nodes.renew()
    if nodes.has(FORMS):
        spell_selects(nodes)
    has_rows = bool(nodes.of(exp.Tuple)) or any(map(_is_row, nodes.of(exp.Anonymous)))
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
    for kind in _COMPARED:
        # Inner ones first, for those around them hold copies of them.
        if [node for node in reversed(nodes.of(kind)) if _spell_comparison(node)]:
            nodes.renew()
    for within in nodes.of(exp.In):
        within.set("this", _as_tuple(within.this))
        within.set("expressions", [_as_tuple(member) for member in within.expressions])
        _check_widths(within)
    nodes.renew()


def _is_row(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() == "ROW"


def _as_tuple(node: exp.Expr) -> exp.Expr:
    """`ROW(a, b)` as `(a, b)`."""
    bare = strip(node)
    return exp.Tuple(expressions=bare.expressions) if _is_row(bare) else node


def _check_widths(within: exp.In) -> None:
    row = strip(within.this)
    for member in map(strip, within.expressions):
        is_row = isinstance(row, exp.Tuple) and isinstance(member, exp.Tuple)
        if is_row and len(row.expressions) != len(member.expressions):
            raise SyntaxProblem(_UNEQUAL, position=position_of(member))


def _spell_comparison(node: exp.Binary) -> bool:
    """Compare rows column by column; whether they are rows."""
    left, right = (strip(_as_tuple(side)) for side in (node.this, node.expression))
    if not isinstance(left, exp.Tuple) or not isinstance(right, exp.Tuple):
        return False
    ones, others = left.expressions, right.expressions
    if len(ones) != len(others):
        raise SyntaxProblem(_UNEQUAL, position=position_of(node))
    if len(ones) > ROW_WIDTH_MAX:
        raise NotSupported(f"rows of more than {ROW_WIDTH_MAX} columns cannot be compared")
    kind = type(node)
    if kind in {exp.EQ, exp.NEQ}:
        parts = [kind(this=one.copy(), expression=o.copy()) for one, o in _pairs(ones, others)]
        joined = exp.and_(*parts) if kind is exp.EQ else exp.or_(*parts)
        node.replace(exp.Paren(this=joined))
        return True
    check_copied((*ones[:-1], *others[:-1]))
    strict = _STRICT[kind]
    alternatives: list[exp.Expr] = []
    for i, (one, other) in enumerate(_pairs(ones, others)):
        last = kind if i == len(ones) - 1 else strict
        before: list[exp.Expr] = [
            exp.EQ(this=a.copy(), expression=b.copy()) for a, b in _pairs(ones[:i], others[:i])
        ]
        alternatives.append(exp.and_(*before, last(this=one.copy(), expression=other.copy())))
    node.replace(exp.Paren(this=exp.or_(*alternatives)))
    return True


def _pairs(ones: list[exp.Expr], others: list[exp.Expr]) -> list[tuple[exp.Expr, exp.Expr]]:
    return list(zip(ones, others, strict=True))


def _spell_version(table: exp.Table) -> None:
    """The versions of a store that were valid at a time, as its time columns say."""
    version = table.args.get("version")
    if version is None:
        return
    if version.text("kind").upper() != "AS OF":
        raise NotSupported(
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
    """Whether a condition on a relation could be added where it drops its rows, and no others."""
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
