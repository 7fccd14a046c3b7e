"""A plan that reads only the rows of some keys: the keys that epochs have changed.

It is made for a SELECT of one keyvalue, global or window store, whose rows do not expire. Each row
of the result then comes from one row of the store, so the rows of the changed keys before and after
an epoch have all differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs
from sqlglot import exp

from stategate.planner.binding.predicates import Condition, Equals, OneOf, Operand, equals_one_of
from stategate.planner.live.subscribable import schemas_of
from stategate.planner.planning.access import Access
from stategate.planner.planning.plan import Compose, Count, Lookup, Node, QueryPlan, Stream
from stategate.planner.planning.trials import Trials
from stategate.planner.syntax.parse import parse
from stategate.planner.values.comparison_bounds import Fitted, fitted_float
from stategate.planner.values.statement import Statement
from stategate.stores.spec.key_log import recorded_columns
from stategate.stores.spec.schema import Key, Kind, Row, StoreKind

_ALLOWED = frozenset({"expressions", "from_", "where", "order", "kind"})
"""The parts of a SELECT that are of one row each, or only order rows."""
_WITH_KEYS = frozenset({StoreKind.KEYVALUE, StoreKind.GLOBAL, StoreKind.WINDOW})
"""Kinds whose rows are known by `recorded_columns`."""
_FLOATS = frozenset({Kind.REAL, Kind.DOUBLE})
_OF_MANY_ROWS = (exp.Window, exp.AggFunc, exp.UDTF, exp.Explode, exp.Query)


class Narrowed:
    """The plans of a statement for the rows of some keys, as `KeyLog` gives them.

    A list of keys with NULL in other columns is another condition, so it has another plan.

    Args:
        plan: the plan for all rows.
    """

    def __init__(self, plan: QueryPlan) -> None:
        self._plan = plan
        (schema,) = schemas_of(plan).values()
        columns = recorded_columns(schema)
        self._names = tuple([column.name for column in columns])
        self._width = len(schema.key)
        self._floats = [at for at, column in enumerate(columns) if column.type.kind in _FLOATS]
        self._place = len(plan.parameters)
        self._of_nulls: dict[tuple[bool, ...], QueryPlan] = {}

    def reads(self, keys: Sequence[Key], parameters: Row) -> Iterator[tuple[QueryPlan, Row]]:
        """Yield the plans that read the rows of these keys, and perhaps others, with parameters.

        No row is read by two of them.

        Args:
            keys: their values are in the order of the columns.
            parameters: those of the statement.
        """
        if isinstance(self._plan.node, Lookup):
            yield self._plan, parameters
            return
        by_nulls: dict[tuple[bool, ...], dict[Key, None]] = {}
        for key in self._fitted(keys) if self._floats else keys:
            by_nulls.setdefault(tuple([value is None for value in key]), {})[key] = None
        for nulls, members in by_nulls.items():
            plan = self._of_nulls.get(nulls)
            if plan is None:
                plan = self._of_nulls[nulls] = self._made(nulls)
            lists = [_values(places, members) for places in self._lists(nulls)]
            yield plan, (*parameters, *lists)

    def _fitted(self, keys: Sequence[Key]) -> Iterator[Key]:
        """Yield the keys as conditions have them: with one NaN, and no negative zero."""
        for key in keys:
            values = list(key)
            for at in self._floats:
                values[at] = None if values[at] is None else fitted_float(values[at])
            yield tuple(values)

    def _made(self, nulls: tuple[bool, ...]) -> QueryPlan:
        plan, conditions = self._plan, self._conditions(nulls)
        node = _with_conditions(plan.node, conditions)
        rows = None if plan.rows is None else plan.rows.of_fewer()
        # The plan without computed values would read all keys.
        return structs.replace(plan, node=node, rows=rows, without_values=None)

    def _conditions(self, nulls: tuple[bool, ...]) -> list[Condition]:
        """Return the conditions of keys with NULL in these places."""
        found: list[Condition] = [
            equals_one_of(name, (), null=True)
            for name, is_null in zip(self._names, nulls, strict=True)
            if is_null
        ]
        for parameter, places in enumerate(self._lists(nulls), start=self._place):
            names = tuple([self._names[at] for at in places])
            if len(names) == 1:
                keys = Operand(text="the keys", fit=Fitted, parameter=parameter, is_list=True)
                found.append(Equals(column=names[0], operands=(keys,)))
            else:
                found.append(OneOf(columns=names, parameter=parameter))
        return found

    def _lists(self, nulls: tuple[bool, ...]) -> list[tuple[int, ...]]:
        """Return the columns of each list of values, which are parameters after the others."""
        known = tuple([at for at, is_null in enumerate(nulls) if not is_null])
        keys = tuple([at for at in known if at < self._width])
        # Reads find keys of several columns by a list of these columns alone.
        found = [known] if known else []
        return [known, keys] if keys != known and len(keys) > 1 else found


def _values(places: tuple[int, ...], keys: Iterable[Key]) -> object:
    """Return the values of some columns of keys, each once: a list of values, or of rows."""
    if len(places) == 1:
        return tuple(dict.fromkeys([key[places[0]] for key in keys]))
    return tuple(dict.fromkeys([tuple([key[at] for at in places]) for key in keys]))


def _with_conditions(node: Node, conditions: Sequence[Condition]) -> Node:
    match node:
        case Stream() | Count():
            return structs.replace(node, access=_narrow(node.access, conditions))
        case Compose():
            inputs = tuple(
                [
                    (name, _narrow(read, conditions) if isinstance(read, Access) else read)
                    for name, read in node.inputs
                ]
            )
            return structs.replace(node, inputs=inputs, trials=Trials())
        case Lookup():
            return node


def _narrow(access: Access, conditions: Sequence[Condition]) -> Access:
    for condition in conditions:
        access = access.and_also(condition)
    return access


def narrowed(statement: Statement, plan: QueryPlan) -> Narrowed | None:
    """Return the plans for some keys; None if the rows are not those of one store's rows."""
    schemas = list(schemas_of(plan).values())
    tree = parse(statement.sql).tree
    if len(schemas) != 1 or not isinstance(tree, exp.Select) or not _is_of_rows(tree, plan):
        return None
    (schema,) = schemas
    if schema.kind not in _WITH_KEYS or schema.retention_ms is not None:
        return None
    # A result with a bare column is no aggregate, whose functions might not all be known.
    return Narrowed(plan) if any(plan.origins or ()) else None


def _is_of_rows(tree: exp.Select, plan: QueryPlan) -> bool:
    """Whether a SELECT makes each row of one row of the only relation that it reads."""
    if {name for name, value in tree.args.items() if value} - _ALLOWED:
        return False
    if isinstance(plan.node, Compose) and len(plan.node.inputs) != 1:
        return False
    table = tree.args["from_"].this if tree.args.get("from_") else None
    if not isinstance(table, exp.Table):
        return False
    alias = table.args.get("alias")
    others = {name for name, value in table.args.items() if value} - {"this", "db", "alias"}
    if others or (alias is not None and alias.args.get("columns")):
        return False
    # Functions in FROM and in SELECT may make several rows or none: those are not narrowed.
    return not any(node is not tree and isinstance(node, _OF_MANY_ROWS) for node in tree.walk())
