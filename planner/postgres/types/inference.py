"""What type an expression has in Postgres, as far as the tree and the columns tell.

The composing database finds types of its own; where its meaning of an operator depends on them and
is not Postgres's, `meaning` asks here. An answer is certain or None: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from planner.postgres.types.functions import OF_ARGUMENT, OF_SIGNATURE, SAME_AS_FIRST, call_name
from planner.postgres.types.functions import RESULTS as OF_CALLS
from planner.postgres.types.operands import alternatives, arguments, is_open, is_recursive
from planner.postgres.types.operators import (
    DATE,
    INTERVAL,
    SYMBOLS,
    TIMESTAMP,
    TIMESTAMPTZ,
    asked_type,
)
from planner.postgres.types.output_columns import is_star, within_lateral
from planner.postgres.types.result_types import (
    DIGITS_MAX,
    FLOATS,
    INTEGERS,
    JSON,
    NUMERIC,
    aggregate_type,
    arithmetic_type,
    as_decimal,
    common_type,
    number_type,
    plain_type,
)
from planner.postgres.types.row_functions import columns_of, is_numbered
from planner.postgres.types.signatures import OPEN, resolve
from planner.postgres.types.time_fields import scale_of
from planner.trees.nodes import signed
from planner.values.catalog_types import CHAR, NAME, first_subscript, from_zero
from planner.values.character_types import as_argument, unsized
from planner.values.sqltypes import result_type_of
from stores.spec.schema import BIGINT, BOOLEAN, DOUBLE, INTEGER, TEXT, DataType, Kind, decimal_type

ColumnType: TypeAlias = Callable[[exp.Table, str], DataType | None]
"""The type of a relation's column; None if the table is no relation or has no such column."""
ParameterType: TypeAlias = Callable[[int], DataType | None]
Star: TypeAlias = Callable[[Scope, exp.Expr], Sequence[tuple[str, str]] | None]
"""What a star in a SELECT list stands for: FROM items and their columns, no item for a column that
a join has merged; None if it is not certain."""

TIMES = {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
NULL = DataType(kind=Kind.NULL)
_PREDICATES = (exp.Predicate, exp.And, exp.Or, exp.Not, exp.Boolean)
_QUANTIFIED = (exp.Any, exp.All)
"""Predicates to sqlglot, but sides of a comparison."""
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_OF_BITS = (
    *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot),
    *(exp.BitwiseLeftShift, exp.BitwiseRightShift),
)
_OF_THIS = (exp.Paren, exp.Filter, exp.Window, exp.Order, exp.Distinct, exp.Ordered, exp.Collate)
_OF_ANY = (exp.Coalesce, exp.Greatest, exp.Least, exp.Case, exp.Nullif, exp.If)
_OF_TEXT = {"max", "min", "reverse"}
"""Functions of their first argument's type, that take a varchar as a text."""
_LITERAL_TIMES = {
    exp.CurrentDate: DATE,
    exp.CurrentTimestamp: DataType(kind=Kind.TIMESTAMPTZ),
    exp.Localtimestamp: DataType(kind=Kind.TIMESTAMP),
    exp.Interval: INTERVAL,
    exp.Null: NULL,
    exp.JSONExtract: JSON,
    exp.JSONExtractScalar: TEXT,
    exp.JSONBExtract: JSON,
    exp.JSONBDeleteAtPath: JSON,
    exp.JSONBExtractScalar: TEXT,
    exp.DPipe: TEXT,
    exp.Concat: TEXT,
}


