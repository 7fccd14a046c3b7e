"""Queries: SELECT with its clauses, set operations, WITH and subqueries in FROM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from sqlglot import exp

from stategate.planner.binding.bound import Bound, Source
from stategate.planner.spark.aggregates import order_term
from stategate.planner.spark.calls import write_call
from stategate.planner.spark.conversions import common_type, convert, settled
from stategate.planner.spark.expressions import Expressions
from stategate.planner.spark.refusal import refused, words
from stategate.planner.spark.scopes import Item, Output, Scope, renamed
from stategate.planner.spark.values import CARRIED, COMPUTED, Arguments, Typed
from stategate.planner.trees.known_arguments import is_known
from stategate.planner.trees.nodes import is_comma, strip
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import DataType

_SETS: Mapping[type[exp.Expr], str] = {
    exp.Union: "UNION",
    exp.Except: "EXCEPT",
    exp.Intersect: "INTERSECT",
}
_SELECT_PARTS = frozenset(
    {"with_", "expressions", "distinct", "from_", "joins", "where", "group", "having"}
    | {"order", "limit", "offset"}
)
_ROWS_MAX = (1 << 31) - 1
"""The largest LIMIT and OFFSET of Spark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A query in Spark's SQL; its columns are called c0, c1, …."""

    sql: str
    outputs: tuple[Output, ...]

    @property
    def types(self) -> tuple[DataType, ...]:
        """The types of its columns."""
        return tuple(each.type for each in self.outputs)


_Commons = Mapping[str, Written]
"""The queries of WITH, by name; `Written.sql` is the name in Spark."""


