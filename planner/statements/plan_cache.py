"""Plans by text, and, for statements that may read few rows, also by shape."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeAlias

from stategate.planner.errors import QueryError
from stategate.planner.planning.lifting import (
    is_same,
    liftable,
    lifted_text,
    may_share,
    read_parameters,
)
from stategate.planner.planning.shapes import Made, Parameterized, Shapes, parameterize
from stategate.planner.syntax.parse import parse
from stategate.planner.syntax.tags import without_tags
from stategate.planner.values.statement import Statement, StatementKind
from stategate.stores.spec.schema import DataType

SHAPE_LENGTH_MAX = 2_000
"""A longer text is unlikely to be repeated with other literals."""

ParameterTypes: TypeAlias = tuple[DataType | None, ...]
_Key: TypeAlias = tuple[str, ParameterTypes, Made]


class PlanCache:
    """Planned statements, the most recently used last. Safe to use from many threads.

    The version of the store catalog is part of every key, so no plan outlives a definition. So are
    the session's settings of times, on which the meaning of a text depends.

    Args:
        statements_max: how many texts are kept, and how many shapes.
    """

    def __init__(self, statements_max: int) -> None:
        self._most = statements_max
        self._statements: OrderedDict[_Key, Statement] = OrderedDict()
        self._shapes = Shapes(statements_max)
        self._lock = threading.Lock()

    def find(self, sql: str, parameter_types: ParameterTypes, made: Made) -> Statement | None:
        """Return the plan of a text, by the text itself or by its shape; None without one.

        Tags at the end of the text do not count.
        """
        key = (sql, parameter_types, made)
        with self._lock:
            held = self._statements.get(key)
            if held is not None:
                self._statements.move_to_end(key)
                return held
        bare = without_tags(sql)
        if bare is not sql:
            return self.find(bare, parameter_types, made)
        if parameter_types or len(sql) > SHAPE_LENGTH_MAX:
            return None
        parameterized = parameterize(sql)
        if parameterized is None:
            return None
        with self._lock:
            return self._shapes.find(sql, parameterized, made)

    def add(
        self, sql: str, parameter_types: ParameterTypes, made: Made, planned: Statement
    ) -> None:
        """Keep the plan of a text; drop the least recently used plan if there are too many."""
        with self._lock:
            self._statements[sql, parameter_types, made] = planned
            while len(self._statements) > self._most:
                self._statements.popitem(last=False)

    def learn_shape(
        self,
        sql: str,
        planned: Statement,
        made: Made,
        plan_text: Callable[[str, ParameterTypes], Statement],
    ) -> None:
        """Plan the shape of a text when it occurs for the second time, for all further texts.

        Args:
            sql: the text.
            planned: its own plan.
            made: the catalog's version now, and the settings of times.
            plan_text: plans a text with parameters of these types.
        """
        if planned.kind is not StatementKind.SELECT or not may_share(planned):
            return
        parameterized = parameterize(sql)
        if parameterized is None or len(sql) > SHAPE_LENGTH_MAX:
            return
        with self._lock:
            if not self._shapes.is_second(parameterized, made):
                return
        places, shape = _shared(sql, planned, parameterized, plan_text)
        with self._lock:
            self._shapes.add(parameterized, made, places, shape)


def _shared(
    sql: str,
    planned: Statement,
    parameterized: Parameterized,
    plan_text: Callable[[str, ParameterTypes], Statement],
) -> tuple[tuple[int, ...], Statement | None]:
    """Return which literals of a text are lifted, and the plan that takes them, if there is one.

    Those on which no read depends are kept in a second attempt.
    """
    tree = parse(sql).tree
    places = () if tree is None else liftable(tree, parameterized)
    for _ in range(2):
        if not places:
            break
        lifted = parameterized.only(places)
        try:
            shape = plan_text(lifted_text(sql, lifted), lifted.types)
        except QueryError:
            break  # a literal stood where no parameter can
        if is_same(shape, planned, lifted):
            return places, shape
        found = read_parameters(shape)
        if len(found) == len(places):
            break
        places = tuple([place for at, place in enumerate(places) if at in found])
    return places, None
