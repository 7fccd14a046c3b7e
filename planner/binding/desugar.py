"""Rewrite forms that DuckDB lacks, or reads differently from Postgres.

`(a, b) > (1, 2)` becomes comparisons of single columns, since DuckDB orders NULLs in rows where the
result in SQL is unknown. `FROM s FOR SYSTEM_TIME AS OF t` becomes the versions valid at t.
`a OPERATOR(pg_catalog.~) b`, as psql and pgcli write it, becomes `a ~ b`.

DuckDB asks PostgreSQL for scans by page: `ctid BETWEEN '(0,0)'::tid AND '…'::tid`. The
catalog reports no pages for stores, so DuckDB usually sends no such clause. If it sends one anyway,
a range of all pages means the whole relation. Any other range is refused: a client that reads one
range after another would get all rows for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from stategate.planner.binding.naming.result_names import WHOLE_ROW
from stategate.planner.binding.outer_joins import may_be_missing
from stategate.planner.errors import NotSupportedError, UnknownNameError
from stategate.planner.postgres.expressions.conditions import (
    COMPARISONS,
    as_row,
    check_widths,
    compare_rows,
    is_row_call,
)
from stategate.planner.postgres.select_clauses import (
    DESUGARED,
    desugar_clauses,
    desugar_row_functions,
    desugar_value_functions,
    drop_group_words,
)
from stategate.planner.trees.brackets import desugar_brackets
from stategate.planner.trees.grammar import check_nodes
from stategate.planner.trees.known_arguments import check_known
from stategate.planner.trees.nodes import CALLS, Nodes, kinds, position_of, put, signed, strip
from stategate.stores.spec.schema import VALID_FROM, VALID_TO


def desugar(tree: exp.Query) -> Nodes:  # noqa: C901 - one form after the other
    """Replace such forms in a tree, in place, and return its nodes.

    Raises:
        InvalidSyntaxError: rows of different width are compared.
        NotSupportedError: rows are too wide, or the query reads versions of a time range, or some
        pages; or it groups by distinct grouping sets.
    """
    nodes = Nodes(tree)
    check_nodes(nodes)
    _unwrap_texts(nodes)
    if [each for each in nodes.of(exp.Neg) if _fold_sign(each)]:
        nodes.renew()
    if [star for star in nodes.of(exp.Star) if _name_row(star)]:
        nodes.renew()
    if nodes.of(exp.Subquery):
        desugar_brackets(nodes)
    drop_group_words(nodes.of(exp.Group))
    is_plain = all(isinstance(table.this, exp.Identifier) for table in nodes.of(exp.Table))
    if is_plain and not nodes.has(_REPLACED):
        return nodes  # as for most statements
    if drop_operator_schemas(nodes.of(exp.Operator)):
        nodes.renew()
    if desugar_value_functions(nodes.of(exp.Table)):
        nodes.renew()
    if nodes.has(DESUGARED):
        desugar_clauses(nodes)
    desugar_row_functions(nodes)
    has_rows = bool(nodes.of(exp.Tuple)) or any(map(is_row_call, nodes.of(exp.Anonymous)))
    has_versions = bool(nodes.of(exp.Version))
    if drop_page_ranges(nodes.of(exp.Between)):
        nodes.renew()
    if has_rows:
        _desugar_rows(nodes)
    if has_versions:
        for table in nodes.of(exp.Table):
            _desugar_version(table)
        nodes.renew()
    return nodes


def _unwrap_texts(nodes: Nodes) -> None:
    """Write `('a')` as `'a'`: brackets do not give a literal its type."""
    texts = [each for each in nodes.of(exp.Literal) if each.is_string]
    for text in texts:
        around: exp.Expr = text
        while isinstance(around.parent, exp.Paren):
            around = around.parent
        if around is not text:
            put(around, text)


def _fold_sign(node: exp.Neg) -> bool:
    """Write `- -1` as 1, because a sign before a number is part of it; return whether it is one."""
    number, is_negative = signed(node)
    is_number = isinstance(number, exp.Literal) and not number.is_string
    if not is_number or not isinstance(strip(node.this), exp.Neg):
        return False
    put(node, exp.Neg(this=number.copy()) if is_negative else number.copy())
    return True


_REPLACED = DESUGARED | kinds(
    *(exp.Operator, exp.Unnest, exp.Anonymous, exp.Tuple, exp.Version, exp.Between)
)
"""Each of these forms has a node of one of these types, or a function in FROM."""


def _name_row(star: exp.Star) -> bool:
    """Write `t.*` as t where it is an operand or an argument, which stands for the row."""
    item = star.parent
    if not isinstance(item, exp.Column) or isinstance(item.parent, exp.Select | exp.Tuple):
        return False
    if item.parent is None or any(star.args.values()) or is_row_call(item.parent):
        return False
    named = exp.Column(this=item.args["table"].copy())
    named.meta[WHOLE_ROW] = True
    put(item, named)
    return True


def _desugar_rows(nodes: Nodes) -> None:
    for listed in nodes.of(exp.Tuple):
        if isinstance(listed.parent, exp.Paren) and isinstance(listed.parent.parent, _ITEMS):
            put(listed.parent, listed)
    _desugar_compared_rows(nodes)
    for listed in nodes.of(exp.Tuple):
        if _is_row_value(listed):
            put(listed, exp.Anonymous(this="row", expressions=listed.expressions))
    nodes.renew()


def _desugar_compared_rows(nodes: Nodes) -> None:
    for kind in COMPARISONS:
        # Inner ones first: the outer ones copy them.
        if [node for node in reversed(nodes.of(kind)) if _desugar_comparison(node)]:
            nodes.renew()
    for within in nodes.of(exp.In):
        row, members = as_row(within.this), list(map(as_row, within.expressions))
        if isinstance(row, exp.Tuple):
            within.set("this", row)
        for place, member in enumerate(members):
            if isinstance(row, exp.Tuple) and isinstance(member, exp.Tuple):
                check_widths(row, member, position_of(member))
                put(within.expressions[place], member)


def _is_row_value(listed: exp.Expr) -> bool:
    """Whether a row without the word ROW is a value, and not compared."""
    inner = listed
    while isinstance(inner.parent, exp.Paren):
        inner = inner.parent
    outer = inner.parent
    if isinstance(outer, exp.If | exp.Case):
        return inner.arg_key != "this"
    if isinstance(outer, exp.Anonymous):
        return not is_row_call(outer)
    if isinstance(outer, exp.Ordered) and isinstance(outer.parent, exp.Order):
        return outer.parent.this is not None or isinstance(outer.parent.parent, exp.WithinGroup)
    while (isinstance(outer, exp.Order) and inner.arg_key == "this") or (
        isinstance(outer, exp.Distinct) and inner.arg_key == "expressions"
    ):
        inner, outer = outer, outer.parent  # `array_agg(DISTINCT (a, b) ORDER BY c)`
    is_in_values = isinstance(outer, exp.Tuple) and isinstance(outer.parent, exp.Values)
    return is_in_values or (type(outer) in CALLS and not isinstance(outer, _WITH_RULES))


_ITEMS = (exp.Select, exp.Alias)
_WITH_RULES = (exp.Connector, exp.Cast, exp.Exists, exp.Grouping)
"""Nodes that are calls to sqlglot, and read such rows themselves."""


def _desugar_comparison(node: exp.Expr) -> bool:
    """Compare rows column by column; return whether the operands are rows."""
    assert isinstance(node, exp.Binary)
    spelled = compare_rows(type(node), node.this, node.expression)
    if spelled is not None:
        put(node, spelled)
    return spelled is not None


def _desugar_version(table: exp.Table) -> None:
    """Replace AS OF with a condition for the versions that were valid at a time."""
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
    put(table, exp.Subquery(this=inner, alias=alias.copy()))


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


_OPERATOR_SCHEMA = "pg_catalog"


def _negated(kind: type[exp.Expr]) -> Callable[[exp.Expr, exp.Expr], exp.Expr]:
    return lambda left, right: exp.Not(this=kind(this=left, expression=right))


def _binary(kind: type[exp.Expr]) -> Callable[[exp.Expr, exp.Expr], exp.Expr]:
    return lambda left, right: kind(this=left, expression=right)


_OPERATORS: Mapping[str, Callable[[exp.Expr, exp.Expr], exp.Expr]] = {
    "~": _binary(exp.RegexpLike),
    "!~": _negated(exp.RegexpLike),
    "~*": _binary(exp.RegexpILike),
    "!~*": _negated(exp.RegexpILike),
    "~~": _binary(exp.Like),
    "!~~": _negated(exp.Like),
    "~~*": _binary(exp.ILike),
    "!~~*": _negated(exp.ILike),
    "=": _binary(exp.EQ),
    "<>": _binary(exp.NEQ),
    "!=": _binary(exp.NEQ),
    "<": _binary(exp.LT),
    "<=": _binary(exp.LTE),
    ">": _binary(exp.GT),
    ">=": _binary(exp.GTE),
    "+": _binary(exp.Add),
    "-": _binary(exp.Sub),
    "*": _binary(exp.Mul),
    "/": _binary(exp.Div),
    "%": _binary(exp.Mod),
    "||": _binary(exp.DPipe),
    "@>": _binary(exp.ArrayContainsAll),
    "<@": _binary(exp.ArrayContainedBy),
    "&&": _binary(exp.ArrayOverlaps),
}
"""The node of each operator."""


def drop_operator_schemas(nodes: Sequence[exp.Operator]) -> bool:
    """Replace operators that have a schema with plain ones, in place; return whether any had one.

    Raises:
        UnknownNameError: as `_plain_operator`.
    """
    for node in reversed(nodes):
        put(node, _plain_operator(node))
    return bool(nodes)


def _plain_operator(node: exp.Operator) -> exp.Expr:
    """Return the node of an operator without its schema.

    Raises:
        UnknownNameError: the operator (42883) or its schema (3F000) does not exist.
    """
    schema, _, sign = str(node.args["operator"]).rpartition(".")
    if schema and schema.strip().strip('"').lower() != _OPERATOR_SCHEMA:
        raise UnknownNameError(
            f'schema "{schema.strip()}" does not exist',
            position=position_of(node),
            sqlstate="3F000",
        )
    build = _OPERATORS.get(sign.strip())
    if build is None:
        raise UnknownNameError(
            f"operator does not exist: {sign.strip()}",
            position=position_of(node),
            sqlstate="42883",
        )
    return exp.Paren(this=build(node.this.copy(), node.expression.copy()))


_FIRST_PAGE, _LAST_PAGE = "(0,0)", "(4294967295,0)"
"""The range of all pages, as DuckDB writes it."""


def drop_page_ranges(betweens: Sequence[exp.Between]) -> bool:
    """Remove conditions over all pages from the tree; return whether there were any.

    Raises:
        NotSupportedError: a clause over some of the pages, or with arguments that are not known.
    """
    ranges = [between for between in betweens if _is_page_range(between)]
    for between in ranges:
        check_known(between)
        _check_ends(between)
        _drop_condition(between)
    return bool(ranges)


def _is_page_range(between: exp.Between) -> bool:
    column = between.this
    return isinstance(column, exp.Column) and column.name.lower() == "ctid"


def _check_ends(between: exp.Between) -> None:
    ends = [between.args[side].find(exp.Literal) for side in ("low", "high")]
    if [end.this if end else None for end in ends] != [_FIRST_PAGE, _LAST_PAGE]:
        raise NotSupportedError(
            "stores have no pages to be read by ctid",
            hint="Read by key, or read the whole relation at once.",
        )


def _drop_condition(clause: exp.Expr) -> None:
    """Remove a condition from its conjunction."""
    while isinstance(clause.parent, exp.Paren):
        clause = clause.parent
    parent = clause.parent
    if isinstance(parent, exp.Where):
        parent.pop()
    elif isinstance(parent, exp.And):
        other = parent.expression if parent.this is clause else parent.this
        put(parent, other)
    else:
        put(clause, exp.true())
