"""SELECTs from the grammar: every clause, over the stores of `tests.fuzz.world`.

SQL must determine the result of a statement, or PostgreSQL could not judge it. So LIMIT, DISTINCT
ON, row_number, lag and ROWS frames get a total order. Where an expression may fail for some rows,
only a statement that evaluates every row must fail alike.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.fuzz.grammar.aggregates import Aggregates
from tests.fuzz.grammar.expressions import MAY_FAIL, Expressions, Scope
from tests.fuzz.grammar.sources import Joined, Relation, Sources
from tests.fuzz.grammar.vocabulary import ALIASES, KEYS, NAMES, ORDERABLE, SORTS, ZONES, quoted
from tests.fuzz.tree import Literal, Node, Part
from tests.planner.binding.colliding_names import Names

_NUMBERS = ("smallint", "integer", "bigint", "numeric")
_DATE_ORDERS = ("MDY", "DMY", "YMD")


@dataclass(slots=True, kw_only=True)
class Case:
    """A statement, and the checks that its answer allows."""

    root: Node
    ordered: tuple[int, ...] = ()
    """Places, from 0, of the result columns by which the rows are ordered."""
    strict: bool = False
    """Whether every row is evaluated, so that both servers must give the same error."""
    any_name_error: bool = False
    """Whether it may have several errors of its names, of which each server reports one."""
    features: frozenset[str] = frozenset()
    zone: str = "UTC"
    """The session's time zone."""
    dates: str = "MDY"
    """The session's order of dates."""

    @property
    def may_fail(self) -> bool:
        """Whether it may fail for rows that PostgreSQL does not evaluate."""
        return MAY_FAIL in self.features


@dataclass(slots=True)
class Output:
    """A result column."""

    node: Node
    sort: str
    name: str | None = None


