"""Aggregates and window functions, with arguments whose order determines the value."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzz.grammar.calls import AGGREGATES, WINDOWS, Call
from tests.fuzz.grammar.expressions import Expressions, RowsOf, Scope
from tests.fuzz.grammar.forms import ONE_FORM
from tests.fuzz.grammar.guards import guarded
from tests.fuzz.grammar.vocabulary import COUNTED, ORDERABLE
from tests.fuzz.tree import Node, Part

_BY_ORDER = frozenset(
    {
        *(
            "array_agg",
            "string_agg",
            "json_agg",
            "jsonb_agg",
            "json_object_agg",
            "jsonb_object_agg",
        ),
    }
)
"""Aggregates whose value depends on the order of rows."""
_OF_DOUBLES = frozenset({"double precision", "real"})
_DIRECTIONS = ("", "", " DESC", " ASC", " NULLS FIRST", " DESC NULLS LAST")
_FRAMES = (
    "",
    "",
    " RANGE UNBOUNDED PRECEDING",
    " GROUPS 1 PRECEDING",
    " GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP",
    " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
)
_FRAMES_OF_ROWS = (
    "",
    " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
    " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    " ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
    " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
    " ROWS 1 PRECEDING EXCLUDE TIES",
)
_DISTANCES = {
    "integer": ("2", "1"),
    "bigint": ("10", "0"),
    "numeric": ("1.5", "2"),
    "date": ("interval '1 day'", "interval '1 month'"),
    "timestamp": ("interval '1 day'", "interval '2 hours'"),
}
"""Types that RANGE frames have offsets of, with such offsets."""
_ORDERLESS = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
"""Window functions that are the same for equal rows."""
_NAMES = sorted({call.name for call in AGGREGATES})


@dataclass(slots=True)
class Aggregates:
    """Draws aggregates and window functions.

    Args:
        expressions: draws their arguments.
        rows: draws subqueries in them.
    """

    expressions: Expressions
    rows: RowsOf

    @property
    def chance(self) -> random.Random:
        """The source of all choices."""
        return self.expressions.chance

    def _of(self, sort: str, scope: Scope, depth: int) -> Node:
        if sort in _OF_DOUBLES:
            # Sums of doubles depend on the order of rows, unless they are exact.
            return Node(sort, ("(", self._of("smallint", scope, depth), f")::{sort}"))
        return self.expressions.draw(sort, scope, depth, self.rows)

    def draw(self, scope: Scope, depth: int) -> Node:
        """Draw an aggregate, which may have a FILTER."""
        if self.chance.random() < 0.12:
            found = guarded(self.chance, "", scope.all_columns(), aggregate=True)
            if found is not None:
                return found
        form = self._within_group(scope, depth) if self.chance.random() < 0.1 else None
        form = form or self._call(scope, depth)
        if self.chance.random() >= 0.25:
            return Node("aggregate", form)
        return Node("aggregate", (*form, self._filter(scope)))

    def _filter(self, scope: Scope) -> Node:
        condition = self.expressions.draw("boolean", scope, 1, self.rows)
        return Node("clause", (" FILTER (WHERE ", condition, ")"), "")

    def _call(self, scope: Scope, depth: int) -> tuple[Part, ...]:
        if self.chance.random() < 0.15:
            return ("count(*)",)
        name = self.chance.choice(_NAMES)
        call = self.chance.choice([each for each in AGGREGATES if each.name == name])
        return self._arguments(call, scope, depth, distinct=self.chance.random() < 0.3)

    def _arguments(
        self, call: Call, scope: Scope, depth: int, *, distinct: bool = False, ordered: bool = True
    ) -> tuple[Part, ...]:
        places = call.form.parts[1::2]
        if call.name in {"count", "json_agg", "jsonb_agg", "array_agg", "max", "min"} and places:
            places = (self.chance.choice(ORDERABLE),)
        if call.name in _BY_ORDER and len(places) == 2:
            places = ("text", self.chance.choice(sorted(ONE_FORM - {"time"})))
            places = ("text", "text") if call.name == "string_agg" else places
        if call.name in {"min", "max"}:
            places = (self.chance.choice(["integer", "numeric", "text", "date", "bigint", "time"]),)
        one: list[Part] = []
        for at, place in enumerate(places):
            drawn: Part = self._of(place, scope, depth - 1)
            if call.name == "string_agg" and at == 1:
                drawn = "','"
            one += [", " if at else "", drawn]
        if not (call.name in _BY_ORDER and ordered and "aggregate order" not in self._without):
            word = "DISTINCT " if distinct and len(places) == 1 else ""
            return (f"{call.name}({word}", *one, ")")
        # An argument and its order are one expression, so neither is shrunk alone.
        keys = one if call.name != "string_agg" else one[:2]
        direction = self.chance.choice(_DIRECTIONS)
        word = "DISTINCT " if distinct and len(places) == 1 else ""
        parts = (f"{call.name}({word}", *one, " ORDER BY ", *keys, direction, ")")
        return (Node("fixed", parts),)

    @property
    def _without(self) -> frozenset[str]:
        return self.expressions.without

    def _within_group(self, scope: Scope, depth: int) -> tuple[Part, ...] | None:
        fraction = self.chance.choice(["0.5", "0", "0.25", "1", "ARRAY[0.25, 0.5]"])
        counted = self._of(self.chance.choice(COUNTED), scope, depth - 1)
        value = self.expressions.draw("double precision", scope, depth - 1, self.rows)
        direction = self.chance.choice(["", "", " DESC"])
        forms: list[tuple[Part, ...]] = [
            (f"percentile_disc({fraction}) WITHIN GROUP (ORDER BY ", counted, direction, ")"),
            ("mode() WITHIN GROUP (ORDER BY ", counted, direction, ")"),
        ]
        if "percentile_cont" not in self._without:
            forms.append((f"percentile_cont({fraction}) WITHIN GROUP (ORDER BY ", value, ")"))
        return self.chance.choice(forms)

    # Windows

    def windows(
        self, scope: Scope, total: str, depth: int, count: int
    ) -> tuple[list[Node], list[Part]]:
        """Draw window functions; return them and the WINDOW clause.

        Args:
            scope: the visible columns.
            total: terms that determine the order of all rows; empty if no terms do.
            depth: the depth of arguments.
            count: how many functions.
        """
        clause: list[Part] = []
        name = ""
        ordered: str | None = None
        if self.chance.random() < 0.35:
            name = "w"
            partition: Part = ""
            if self.chance.random() < 0.7:
                partition = self._partition(scope)
            clause = [" WINDOW w AS (", partition]
            if self.chance.random() < 0.5:
                order, ordered = self._order(scope, total)
                clause.append(order)
            clause.append(")")
            if self.chance.random() < 0.4:
                more: Part = ""
                if ordered is None:
                    more, ordered = self._order(scope, total)
                clause += [", v AS (w ", more, ")"]
                name = "v"
        found = [self._windowed(scope, total, depth, name, ordered) for _ in range(count)]
        return found, clause

    def _partition(self, scope: Scope) -> Node:
        sorts = [self.chance.choice(ORDERABLE), "integer"][: self.chance.choice([1, 1, 2])]
        parts: list[Part] = []
        for sort in sorts:
            parts += [", " if parts else "", self.expressions.draw(sort, scope, 1, self.rows)]
        return Node("clause", ("PARTITION BY ", *parts, " "), "")

    def _order(self, scope: Scope, total: str) -> tuple[Node, str]:
        """Draw ORDER BY, and return which order it is: total, of rows, or a type."""
        sort = self.chance.choice([*ORDERABLE, *_DISTANCES])
        # One of depth 2 may be a subquery.
        term = self.expressions.draw(sort, scope, self.chance.choice([1, 1, 2]), self.rows)
        direction = self.chance.choice(_DIRECTIONS)
        if total and self.chance.random() < 0.6:
            return Node("order", ("ORDER BY ", term, direction, f", {total}")), "total"
        return Node("order", ("ORDER BY ", term, direction)), sort

    def _windowed(
        self, scope: Scope, total: str, depth: int, name: str, ordered: str | None
    ) -> Node:
        over: list[Part] = []
        if name and self.chance.random() < 0.5 and ordered:
            function = self._function(scope, depth, is_total=ordered == "total")
            return Node("window", (*function, f" OVER {name}"))
        order: Part = ""
        kind = ordered
        if name:
            over.append(f"{name} ")
        elif self.chance.random() < 0.6:
            over.append(self._partition(scope))
        if kind is None and (not name or self.chance.random() < 0.8):
            order, kind = self._order(scope, total)
        over.append(order)
        if kind == "total":
            frame = self.chance.choice(_FRAMES_OF_ROWS)
        elif kind in _DISTANCES and self.chance.random() < 0.5:
            one, other = _DISTANCES[kind]
            frame = self.chance.choice(
                [
                    f" RANGE BETWEEN {one} PRECEDING AND {other} FOLLOWING",
                    f" RANGE {other} PRECEDING",
                ]
            )
        else:
            frame = self.chance.choice(_FRAMES) if kind else ""
        function = self._function(scope, depth, is_total=kind == "total")
        return Node("window", (*function, " OVER (", *over, frame, ")"))

    def _function(self, scope: Scope, depth: int, *, is_total: bool) -> tuple[Part, ...]:
        if self.chance.random() < 0.45:
            calls: Sequence[Call] = AGGREGATES
            calls = [each for each in calls if is_total or each.name not in _BY_ORDER]
            call = self.chance.choice(calls)
            form = self._arguments(call, scope, depth, ordered=False)
            if self.chance.random() < 0.2:
                form = (*form, self._filter(scope))
            return form
        calls = [each for each in WINDOWS if is_total or each.name in _ORDERLESS]
        call = self.chance.choice(calls)
        parts: list[Part] = []
        for at, place in enumerate(call.form.parts[1::2]):
            drawn: Part = self._of(place, scope, depth - 1)
            if place == "integer" and (at == 1 or call.name == "ntile"):
                drawn = self.expressions.constant("'small")
            parts += [", " if at else "", drawn]
        return (f"{call.name}(", *parts, ")")