class Types:
    """The types of the nodes of one statement; each is found once, when it is asked for.

    Args:
        scopes: of the statement, inner ones first.
        column_type: the types of the relations' columns.
        parameter_type: the types of the parameters.
        star: what stars stand for.
        results: what functions give, whatever they are given.
    """

    def __init__(
        self,
        scopes: Sequence[Scope],
        column_type: ColumnType,
        parameter_type: ParameterType,
        star: Star,
        *,
        results: Mapping[str, DataType] = OF_CALLS,
    ) -> None:
        self._scopes, self._column_type = scopes, column_type
        self._parameter_type, self._star, self._results = parameter_type, star, results
        self._known: dict[int, DataType | None] = {}
        self._unknown: list[int] = []
        self._kept: list[exp.Expr] = []
        """Nodes whose ids are in `_known`, so that no id is used again."""
        self._scope_of: dict[int, Scope] | None = None
        self._outputs: dict[int, Mapping[str, DataType | None]] = {}

    def of(self, node: exp.Expr) -> DataType | None:
        """The type of an expression."""
        key = id(node)
        if key not in self._known:
            self.note(node, None)  # a recursive CTE meets itself
            found = self._known[key] = self._find(node)
            if found is None:
                self._unknown.append(key)
        return self._known[key]

    def forget(self) -> None:
        """Look again for types that were not known: a parameter has been given its own."""
        for key in self._unknown:
            self._known.pop(key, None)
        self._unknown.clear()

    def note(self, node: exp.Expr, data_type: DataType | None) -> None:
        """Settle the type of a node, such as one that takes another's place."""
        self._known[id(node)] = data_type
        self._kept.append(node)

    def kind_of(self, node: exp.Expr) -> Kind | None:
        """The kind of an expression's type."""
        found = self.of(node)
        return None if found is None else found.kind

    def operands(self, node: exp.Expr) -> tuple[DataType | None, DataType | None]:
        """The types of both sides of an operator; a bare text takes the one that it is asked."""
        left, right = self.of(node.this), self.of(node.expression)
        symbol = SYMBOLS.get(type(node))
        if symbol is not None and right is not None and is_open(node.this):
            left = asked_type(symbol, right, is_left=True) or left
        elif symbol is not None and left is not None and is_open(node.expression):
            right = asked_type(symbol, left, is_left=False) or right
        return left, right

    def of_query(self, scope: Scope) -> tuple[DataType | None, ...] | None:
        """The types of a query's columns; None where a star hides how many there are."""
        for part in (scope, *(scope.set_operation_scopes or ())):
            tree = part.expression
            items = tree.expressions if isinstance(tree, exp.Select) else []
            if any(is_star(item) and self._star(part, item) is None for item in items):
                return None
        return tuple(self._output_types(scope))

    def widened(self, tree: exp.SetOperation) -> list[bool]:
        """Which columns of a recursive query are numeric and computed: their scale can grow."""
        pairs = zip(tree.this.selects, tree.expression.selects, strict=False)
        return [
            self.kind_of(first.unalias()) is Kind.DECIMAL
            and not isinstance(other.unalias(), exp.Column)
            for first, other in pairs
        ]

    # Expressions

    def _find(self, node: exp.Expr) -> DataType | None:  # noqa: PLR0911 - one per kind
        if isinstance(node, exp.Column):
            return self._of_column(node)
        if isinstance(node, exp.Literal):
            return _of_literal(node)
        if isinstance(node, exp.Parameter):
            return self._parameter_type(int(node.name)) if node.name.isdigit() else None
        if isinstance(node, exp.Cast):
            return self._of_cast(node)
        if isinstance(node, _OF_THIS):
            return self.of(node.this)
        if isinstance(node, _PREDICATES) and not isinstance(node, _QUANTIFIED):
            return BOOLEAN
        if (known := _LITERAL_TIMES.get(type(node))) is not None:
            return self._concatenated(node) if isinstance(node, exp.DPipe) else known
        return self._of_operation(node)

    def _of_operation(  # noqa: C901, PLR0911 - one per kind
        self, node: exp.Expr
    ) -> DataType | None:
        if isinstance(node, _ARITHMETIC):
            return arithmetic_type(node, *self.operands(node))
        if isinstance(node, _OF_BITS):
            return self._of_bits(node)
        if isinstance(node, exp.AtTimeZone):
            return TIMESTAMPTZ if self.kind_of(node.this) is Kind.TIMESTAMP else TIMESTAMP
        if isinstance(node, exp.Neg):
            number, is_negative = signed(node)
            if isinstance(number, exp.Literal) and not number.is_string:
                return _of_literal(number, is_negative=is_negative)
        if isinstance(node, exp.Neg | exp.Abs):
            return DOUBLE if is_open(node.this) else self.of(node.this)
        if isinstance(node, _OF_ANY):
            return self._of_alternatives(node)
        if isinstance(node, exp.Subquery):
            return self._of_subquery(node)
        if isinstance(node, exp.Array):
            return self._of_array(node)
        if isinstance(node, exp.Bracket | exp.Dot):
            return self._of_part(node)
        if isinstance(node, exp.Extract):
            return decimal_type(24, scale_of(node.this.name))
        if isinstance(node, exp.Func):
            return self._of_call(node)
        return None

    def _of_bits(self, node: exp.Expr) -> DataType | None:
        """Of integers; a shift, or the complement, has the type of what it changes."""
        of = [self.of(node.this)]
        if isinstance(node, exp.BitwiseAnd | exp.BitwiseOr | exp.BitwiseXor):
            of.append(self.of(node.expression))
        if any(each is None or each.kind not in INTEGERS for each in of):
            return None
        return plain_type(common_type(of))

    def _of_part(self, node: exp.Expr) -> DataType | None:
        """An element or a slice of an array, or a field of a struct."""
        owner = self.of(node.this)
        if owner is None:
            return None
        if owner == NAME:
            return CHAR
        if isinstance(node, exp.Dot):
            return dict(owner.fields).get(node.name)
        one = len(node.expressions) == 1 and not isinstance(node.expressions[0], exp.Slice)
        return owner.element if one else plain_type(owner)

    def _of_array(self, node: exp.Array) -> DataType | None:
        query = node.expressions[0] if len(node.expressions) == 1 else None
        if isinstance(query, exp.Query):
            element = self._of_query(query)
        else:
            element = self._common(node.expressions)
        return None if element is None else DataType(kind=Kind.ARRAY, element=element)

    def _of_cast(self, node: exp.Cast) -> DataType | None:
        to = node.to
        if to.this is exp.DType.DECIMAL and not to.expressions:
            return self.bare_numeric(node.this)
        target = result_type_of(to)
        if target is not None and not first_subscript(self.of(node.this)):
            return from_zero(target)
        return target

    def bare_numeric(self, node: exp.Expr) -> DataType | None:
        """The numeric that holds an expression as it is: what `x::numeric` is here."""
        source = self.of(node)
        text = node.name.strip() if isinstance(node, exp.Literal) and node.is_string else None
        if text is not None:
            counted = _of_literal(exp.Literal(this=text.lstrip("+-"), is_string=False))
            return counted if counted is not None and counted.kind is Kind.DECIMAL else NUMERIC
        return as_decimal(source) or NUMERIC

    def _concatenated(self, node: exp.Expr) -> DataType | None:
        sides = [self.of(node.this), self.of(node.expression)]
        arrays = [side for side in sides if side is not None and side.kind is Kind.ARRAY]
        if arrays:
            return arrays[0]
        kinds = {side.kind for side in sides if side is not None}
        if kinds == {Kind.BYTEA, Kind.TEXT} and not any(map(is_open, (node.this, node.expression))):
            return TEXT
        if any(side is not None and side.kind in {Kind.JSON, Kind.BYTEA} for side in sides):
            return next(s for s in sides if s is not None and s.kind in {Kind.JSON, Kind.BYTEA})
        return TEXT

    def _of_alternatives(self, node: exp.Expr) -> DataType | None:
        nodes = alternatives(node)
        if isinstance(node, exp.Nullif):
            # Where there is no operator for both types, both have the one that holds both.
            beside = [] if is_open(node.expression) else [node.expression]
            kinds = {self.kind_of(each) for each in (*nodes, *beside)}
            is_mixed = Kind.DECIMAL in kinds or not (kinds <= FLOATS or kinds.isdisjoint(FLOATS))
            is_both = is_mixed or is_open(node.this)
            return as_argument(self._common([*nodes, *beside] if is_both else nodes))
        if isinstance(node, exp.Case) and node.args.get("default") is None:
            return unsized(self._common(nodes))
        # ELSE comes first: of a text and a varchar the first one is the type.
        return self._common([nodes[-1], *nodes[:-1]] if isinstance(node, exp.Case) else nodes)

    def _common(self, nodes: Sequence[exp.Expr]) -> DataType | None:
        found = [self.of(node) for node in nodes]
        plain = [
            kind
            for kind, node in zip(found, nodes, strict=True)
            if not (isinstance(node, exp.Literal) and node.is_string)
            and not (kind is None and isinstance(node, exp.Parameter))
        ]
        found_type = common_type(plain) if plain else TEXT
        return found_type if len(plain) == len(nodes) else unsized(found_type)

    def _of_subquery(self, node: exp.Subquery) -> DataType | None:
        return self._of_query(node.this)

    def _of_query(self, query: exp.Expr) -> DataType | None:
        """The type of a query's only column."""
        items = query.selects if isinstance(query, exp.Query) else []
        return self.of(items[0].unalias()) if len(items) == 1 else None

    def _of_call(self, node: exp.Func) -> DataType | None:
        if isinstance(node, exp.WithinGroup):
            return self._of_ordered_set(node)
        name = call_name(node)
        if name in SAME_AS_FIRST:
            first = next(iter(arguments(node)), None)
            found = None if first is None else self.of(first)
            return as_argument(found) if name in _OF_TEXT else unsized(found)
        if name in {"sum", "avg", "round", "trunc", "ceil", "ceiling", "floor", "array_agg"}:
            first = next(iter(arguments(node)), None)
            return None if first is None else aggregate_type(name, self.of(first), node)
        if name in OF_ARGUMENT or name in OF_SIGNATURE:
            return self._by_signature(name, arguments(node))
        return self._results.get(name)

    def _by_signature(self, name: str, given: Sequence[exp.Expr]) -> DataType | None:
        known = [OPEN if is_open(each) else self.of(each) for each in given]
        taken = resolve(name, known)
        if taken is None or name in OF_ARGUMENT:
            return None if taken is None else taken[min(OF_ARGUMENT[name], len(taken) - 1)]
        return number_type(name, known, taken)

    def _of_ordered_set(self, node: exp.WithinGroup) -> DataType | None:
        """What is found at a place, or at each of several, in the order of an expression."""
        name, terms = call_name(node.this), node.expression.expressions
        if name not in {"percentile_cont", "percentile_disc", "mode"} or len(terms) != 1:
            return None
        found = self.of(terms[0].this)
        if found is not None and name == "percentile_cont":
            found = found if found.kind is Kind.INTERVAL else DOUBLE
        given = arguments(node.this)
        is_many = bool(given) and self.kind_of(given[0]) is Kind.ARRAY
        return DataType(kind=Kind.ARRAY, element=found) if is_many and found else found

    # Columns

    def _scope_at(self, column: exp.Column) -> Scope | None:
        """The scope that a column stands in."""
        if self._scope_of is None:
            self._scope_of = {}
            for scope in self._scopes:  # inner ones first: a column belongs to the innermost
                for each in (scope.expression, *scope.columns):
                    self._scope_of.setdefault(id(each), scope)
        # A column that a star was spelled out to is in no scope's list.
        return self._scope_of.get(id(column)) or self._scope_of.get(id(column.parent_select))

    def _of_column(self, column: exp.Column) -> DataType | None:
        inner = self._scope_at(column)
        found = self._around(inner, column)
        if found is _ABSENT and column.table:
            # DuckDB has fields of structs without parentheses, too: `s.f` and `t.s.f`.
            struct = exp.Column(this=column.args["table"].copy(), table=column.args.get("db"))
            owner = self._around(inner, struct)
            found = dict(owner.fields).get(column.name) if isinstance(owner, DataType) else None
        return found if isinstance(found, DataType) else None

    def columns_of_row(self, column: exp.Column) -> Sequence[tuple[str, str]] | None:
        """The columns of the FROM item that a name stands for, in a scope that has no column so."""
        scope = None if column.table else self._scope_at(column)
        while scope is not None and self._in_scope(scope, column) is _ABSENT:
            if column.name in scope.selected_sources:
                whole = exp.Column(this=exp.Star(), table=exp.to_identifier(column.name))
                return self._star(scope, whole)
            scope = scope.parent
        return None

    def _around(self, scope: Scope | None, column: exp.Column) -> DataType | object | None:
        """The type of a column, of the innermost scope that has one so called."""
        inner: Scope | None = None
        while scope is not None:
            found = self._in_scope(scope, column, inner)
            if found is not _ABSENT:
                return found
            scope, inner = scope.parent, scope
        return _ABSENT

    def _in_scope(
        self, scope: Scope, column: exp.Column, inner: Scope | None = None
    ) -> DataType | object | None:
        """The type of a column of a scope, as one inside sees it: LATERAL sees what is left."""
        sources = scope.selected_sources
        for at, (_, source) in enumerate(sources.values()):
            if inner is not None and inner in (source, _within(source)):
                sources = dict(list(sources.items())[:at])
                break
        if column.table:
            if column.table not in sources:
                return _ABSENT
            return self._of_source(column.table, *sources[column.table], column.name)
        found = [
            self._of_source(name, node, source, column.name)
            for name, (node, source) in sources.items()
        ]
        known = [each for each in found if each is not _ABSENT]
        if not known:
            return _ABSENT
        # Several that are merged by USING; DuckDB refuses a name that is ambiguous.
        return known[0] if all(each == known[0] for each in known) else None

    def _of_source(
        self, name: str, node: exp.Expr, source: exp.Table | Scope, column: str
    ) -> DataType | object | None:
        if isinstance(source, exp.Table):
            found = self._column_type(source, column) or self._of_series(source, column)
            names = columns_of(source) or ()
            if found is None and column in names:
                # Its own, if of no known type: not one so called of a scope around.
                return BIGINT if is_numbered(source) and column == names[-1] else None
            return _ABSENT if found is None else found
        outputs = self._outputs_of(source, node)
        return outputs.get(column, _ABSENT)

    def _of_series(self, table: exp.Table, column: str) -> DataType | None:
        """The type of the values that a series in FROM gives; one of integers is bigint here."""
        alias, series = table.args.get("alias"), table.this
        if not isinstance(series, exp.GenerateSeries) or alias is None:
            return None
        if column != (alias.columns[0].name if alias.columns else alias.name):
            return None
        kind = self.kind_of(series.args["start"])
        if kind in INTEGERS:
            return BIGINT
        return {
            Kind.DATE: TIMESTAMPTZ,
            Kind.TIMESTAMP: TIMESTAMP,
            Kind.TIMESTAMPTZ: TIMESTAMPTZ,
        }.get(kind or Kind.NULL)

    def _outputs_of(self, scope: Scope, node: exp.Expr) -> Mapping[str, DataType | None]:
        key = id(node)
        if key not in self._outputs:
            self._kept.append(node)
            self._outputs[key] = {}
            names = self._names(scope, node)
            self._outputs[key] = dict(zip(names, self._output_types(scope), strict=False))
        return self._outputs[key]

    def _output_types(self, scope: Scope) -> list[DataType | None]:
        scope = within_lateral(scope)
        tree = scope.expression
        if isinstance(tree, exp.Values):
            rows = [row.expressions for row in tree.expressions if isinstance(row, exp.Tuple)]
            return [self._common(column) for column in zip(*rows, strict=False)]
        if isinstance(tree, exp.SetOperation) and scope.set_operation_scopes:
            first = self._output_types(scope.set_operation_scopes[0])
            if is_recursive(tree):
                return first  # the rest has the types of this, in Postgres
            sides = [self._open_types(side) for side in scope.set_operation_scopes]
            return [common_type(pair) for pair in zip(*sides, strict=False)]
        if isinstance(tree, exp.Query):
            found = [kind for item in tree.selects for kind in self._item_types(scope, item)]
            whole = tree.parent
            if isinstance(whole, exp.SetOperation) and whole.this is tree and is_recursive(whole):
                wide = self.widened(whole)
                return [NUMERIC if each else t for t, each in zip(found, wide, strict=False)]
            return found
        arrays = tree.expressions if isinstance(tree, exp.Unnest) else []
        elements = [array.element if (array := self.of(each)) else None for each in arrays]
        return [*elements, BIGINT] if is_numbered(tree) else elements

    def _open_types(self, scope: Scope) -> list[DataType | None]:
        """The types of a side of a set operation; NULL of a bare text, which takes the other's."""
        found = self._output_types(scope)
        items = scope.expression.selects if isinstance(scope.expression, exp.Select) else []
        if len(items) != len(found):
            return found
        return [
            NULL if is_open(item.unalias()) else each
            for item, each in zip(items, found, strict=True)
        ]

    def _item_types(self, scope: Scope, item: exp.Expr) -> list[DataType | None]:
        """The types of what one item of a SELECT list gives."""
        places = self._star(scope, item) if is_star(item) else None
        if places is None:
            return [self.of(item.unalias())]
        found: list[DataType | None] = []
        for owner, name in places:
            column = exp.column(name, table=owner or None)
            known = self._in_scope(scope, column) if owner else self._merged(scope, name)
            found.append(known if isinstance(known, DataType) else None)
        return found

    def _merged(self, scope: Scope, name: str) -> DataType | None:
        """The type of a column that USING has made of one on each side."""
        sides = [
            self._of_source(item, *source, name) for item, source in scope.selected_sources.items()
        ]
        return common_type([s for s in sides if isinstance(s, DataType)]) if sides else None

    def _names(self, scope: Scope, node: exp.Expr) -> list[str]:
        """The names of a derived table's columns, as its alias has them."""
        scope = within_lateral(scope)
        tree = scope.expression
        first = scope
        while first.set_operation_scopes:
            first = first.set_operation_scopes[0]
        items = tree.selects if isinstance(tree, exp.Query) else []
        names: list[str] = []
        for item in [] if isinstance(tree, exp.Values) else items:
            places = self._star(first, item) if is_star(item) else None
            names += [item.output_name] if places is None else [name for _, name in places]
        outer = tree.parent
        while isinstance(outer, exp.SetOperation):
            outer = outer.parent  # what a recursive CTE reads of itself is its first part
        for owner in (outer, node, tree):
            alias = owner.args.get("alias") if owner is not None else None
            if isinstance(alias, exp.TableAlias) and alias.columns:
                given = [column.name for column in alias.columns]
                names = [*given, *names[len(given) :]]
        if isinstance(tree, exp.Unnest):
            names = list(columns_of(tree) or names)
        return names


_ABSENT = object()
"""No such column here: look further out."""


def _within(source: exp.Table | Scope) -> Scope | None:
    return within_lateral(source) if isinstance(source, Scope) else None


def _of_literal(node: exp.Literal, *, is_negative: bool = False) -> DataType | None:
    """Of a literal, or of a number with a minus: the least integer has no positive."""
    if node.is_string:
        return TEXT
    text = node.name
    if text.isdigit():
        value = int(text) - is_negative
        if value < 1 << 63:
            return INTEGER if value < 1 << 31 else BIGINT
        return decimal_type(len(text), 0) if len(text) <= DIGITS_MAX else None
    whole, point, fraction = text.partition(".")
    digits = whole.lstrip("0") + fraction
    if not point or not (whole + fraction).isdigit() or len(digits) > DIGITS_MAX:
        return None
    return decimal_type(max(len(digits), len(fraction), 1), len(fraction))
