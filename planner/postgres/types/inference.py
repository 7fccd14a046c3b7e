"""The types of expressions in PostgreSQL, as far as they follow from the tree and the columns.

DuckDB types expressions by its own rules. Where PostgreSQL's result depends on its types, the rules
of rewriting look them up here. An answer is certain or None: no type is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from stategate.planner.postgres.types.array_results import filled_type, joined_type
from stategate.planner.postgres.types.column_types import ColumnType, ColumnTypes, Star
from stategate.planner.postgres.types.functions import (
    COMMON,
    OF_ARGUMENT,
    OF_SIGNATURE,
    SAME_AS_FIRST,
    call_name,
)
from stategate.planner.postgres.types.functions import RESULTS as OF_CALLS
from stategate.planner.postgres.types.operands import alternatives, arguments, is_open, is_row_value
from stategate.planner.postgres.types.operators import OPERATORS, operator_result
from stategate.planner.postgres.types.output_columns import is_star
from stategate.planner.postgres.types.result_types import (
    ANY_NUMERIC,
    FLOATS,
    NUMERIC,
    SYMBOLS,
    aggregate_type,
    agreed_type,
    arithmetic_type,
    as_decimal,
    bits_type,
    literal_type,
    number_type,
    numeric_of_text,
    open_operand_type,
    plain_type,
)
from stategate.planner.postgres.types.signatures import OPEN, alike, resolve
from stategate.planner.postgres.types.time_fields import scale_of
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import signed, strip
from stategate.planner.trees.subscripts import chain_of
from stategate.planner.values.array_types import array_of, depth_of, leaf_of, reshaped
from stategate.planner.values.catalog_types import (
    CHAR,
    NAME,
    first_subscript,
    from_zero,
    has_any_scale,
    of_any_scale,
    postgres_name,
    record_type,
)
from stategate.planner.values.sqltypes import (
    innermost,
    is_bare_numeric,
    named_depth,
    result_type_of,
)
from stategate.planner.values.times.time_settings import PLAIN_TIMES, TimeSettings
from stategate.planner.values.type_modifiers import as_argument, unsized
from stategate.stores.spec.schema import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTERVAL,
    JSONB,
    NULL,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    DataType,
    Kind,
    decimal_type,
)

ParameterType: TypeAlias = Callable[[int], DataType | None]

_PREDICATES = (exp.Predicate, exp.And, exp.Or, exp.Not, exp.Escape, exp.Boolean)
_QUANTIFIED = (exp.Any, exp.All)
"""Nodes that sqlglot calls predicates, although they are one side of a comparison."""
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_OF_BITS = (
    *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot),
    *(exp.BitwiseLeftShift, exp.BitwiseRightShift),
)
_OF_THIS = (exp.Paren, exp.Filter, exp.Window, exp.Order, exp.Distinct, exp.Ordered, exp.Collate)
_OF_ANY = (exp.Coalesce, exp.Greatest, exp.Least, exp.Case, exp.Nullif, exp.If)
_OF_TEXT = {"max", "min", "reverse", "string_agg", "group_concat"}
"""Functions with the type of their first argument, which is a text if it is a varchar."""
_FIXED_TYPES = {
    exp.CurrentDate: DATE,
    exp.CurrentTimestamp: DataType(kind=Kind.TIMESTAMPTZ),
    exp.Localtimestamp: DataType(kind=Kind.TIMESTAMP),
    exp.Interval: INTERVAL,
    exp.Null: NULL,
    exp.ArrayContainsAll: BOOLEAN,
    exp.ArrayContainedBy: BOOLEAN,
    exp.MatchAgainst: BOOLEAN,
    exp.DPipe: TEXT,
    exp.Concat: TEXT,
}


class Types:
    """The types of the nodes of one statement; each type is found once, when it is needed.

    Args:
        scopes: the scopes of the statement, inner ones first.
        column_type: the types of the relations' columns.
        parameter_type: the types of the parameters.
        star: the columns that stars stand for.
        results: the result types of functions that have one, whatever their arguments are.
        times: the session's settings of times, which say what a text means as a time.
    """

    def __init__(
        self,
        scopes: Sequence[Scope],
        column_type: ColumnType,
        parameter_type: ParameterType,
        star: Star,
        *,
        results: Mapping[str, DataType] = OF_CALLS,
        times: TimeSettings = PLAIN_TIMES,
    ) -> None:
        self._parameter_type, self._results = parameter_type, results
        self.times = times
        self.columns = ColumnTypes(scopes, column_type, star, self.of)
        self._known: dict[int, DataType | None] = {}
        self._unknown: list[int] = []
        self._kept: list[exp.Expr] = []
        """Nodes whose ids are in `_known`, so that no id is used again."""

    def of(self, node: exp.Expr) -> DataType | None:
        """Return the type of an expression; None if it is not certain."""
        key = id(node)
        if key not in self._known:
            checkpoint()
            self.note(node, None)  # a recursive CTE refers to itself
            found = self._known[key] = self._find(node)
            if found is None:
                self._unknown.append(key)
        return self._known[key]

    def forget(self) -> None:
        """Find unknown types again when they are needed, because a parameter now has its type."""
        for key in self._unknown:
            self._known.pop(key, None)
        self._unknown.clear()
        self.columns.forget()

    def note(self, node: exp.Expr, data_type: DataType | None) -> None:
        """Set the type of a node, such as one that replaces another."""
        self._known[id(node)] = data_type
        self._kept.append(node)

    def kind_of(self, node: exp.Expr) -> Kind | None:
        """Return the kind of an expression's type; None if it is not certain."""
        found = self.of(node)
        return None if found is None else found.kind

    def operands(self, node: exp.Expr) -> tuple[DataType | None, DataType | None]:
        """Return the types of both sides of an operator; a bare text takes the one it needs."""
        left, right = self.of(node.this), self.of(node.expression)
        symbol = SYMBOLS.get(type(node))
        if symbol is not None and right is not None and is_open(node.this):
            left = open_operand_type(symbol, right, is_left=True) or left
        elif symbol is not None and left is not None and is_open(node.expression):
            right = open_operand_type(symbol, left, is_left=False) or right
        return left, right

    # Expressions

    def _find(self, node: exp.Expr) -> DataType | None:  # noqa: PLR0911 - one per kind
        if isinstance(node, exp.Column):
            return self.columns.of(node) or self._of_whole_row(node)
        if isinstance(node, exp.Literal):
            return literal_type(node)
        if isinstance(node, exp.Parameter):
            return self._parameter_type(int(node.name)) if node.name.isdigit() else None
        if isinstance(node, exp.Cast):
            return self._of_cast(node)
        if isinstance(node, _OF_THIS):
            return self.of(node.this)
        if isinstance(node, _PREDICATES) and not isinstance(node, _QUANTIFIED):
            return BOOLEAN
        if (known := _FIXED_TYPES.get(type(node))) is not None:
            return self._concatenated(node) if isinstance(node, exp.DPipe) else known
        if type(node) in OPERATORS:
            return operator_result(node, self.of)
        return self._of_operation(node)

    def _of_operation(  # noqa: C901, PLR0911, PLR0912 - one per kind
        self, node: exp.Expr
    ) -> DataType | None:
        if isinstance(node, _ARITHMETIC):
            return arithmetic_type(node, *self.operands(node))
        if isinstance(node, _OF_BITS):
            return bits_type(node, self.of)
        if isinstance(node, exp.AtTimeZone):
            return TIMESTAMPTZ if self.kind_of(node.this) is Kind.TIMESTAMP else TIMESTAMP
        if isinstance(node, exp.Neg):
            number, is_negative = signed(node)
            if isinstance(number, exp.Literal) and not number.is_string:
                return literal_type(number, is_negative=is_negative)
        if isinstance(node, exp.Neg | exp.Abs):
            return DOUBLE if is_open(node.this) else self.of(node.this)
        if isinstance(node, _OF_ANY):
            return self._of_alternatives(node)
        if isinstance(node, exp.Subquery):
            return self.of_query(node.this)
        if isinstance(node, exp.Array):
            return self._of_array(node)
        if isinstance(node, exp.Bracket | exp.Dot):
            return self._of_part(node)
        if isinstance(node, exp.Extract):
            return decimal_type(24, scale_of(node.this.name))
        if isinstance(node, exp.Tuple) and is_row_value(node):
            return self._of_row(node.expressions)
        if isinstance(node, exp.Explode):
            rows = self.of(node.this)
            return leaf_of(rows) if rows is not None and depth_of(rows) else None
        if isinstance(node, exp.WithinGroup):
            return self._of_ordered_set(node)
        if isinstance(node, exp.Func):
            return self._of_call(node)
        return None

    def _of_whole_row(self, item: exp.Column) -> DataType | None:
        """Return the type of the rows of a FROM item; None if the name is another one's."""
        members = self.columns.members(item)
        fields = [(name, found or NULL) for _, name, found in members or ()]
        return record_type(fields) if fields else None

    def _of_row(self, members: Sequence[exp.Expr]) -> DataType:
        found = [(unsized(self.of(each)), f"f{at}") for at, each in enumerate(members, 1)]
        return record_type([(name, TEXT if t == NULL else t or NULL) for t, name in found])

    def _of_part(self, node: exp.Expr) -> DataType | None:
        """Return the type of an element or a slice of an array, or of a field of a struct."""
        held, places = chain_of(node)
        owner = self.of(node.this if isinstance(node, exp.Dot) else held)
        if owner is None:
            return None
        if owner == NAME:
            return CHAR
        if isinstance(node, exp.Dot):
            return dict(owner.fields).get(node.name)
        if owner.kind is Kind.JSONB:
            return JSONB
        if not depth_of(owner):
            return None
        is_slice = any(isinstance(place, exp.Slice) for place in places)
        return plain_type(owner) if is_slice else leaf_of(owner)

    def _of_array(self, node: exp.Array) -> DataType | None:
        query = node.expressions[0] if len(node.expressions) == 1 else None
        if isinstance(query, exp.Query):
            element = self.of_query(query)
        else:
            element = self._of_elements(node.expressions) if node.expressions else None
        return None if element is None else DataType(kind=Kind.ARRAY, element=element)

    def _of_elements(self, nodes: Sequence[exp.Expr]) -> DataType | None:
        """Return the type that the elements of an array agree on; those of all rows agree."""
        if not nodes or not all(map(_is_listed, nodes)):
            return self._common(nodes)
        inner = [each for node in nodes for each in node.expressions]
        found = self._of_elements(inner) if inner else NULL
        return None if found is None else DataType(kind=Kind.ARRAY, element=found)

    def _of_cast(self, node: exp.Cast) -> DataType | None:
        to = node.to
        if is_bare_numeric(to):
            return self.bare_numeric(node.this)
        target, source = result_type_of(to), self.of(node.this)
        if isinstance(node.this, exp.Parameter) and target == NUMERIC and has_any_scale(source):
            return ANY_NUMERIC  # a parameter was given its type
        if target is None and source is not None and is_bare_numeric(innermost(to)):
            # `x::numeric[]`: the digits are those of the elements.
            depth = depth_of(source) or named_depth(to)
            return array_of(as_decimal(leaf_of(source)) or ANY_NUMERIC, depth)
        if target is not None and not first_subscript(source):
            return from_zero(target)
        return None if target is None else reshaped(target, source)

    def bare_numeric(self, node: exp.Expr) -> DataType | None:
        """Return the type of `x::numeric`: a numeric that holds all digits of the expression."""
        if isinstance(node, exp.Literal) and node.is_string:
            return numeric_of_text(node.name)
        return as_decimal(self.of(node)) or ANY_NUMERIC

    def _concatenated(self, node: exp.Expr) -> DataType | None:
        sides = [self.of(node.this), self.of(node.expression)]
        if any(map(depth_of, sides)):
            return joined_type([node.this, node.expression], self.of)
        kinds = {side.kind for side in sides if side is not None}
        if kinds == {Kind.BYTEA, Kind.TEXT} and not any(map(is_open, (node.this, node.expression))):
            return TEXT
        if kinds == {Kind.JSONB, Kind.TEXT}:
            return JSONB if any(map(is_open, (node.this, node.expression))) else TEXT
        own = (s for s in sides if s is not None and s.kind in {Kind.JSONB, Kind.BYTEA})
        return next(own, TEXT)

    def _of_alternatives(self, node: exp.Expr) -> DataType | None:
        nodes = alternatives(node)
        if isinstance(node, exp.Nullif):
            # If `=` does not take both types, both are cast to one type, which is the result's.
            beside = [] if is_open(node.expression) else [node.expression]
            kinds = {self.kind_of(each) for each in (*nodes, *beside)}
            is_mixed = Kind.DECIMAL in kinds or not (kinds <= FLOATS or kinds.isdisjoint(FLOATS))
            is_both = is_mixed or is_open(node.this)
            found = as_argument(self._common([*nodes, *beside] if is_both else nodes))
            is_real = found is not None and found.kind is Kind.REAL and not is_open(node.this)
            return DOUBLE if is_real and self.kind_of(nodes[0]) is not Kind.REAL else found
        if isinstance(node, exp.Case) and node.args.get("default") is None:
            return unsized(self._common(nodes))
        # ELSE comes first: between text and varchar, the first type wins.
        return self._common([nodes[-1], *nodes[:-1]] if isinstance(node, exp.Case) else nodes)

    def _common(self, nodes: Sequence[exp.Expr]) -> DataType | None:
        return agreed_type(nodes, [self.of(node) for node in nodes])

    def _of_alike(self, nodes: Sequence[exp.Expr]) -> DataType | None:
        """Return the type of arguments that are cast to one; most values are the first one's."""
        found = unsized(self._common(nodes))
        first = as_decimal(self.of(nodes[0])) if nodes else None
        is_longer = found is not None and first is not None and found.scale > first.scale
        return of_any_scale(found.precision, found.scale) if found and is_longer else found

    def of_query(self, query: exp.Expr) -> DataType | None:
        """Return the type of a query's only column."""
        items = query.selects if isinstance(query, exp.Query) else []
        if len(items) != 1:
            return None
        if isinstance(query, exp.Select) and is_star(items[0]):
            found = self.columns.of_columns(query)
            return found[0][1] if len(found) == 1 else None
        return self.of(items[0].unalias())

    def _of_call(self, node: exp.Func) -> DataType | None:  # noqa: PLR0911 - one per family
        name = call_name(node)
        if name == "row":
            return self._of_row(node.expressions)
        if name in SAME_AS_FIRST:
            first = next(iter(arguments(node)), None)
            found = None if first is None else self.of(first)
            return as_argument(found) if name in _OF_TEXT else unsized(found)
        if name == "to_number" and not any(each.is_string for each in arguments(node)[-1:]):
            return ANY_NUMERIC
        if name in COMMON:
            return self._of_alike(alike(name, arguments(node)))
        if name in {"sum", "avg", "round", "trunc", "ceil", "ceiling", "floor", "array_agg"}:
            first = next(iter(arguments(node)), None)
            return None if first is None else aggregate_type(name, self.of(first), node)
        if name == "array_cat":
            return joined_type(arguments(node), self.of)
        if name == "array_fill":
            return filled_type(arguments(node), self.of)
        if name in OF_ARGUMENT or name in OF_SIGNATURE:
            return self._by_signature(name, arguments(node))
        if name == "age" and [postgres_name(self.of(each)) for each in arguments(node)] == ["xid"]:
            return DataType(kind=Kind.INTEGER)  # of the catalog
        return self._results.get(name)

    def _by_signature(self, name: str, given: Sequence[exp.Expr]) -> DataType | None:
        known = [OPEN if is_open(each) else self.of(each) for each in given]
        taken = resolve(name, known)
        if taken is None or name in OF_ARGUMENT:
            return None if taken is None else taken[min(OF_ARGUMENT[name], len(taken) - 1)]
        return number_type(name, known, taken)

    def _of_ordered_set(self, node: exp.WithinGroup) -> DataType | None:
        """Return the type of `percentile_cont` and the like: an array for an array of fractions."""
        name, terms = call_name(node.this), node.expression.expressions
        if name not in {"percentile_cont", "percentile_disc", "mode"} or len(terms) != 1:
            return None
        found = self.of(terms[0].this)
        if found is not None and name == "percentile_cont":
            found = found if found.kind is Kind.INTERVAL else DOUBLE
        is_many = any(self.kind_of(each) is Kind.ARRAY for each in arguments(node.this))
        return DataType(kind=Kind.ARRAY, element=found) if is_many and found else found


def _is_listed(node: exp.Expr) -> bool:
    """Whether a node is an array whose elements are written out."""
    return isinstance(node, exp.Array) and not any(
        isinstance(each, exp.Query) for each in node.expressions
    )


def value_type(node: exp.Expr, types: Types) -> DataType | None:
    """Return the type of a value, or of the elements of `ANY (…)`."""
    if not isinstance(node, _QUANTIFIED):
        return types.of(node)
    array = types.of(strip(node.this))
    return leaf_of(array) if array is not None and depth_of(array) else None