@dataclass(slots=True)
class Statements:
    """Draw statements."""

    chance: random.Random
    without: frozenset[str] = frozenset()
    depth: int = 3
    tables: list[Relation] = field(default_factory=list)
    """Visible CTEs."""
    expressions: Expressions = field(init=False)
    sources: Sources = field(init=False)
    aggregates: Aggregates = field(init=False)

    def __post_init__(self) -> None:
        self.expressions = Expressions(self.chance, self.without)
        self.sources = Sources(self.expressions, self.rows, self.query, self.tables)
        self.aggregates = Aggregates(self.expressions, self.rows)

    def may(self, likely: float, feature: str = "") -> bool:
        """Decide whether to use a clause; never if its feature is left out."""
        return self.expressions.may(likely, feature)

    def case(self) -> Case:
        """Draw one statement."""
        self.expressions.in_catalog = self.may(0.06, "catalog")
        if self.may(0.2):
            case = self._strict()
        elif self.may(0.08, "colliding names"):
            names = Names(self.chance, [("notes", ("sample", "number"))])
            case = Case(root=names.query(), any_name_error=True)
        elif self.may(0.02):
            case = Case(root=self._values(self.sources.sorts(3)))
        else:
            self.expressions.calls = 0.35 if self.may(0.5) else 0.0
            case = self._with_tables()
        if case.ordered:
            # A part has no order, so it cannot replace the whole.
            case.root = Node("ordered", case.root.parts)
        case.features = frozenset(self.expressions.used)
        if self.may(0.3, "zone"):
            case.zone = self.chance.choice(ZONES)
        if self.may(0.1, "dates"):
            case.dates = self.chance.choice(_DATE_ORDERS)
        return case

    # Statements

    def _strict(self) -> Case:
        """Draw an expression that may fail, evaluated for all rows of a store."""
        relation, source = self.sources.store("t")
        scope = self.sources.scope(Joined([relation], source))
        sort = self.chance.choice([*SORTS, "text", "text", "integer"])
        risky = self.expressions.draw(sort, scope, self.depth - 1, self.rows, risky=True)
        return Case(root=Node("rows", ("SELECT ", risky, " FROM ", source)), strict=True)

    def _with_tables(self) -> Case:
        parts: list[Part] = []
        if self.may(0.25, "cte"):
            parts = self._with(self.depth, None, self.chance.randint(1, 2))
        if self.may(0.18, "set operation"):
            case = self._set_operation()
        else:
            case = self._select(self.sources.sorts(4), depth=self.depth, outer=None, top=True)
        if case.ordered:
            case.root = Node("ordered", case.root.parts)
        case.root = Node("rows", (*parts, case.root))
        return case

    def _with(self, depth: int, outer: Scope | None, count: int) -> list[Part]:
        """Draw WITH, whose tables are visible from then on."""
        found: list[tuple[Relation, Node]] = []
        is_recursive = False
        for _ in range(count):
            name = self.chance.choice([*ALIASES, "notes", "r0"])
            if name in {relation.alias for relation, _ in found}:
                continue
            if depth > 1 and self.may(0.25, "recursive"):
                is_recursive = True
                relation, node = self._recursive(name, depth)
            else:
                sorts = self.sources.sorts(3)
                columns = list(zip(self.sources.names(len(sorts)), sorts, strict=True))
                relation, node = Relation(name, columns), self.query(sorts, depth - 1, outer)
            found.append((relation, node))
            self.tables.append(relation)
        parts: list[Part] = []
        for relation, node in found:
            listed = ", ".join(quoted(column) for column, _ in relation.columns)
            kept = self.chance.choice(["", "", "MATERIALIZED ", "NOT MATERIALIZED "])
            word = "WITH RECURSIVE " if is_recursive else "WITH "
            parts += [", " if parts else word]
            parts += [f"{quoted(relation.alias)} ({listed}) AS {kept}(", node, ")"]
        return [*parts, " "]

    def _recursive(self, name: str, depth: int) -> tuple[Relation, Node]:
        """Draw a CTE that refers to itself, a few steps deep."""
        # The digits of a numeric would have to be declared alike on both sides.
        sort = self.chance.choice([sort for sort in ORDERABLE if sort != "numeric"])
        relation = Relation(name, [("x", "integer"), ("y", sort)])
        if self.may(0.4):
            base: Part = Node("v", ("VALUES (1, ", self.expressions.constant(sort), ")"))
        else:
            base = self.query(["integer", sort], depth - 2, None)
        scope = Scope({"integer": ["q.x"], sort: ["q.y"]} if sort != "integer" else {sort: ["q.x"]})
        value = self.expressions.draw(sort, scope, 1, self.rows)
        join = ""
        if self.may(0.4):
            kind = self.chance.choice(["JOIN", "LEFT JOIN"])
            join = f" {kind} notes n ON n.sample = q.x AND n.number = 2"
        word = self.chance.choice(["UNION", "UNION ALL"])
        most = self.chance.randint(1, 3)
        step = (f" {word} SELECT q.x + 1, ", value, f" FROM {quoted(name)} AS q{join}")
        return relation, Node("recursive", (base, *step, f" WHERE q.x BETWEEN 0 AND {most}"))

    # Queries of given types

    def rows(self, sort: str, scope: Scope, depth: int) -> Node:
        """Draw a subquery of one column, which may be correlated."""
        outer = scope if self.may(0.6, "correlated") else None
        return self.query([sort or "integer"], depth, outer)

    def query(self, sorts: Sequence[str], depth: int, outer: Scope | None) -> Node:
        """Draw a query with columns of these types."""
        if depth > 0 and self.may(0.1, "set operation"):
            node = self._sets(sorts, depth, outer, self.chance.choice([2, 2, 3]))
            return Node("rows", ("(", node, ")")) if self.may(0.3) else node
        if self.may(0.05):
            return self._values(sorts)
        if depth > 1 and self.may(0.05, "cte"):
            known = len(self.tables)
            parts = self._with(depth - 1, outer, 1)
            inner = self._select(sorts, depth=depth - 1, outer=outer).root
            del self.tables[known:]
            return Node("rows", ("(", *parts, inner, ")"))
        inner = self._select(sorts, depth=depth, outer=outer).root
        if "json" not in sorts and self.may(0.06, "limited"):
            places = [str(place + 1) for place in range(len(sorts))]
            order = self._order_by(places)
            return Node("rows", ("(", inner, order, self._limit(), ")"))
        return inner

    def _set_operation(self) -> Case:
        sorts = [self.chance.choice(ORDERABLE) for _ in range(self.chance.randint(1, 3))]
        node = self._sets(sorts, self.depth, None, self.chance.choice([2, 2, 3, 4, 6]), mixed=True)
        ordered: tuple[int, ...] = ()
        parts: list[Part] = [node]
        if self.may(0.5):
            ordered = tuple(range(len(sorts)))
            parts += [self._order_by([str(i + 1) for i in ordered]), self._limit()]
        return Case(root=Node("rows", tuple(parts)), ordered=ordered)

    def _sets(
        self,
        sorts: Sequence[str],
        depth: int,
        outer: Scope | None,
        size: int,
        *,
        mixed: bool = False,
    ) -> Node:
        """Draw a tree of set operations; `mixed` lets branches have other types of numbers."""
        if size == 1:
            return self._branch(sorts, depth, outer, mixed=mixed)
        first = self.chance.randint(1, size - 1)
        parts: list[Part] = []
        for at, count in enumerate((first, size - first)):
            node = self._sets(sorts, depth - 1, outer, count, mixed=mixed)
            if at:
                words = ["UNION"] if "json" in sorts else ["UNION", "UNION", "INTERSECT", "EXCEPT"]
                kinds = [" ALL"] if "json" in sorts else ["", " ALL", " DISTINCT"]
                parts.append(f" {self.chance.choice(words)}{self.chance.choice(kinds)} ")
            in_parentheses = self.may(0.4) if count > 1 else self.may(0.2)
            parts += ["(", node, ")"] if in_parentheses else [node]
        return Node("rows", tuple(parts))

    def _branch(
        self, sorts: Sequence[str], depth: int, outer: Scope | None, *, mixed: bool
    ) -> Node:
        if mixed and self.may(0.2):
            sorts = [self.chance.choice(_NUMBERS) if s in _NUMBERS else s for s in sorts]
        if self.may(0.2):
            return self._values(sorts)
        return self._select(sorts, depth=max(depth - 1, 0), outer=outer).root

    def _values(self, sorts: Sequence[str]) -> Node:
        parts: list[Part] = ["VALUES "]
        for row in range(self.chance.randint(1, 3)):
            parts.append(", (" if row else "(")
            for column, sort in enumerate(sorts):
                value: Part = self.expressions.constant(sort)
                if self.may(0.15):
                    value = self.expressions.draw(sort, Scope({}), 1, self.rows)
                parts += [", " if column else "", value]
            parts.append(")")
        return Node("rows", tuple(parts))

    def _select(
        self, sorts: Sequence[str], *, depth: int, outer: Scope | None, top: bool = False
    ) -> Case:
        """Draw a SELECT of columns of these types."""
        if self.may(0.04, "no from"):
            outputs = self._outputs(sorts, Scope({}, outer), depth, named=top)
            return Case(root=self._shown("", outputs, Node("from", ("",))))
        joined = self.sources.draw(depth, outer)
        relations = joined.relations
        scope = self.sources.scope(joined, outer)
        where: Part = ""
        if self.may(0.65):
            where = Node("clause", (" WHERE ", self._condition(relations, scope, depth)), "")
        body = Node("from", (" FROM ", joined.node, where))
        if depth > 0 and self.may(0.25, "group by"):
            return self._grouped(sorts, scope, body, depth, top=top)
        if depth > 0 and top and self.may(0.15, "window"):
            return self._windowed(scope, relations, body, depth)
        if top and self.may(0.08, "distinct on") and relations[0].store and len(relations) == 1:
            return self._distinct_on(scope, relations[0], body)
        if top and self.may(0.06, "star"):
            return Case(root=Node("rows", ("SELECT ", self._star(relations), body)))
        distinct = "DISTINCT " if "json" not in sorts and self.may(0.15) else ""
        outputs = self._outputs(sorts, scope, depth, named=top)
        ordered, tail = self._tail(outputs, scope, distinct) if top else ((), "")
        return Case(root=self._shown(distinct, outputs, body, tail), ordered=ordered)

    def _condition(self, relations: Sequence[Relation], scope: Scope, depth: int) -> Node:
        if len(relations) > 1 and self.may(0.6, "sides"):
            condition = self.sources.on_sides(relations)
        else:
            condition = self.expressions.draw("boolean", scope, depth, self.rows)
        if self.may(0.3, "computed bound"):
            condition = self.expressions.bounded(condition, scope, self.rows)
        return condition

    def _outputs(
        self, sorts: Sequence[str], scope: Scope, depth: int, *, named: bool = False
    ) -> list[Output]:
        found = []
        for sort in sorts:
            node = self.expressions.draw(sort, scope, depth - 1, self.rows)
            name = self.chance.choice(NAMES) if named and self.may(0.3) else None
            found.append(Output(node, sort, name))
        return found

    def _shown(self, distinct: str, outputs: Sequence[Output], body: Node, tail: Part = "") -> Node:
        parts: list[Part] = ["SELECT ", distinct]
        for number, output in enumerate(outputs):
            parts += [", " if number else "", output.node]
            if output.name is not None:
                parts.append(Node("clause", (f" AS {quoted(output.name)}",), ""))
        return Node("rows", (*parts, body, tail))

    def _star(self, relations: Sequence[Relation]) -> str:
        if self.may(0.5):
            return "*"
        return f"{quoted(self.chance.choice(relations).alias)}.*"

    # The end of a statement

    def _tail(
        self, outputs: Sequence[Output], scope: Scope, distinct: str
    ) -> tuple[tuple[int, ...], Part]:
        """Draw ORDER BY over all columns with a limit, or over some without one."""
        places = [i for i, output in enumerate(outputs) if output.sort != "json"]
        if not self.may(0.5) or not places:
            return (), ""
        if not distinct and self.may(0.2):
            sort = self.chance.choice(ORDERABLE)
            term = self.expressions.draw(sort, scope, 1, self.rows)
            return (), Node("tail", (" ORDER BY ", term, self.chance.choice(["", " DESC"])), "")
        self.chance.shuffle(places)
        total = len(places) == len(outputs)
        if not total or self.may(0.2):
            places = places[:1]
            total = len(outputs) == 1
        order = self._order_by([str(place + 1) for place in places])
        limit = self._limit() if total else self._ties()
        return tuple(places), Node("tail", (order, limit), None)

    def _order_by(self, terms: Sequence[str]) -> str:
        shown = [
            term
            + self.chance.choice(["", " ASC", " DESC"])
            + self.chance.choice(["", "", " NULLS FIRST", " NULLS LAST"])
            for term in terms
        ]
        return " ORDER BY " + ", ".join(shown)

    def _ties(self) -> Part:
        if not self.may(0.2, "ties"):
            return ""
        count = self.chance.randint(1, 3)
        return Node("clause", (f" FETCH FIRST {count} ROWS WITH TIES",), "")

    def _limit(self) -> Part:
        if not self.may(0.6):
            return ""
        count, skipped = self.chance.randint(0, 6), self.chance.randint(0, 3)
        sent = Literal(text=str(count), sql=str(count), type="bigint")
        texts = [
            f" LIMIT {count} OFFSET {skipped}",
            f" OFFSET {skipped} LIMIT {count}",
            f" OFFSET {skipped}",
            f" OFFSET {skipped} ROWS FETCH NEXT {count} ROWS ONLY",
            " FETCH FIRST ROW ONLY",
            " LIMIT ALL",
            " LIMIT NULL OFFSET 1",
            f" LIMIT {count} + 1",
            " LIMIT (SELECT count(*) FROM notes WHERE sample = 1)",
        ]
        forms: list[tuple[Part, ...]] = [(text,) for text in texts]
        forms += [(" LIMIT ", sent), (" LIMIT ", sent, f" OFFSET {skipped}")]
        return Node("clause", self.chance.choice(forms), "")

    # Groups and windows

    def _grouped(
        self, sorts: Sequence[str], scope: Scope, body: Node, depth: int, *, top: bool
    ) -> Case:
        """Draw aggregates, with or without groups; only the top level may change the types."""
        # An aggregate over outer columns alone belongs to the outer statement.
        is_apart = not (scope.outer is not None and self.may(0.15, "outer aggregate"))
        own = Scope(scope.columns, None, scope.hidden) if is_apart else scope
        if not top:
            outputs = [Output(self._same_typed(sort, own, depth), sort) for sort in sorts]
            return Case(root=self._shown("", outputs, body))
        picked = self._picked(scope)
        # PostgreSQL sorts wrongly by constants in grouping sets, so they contain only columns.
        sets = bool(picked) and self.may(0.35, "grouping sets")
        keys = [Node(sort, (name,)) for name, sort in picked]
        if not picked:
            keys = [
                self.expressions.draw(self.chance.choice(ORDERABLE), scope, 1, self.rows)
                for _ in range(self.chance.randint(0, 2))
            ]
        outputs = [Output(key, key.sort) for key in keys]
        for _ in range(self.chance.randint(1, 3)):
            drawn = self.aggregates.draw(own, depth)
            outputs.append(Output(self._placed(drawn), "aggregate"))
        of_keys: dict[str, list[str]] = {}
        for name, sort in picked:
            of_keys.setdefault(sort, []).append(name)
        grouped = Scope(of_keys, None, scope.hidden)
        if picked:
            outputs += self._of_keys(picked, grouped, depth)
        tail: list[Part] = []
        if keys:
            tail.append(self._grouping(keys, outputs, sets=sets, plain=bool(picked)))
        if self.may(0.3):
            tail.append(self._having(own, grouped, depth))
        ordered: tuple[int, ...] = ()
        if keys and self.may(0.4):
            ordered = tuple(range(len(keys)))
            tail.append(self._order_by([str(i + 1) for i in ordered]))
        elif keys and self.may(0.15):
            tail.append(Node("clause", (" ORDER BY ", self.aggregates.draw(own, 1)), ""))
        return Case(root=self._shown("", outputs, body, Node("tail", tuple(tail))), ordered=ordered)

    def _placed(self, aggregate: Node) -> Node:
        """Return an aggregate, or one in a subquery of its statement."""
        if not self.may(0.12, "outer aggregate"):
            return aggregate
        before, after = self.chance.choice(
            [
                ("(SELECT ", ")"),
                ("(SELECT ", " FROM notes q9 LIMIT 1)"),
                ("(SELECT count(q9.number) FROM notes q9 WHERE (", ") IS NOT NULL)"),
                ("(SELECT (SELECT ", " FROM notes q8 LIMIT 1) FROM notes q9 LIMIT 1)"),
                ("EXISTS (SELECT 1 FROM notes q9 GROUP BY q9.sample HAVING (", ") IS NULL)"),
            ]
        )
        return Node("aggregate", (before, aggregate, after))

    def _picked(self, scope: Scope) -> list[tuple[str, str]]:
        """Draw some columns to group by, or none."""
        columns = [(n, sort) for sort in ORDERABLE for n in scope.of(sort) if "::" not in n]
        if not columns or self.may(0.4):
            return []
        return self.chance.sample(columns, min(len(columns), self.chance.randint(1, 2)))

    def _of_keys(
        self, picked: Sequence[tuple[str, str]], grouped: Scope, depth: int
    ) -> list[Output]:
        """Draw columns of groups: expressions of the keys, and windows over groups."""
        found = []
        if self.may(0.4):
            sort = self.chance.choice([sort for _, sort in picked])
            found.append(Output(self.expressions.draw(sort, grouped, depth, self.rows), sort))
        if self.may(0.1, "window"):
            listed = ", ".join(("count(*)", *(name for name, _ in picked)))
            found.append(Output(Node("w", (f"rank() OVER (ORDER BY {listed})",)), "bigint"))
        return found

    def _having(self, own: Scope, grouped: Scope, depth: int) -> Node:
        operator = self.chance.choice(["> 1", "<= 2", "<> 1", "NOT IN (1, 3)"])
        parts: list[Part] = [Node("integer", ("count(*)",), None), f" {operator}"]
        if self.may(0.4):
            parts = ["(", self.aggregates.draw(own, depth), ") IS NOT NULL"]
        if self.may(0.4):
            condition = self.expressions.draw("boolean", grouped, depth, self.rows)
            parts += [self.chance.choice([" AND ", " OR "]), condition]
        return Node("clause", (" HAVING ", *parts), "")

    def _grouping(
        self, keys: Sequence[Node], outputs: list[Output], *, sets: bool, plain: bool
    ) -> Node:
        places: list[Part] = [
            key if plain and self.may(0.5) else str(i + 1) for i, key in enumerate(keys)
        ]
        listed: list[Part] = []
        for place in places:
            listed += [", " if listed else "", place]
        if not sets:
            word = self.chance.choice(["", "", "DISTINCT "])
            return Node("g", (f" GROUP BY {word}", *listed))
        if self.may(0.3, "grouping"):
            outputs.append(Output(Node("integer", ("grouping(", keys[0], ")")), "integer"))
        first: Part = places[0]
        return Node(
            "g",
            self.chance.choice(
                [
                    (" GROUP BY ROLLUP (", *listed, ")"),
                    (" GROUP BY CUBE (", *listed, ")"),
                    (" GROUP BY GROUPING SETS ((", *listed, "), (", first, "), ())"),
                ]
            ),
        )

    def _same_typed(self, sort: str, scope: Scope, depth: int) -> Node:
        """Draw an aggregate without groups that has the type of its argument."""
        inner = self.expressions.draw(sort, scope, depth - 1, self.rows)
        if sort == "boolean":
            return Node(sort, (self.chance.choice(["bool_and(", "bool_or("]), inner, ")"))
        if sort in {"uuid", "bytea", "json", "jsonb"} or sort.endswith("[]"):
            return Node(sort, (f"(NULL::{sort})",))
        return Node(sort, (self.chance.choice(["min(", "max("]), inner, ")"))

    def _windowed(
        self, scope: Scope, relations: Sequence[Relation], body: Node, depth: int
    ) -> Case:
        """Draw window functions, with a total order if they count rows."""
        total = ""
        if all(relation.store for relation in relations):
            total = ", ".join(
                f"{quoted(relation.alias)}.{quoted(key)}"
                for relation in relations
                for key in KEYS[str(relation.store)]
            )
        functions, clause = self.aggregates.windows(scope, total, depth, self.chance.randint(1, 3))
        listed: list[Output] = [Output(self.expressions.leaf("integer", scope), "integer")]
        listed += [Output(function, "aggregate") for function in functions]
        tail: list[Part] = [Node("c", tuple(clause))] if clause else []
        if self.may(0.2):
            tail.append(Node("clause", (" ORDER BY ", functions[0]), ""))
        return Case(root=self._shown("", listed, body, Node("tail", tuple(tail))))

    def _distinct_on(self, scope: Scope, relation: Relation, body: Node) -> Case:
        first = self.expressions.draw(self.chance.choice(ORDERABLE), scope, 1, self.rows)
        keys = [f"{quoted(relation.alias)}.{quoted(key)}" for key in KEYS[str(relation.store)]]
        tail = Node("c", (" ORDER BY ", first, self._order_by(keys).replace(" ORDER BY ", ", ")))
        shown = ", ".join(keys)
        if self.may(0.3):
            series = self.chance.choice(["generate_series(1::bigint, 2)", "unnest(ARRAY[1, 2])"])
            shown += f", {series} + 1" if self.may(0.4) else f", {series}"
        outputs = [Output(Node("k", (shown,)), "key")]
        head = Node("d", ("DISTINCT ON (", first, ") "))
        return Case(root=Node("rows", ("SELECT ", head, outputs[0].node, body, tail)))