class Queries:
    """Writes the queries of one statement.

    Args:
        bound: the statement, before it is translated for DuckDB.
    """

    def __init__(self, bound: Bound) -> None:
        self._sources = {source.table: source for source in bound.sources}
        self._numbers = count()
        self._commons: _Commons = {}
        self._writer = Expressions(parameters=bound.parameters, query=self._inner, call=write_call)

    @property
    def arguments(self) -> Arguments:
        """The values that are passed beside the SQL."""
        return self._writer.arguments

    def write(self, node: exp.Query, parent: Scope | None = None) -> Written:
        """Return a query.

        Raises:
            NotSupportedError: Spark does not run it, or gives other rows.
        """
        if not is_known(node):
            raise refused(words(node), node)
        before = self._commons
        try:
            prefix = self._with(node, parent)
            if isinstance(node, exp.Select):
                written = self._select(node, parent)
            elif isinstance(node, exp.SetOperation):
                written = self._set(node, parent)
            elif isinstance(node, exp.Subquery):
                written = self._parenthesised(node, parent)
            else:
                raise refused(words(node), node)
        finally:
            self._commons = before
        return replace(written, sql=prefix + written.sql)

    def _inner(self, node: exp.Query, scope: Scope) -> tuple[str, tuple[DataType, ...]]:
        found = self.write(node, scope)
        return found.sql, found.types

    def _with(self, node: exp.Query, parent: Scope | None) -> str:
        clause = node.args.get("with_")
        if clause is None:
            return ""
        if clause.args.get("recursive"):
            raise refused("WITH RECURSIVE", clause)
        written = []
        for each in clause.expressions:
            found = self.write(each.this, parent)
            alias = f"t{next(self._numbers)}"
            named = [column.name for column in each.args["alias"].columns]
            outputs = renamed(found.outputs, named)
            self._commons = {**self._commons, each.alias: Written(sql=alias, outputs=outputs)}
            written.append(f"{alias} AS ({found.sql})")
        return f"WITH {', '.join(written)} "

    # Set operations

    def _set(self, node: exp.SetOperation, parent: Scope | None) -> Written:
        left, right = (self.write(each, parent) for each in (node.this, node.expression))
        if len(left.outputs) != len(right.outputs):
            raise refused("queries of different width", node)
        pairs = zip(left.outputs, right.outputs, strict=True)
        types = [
            common_type([Typed(sql="", type=one.type), Typed(sql="", type=other.type)])
            for one, other in pairs
        ]
        one, other = (self._typed(each, types) for each in (left, right))
        word = _SETS[type(node)] + ("" if node.args.get("distinct") else " ALL")
        outputs = tuple(
            replace(each, type=data_type)
            for each, data_type in zip(left.outputs, types, strict=True)
        )
        sql = f"SELECT * FROM (({one}) {word} ({other}))"
        return Written(sql=sql + self._ends(node, outputs, None), outputs=outputs)

    def _typed(self, written: Written, types: Sequence[DataType]) -> str:
        columns = [
            f"{convert(Typed(sql=each.column, type=each.type), to, self.arguments).sql}"
            f" AS {each.column}"
            for each, to in zip(written.outputs, types, strict=True)
        ]
        return f"SELECT {', '.join(columns)} FROM ({written.sql})"

    def _parenthesised(self, node: exp.Subquery, parent: Scope | None) -> Written:
        if node.args.get("joins") or node.args.get("alias"):
            raise refused("joins in parentheses", node)
        found = self.write(node.this, parent)
        ends = self._ends(node, found.outputs, None)
        return replace(found, sql=f"SELECT * FROM ({found.sql}){ends}") if ends else found

    # SELECT

    def _select(self, node: exp.Select, parent: Scope | None) -> Written:
        used = {name for name, value in node.args.items() if value}
        if unknown := used - _SELECT_PARTS:
            raise refused(min(unknown).strip("_").upper(), node)
        scope = Scope(parent=parent)
        from_ = node.args.get("from_")
        if from_ is None:
            raise refused("a SELECT without FROM", node)
        tables = self._from(node, scope)
        where = node.args.get("where")
        condition = "" if where is None else f" WHERE {self._writer.condition(where.this, scope)}"
        items = self._items(node, scope)
        outputs = tuple(
            Output(name=name, column=f"c{at}", type=value.type)
            for at, (name, value) in enumerate(items)
        )
        distinct = self._distinct(node, outputs)
        listed = ", ".join(f"{value.sql} AS c{at}" for at, (_, value) in enumerate(items))
        sql = f"SELECT {distinct}{listed} FROM {tables}{condition}{self._group(node, items, scope)}"
        keys = {value.sql: f"c{at}" for at, (_, value) in enumerate(items)}
        ends = self._ends(node, outputs, scope, keys=keys, is_distinct=bool(distinct))
        return Written(sql=sql + ends, outputs=outputs)

    def _items(self, node: exp.Select, scope: Scope) -> list[tuple[str, Typed]]:
        found: list[tuple[str, Typed]] = []
        for each in node.expressions:
            inner = each.unalias()
            star = inner.this if isinstance(inner, exp.Column) else inner
            if isinstance(star, exp.Star):
                if any(star.args.values()):
                    raise refused("* with exceptions", each)
                found += scope.star(inner.table if isinstance(inner, exp.Column) else "")
            else:
                value = settled(self._writer.write(inner, scope), self.arguments)
                found.append((each.alias_or_name, value))
        for _, value in found:
            if value.kind not in CARRIED:
                raise refused(f"columns of type {format_type(value.type)}", node)
        return found

    def _distinct(self, node: exp.Select, outputs: Sequence[Output]) -> str:
        distinct = node.args.get("distinct")
        if distinct is None:
            return ""
        if distinct.args.get("on"):
            raise refused("DISTINCT ON", node)
        for each in outputs:
            if each.type.kind not in COMPUTED:
                raise refused(f"DISTINCT of {format_type(each.type)}", node)
        return "DISTINCT "

    def _group(self, node: exp.Select, items: Sequence[tuple[str, Typed]], scope: Scope) -> str:
        group, having = node.args.get("group"), node.args.get("having")
        if group is None:
            if having is not None:
                raise refused("HAVING without GROUP BY", having)
            return ""
        if any(value for name, value in group.args.items() if name != "expressions"):
            raise refused("GROUPING SETS", group)
        keys = [self._key(each, items, scope) for each in group.expressions]
        if any(each.kind not in COMPUTED for each in keys):
            raise refused("GROUP BY of values of this type", group)
        found = f" GROUP BY {', '.join(each.sql for each in keys)}"
        if having is not None:
            found += f" HAVING {self._writer.condition(having.this, scope)}"
        return found

    def _key(self, node: exp.Expr, items: Sequence[tuple[str, Typed]], scope: Scope) -> Typed:
        """Return a term of GROUP BY: a column of FROM goes before a result column of its name."""
        bare = strip(node)
        if isinstance(bare, exp.Literal) and not bare.is_string and bare.name.isdigit():
            return items[int(bare.name) - 1][1]
        if isinstance(bare, exp.Column) and not bare.table and not scope.has(bare.name):
            named = [value for name, value in items if name == bare.name]
            if len(named) == 1:
                return named[0]
        return settled(self._writer.write(node, scope), self.arguments)

    # ORDER BY, LIMIT, OFFSET

    def _ends(
        self,
        node: exp.Expr,
        outputs: Sequence[Output],
        scope: Scope | None,
        *,
        keys: Mapping[str, str] | None = None,
        is_distinct: bool = False,
    ) -> str:
        found, order = "", node.args.get("order")
        if order is not None:
            terms = []
            for each in order.expressions:
                if not is_known(each):
                    raise refused(words(each), each)
                value = self._sorted_by(each.this, outputs, scope, keys or {})
                if is_distinct and value.sql not in (keys or {}).values():
                    raise refused("DISTINCT with ORDER BY of another value", each)
                terms.append(order_term(value, each))
            found = f" ORDER BY {', '.join(terms)}"
        for name in ("limit", "offset"):
            clause = node.args.get(name)
            if clause is not None:
                found += f" {name.upper()} {_rows(clause)}"
        return found

    def _sorted_by(
        self,
        node: exp.Expr,
        outputs: Sequence[Output],
        scope: Scope | None,
        keys: Mapping[str, str],
    ) -> Typed:
        """Return a term of ORDER BY: a bare name is a result column, if there is one."""
        bare = strip(node)
        if isinstance(bare, exp.Literal) and not bare.is_string and bare.name.isdigit():
            found = outputs[int(bare.name) - 1]
            return Typed(sql=found.column, type=found.type)
        if isinstance(bare, exp.Column) and not bare.table:
            named = [each for each in outputs if each.name == bare.name]
            columns = {each.column for each in named}
            if len(columns) == 1 or (len(named) > 1 and scope is None):
                return Typed(sql=named[0].column, type=named[0].type)
        if scope is None:
            raise refused("this ORDER BY", node)
        value = settled(self._writer.write(node, scope), self.arguments)
        return replace(value, sql=keys.get(value.sql, value.sql))

    # FROM

    def _from(self, node: exp.Select, scope: Scope) -> str:
        item, sql = self._item(node.args["from_"].this, scope.parent)
        scope.items.append(item)
        for join in node.args.get("joins") or ():
            sql += self._join(join, scope)
        return sql

    def _join(self, join: exp.Join, scope: Scope) -> str:
        if not is_known(join) or join.method:
            raise refused("this JOIN", join)
        side, kind = join.side.upper(), join.kind.upper()
        item, sql = self._item(join.this, scope.parent)
        on, using = join.args.get("on"), join.args.get("using")
        if using and side in {"RIGHT", "FULL"}:
            raise refused(f"{side} JOIN with USING", join)
        if using:
            condition, item = self._using([each.name for each in using], item, scope)
            scope.items.append(item)
        else:
            scope.items.append(item)
            condition = "" if on is None else self._writer.condition(on, scope)
        if is_comma(join) or kind == "CROSS" or not condition:
            if side or condition:
                raise refused("this JOIN", join)
            return f" CROSS JOIN {sql}"
        return f" {side or 'INNER'} JOIN {sql} ON {condition}"

    def _using(self, names: Sequence[str], item: Item, scope: Scope) -> tuple[str, Item]:
        """Return the condition of USING, and the item without the columns that it merges."""
        conditions = []
        for name in names:
            left = scope.resolve(exp.column(name))
            found = item.find(name)
            if len(found) != 1:
                raise refused(f'USING of "{name}"')
            if left.type != found[0].type:  # Spark would give the column of one side
                raise refused(f'USING of "{name}", which has two types')
            conditions.append(self._writer.compared(left, "=", found[0]))
        shown = tuple(each for each in item.outputs if each.name not in names)
        hidden = tuple(each for each in item.outputs if each.name in names)
        return " AND ".join(conditions), replace(item, outputs=shown, hidden=hidden)

    def _item(self, node: exp.Expr, parent: Scope | None) -> tuple[Item, str]:
        alias = f"s{next(self._numbers)}"
        if isinstance(node, exp.Subquery):
            if {name for name, value in node.args.items() if value} - {"this", "alias"}:
                raise refused("this subquery in FROM", node)
            found = self.write(node.this, None if parent is None else parent)
            outputs, sql = found.outputs, f"({found.sql})"
        elif isinstance(node, exp.Table) and id(node) in self._sources:
            source = self._sources[id(node)]
            if not is_known(node) or _is_special(node):
                raise refused("this relation", node)
            outputs, sql = _columns_of(source), f"{{{source.name}}}"
        elif isinstance(node, exp.Table) and node.name in self._commons and not node.db:
            common = self._commons[node.name]
            outputs, sql = common.outputs, common.sql
        else:
            raise refused("this item of FROM", node)
        table_alias = node.args.get("alias")
        named = [] if table_alias is None else [each.name for each in table_alias.columns]
        item = Item(name=node.alias_or_name, alias=alias, outputs=renamed(outputs, named))
        return item, f"{sql} AS {alias}"


def _is_special(table: exp.Table) -> bool:
    parts = ("joins", "version", "ordinality", "only", "sample")
    return any(table.args.get(each) for each in parts)


def _columns_of(source: Source) -> tuple[Output, ...]:
    relation = source.relation
    if relation.store is None:
        raise refused(f"system relations, such as stategate.{relation.name}")
    return tuple(
        Output(name=each.name, column=each.name, type=each.type) for each in relation.columns
    )


def _rows(clause: exp.Expr) -> int:
    """Return the number of LIMIT or OFFSET."""
    amount = clause.args.get("count") if isinstance(clause, exp.Fetch) else clause.expression
    options = clause.args.get("limit_options")
    is_special = options is not None and any(
        options.args.get(each) for each in ("percent", "with_ties")
    )
    if (
        is_special
        or not isinstance(amount, exp.Literal)
        or amount.is_string
        or not amount.name.isdigit()
    ):
        raise refused("LIMIT and OFFSET, except with a literal number", clause)
    found = int(amount.name)
    if found > _ROWS_MAX:
        raise refused(f"LIMIT and OFFSET above {_ROWS_MAX}", clause)
    return found
