"""Resolves the names of a query, so that DuckDB finds no others.

Each query is read as PostgreSQL reads it: WITH, FROM from left to right, then the expressions, each
with exactly the names that it may see. If a query has several items of FROM or several SELECTs, all
columns are qualified, and no two relations of the statement have the same name: unlike
PostgreSQL, DuckDB lets every item of FROM see those left of it.

A name that two columns of an item have is ambiguous, but `*` has both. So the tree gives such
columns different names, and a `*` over them is written out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from sqlglot import exp

from stategate.planner.binding.naming.beneath import may_split, split_levels
from stategate.planner.binding.naming.distinct_on import choose_first, chooses_first
from stategate.planner.binding.naming.from_items import (
    Commons,
    FromReader,
    Names,
    Relation,
    has_ends,
    told_apart,
    with_aliases,
)
from stategate.planner.binding.naming.groups import Ungrouped
from stategate.planner.binding.naming.namespaces import (
    Level,
    Own,
    Place,
    ambiguous,
    find_bare,
    find_relation,
    item_of,
    levels,
    no_column,
    owner_of,
)
from stategate.planner.binding.naming.references import References
from stategate.planner.binding.naming.result_names import (
    WHOLE_ROW,
    Clauses,
    Output,
    no_whole_row,
    order_set,
    resolve_frame,
)
from stategate.planner.binding.naming.row_subqueries import (
    compare_with_rows,
    compared_query,
    note_column,
)
from stategate.planner.errors import InvalidSyntaxError, UnknownNameError
from stategate.planner.postgres.types.output_columns import is_field_star, is_star
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.column_names import column_name
from stategate.planner.trees.nodes import Nodes, position_of, strip

_READ_BY_NAME = {"with_", "from_", "joins", "expressions", "group", "order", "distinct"}
"""The clauses of a SELECT that are not just expressions."""


def resolve_names(
    tree: exp.Query,
    nodes: Nodes,
    relation_of: Callable[[exp.Table], Relation | None],
    mentioned: set[str],
) -> Ungrouped | None:
    """Resolve the names of a query, in place.

    Args:
        tree: the query.
        nodes: its nodes.
        relation_of: returns the relation of a table; None if it is a function.
        mentioned: all names of the statement; gets those that are added.

    Returns:
        A column that is not grouped; None if all are.

    Raises:
        UnknownNameError: a name stands for nothing, or for several things.
        InvalidSyntaxError: ORDER BY does not suit DISTINCT (42P10), or an aggregate its place.
        NotSupportedError: ORDER BY of a set operation has an expression.
    """
    return _Names(nodes, relation_of, mentioned).resolve(tree)


class _Names:
    def __init__(
        self,
        nodes: Nodes,
        relation_of: Callable[[exp.Table], Relation | None],
        mentioned: set[str],
    ) -> None:
        self._nodes, self._mentioned, self._relation_of = nodes, mentioned, relation_of
        self._references = References()
        self._reader = FromReader(
            relation_of=self._relation,
            read=self._expression,
            query=self._query,
            items=[],
            mentioned=mentioned,
        )
        self._is_changed = False
        self._correlated: list[exp.Expr] = []
        """IN, ANY and ALL of correlated subqueries, outer ones first."""

    def resolve(self, tree: exp.Query) -> Ungrouped | None:
        self._query(tree, Level(), {})
        items = self._reader.items
        is_qualified = self._references.write(
            items,
            self._mentioned,
            is_alone=len(items) <= 1 and len(self._nodes.of(exp.Select)) == 1,
            has_groups=bool(self._nodes.of(exp.Group)),
        )
        if self._is_changed or is_qualified:
            self._nodes.renew()
        ungrouped = split_levels(self._nodes, items, self._mentioned)
        if compare_with_rows(reversed(self._correlated), self._mentioned):
            self._nodes.renew()
        choose_first(self._nodes, self._mentioned)
        return ungrouped

    # Queries

    def _query(self, node: exp.Expr, parent: Level, commons: Commons) -> Names | None:
        """Resolve the names of a query, and return its result columns."""
        if isinstance(node, exp.Values):
            for row in node.expressions:
                self._expression(row, Level(parent), commons)
            first = node.expressions[0] if node.expressions else None
            width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
            return tuple(f"column{at + 1}" for at in range(width))
        commons = self._commons(node, parent, commons)
        if isinstance(node, exp.Select):
            return self._select(node, parent, commons)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, parent, commons)
        names = self._query(node.this, parent, commons)  # brackets
        self._ends(node, names, parent, commons)
        return names

    def _set_operation(
        self, node: exp.SetOperation, parent: Level, commons: Commons, recursive: str = ""
    ) -> Names | None:
        sides: list[exp.Expr] = []
        first: exp.Expr = node
        while isinstance(first, exp.SetOperation) and (first is node or not has_ends(first)):
            sides.append(first.expression)
            first = first.this
        names = self._query(first, parent, commons)
        if recursive:
            commons = {**commons, recursive: self._common(node.parent, names)}
        for side in reversed(sides):
            self._query(side, parent, commons)
        self._ends(node, names, parent, commons)
        return names

    def _ends(self, node: exp.Expr, names: Names | None, parent: Level, commons: Commons) -> None:
        """Resolve the ORDER BY, LIMIT and OFFSET of a set operation."""
        if (order := node.args.get("order")) is not None:
            order_set(order, names)
        for key in ("limit", "offset"):
            if (end := node.args.get(key)) is not None:
                self._expression(end, Level(parent), commons)

    def _commons(self, node: exp.Expr, parent: Level, commons: Commons) -> Commons:
        """Return the common table expressions that a query can name."""
        clause = node.args.get("with_")
        if clause is None:
            return commons
        own: set[str] = set()
        for cte in clause.expressions:
            name = cte.alias
            if name in own:
                raise UnknownNameError(
                    f'WITH query name "{name}" specified more than once', sqlstate="42712"
                )
            own.add(name)
            body, level = cte.this, Level(parent)
            if clause.args.get("recursive") and isinstance(body, exp.SetOperation):
                inner = self._commons(body, level, commons)
                names = self._set_operation(body, level, inner, recursive=name)
            else:
                names = self._query(body, level, commons)
            commons = {**commons, name: self._common(cte, names)}
        return commons

    def _common(self, cte: exp.Expr | None, names: Names | None) -> Relation:
        """Return a common table expression as a relation; its columns get different names."""
        assert cte is not None
        alias = cte.args["alias"]
        given = [column.name for column in alias.columns]
        if names is None:
            return Relation(columns=None, written=())
        columns = with_aliases(names, given, f'WITH query "{cte.alias}"', position_of(alias))
        written = told_apart(columns)
        if written != columns:
            alias.set("columns", [exp.to_identifier(name, quoted=True) for name in written])
            self._mentioned.update(written)
        return Relation(columns=columns, written=written)

    def _relation(self, table: exp.Table, commons: Commons) -> Relation | None:
        if not table.db and isinstance(table.this, exp.Identifier) and table.name in commons:
            return commons[table.name]
        return self._relation_of(table)

    def _select(self, select: exp.Select, parent: Level, commons: Commons) -> Names | None:
        checkpoint()
        level = Level(parent)
        places = self._reader.places(select, level, commons)

        def read(node: exp.Expr, at: Level) -> None:
            self._expression(node, at, commons)

        outputs = self._outputs(select, level, places, read)
        for key, value in select.args.items():
            if key not in _READ_BY_NAME:
                before = level.reads
                for node in value if isinstance(value, list) else [value]:
                    if isinstance(node, exp.Expr):
                        read(node, level)
                if key in {"limit", "offset"} and level.reads > before:
                    raise InvalidSyntaxError(
                        f"argument of {key.upper()} must not contain variables", sqlstate="42P10"
                    )
        clauses = Clauses(outputs=outputs, level=level, read=read, copied=self._references.copied)
        if (group := select.args.get("group")) is not None:
            self._is_changed |= clauses.group(group)
        order, distinct = select.args.get("order"), select.args.get("distinct")
        if order is not None:
            clauses.order(order)
        if distinct is not None:
            clauses.distinct(distinct, order)
        return None if outputs is None else tuple([output.name for output in outputs])

    def _outputs(
        self,
        select: exp.Select,
        level: Level,
        places: list[Place],
        read: Callable[[exp.Expr, Level], None],
    ) -> list[Output] | None:
        """Resolve a SELECT list, and return the result columns; None if a star hides them."""
        is_read = any(select.args.get(key) is not None for key in ("group", "order", "distinct"))
        is_written = chooses_first(select) or may_split(select)
        outputs: list[Output] = []
        is_known = True
        for item in list(select.expressions):
            if is_star(item):
                found = self._star(item, level, places, is_read=is_read, is_written=is_written)
                is_known &= found is not None
                outputs += found or ()
                continue
            read(item, level)
            is_known = is_known and not is_field_star(item)
            outputs.append(Output(column_name(item), item.unalias(), isinstance(item, exp.Alias)))
        return outputs if is_known else None

    # Expressions

    def _expression(self, root: exp.Expr, level: Level, commons: Commons) -> None:
        left = [root]
        while left:
            node = left.pop()
            if isinstance(node, exp.Column):
                self._column(node, level)
            elif isinstance(node, exp.Query | exp.Values):
                names = self._query(node, level, commons)
                if names is not None:
                    note_column(node, names)
            elif (query := compared_query(node)) is not None:
                if isinstance(node, exp.In):
                    self._expression(node.this, level, commons)
                self._compared(node, query, level, commons)
            elif isinstance(node, exp.WindowSpec):
                resolve_frame(node, level, lambda each, at: self._expression(each, at, commons))
            else:
                found: list[exp.Expr] = []
                for value in node.args.values():
                    listed = value if isinstance(value, list) else [value]
                    found += [each for each in listed if isinstance(each, exp.Expr)]
                left += reversed(found)

    def _compared(self, node: exp.Expr, query: exp.Expr, level: Level, commons: Commons) -> None:
        """Resolve the names of a subquery whose rows are compared with a value or a row."""
        place, before = len(self._correlated), level.reads
        names = self._query(query, level, commons)
        if level.reads > before:
            self._correlated.insert(place, node)
        whole = node if isinstance(node, exp.In) else node.parent
        row = None if whole is None else strip(whole.this)
        width = len(row.expressions) if isinstance(row, exp.Tuple) else 1
        if names is not None and len(names) != width:
            raise InvalidSyntaxError(
                f"subquery has too {'few' if len(names) < width else 'many'} columns",
                position=position_of(query),
            )

    def _column(self, column: exp.Column, level: Level) -> None:
        name, qualifier = column.name, column.args.get("table")
        if isinstance(column.this, exp.Star):
            entry, owner = owner_of(column, level)
            self._references.note(column, item_of(entry, column), level, owner)
            return
        if qualifier is None:
            found = find_bare(level, name, column)
            if found is None:
                self._row(column, level)
            elif WHOLE_ROW in column.meta:
                raise no_whole_row(column)
            else:
                self._references.note(column, found.target, level, found.level)
            return
        entry, owner = owner_of(column, level)
        targets = entry.of(name) or entry.hidden(name)
        if not targets:
            raise UnknownNameError(
                f"column {qualifier.name}.{name} does not exist",
                position=position_of(qualifier),
                sqlstate="42703",
            )
        if len(targets) > 1:
            raise ambiguous(f'column reference "{name}" is ambiguous', qualifier)
        self._references.note(column, targets[0], level, owner)

    def _row(self, column: exp.Column, level: Level) -> None:
        """Resolve a whole row as a value."""
        found = find_relation(level, column.name, column)
        if found is None:
            raise no_column(level, column.name, column)
        item = item_of(found[0], column)
        names = (item.name, column.name)
        for each in levels(level):
            if any(e.item is not item and any(map(e.of, names)) for e in each.entries):
                item.is_captured = True
            if each is found[1]:
                break
        self._references.note(column, item, level, found[1])

    def _star(
        self, star: exp.Expr, level: Level, places: list[Place], *, is_read: bool, is_written: bool
    ) -> list[Output] | None:
        """Return the columns of a star, which is written out if DuckDB would have others.

        Args:
            star: an item of a SELECT list.
            level: the names that it sees.
            places: the columns of FROM.
            is_read: whether other clauses refer to results.
            is_written: whether it is to be written out in any case.
        """
        bare = star.this if isinstance(star, exp.Column) else star
        entries = level.entries
        if isinstance(star, exp.Column):
            entry, owner = owner_of(star, level)
            entries, places = [entry], list(entry.places)
            if entry.item is not None:
                self._references.note(star, entry.item, level, owner)
        elif not entries:
            raise InvalidSyntaxError(
                "SELECT * with no tables specified is not valid", position=position_of(star)
            )
        if any(bare.args.values()) or any(e.item and e.item.columns is None for e in entries):
            return None
        counts = Counter(name for name, _ in places)
        is_written = is_written or not all(
            name == target.name
            and (isinstance(target, Own) or (entries is level.entries and counts[name] == 1))
            for name, target in places
        )
        if not (is_written or is_read):
            return [Output(name, star, is_named=False) for name, _ in places]
        outputs: list[Output] = []
        items: list[exp.Expr] = []
        for name, target in places:
            column, alias = exp.column(name, quoted=True), exp.to_identifier(name, quoted=True)
            self._references.note(column, target, level, level)
            is_named = is_written and name != target.name
            items.append(exp.Alias(this=column, alias=alias) if is_named else column)
            outputs.append(Output(name, column, is_named))
        if is_written:
            star.replace(items)
            self._mentioned.update(name for name, _ in places)
            self._is_changed = True
        return outputs
