"""Plans by text, and the plans of lookups by shape too."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeAlias

from planner.errors import QueryError
from planner.planning.plan import Lookup, QueryPlan
from planner.planning.shapes import Parameterized, Shapes, is_lookup_of, parameterize
from planner.values.statement import Statement, StatementKind
from stores.spec.schema import DataType

SHAPE_LENGTH_MAX = 2_000
"""A longer text is unlikely to be a lookup that is repeated with other keys."""

ParameterTypes: TypeAlias = tuple[DataType | None, ...]
_Key: TypeAlias = tuple[str, ParameterTypes, int]


class PlanCache:
    """Planned statements, the latest used last. Safe to use from many threads.

    The version of the store catalog is part of every key, so no plan outlives a definition.

    Args:
        statements_max: how many texts are kept, and how many shapes.
    """

    def __init__(self, statements_max: int) -> None:
        self._most = statements_max
        self._statements: OrderedDict[_Key, Statement] = OrderedDict()
        self._shapes = Shapes(statements_max)
        self._lock = threading.Lock()

    def find(self, sql: str, parameter_types: ParameterTypes, version: int) -> Statement | None:
        """Return the plan of a text, by the text itself or by its shape; None without one."""
        key = (sql, parameter_types, version)
        with self._lock:
            held = self._statements.get(key)
            if held is not None:
                self._statements.move_to_end(key)
                return held
        if parameter_types or len(sql) > SHAPE_LENGTH_MAX:
            return None
        parameterized = parameterize(sql)
        if parameterized is None:
            return None
        with self._lock:
            return self._shapes.find(sql, parameterized, version)

    def add(
        self, sql: str, parameter_types: ParameterTypes, version: int, planned: Statement
    ) -> None:
        """Keep the plan of a text; the one unused for longest goes if there are too many."""
        with self._lock:
            self._statements[sql, parameter_types, version] = planned
            while len(self._statements) > self._most:
                self._statements.popitem(last=False)

    def learn_shape(
        self,
        sql: str,
        planned: Statement,
        version: int,
        plan_shape: Callable[[Parameterized], Statement],
    ) -> None:
        """Plan the shape of a lookup when it comes for the second time, for all further texts.

        Args:
            sql: the text of the lookup.
            planned: its own plan.
            version: the catalog's version now.
            plan_shape: plans the shape.
        """
        plan = planned.plan
        is_lookup = isinstance(plan, QueryPlan) and isinstance(plan.node, Lookup)
        if not is_lookup or planned.kind is not StatementKind.SELECT:
            return
        parameterized = parameterize(sql)
        if parameterized is None or len(sql) > SHAPE_LENGTH_MAX:
            return
        with self._lock:
            if not self._shapes.is_second(parameterized, version):
                return
        try:
            shape: Statement | None = plan_shape(parameterized)
        except QueryError:
            shape = None  # a literal stood where no parameter can, as in `date '2020-01-01'`
        if shape is not None and not is_lookup_of(shape, parameterized):
            shape = None
        with self._lock:
            self._shapes.add(parameterized, shape, version)
