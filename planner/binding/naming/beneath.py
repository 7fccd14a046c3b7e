"""A SELECT in two levels: what is computed before its expressions becomes a query in its FROM.

Three things are computed beneath, because DuckDB would compute them elsewhere, or not at all:

- an aggregate in a subquery of the query that it belongs to. DuckDB takes it for the subquery's.
- a subquery or a volatile value by which a window sorts or divides rows. DuckDB refuses volatile
  values and windows there, and copies what RANGE sorts by, but cannot copy a subquery.
- a subquery in GROUP BY. DuckDB does not find it again elsewhere: its items have other names there.

The query in FROM has FROM, WHERE and GROUP BY, and a column for each aggregate, each term of
GROUP BY and each column that the expressions above read. HAVING becomes a WHERE above it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from functools import partial
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.binding.naming.aggregate_levels import Owners
from stategate.planner.binding.naming.groups import (
    READ_ABOVE,
    Ungrouped,
    find_ungrouped,
    has_query,
    is_whole,
    listed,
    plain_meaning,
    value_of,
)
from stategate.planner.binding.naming.key_groups import group_by_keys
from stategate.planner.binding.naming.namespaces import Item
from stategate.planner.binding.naming.result_names import RESULT, grouped_terms, meaning
from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.expressions.volatile import is_volatile
from stategate.planner.postgres.places import MAY_AGGREGATE, is_aggregate
from stategate.planner.postgres.types.output_columns import is_star
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.column_names import column_name
from stategate.planner.trees.nodes import Nodes, kinds, position_of, put, wrapped

_MOVED = ("from_", "joins", "laterals", "where", "group")
"""The clauses of the query in FROM."""
_Owned: TypeAlias = dict[int, tuple[exp.Column, exp.Expr | None]]
_AGGREGATES = kinds(*MAY_AGGREGATE)
_GROUPED = _AGGREGATES | kinds(exp.Group, exp.Having)


def may_split(select: exp.Select) -> bool:
    """Whether a SELECT with a star may have to be split; the star is then written out."""
    if not any(map(is_star, select.expressions)):
        return False
    roots = [each for key in READ_ABOVE for each in listed(select, key)]
    if any(_terms_beneath(window) for each in roots for window in each.find_all(exp.Window)):
        return True
    return any(
        is_aggregate(node) and node.parent_select is not select
        for each in roots
        for node in each.find_all(*MAY_AGGREGATE)
    )


def split_levels(nodes: Nodes, items: Iterable[Item], taken: set[str]) -> Ungrouped | None:
    """Split the SELECTs of a tree that need it, in place.

    Args:
        nodes: the nodes of a tree whose names are resolved.
        items: the items of all FROMs.
        taken: the names of the statement; gets those that are added.

    Returns:
        A column that is not grouped; None if all are.

    Raises:
        InvalidSyntaxError: an aggregate may not stand where its query has it (42803).
        NotSupportedError: such a SELECT has a star whose columns are not known.
    """
    group_by_keys(nodes, items)
    owners = Owners(items)
    moved = owners.aggregates_of_outer(nodes) if nodes.has(_AGGREGATES) else []
    ids = {id(each.whole) for each in moved}
    ungrouped = find_ungrouped(nodes, owners, ids) if nodes.has(_GROUPED) else None
    sorting = {id(w.parent_select) for w in nodes.of(exp.Window) if _terms_beneath(w)}
    grouping = {id(each.parent) for each in nodes.of(exp.Group) if has_query(each)}
    if not (moved or sorting or grouping):
        return ungrouped
    owned = {id(each): (each, owners.of_column(each)) for each in nodes.of(exp.Column)}
    wholes: dict[int, list[exp.Expr]] = defaultdict(list)
    for each in moved:
        wholes[id(each.owner)].append(each.whole)
    for select in nodes.of(exp.Select):  # outer ones first: inner ones copy their columns
        own = wholes[id(select)]
        is_sorting = id(select) in sorting
        if own or id(select) in grouping or (is_sorting and owners.is_grouped(select)):
            _Split(select, taken, owned).split(own, is_grouped=True)
        if is_sorting:
            _Split(select, taken, owned).split((), is_grouped=False)
    nodes.renew()
    return ungrouped


def _terms_beneath(window: exp.Window) -> list[exp.Expr]:
    """Return the terms of a window that are computed beneath it."""
    order = window.args.get("order")
    terms = [*(window.args.get("partition_by") or ())]
    terms += [term.this for term in order.expressions] if order is not None else []
    return [each for each in terms if each.find(exp.Query) or is_volatile(each)]


class _Split:
    """One SELECT that is split.

    Args:
        select: the SELECT.
        taken: the names of the statement; gets those that are added.
        owned: the columns of the statement by their ids, with the queries that they belong to.
    """

    def __init__(self, select: exp.Select, taken: set[str], owned: _Owned) -> None:
        self._select, self._taken, self._owned = select, taken, owned
        self._name = next(
            name for n in range(1, len(taken) + 2) if (name := f"beneath#{n}") not in taken
        )
        taken.add(self._name)
        self._items: list[exp.Expr] = []
        self._known: dict[exp.Expr, str] = {}
        """The names of the columns beneath, by what they are."""
        self._terms: dict[exp.Expr, str] = {}
        """The same of the terms of GROUP BY."""

    def split(self, aggregates: Sequence[exp.Expr], *, is_grouped: bool) -> None:
        """Split it.

        Args:
            aggregates: those of this SELECT that stand in subqueries.
            is_grouped: whether its rows are groups.
        """
        select = self._select
        if star := next(filter(is_star, select.expressions), None):
            raise NotSupportedError(
                "such a star beside an aggregate in a subquery, or beside a subquery in a window, "
                "is not supported",
                hint="Name the columns.",
                position=position_of(star),
            )
        names = [column_name(item) for item in select.expressions]
        if is_grouped:
            self._group()
        self._lower({id(each) for each in aggregates}, is_grouped=is_grouped)
        for item, name in zip([*select.expressions], names, strict=True):
            if not isinstance(item, exp.Alias) and column_name(item) != name:
                wrapped(item, partial(_named, name))
        whole = [exp.Count(this=exp.Star()) if is_grouped else exp.Literal.number(1)]
        inner = exp.Select(expressions=self._items or whole)
        for key in _MOVED:
            if (value := select.args.pop(key, None)) is not None:
                inner.set(key, value)
        alias = exp.TableAlias(this=_quoted(self._name))
        select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))
        if (having := select.args.pop("having", None)) is not None:
            select.set("where", exp.Where(this=having.this))

    def _group(self) -> None:
        """Give each term of GROUP BY a column beneath."""
        group = self._select.args.get("group")
        for term in [*grouped_terms(group)] if group is not None else ():
            value = value_of(term, self._select)
            if isinstance(value, exp.Column) and value.table == self._name:  # named twice
                put(term, self._place(value.name))
                continue
            meant = plain_meaning(value)
            if (name := self._terms.get(meant)) is not None:
                put(term, self._place(name))
                continue
            name = self._terms[meant] = self._next()
            if value is not term:
                put(value, self._column(name))
                put(term, self._place(name))
            elif isinstance(term, exp.Column):
                value = term.copy()  # it stays in GROUP BY
            else:
                put(term, self._place(name))
            self._add(value)

    def _lower(self, aggregates: Set[int], *, is_grouped: bool) -> None:
        """Replace what is computed beneath in the expressions above."""
        select = self._select
        kinds = {type(each) for each in self._terms}
        left = [each for key in READ_ABOVE for each in listed(select, key)]
        while left:
            checkpoint()
            node = left.pop()
            is_own = node.parent_select is select
            if is_own and type(node) in kinds and (name := self._terms.get(plain_meaning(node))):
                put(node, self._column(name))
            elif id(node) in aggregates or (is_grouped and is_own and is_whole(node)):
                self._put(node)
            elif isinstance(node, exp.Column):
                _, owner = self._owned.get(id(node), (None, None))
                is_made = node.table == self._name
                if owner is select and not is_made and RESULT not in node.meta:
                    self._put(node)
            else:
                if isinstance(node, exp.Window) and is_own and not is_grouped:
                    for term in _terms_beneath(node):
                        self._put(term)
                left += node.iter_expressions()

    def _put(self, node: exp.Expr) -> None:
        """Compute an expression beneath."""
        meant = meaning(node)
        name = None if is_volatile(node) else self._known.get(meant)
        put(node, self._column(name or self._next()))
        if name is None:
            self._known[meant] = self._next()
            self._add(node)

    def _next(self) -> str:
        """Return the name of the next column beneath."""
        return f"{self._name}.{len(self._items) + 1}"

    def _add(self, value: exp.Expr) -> None:
        self._taken.add(self._next())
        self._items.append(_named(self._next(), value))

    def _column(self, name: str) -> exp.Column:
        made = exp.column(name, table=_quoted(self._name), quoted=True)
        self._owned[id(made)] = made, self._select
        return made

    def _place(self, name: str) -> exp.Expr:
        return exp.Literal.number(name.rpartition(".")[2])


def _named(name: str, value: exp.Expr) -> exp.Expr:
    return exp.Alias(this=value, alias=_quoted(name))


def _quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)
