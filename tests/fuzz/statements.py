"""SELECTs from the grammar: every clause, over the stores of `tests.fuzz.world`.

SQL must determine the result of a statement, or PostgreSQL could not judge it. So LIMIT, DISTINCT
ON, row_number, lag and ROWS frames get a total order, and expressions that fail for some rows are
used only where every row is evaluated.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.fuzz.expressions import Expressions, Scope, guarded, on_sides
from tests.fuzz.tree import Node, Part
from tests.fuzz.vocabulary import ALIASES, COUNTED, KEYS, NAMES, ORDERABLE, SERIES, SORTS, quoted
from tests.fuzz.world import STORES, relation_columns
from tests.planner.binding.colliding_names import Names


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


@dataclass(slots=True)
class Relation:
    """An item of FROM: an alias and its columns."""

    alias: str
    columns: Sequence[tuple[str, str]]
    store: str | None = None
    begins: bool = False
    """Whether it follows a comma."""


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

    def __post_init__(self) -> None:
        self.expressions = Expressions(self.chance, self.without)

    def may(self, likely: float, feature: str = "") -> bool:
        """Decide whether to use a clause; never if its feature is left out."""
        if self.chance.random() >= likely or feature in self.without:
            return False
        if feature:
            self.expressions.used.add(feature)
        return True

    def case(self) -> Case:
        """Draw one statement."""
        if self.may(0.12):
            case = self._strict()
        elif self.may(0.15, "set operation"):
            case = self._set_operation()
        elif self.may(0.1, "colliding names"):
            names = Names(self.chance, [("notes", ("sample", "number"))])
            case = Case(root=names.query(), any_name_error=True)
        elif self.may(0.05):
            case = Case(root=self._values(self._sorts(3)))
        else:
            case = self._with_tables()
        if case.ordered:
            # A part has no order, so it cannot replace the whole.
            case.root = Node("ordered", case.root.parts)
        case.features = frozenset(self.expressions.used)
        return case

    # Statements

    def _strict(self) -> Case:
        """Draw an expression that may fail, evaluated for all rows of a store."""
        relation, source = self._store("t")
        scope = self._scope([relation])
        sort = self.chance.choice(SORTS)
        risky = self.expressions.draw(sort, scope, self.depth - 1, self.rows, risky=True)
        return Case(root=Node("rows", ("SELECT ", risky, " FROM ", source)), strict=True)

    def _with_tables(self) -> Case:
        parts: list[Part] = []
        if self.may(0.25, "cte"):
            taken: set[str] = set()
            for _ in range(self.chance.randint(1, 2)):
                name = self.chance.choice([*ALIASES, "notes", "r0"])
                if "cte r0" in self.without and re.fullmatch(r"r\d", name):
                    continue
                if name in taken:
                    continue
                taken.add(name)
                sorts = self._sorts(3)
                columns = list(zip(self._names(len(sorts)), sorts, strict=True))
                inner = self._select(sorts, depth=self.depth - 1, outer=None).root
                listed = ", ".join(quoted(column) for column, _ in columns)
                kept = self.chance.choice(["", "", "MATERIALIZED ", "NOT MATERIALIZED "])
                parts += [", " if len(taken) > 1 else "WITH "]
                parts += [f"{quoted(name)} ({listed}) AS {kept}(", inner, ")"]
                self.tables.append(Relation(name, columns))
            parts.append(" " if taken else "")
        case = self._select(self._sorts(4), depth=self.depth, outer=None, top=True)
        if case.ordered:
            case.root = Node("ordered", case.root.parts)
        case.root = Node("rows", (*parts, case.root))
        return case

    def _set_operation(self) -> Case:
        sorts = [self.chance.choice(ORDERABLE) for _ in range(self.chance.randint(1, 3))]
        parts: list[Part] = [self._branch(sorts)]
        for _ in range(self.chance.randint(1, 2)):
            operator = self.chance.choice(["UNION", "INTERSECT", "EXCEPT"])
            parts += [f" {operator}{self.chance.choice(['', ' ALL', ' DISTINCT'])} "]
            parts += [self._branch(sorts)]
        ordered: tuple[int, ...] = ()
        if self.may(0.5):
            ordered = tuple(range(len(sorts)))
            parts += [self._order_by([str(i + 1) for i in ordered]), self._limit()]
        return Case(root=Node("rows", tuple(parts)), ordered=ordered)

    def _branch(self, sorts: Sequence[str]) -> Node:
        if self.may(0.2):
            return self._values(sorts)
        inner = self._select(sorts, depth=self.depth - 1, outer=None).root
        return Node("rows", ("(", inner, ")"), None) if self.may(0.4) else inner

    def _values(self, sorts: Sequence[str]) -> Node:
        parts: list[Part] = ["VALUES "]
        for row in range(self.chance.randint(1, 3)):
            parts.append(", (" if row else "(")
            for column, sort in enumerate(sorts):
                parts += [", " if column else "", self.expressions.constant(sort)]
            parts.append(")")
        return Node("rows", tuple(parts))

    def rows(self, sort: str, scope: Scope, depth: int) -> Node:
        """Draw a subquery of one column, which may be correlated."""
        outer = scope if self.may(0.6, "correlated") else None
        return self._select([sort or "integer"], depth=depth, outer=outer).root

    def _select(
        self, sorts: Sequence[str], *, depth: int, outer: Scope | None, top: bool = False
    ) -> Case:
        """Draw a SELECT of columns of these types."""
        if top and self.may(0.04, "no from"):
            outputs = self._outputs(sorts, Scope({}, outer), depth, named=top)
            return Case(root=self._shown("", outputs, Node("from", ("",))))
        relations, source = self._from(depth, outer)
        scope = self._scope(relations, outer)
        where: Part = ""
        if self.may(0.65):
            if len(relations) > 1 and self.may(0.6, "sides"):
                condition = self._on_sides(relations)
            else:
                condition = self.expressions.draw("boolean", scope, depth, self.rows)
            where = Node("clause", (" WHERE ", condition), "")
        body = Node("from", (" FROM ", source, where))
        if depth > 0 and self.may(0.22, "group by"):
            return self._grouped(sorts, scope, body, depth, top=top)
        if depth > 0 and self.may(0.12, "window"):
            return (
                self._windowed(scope, relations, body, depth)
                if top
                else Case(root=self._shown("", self._outputs(sorts, scope, depth), body))
            )
        if top and self.may(0.08, "distinct on") and relations[0].store and len(relations) == 1:
            return self._distinct_on(scope, relations[0], body)
        if top and self.may(0.08, "star"):
            return Case(root=Node("rows", ("SELECT ", self._star(relations), body)))
        distinct = ""
        if "json" not in sorts and self.may(0.15):
            distinct = "DISTINCT "
        outputs = self._outputs(sorts, scope, depth, named=top)
        ordered, tail = self._tail(outputs) if top else ((), "")
        return Case(root=self._shown(distinct, outputs, body, tail), ordered=ordered)

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

    def _tail(self, outputs: Sequence[Output]) -> tuple[tuple[int, ...], Part]:
        """Draw ORDER BY over all columns with a limit, or over some without one."""
        places = [i for i, output in enumerate(outputs) if output.sort != "json"]
        if not self.may(0.5) or not places:
            return (), ""
        self.chance.shuffle(places)
        total = len(places) == len(outputs)
        if not total or self.may(0.2):
            places = places[:1]
            total = len(outputs) == 1
        terms = [str(place + 1) for place in places]
        return tuple(places), Node(
            "tail", (self._order_by(terms), self._limit() if total else ""), None
        )

    def _order_by(self, terms: Sequence[str]) -> str:
        shown = [
            term
            + self.chance.choice(["", " ASC", " DESC"])
            + self.chance.choice(["", "", " NULLS FIRST", " NULLS LAST"])
            for term in terms
        ]
        return " ORDER BY " + ", ".join(shown)

    def _limit(self) -> Part:
        if not self.may(0.6):
            return ""
        count, skipped = self.chance.randint(0, 6), self.chance.randint(0, 3)
        return Node(
            "clause",
            (
                self.chance.choice(
                    [
                        f" LIMIT {count}",
                        f" LIMIT {count} OFFSET {skipped}",
                        f" OFFSET {skipped} LIMIT {count}",
                        f" OFFSET {skipped}",
                        f" OFFSET {skipped} ROWS FETCH NEXT {count} ROWS ONLY",
                        " FETCH FIRST ROW ONLY",
                        " LIMIT ALL",
                        " LIMIT NULL OFFSET 1",
                    ]
                ),
            ),
            "",
        )

    # Groups and windows

    def _grouped(
        self, sorts: Sequence[str], scope: Scope, body: Node, depth: int, *, top: bool
    ) -> Case:
        """Draw aggregates, with or without groups; only the top level may change the types."""
        if not top:
            # An aggregate over outer columns would belong to the outer statement.
            own = Scope(scope.columns, None, scope.hidden)
            outputs = [Output(self._same_typed(sort, own, depth), sort) for sort in sorts]
            return Case(root=self._shown("", outputs, body))
        columns = [(n, sort) for sort in ORDERABLE for n in scope.of(sort)]
        # PostgreSQL sorts wrongly by constants in grouping sets, so they contain only columns.
        sets = bool(columns) and self.may(0.2, "grouping sets")
        if sets:
            picked = self.chance.sample(columns, min(len(columns), self.chance.randint(1, 2)))
            keys = [Node(sort, (name,)) for name, sort in picked]
        else:
            keys = [
                self.expressions.draw(self.chance.choice(ORDERABLE), scope, 1, self.rows)
                for _ in range(self.chance.randint(0, 2))
            ]
        outputs = [Output(key, key.sort) for key in keys]
        for _ in range(self.chance.randint(1, 3)):
            outputs.append(Output(self._aggregate(scope, depth), "aggregate"))
        tail: list[Part] = []
        if keys:
            tail.append(self._grouping(len(keys), sets=sets))
        if self.may(0.25):
            aggregate = Node("integer", ("count(*)",), None)
            operator = self.chance.choice(["> 1", "<= 2", "<> 1", "NOT IN (1, 3)"])
            tail.append(Node("clause", (" HAVING ", aggregate, " ", operator), ""))
        ordered: tuple[int, ...] = ()
        if keys and self.may(0.4):
            ordered = tuple(range(len(keys)))
            tail.append(self._order_by([str(i + 1) for i in ordered]))
        return Case(root=self._shown("", outputs, body, Node("tail", tuple(tail))), ordered=ordered)

    def _grouping(self, keys: int, *, sets: bool) -> str:
        places = [str(i + 1) for i in range(keys)]
        listed = ", ".join(places)
        if not sets:
            return f" GROUP BY {listed}"
        return self.chance.choice(
            [
                f" GROUP BY ROLLUP ({listed})",
                f" GROUP BY CUBE ({listed})",
                f" GROUP BY GROUPING SETS (({listed}), ({places[0]}), ())",
            ]
        )

    def _same_typed(self, sort: str, scope: Scope, depth: int) -> Node:
        """Draw an aggregate without groups that has the type of its argument."""
        inner = self.expressions.draw(sort, scope, depth - 1, self.rows)
        if sort == "boolean":
            return Node(sort, (self.chance.choice(["bool_and(", "bool_or("]), inner, ")"))
        if sort in {"uuid", "bytea", "json", "jsonb", "bigint[]"}:
            return Node(sort, (f"NULL::{sort}",))
        return Node(sort, (self.chance.choice(["min(", "max("]), inner, ")"))

    def _aggregate(self, scope: Scope, depth: int) -> Node:
        def of(sort: str) -> Node:
            return self.expressions.draw(sort, scope, depth - 1, self.rows)

        columns = scope.of("integer")
        if columns and self.may(0.1, "guards"):
            return guarded(self.chance, "aggregate", columns)
        counted = of(self.chance.choice(COUNTED))
        text, value = of("text"), of(self.chance.choice(ORDERABLE))
        distinct = "DISTINCT " if self.may(0.3) else ""
        direction = self.chance.choice(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])
        once = distinct if self.may(1, "string_agg distinct") else ""
        # An argument and its order are one expression, so neither is shrunk alone.
        ordering: list[tuple[Part, ...]] = [
            (Node("fixed", ("string_agg(", once, text, ", ',' ORDER BY ", text, direction, ")")),),
            (Node("fixed", ("array_agg(", counted, " ORDER BY ", counted, direction, ")")),),
        ]
        forms: list[tuple[Part, ...]] = [
            ("count(*)",),
            ("count(", distinct, value, ")"),
            ("sum(", distinct, counted, ")"),
            ("avg(", distinct, counted, ")"),
            ("min(", of(self.chance.choice(["integer", "numeric", "text", "date"])), ")"),
            ("max(", of(self.chance.choice(["bigint", "double precision", "timestamptz"])), ")"),
            ("bool_or(", of("boolean"), ")"),
            ("every(", of("boolean"), ")"),
            ("bit_or(", of("integer"), ")"),
            ("bit_and(", of("integer"), ")"),
            ("percentile_disc(0.5) WITHIN GROUP (ORDER BY ", counted, ")"),
            *(ordering if self.may(1, "aggregate order") else ()),
        ]
        if "percentile_cont" not in self.without:
            value = of("double precision")
            forms.append(("percentile_cont(0.5) WITHIN GROUP (ORDER BY ", value, ")"))
        form = self.chance.choice(forms)
        if not self.may(0.25):
            return Node("aggregate", form)
        condition = self.expressions.draw("boolean", scope, 1, self.rows)
        return Node("aggregate", (*form, Node("clause", (" FILTER (WHERE ", condition, ")"), "")))

    def _windowed(
        self, scope: Scope, relations: Sequence[Relation], body: Node, depth: int
    ) -> Case:
        """Draw window functions, with a total order if they count rows."""
        total = ", ".join(
            f"{quoted(relation.alias)}.{quoted(key)}"
            for relation in relations
            for key in KEYS.get(relation.store or "", ())
        )
        is_total = all(relation.store for relation in relations)
        partition = self.expressions.draw("integer", scope, 1, self.rows)
        order = self.expressions.draw(self.chance.choice(ORDERABLE), scope, 1, self.rows)
        value = self.expressions.draw(self.chance.choice(COUNTED), scope, depth - 1, self.rows)
        over: list[Part] = ["("]
        if self.may(0.6):
            over.append(Node("clause", ("PARTITION BY ", partition, " "), ""))
        over += ["ORDER BY ", order, self.chance.choice(["", " DESC", " NULLS FIRST"])]
        functions: list[tuple[Part, ...]] = [
            ("rank()",),
            ("dense_rank()",),
            ("percent_rank()",),
            ("cume_dist()",),
            ("sum(", value, ")"),
            ("count(", value, ")"),
            ("min(", value, ")"),
            ("avg(", value, ")"),
        ]
        frame = self.chance.choice(["", " RANGE UNBOUNDED PRECEDING"])
        if is_total and self.may(0.6):
            over.append(f", {total}")
            functions += [
                ("row_number()",),
                ("lag(", value, ")"),
                ("lag(", value, ", 2, NULL)"),
                ("lead(", value, ")"),
                ("first_value(", value, ")"),
                ("last_value(", value, ")"),
                ("nth_value(", value, ", 2)"),
                ("ntile(3)",),
            ]
            frame = self.chance.choice(
                [
                    "",
                    " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
                    " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
                    " ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
                    " GROUPS 1 PRECEDING",
                    " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
                ]
            )
        over += [frame, ")"]
        listed: list[Output] = [Output(self.expressions.leaf("integer", scope), "integer")]
        window = Node("window", tuple(over))
        function = Node("aggregate", self.chance.choice(functions))
        if self.may(0.3):
            listed.append(Output(Node("w", (function, " OVER w")), "aggregate"))
            return Case(root=self._shown("", listed, body, Node("c", (" WINDOW w AS ", window))))
        listed.append(Output(Node("w", (function, " OVER ", window)), "aggregate"))
        return Case(root=self._shown("", listed, body))

    def _distinct_on(self, scope: Scope, relation: Relation, body: Node) -> Case:
        first = self.expressions.draw(self.chance.choice(ORDERABLE), scope, 1, self.rows)
        keys = [f"{quoted(relation.alias)}.{quoted(key)}" for key in KEYS[str(relation.store)]]
        tail = Node("c", (" ORDER BY ", first, self._order_by(keys).replace(" ORDER BY ", ", ")))
        outputs = [Output(Node("k", (", ".join(keys),)), "key")]
        head = Node("d", ("DISTINCT ON (", first, ") "))
        return Case(root=Node("rows", ("SELECT ", head, outputs[0].node, body, tail)))

    # FROM

    def _from(self, depth: int, outer: Scope | None) -> tuple[list[Relation], Node]:
        taken: set[str] = set()
        first, node = self._relation(depth, taken, outer)
        relations, parts = [first], [node]
        while depth > 0 and len(relations) < 3 and self.may(0.25, "join"):
            relation, joined = self._join(relations, depth, taken, outer)
            relations.append(relation)
            parts.append(joined)
        return relations, Node("source", tuple(parts))

    def _join(
        self, before: Sequence[Relation], depth: int, taken: set[str], outer: Scope | None
    ) -> tuple[Relation, Node]:
        if self.may(0.12, "lateral"):
            alias = self._alias(taken)
            sorts = self._sorts(2)
            scope = self._scope(before)
            inner = self._select(sorts, depth=depth - 1, outer=scope).root
            columns = list(zip(self._names(len(sorts)), sorts, strict=True))
            head = self.chance.choice([" CROSS JOIN LATERAL (", " LEFT JOIN LATERAL ("])
            tail = " ON true" if "LEFT" in head else ""
            named = f"{quoted(alias)} ({', '.join(quoted(name) for name, _ in columns)})"
            return Relation(alias, columns), Node("join", (head, inner, f") AS {named}{tail}"))
        relation, node = self._relation(depth - 1, taken, outer)
        kind = self.chance.choice(
            [" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", " CROSS JOIN ", ", "]
        )
        if kind in {" CROSS JOIN ", ", "}:
            relation.begins = kind == ", "
            return relation, Node("join", (kind, node))
        last = before[-1]
        if (len(before) == 1 or last.begins) and self.may(0.35, "using"):
            left, right = dict(last.columns), dict(relation.columns)
            common = [c for c in left if right.get(c) == left[c] and left[c] != "json"]
            both = set(left) & set(right)
            if common and self.may(0.7):
                name = self.chance.choice(common)
                return relation, Node("join", (kind, node, f" USING ({quoted(name)})"))
            if both and both == set(common):
                return relation, Node("join", (f" NATURAL{kind}", node))
        condition = self._equality(last, relation)
        if not kind.startswith(" FULL") and self.may(0.4):
            # A comma binds less than JOIN: ON sees no item before it.
            begin = max((i for i, each in enumerate(before) if each.begins), default=0)
            scope = self._scope([*before[begin:], relation], among=[*before, relation])
            if self.may(0.5, "sides"):
                more = self._on_sides([*before[begin:], relation])
            else:
                more = self.expressions.draw("boolean", scope, 1, self.rows)
            condition = Node("boolean", (condition, " AND ", more), None)
        return relation, Node("join", (kind, node, " ON ", condition))

    def _on_sides(self, relations: Sequence[Relation]) -> Node:
        columns = [
            (f"{quoted(relation.alias)}.{quoted(name)}", sort)
            for relation in relations
            for name, sort in relation.columns
        ]
        return on_sides(self.chance, columns, self.expressions)

    def _equality(self, one: Relation, other: Relation) -> Node:
        pairs = [
            (a, b)
            for a, first in one.columns
            for b, second in other.columns
            if first == second and first != "json"
        ]
        if not pairs:
            return Node("boolean", ("1 = 1",))
        left, right = self.chance.choice(pairs)
        return Node(
            "boolean",
            (f"{quoted(one.alias)}.{quoted(left)} = {quoted(other.alias)}.{quoted(right)}",),
        )

    def _relation(self, depth: int, taken: set[str], outer: Scope | None) -> tuple[Relation, Node]:
        alias = self._alias(taken)
        if self.tables and self.may(0.5):
            table = self.chance.choice(self.tables)
            found = Relation(alias, table.columns)
            return found, Node("relation", (f"{quoted(table.alias)} AS {quoted(alias)}",))
        if depth > 0 and self.may(0.15, "derived"):
            sorts = self._sorts(3)
            columns = list(zip(self._names(len(sorts)), sorts, strict=True))
            named = f"{quoted(alias)} ({', '.join(quoted(name) for name, _ in columns)})"
            if self.may(0.25):
                inner = self._values(sorts)
            else:
                inner = self._select(sorts, depth=depth - 1, outer=None).root
            return Relation(alias, columns), Node("relation", ("(", inner, f") AS {named}"))
        if self.may(0.05, "series"):
            call, sort = self.chance.choice(SERIES)
            if self.may(0.3):
                text = f"{call} WITH ORDINALITY AS {quoted(alias)} (x, number)"
                columns = [("x", sort), ("number", "bigint")]
                return Relation(alias, columns), Node("relation", (text,))
            text = f"{call} AS {quoted(alias)} (x)"
            return Relation(alias, [("x", sort)]), Node("relation", (text,))
        return self._store(alias, taken)

    def _store(self, alias: str, taken: set[str] | None = None) -> tuple[Relation, Node]:
        hidden = {table.alias for table in self.tables}
        stores = [store for store in STORES if store.name not in hidden] or [STORES[2]]
        store = self.chance.choices(stores, [5, *[2] * (len(stores) - 1)])[0]
        prefix = self.chance.choice(["", "", "", "public."])
        if store.name in hidden:
            prefix = "public."
        relation = Relation(alias, relation_columns(store), store.name)
        if taken is not None and store.name not in taken and self.may(0.3):
            taken.discard(alias)
            taken.add(store.name)
            relation.alias = store.name
            return relation, Node("relation", (f"{prefix}{store.name}",))
        word = self.chance.choice(["AS ", ""])
        return relation, Node("relation", (f"{prefix}{store.name} {word}{quoted(alias)}",))

    def _alias(self, taken: set[str]) -> str:
        name = self.chance.choice([alias for alias in ALIASES if alias not in taken])
        taken.add(name)
        return name

    # Names

    def _scope(
        self,
        relations: Sequence[Relation],
        outer: Scope | None = None,
        *,
        among: Sequence[Relation] | None = None,
    ) -> Scope:
        """Return columns of some relations; a name is unqualified only if `among` has it once."""
        counts: dict[str, int] = {}
        for relation in among or relations:
            for name, _ in relation.columns:
                counts[name] = counts.get(name, 0) + 1
        columns: dict[str, list[str]] = {}
        for relation in relations:
            for name, sort in relation.columns:
                forms = [f"{quoted(relation.alias)}.{quoted(name)}"]
                # Unqualified only where unambiguous; an alias of that name would mean a row.
                if counts[name] == 1 and name not in {r.alias for r in among or relations}:
                    forms.append(quoted(name))
                columns.setdefault(sort, []).append(self.chance.choice(forms))
        hidden = {relation.alias for relation in relations} | set(counts)
        return Scope(columns, outer, frozenset(hidden))

    def _sorts(self, most: int) -> list[str]:
        """Draw the types of a result, mostly those of columns in many stores."""
        common = ("integer", "text", "bigint", "timestamptz")
        return [
            self.chance.choice(common if self.chance.random() < 0.5 else SORTS)
            for _ in range(self.chance.randint(1, most))
        ]

    def _names(self, count: int) -> list[str]:
        names = [name for name in NAMES if name.islower() or "case" not in self.without]
        return self.chance.sample(names, count)
