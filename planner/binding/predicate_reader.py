"""Read the predicate on the columns of one relation from a WHERE.

Only conditions that mean the same in Postgres and DuckDB are read; DuckDB evaluates the others. A
condition that is read is never true where the SQL is NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from sqlglot import exp

from stategate.planner.binding.comparisons import (
    ColumnOf,
    Side,
    compare,
    compare_constants,
    side_of,
)
from stategate.planner.binding.operands import (
    Given,
    ParameterType,
    cast_given,
    operand_of,
    parameter_of,
)
from stategate.planner.binding.predicates import (
    EVERY_ROW,
    IN_LIST_MAX,
    NO_ROW,
    UNKNOWN,
    NotNull,
    OneOf,
    Operand,
    Predicate,
    all_hold,
    conjunction,
    disjunction,
    equals_one_of,
)
from stategate.planner.binding.text_starts import begins, begins_as, prefix_of
from stategate.planner.patterns.re2 import fixed_start
from stategate.planner.postgres.types.operands import COMPARISONS
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.known_arguments import conjuncts, disjuncts, known_node
from stategate.planner.trees.nodes import parameter_number, parameter_text
from stategate.planner.values.comparison_bounds import Fitted, fitter
from stategate.planner.values.sqltypes import data_type_of
from stategate.planner.values.type_modifiers import length_of
from stategate.stores.spec.schema import BOOLEAN, TEXT, Kind

MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_CONNECTORS = (exp.And, exp.Or)
_MANY = (exp.Any, exp.All)
_NOT_IN_MAX = 16
"""DuckDB evaluates a longer NOT IN, because each of its values splits a range in two."""
_NESTING_MAX = 40
"""DuckDB evaluates conditions that are nested more deeply."""


def comparisons_in(node: exp.Expr) -> list[tuple[exp.Expr, str, exp.Expr]]:
    """Return the comparisons that a condition is made of, as both sides and the operator.

    BETWEEN has two of them; the list is empty for a condition that is not a comparison.
    """
    node = known_node(node)
    operator = COMPARISONS.get(type(node))
    if operator is not None:
        sides = [(node.this, operator, node.expression)]
    elif isinstance(node, exp.Between) and not node.args.get("symmetric"):
        low, high = node.args["low"], node.args["high"]
        sides = [(node.this, ">=", low), (node.this, "<=", high)]
    else:
        return []
    return [(known_node(left), operator, known_node(right)) for left, operator, right in sides]


class PredicateReader(Struct, frozen=True, kw_only=True):
    """Reads predicates on one relation."""

    column_of: ColumnOf
    parameter_type: ParameterType

    def predicate(self, node: exp.Expr | None) -> Predicate:
        """Return the predicate that a condition implies for the relation's columns.

        Raises:
            QueryError: a text literal is not a value of the type it is compared with (22P02).
        """
        return EVERY_ROW if node is None else self._read(node, is_true=True, depth=0)

    def _read(self, node: exp.Expr, *, is_true: bool, depth: int) -> Predicate:
        """Return the predicate that follows if a condition is true, or if it is false."""
        node = known_node(node)
        if depth > _NESTING_MAX:
            return UNKNOWN
        if node.args.get("negate"):
            is_true = not is_true
        if isinstance(node, exp.Not):
            return self._read(node.this, is_true=not is_true, depth=depth + 1)
        if isinstance(node, _CONNECTORS):
            split = conjuncts if isinstance(node, exp.And) else disjuncts
            parts = split(node)
            if isinstance(node, exp.And) is is_true:
                return self._every(parts, is_true=is_true, depth=depth + 1)
            read = [self._read(part, is_true=is_true, depth=depth + 1) for part in parts]
            return disjunction(read)
        return self._atom(node) if is_true else self._negated(node)

    def _every(self, parts: Sequence[exp.Expr], *, is_true: bool, depth: int) -> Predicate:
        found = EVERY_ROW
        for part in parts:
            found = conjunction(found, self._read(part, is_true=is_true, depth=depth))
        return found

    def _atom(self, node: exp.Expr) -> Predicate:
        operator = COMPARISONS.get(type(node))
        if operator is not None:
            array = known_node(node.expression)
            if isinstance(array, exp.Any):
                return self._any(node.this, known_node(array.this)) if operator == "=" else UNKNOWN
            return self._comparison(node.this, operator, node.expression)
        read = _ATOMS.get(type(node))
        return UNKNOWN if read is None else read(self, node)

    def _negated(self, node: exp.Expr) -> Predicate:
        operator = COMPARISONS.get(type(node))
        if operator is not None:
            if isinstance(known_node(node.expression), _MANY):
                return UNKNOWN
            return self._comparison(node.this, _NEGATED[operator], node.expression)
        read = _NEGATED_ATOMS.get(type(node))
        return UNKNOWN if read is None else read(self, node)

    def _not_between(self, node: exp.Expr) -> Predicate:
        if node.args.get("symmetric"):
            return UNKNOWN
        low = self._comparison(node.this, "<", node.args["low"])
        return disjunction([low, self._comparison(node.this, ">", node.args["high"])])

    def _not_in(self, node: exp.Expr) -> Predicate:
        members = node.expressions
        is_row = isinstance(known_node(node.this), exp.Tuple)
        if not members or len(members) > _NOT_IN_MAX or is_row:
            return UNKNOWN
        found = EVERY_ROW
        for member in members:
            found = conjunction(found, self._comparison(node.this, "<>", member))
        return found

    # Comparisons

    def _comparison(self, left: exp.Expr, operator: str, right: exp.Expr) -> Predicate:
        side = self._side(left)
        if side is None:
            left, right, operator = right, left, MIRRORED[operator]
            side = self._side(left)
        if side is None:
            return compare_constants(left, operator, right)
        operand = self.operand(right, side)
        if operand is None:
            return UNKNOWN
        if operator == "<>":
            parts = [compare(side, each, operand) for each in ("<", ">")]
            return disjunction(parts)
        return compare(side, operator, operand)

    def _between(self, node: exp.Expr) -> Predicate:
        if node.args.get("symmetric"):
            return UNKNOWN
        low = self._comparison(node.this, ">=", node.args["low"])
        return conjunction(low, self._comparison(node.this, "<=", node.args["high"]))

    def _in(self, node: exp.Expr) -> Predicate:
        members = node.expressions
        if not members or len(members) > IN_LIST_MAX:
            return UNKNOWN
        if isinstance(known_node(node.this), exp.Tuple):
            return self._rows(known_node(node.this).expressions, members)
        return self._membership(node.this, members)

    def _membership(self, left: exp.Expr, members: Sequence[exp.Expr]) -> Predicate:
        side = self._side(left)
        if side is None or side.steps is not None:
            return UNKNOWN
        operands = [self.operand(member, side) for member in members]
        found = tuple([operand for operand in operands if operand is not None])
        if len(found) < len(operands):
            return UNKNOWN
        return all_hold(equals_one_of(side.column, found))

    def _rows(self, columns: Sequence[exp.Expr], members: Sequence[exp.Expr]) -> Predicate:
        """Read `(a, b) IN ((1, 2), (3, 4))`."""
        sides = [self._side(column) for column in columns]
        known = [side for side in sides if side is not None and side.steps is None]
        names = tuple(side.column for side in known)
        if len(known) < len(columns) or len(set(names)) < len(names):
            return UNKNOWN
        rows: list[tuple[Operand, ...]] = []
        for member in members:
            values = known_node(member)
            if not isinstance(values, exp.Tuple) or len(values.expressions) != len(known):
                return UNKNOWN
            row = [self.operand(v, s) for v, s in zip(values.expressions, known, strict=True)]
            rows.append(tuple(operand for operand in row if operand is not None))
            if len(rows[-1]) < len(row):
                return UNKNOWN
        return all_hold(OneOf(columns=names, rows=tuple(rows)))

    def _any(self, left: exp.Expr, array: exp.Expr) -> Predicate:
        """Read `k = ANY(…)` with a parameter or an array constructor."""
        side = self._side(left)
        if side is None or side.steps is not None:
            return UNKNOWN
        casts: list[exp.DataType] = []
        while isinstance(array, exp.Cast):
            if array.to.this is not exp.DType.ARRAY or len(array.to.expressions) != 1:
                return UNKNOWN
            casts.insert(0, array.to.expressions[0])
            array = known_node(array.this)
        if isinstance(array, exp.Parameter):
            return self._any_given(side, array, casts)
        if not isinstance(array, exp.Array) or len(array.expressions) > IN_LIST_MAX:
            return UNKNOWN
        members = array.expressions
        for to in casts:
            if not (_is_plain(to) and data_type_of(to) == side.type):
                members = [exp.Cast(this=each.copy(), to=to.copy()) for each in members]
        return self._membership(left, members) if members else NO_ROW

    def _any_given(
        self, side: Side, array: exp.Parameter, casts: Sequence[exp.DataType]
    ) -> Predicate:
        """Read `k = ANY($1)`, with casts of the elements."""
        number, text = parameter_number(array), parameter_text(array)
        element = self.parameter_type(number).element
        given = None if element is None else Given(number=number, type=element, text=text)
        for to in casts:
            given = None if given is None else cast_given(given, to)
        fit = None if given is None else fitter(given.type, side.column_type)
        if given is None or fit is None:
            return UNKNOWN
        return all_hold(equals_one_of(side.column, (given.any_of(side.placed(fit)),)))

    # Other atoms

    def _is(self, node: exp.Expr, *, is_true: bool = True) -> Predicate:
        side, right = self._side(node.this), known_node(node.expression)
        if side is None or side.steps is not None or side.column_type.kind is Kind.STRUCT:
            return UNKNOWN  # a row IS NULL if all its values are
        if isinstance(right, exp.Null):
            if not is_true:
                return all_hold(NotNull(column=side.column))
            return all_hold(equals_one_of(side.column, (), null=True))
        if isinstance(right, exp.Boolean) and side.type == BOOLEAN and is_true:
            return self._flag(known_node(node.this), value=bool(right.this))
        return UNKNOWN

    def _not_distinct(self, node: exp.Expr) -> Predicate:
        side = self._side(node.this)
        operand = None if side is None else self.operand(node.expression, side)
        if side is None or side.steps is not None or operand is None:
            return UNKNOWN
        if operand.parameter is not None:
            return UNKNOWN  # it may turn out to be NULL
        is_null = operand.constant is None
        operands = () if is_null else (operand,)
        return all_hold(equals_one_of(side.column, operands, null=is_null))

    def _flag(self, node: exp.Expr, *, value: bool = True) -> Predicate:
        """Read a boolean column that is a condition by itself."""
        side = self._side(node)
        if side is None or side.type != BOOLEAN or side.column_type != BOOLEAN:
            return UNKNOWN
        operand = Operand(text=str(value).lower(), fit=Fitted, constant=value)
        return all_hold(equals_one_of(side.column, (operand,)))

    def _like(self, node: exp.Expr, escape: str = "\\") -> Predicate:
        """Read the prefix of `LIKE 'abc%'` or `LIKE $1`, up to the first wildcard."""
        pattern = known_node(node.expression)
        if isinstance(pattern, exp.Literal) and pattern.is_string:
            start, rest = prefix_of(pattern.name, escape)
            if not rest:
                return self._comparison(node.this, "=", exp.Literal.string(start))
            return self._begins(node.this, start, exact=set(rest) <= {"%"})
        return self._begins_as(
            node.this, pattern, lambda text: prefix_of(text, escape)[0], exact=False
        )

    def _escape(self, node: exp.Expr) -> Predicate:
        """Read `LIKE 'a!_b%' ESCAPE '!'`; an empty text stands for no escape."""
        like, escape = known_node(node.this), known_node(node.expression)
        if not isinstance(like, exp.Like) or not isinstance(escape, exp.Literal):
            return UNKNOWN
        is_short = escape.is_string and len(escape.name) < 2 and not like.args.get("negate")
        return self._like(like, escape.name) if is_short else UNKNOWN

    def _starts_with(self, node: exp.Expr) -> Predicate:
        start = known_node(node.expression)
        if isinstance(start, exp.Literal) and start.is_string:
            return self._begins(node.this, start.name, exact=True)
        return self._begins_as(node.this, start, str, exact=True)

    def _matches(self, node: exp.Expr) -> Predicate:
        """Read the prefix of `~ '^abc'`: the text that all matches begin with."""
        pattern = known_node(node.expression)
        if not isinstance(pattern, exp.Literal) or not pattern.is_string or node.args.get("flag"):
            return UNKNOWN
        start = fixed_start(pattern.name, checkpoint)
        return self._begins(node.this, start, exact=False) if start else UNKNOWN

    def _begins(self, left: exp.Expr, start: str, *, exact: bool) -> Predicate:
        return begins(side, start, exact=exact) if (side := self._side(left)) else UNKNOWN

    def _begins_as(
        self, left: exp.Expr, right: exp.Expr, start_of: Callable[[str], str], *, exact: bool
    ) -> Predicate:
        side, given = self._side(left), parameter_of(right, self.parameter_type)
        if side is None or given is None or given.type != TEXT or given.casts:
            return UNKNOWN
        return begins_as(side, given, start_of, exact=exact)

    # Sides

    def _side(self, node: exp.Expr) -> Side | None:
        return side_of(node, self.column_of)

    def operand(self, node: exp.Expr, side: Side) -> Operand | None:
        """Return a node as the operand of a comparison; None if its value depends on the rows.

        Raises:
            QueryError: a text literal is not a value of the side's type (22P02).
        """
        return operand_of(node, side, self.parameter_type)


def _is_plain(data_type: exp.DataType) -> bool:
    """Whether a cast to a type neither cuts nor rounds."""
    return not data_type.expressions and length_of(data_type) is None


_ATOMS: dict[type[exp.Expr], Callable[[PredicateReader, exp.Expr], Predicate]] = {
    exp.Between: PredicateReader._between,
    exp.In: PredicateReader._in,
    exp.Is: PredicateReader._is,
    exp.NullSafeEQ: PredicateReader._not_distinct,
    exp.Column: PredicateReader._flag,
    exp.Like: PredicateReader._like,
    exp.Escape: PredicateReader._escape,
    exp.StartsWith: PredicateReader._starts_with,
    exp.RegexpLike: PredicateReader._matches,
    exp.Boolean: lambda _, node: EVERY_ROW if node.this else NO_ROW,
    exp.Null: lambda *_: NO_ROW,
}

_NEGATED_ATOMS: dict[type[exp.Expr], Callable[[PredicateReader, exp.Expr], Predicate]] = {
    exp.Between: PredicateReader._not_between,
    exp.In: PredicateReader._not_in,
    exp.Is: lambda reader, node: reader._is(node, is_true=False),
    exp.Column: lambda reader, node: reader._flag(node, value=False),
    exp.Boolean: lambda _, node: NO_ROW if node.this else EVERY_ROW,
    exp.Null: lambda *_: NO_ROW,
}
