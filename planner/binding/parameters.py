"""Infer the type of each `$n`, and check whether values of two types can be compared.

A parameter has the type that the client gives, or the type that its first use requires, or text.
As in Postgres, a later use does not change it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from stategate.planner.errors import (
    InvalidSyntaxError,
    InvalidValueError,
    MismatchedTypeError,
    NotSupportedError,
    UnknownNameError,
)
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types, value_type
from stategate.planner.postgres.types.operands import COMPARED, alternatives, arguments, compared
from stategate.planner.postgres.types.operators import NO_OPERATOR
from stategate.planner.postgres.types.result_types import SYMBOLS, open_operand_type
from stategate.planner.postgres.types.signatures import OPEN, SIGNATURES, is_ambiguous, resolve
from stategate.planner.syntax.with_clause import NO_CLAUSE, Clause
from stategate.planner.trees.nodes import Nodes, cast, parameter_number, position_of, put, strip
from stategate.planner.values.array_types import depth_of, leaf_of
from stategate.planner.values.catalog_types import postgres_name
from stategate.planner.values.comparison_bounds import LENGTHS, are_comparable
from stategate.planner.values.sqltypes import (
    duckdb_type,
    format_type,
    parameter_type_of,
)
from stategate.stores.spec.schema import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    JSONB,
    TEXT,
    DataType,
    Kind,
)

PARAMETERS_MAX = 65_535
"""The Postgres protocol counts parameters in 16 bits."""

_COMPARISONS = frozenset({exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE})
"""The usual comparisons; the type of one side is that of the other."""
_CONDITIONAL = (exp.Where, exp.Having, exp.Not, exp.And, exp.Or)
_MANY = (exp.Any, exp.All)
_NAMED = (exp.Kwarg, exp.PropertyEQ)
_COUNTED = (exp.Limit, exp.Offset, exp.Fetch)
_COMPUTED = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Pow)
_AMBIGUOUS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
"""Operators that take several types; `^` prefers doubles."""
_ALIKE = (exp.Binary, exp.Coalesce, exp.Greatest, exp.Least, exp.Nullif)
"""Nodes whose operands must all have one type."""
_OF_TEXT = {"this": TEXT, "expression": INTEGER}
_OF_PATH = {"expression": DataType(kind=Kind.ARRAY, element=TEXT)}
_ARGUMENTS: dict[type, dict[str, DataType]] = {
    exp.Left: _OF_TEXT,
    exp.Right: _OF_TEXT,
    exp.Repeat: {"this": TEXT, "times": INTEGER},
    exp.Pad: {"this": TEXT, "expression": INTEGER, "fill_pattern": TEXT},
    exp.Round: {"decimals": INTEGER},
    exp.JSONBExtract: _OF_PATH,
    exp.JSONBExtractScalar: _OF_PATH,
    exp.JSONBDeleteAtPath: {"this": JSONB, **_OF_PATH},
    exp.JSONBContainsAnyTopKeys: {"this": JSONB, **_OF_PATH},
    exp.JSONBContainsAllTopKeys: {"this": JSONB, **_OF_PATH},
    **{
        key: {"this": JSONB, "expression": TEXT}
        for key in (exp.JSONBContains, exp.JSONBContainsTopKey)
    },
    exp.JSONExtract: {"expression": TEXT},
    exp.JSONExtractScalar: {"expression": TEXT},
}
"""Types of arguments that follow from the function alone."""
_TEXTUAL = (exp.Like, exp.ILike, exp.RegexpLike, exp.RegexpILike, exp.SimilarTo)


class Parameters:
    """The parameters of one statement.

    Args:
        nodes: the nodes of the tree.
        given: types that the client gives; None, or a shorter list, leaves the others open.
        arguments: types that functions require of their arguments, by name.
    """

    def __init__(
        self,
        nodes: Nodes,
        given: Sequence[DataType | None],
        arguments: Mapping[str, Sequence[DataType]],
    ) -> None:
        self._nodes, self._given, self._arguments = nodes, given, arguments
        self._types: dict[int, DataType] = {}

    def infer(self, clause: Clause, types: Types) -> None:
        """Infer the types.

        Raises:
            InvalidValueError: a number is out of range (42P02).
            InvalidSyntaxError: a `$` has no number.
            UnknownNameError: a call or an operator is ambiguous (42725).
        """
        for reference in () if clause is NO_CLAUSE else clause.parameters:
            self._check(reference.number)
            declared = self._declared(reference.number)
            self._types.setdefault(reference.number, declared or reference.type)
        places = self._nodes.of(exp.Parameter)
        for node in places:
            if not node.name.isdigit():
                raise InvalidSyntaxError(f'syntax error at or near "{node.sql()}"')
            number = parameter_number(node)
            self._check(number)
            found = self._declared(number) or self._expected_type(node, types)
            if found is not None and number not in self._types:
                self._types[number] = found
                types.forget()
        for node in places:
            if parameter_number(node) not in self._types:
                _require_one_meaning(node, types)
        for node in places:
            self._types.setdefault(parameter_number(node), TEXT)
        types.forget()

    def known_type(self, number: int) -> DataType | None:
        """Return the type of $number; None if it is not inferred yet."""
        return self._types.get(number)

    def type_of(self, number: int) -> DataType:
        """Return the type of $number."""
        return self._types[number]

    def types(self) -> tuple[DataType, ...]:
        """Return all types, from $1 on.

        Raises:
            InvalidValueError: a number is missing from the statement, so it has no type (42P18).
        """
        count = max([*self._types, len(self._given)], default=0)
        found = [self._types.get(n) or self._declared(n) for n in range(1, count + 1)]
        if None in found:
            raise InvalidValueError(
                f"could not determine data type of parameter ${found.index(None) + 1}",
                hint="Number parameters from $1 on, without gaps.",
                sqlstate="42P18",
            )
        return tuple(data_type for data_type in found if data_type is not None)

    def add(self, data_type: DataType) -> int | None:
        """Add a parameter after all others, and return its number; None if there are too many."""
        number = max([*self._types, len(self._given)], default=0) + 1
        if number > PARAMETERS_MAX:
            return None
        self._types[number] = data_type
        return number

    def give_types(self) -> None:
        """Cast each parameter in the tree to its type, which DuckDB would guess."""
        for node in self._nodes.of(exp.Parameter):
            name = duckdb_type(self._types[parameter_number(node)])
            put(node, cast(node.copy(), name))
        self._nodes.renew()

    def check_comparisons(self, types: Types) -> None:
        """Refuse comparisons that Postgres has no operator for.

        Raises:
            MismatchedTypeError: e.g. text with a number (42883).
        """
        for node in self._nodes.in_turn(COMPARED):
            for first, *others in compared(node):
                one = self._compared_type(first, types)
                for other in others if one is not None else ():
                    theirs = self._compared_type(other, types)
                    if theirs is not None and one and not are_comparable(one, theirs):
                        raise _no_operator(node, one, theirs, other)
                    if theirs is not None and one and {one.kind, theirs.kind} == LENGTHS:
                        raise NotSupportedError(
                            "a time of day compared with an interval is not supported",
                            hint="Cast the time to interval.",
                            position=position_of(other),
                        )

    def _compared_type(self, node: exp.Expr, types: Types) -> DataType | None:
        """Return the type of one side, if certain; a text literal has that of the other side."""
        node = strip(node)
        if isinstance(node, exp.Literal) and node.is_string:  # a list may have thousands
            return None
        if isinstance(node, exp.Parameter):
            return self._types[parameter_number(node)]
        if isinstance(node, _MANY):
            inner = self._compared_type(node.this, types)
            return None if inner is None or not depth_of(inner) else leaf_of(inner)
        found = types.of(node)
        # A regproc is a name, or a number; rows are compared by their columns.
        return None if postgres_name(found) in {"regproc", "record"} else found

    def _expected_type(self, node: exp.Parameter, types: Types) -> DataType | None:
        """Return the type that a parameter's context requires; None if it requires none."""
        called = node.parent
        if called is not None and type(called) in _COMPARISONS:
            return value_type(called.expression if called.this is node else called.this, types)
        if isinstance(called, exp.Func) and self._arguments:
            asked = self._arguments.get(call_name(called), ())
            place = next((at for at, each in enumerate(arguments(called)) if each is node), None)
            if place is not None and place < len(asked):
                return asked[place]
        return _expected_type(node, types)

    @staticmethod
    def _check(number: int) -> None:
        if not 1 <= number <= PARAMETERS_MAX:
            raise InvalidValueError(f"there is no parameter ${number}", sqlstate="42P02")

    def _declared(self, number: int) -> DataType | None:
        return self._given[number - 1] if number <= len(self._given) else None


def _no_operator(
    node: exp.Expr, one: DataType, theirs: DataType, other: exp.Expr
) -> MismatchedTypeError:
    operators: dict[type[exp.Expr], str] = {
        exp.NEQ: "<>",
        exp.LT: "<",
        exp.LTE: "<=",
        exp.GT: ">",
        exp.GTE: ">=",
        exp.Between: ">=",
    }
    return MismatchedTypeError(
        f"operator does not exist: {format_type(one)} {operators.get(type(node), '=')} "
        f"{format_type(theirs)}",
        hint=NO_OPERATOR,
        position=position_of(other) or position_of(node.this),
        sqlstate="42883",
    )


def _expected_type(node: exp.Parameter, types: Types) -> DataType | None:
    """Return the type that a parameter's context requires; None if it requires none."""
    child: exp.Expr = node
    parent = node.parent
    while isinstance(parent, exp.Paren):
        child, parent = parent, parent.parent
    if isinstance(parent, _MANY):
        element = _type_of_others(parent.parent, parent, types)
        return DataType(kind=Kind.ARRAY, element=element or TEXT)
    if (found := _type_of_place(parent, child)) is not None:
        return found
    if isinstance(parent, exp.If) and isinstance(parent.parent, exp.Case):
        parent = parent.parent
    if isinstance(parent, exp.Func) and (name := call_name(parent)) in SIGNATURES:
        return _argument_type(name, parent, child, types)
    if isinstance(parent, exp.DPipe):
        return _joined_type(_type_of_others(parent, child, types))
    if isinstance(parent, exp.Tuple):
        return _type_in_row(parent, child, types)
    return _type_of_others(parent, child, types)


def _require_one_meaning(node: exp.Parameter, types: Types) -> None:
    """Refuse a function or an operator that takes several types if nothing determines one."""
    child: exp.Expr = node
    parent = node.parent
    while isinstance(parent, exp.Paren):
        child, parent = parent, parent.parent
    if isinstance(parent, exp.Extract):
        raise _not_unique("function pg_catalog.extract(unknown, unknown) is not unique", node)
    if isinstance(parent, exp.Neg):
        raise _not_unique("operator is not unique: - unknown", node)
    if isinstance(parent, _AMBIGUOUS):
        other = parent.expression if parent.this is child else parent.this
        if _is_open(other, types):
            symbol = SYMBOLS[type(parent)]
            raise _not_unique(f"operator is not unique: unknown {symbol} unknown", node)
    if isinstance(parent, exp.Func) and (name := call_name(parent)) in SIGNATURES:
        given = [OPEN if _is_open(each, types) else types.of(each) for each in arguments(parent)]
        if is_ambiguous(name, given):
            shown = ["unknown" if each == OPEN else format_type(each) for each in given if each]
            raise _not_unique(f"function {name}({', '.join(shown)}) is not unique", node)


def _not_unique(message: str, node: exp.Expr) -> UnknownNameError:
    kind = message.partition(" ")[0]
    return UnknownNameError(
        message,
        hint=f"Could not choose a best candidate {kind}. "
        "You might need to add explicit type casts.",
        position=position_of(node),
        sqlstate="42725",
    )


def _argument_type(name: str, call: exp.Func, child: exp.Expr, types: Types) -> DataType | None:
    """Return the type that a function requires of an argument next to the others."""
    given = arguments(call)
    if isinstance(call.parent, exp.WithinGroup):
        given += [term.this for term in call.parent.expression.expressions]
    known = [OPEN if _is_open(each, types) else types.of(each) for each in given]
    found = resolve(name, known)
    place = next((at for at, each in enumerate(given) if each is child), None)
    return None if found is None or place is None else found[place]


def _is_open(node: exp.Expr, types: Types) -> bool:
    """Whether the type of a node follows from its context."""
    node = strip(node)
    if isinstance(node, exp.Parameter):
        return types.of(node) is None
    return isinstance(node, exp.Null) or (isinstance(node, exp.Literal) and bool(node.is_string))


def _joined_type(beside: DataType | None) -> DataType:
    """Return the type that `||` requires of one side: text, unless the other has its own `||`."""
    is_like = beside is not None and beside.kind in {Kind.ARRAY, Kind.BYTEA, Kind.JSONB}
    return beside if beside is not None and is_like else TEXT


def _type_of_place(  # noqa: PLR0911 - one per family
    parent: exp.Expr | None, child: exp.Expr
) -> DataType | None:
    """Return the type that a context requires of a value, whatever its other operands are."""
    if isinstance(parent, exp.Cast):
        return parameter_type_of(parent.to)
    if isinstance(parent, _NAMED):  # only make_interval has named arguments
        return DOUBLE if parent.this.name == "secs" else INTEGER
    if isinstance(parent, _COUNTED):
        return BIGINT
    if isinstance(parent, exp.Bracket | exp.Slice):
        return INTEGER if child.arg_key != "this" or isinstance(parent, exp.Slice) else None
    is_condition = isinstance(parent, exp.If) and child.arg_key == "this"
    if is_condition or isinstance(parent, _CONDITIONAL):
        return BOOLEAN
    if isinstance(parent, _TEXTUAL):
        return TEXT
    return _ARGUMENTS.get(type(parent), {}).get(child.arg_key or "")


def _type_in_row(row: exp.Tuple, child: exp.Expr, types: Types) -> DataType | None:
    """Return the type of a value in `(a, b) IN (($1, $2))`: the type of its column."""
    within = row.parent
    left = strip(within.this) if isinstance(within, exp.In) else None
    if not isinstance(left, exp.Tuple) or len(left.expressions) != len(row.expressions):
        return None
    places = zip(row.expressions, left.expressions, strict=True)
    return next((types.of(column) for each, column in places if each is child), None)


def _operand_type(parent: exp.Expr, child: exp.Expr, types: Types) -> DataType | None:
    """Return the type that an arithmetic operator requires of one side, given the other."""
    is_left = parent.this is child
    beside = parent.expression if is_left else parent.this
    other = None if _is_open(beside, types) else types.of(beside)
    return (
        None if other is None else open_operand_type(SYMBOLS[type(parent)], other, is_left=is_left)
    )


def _type_of_others(parent: exp.Expr | None, child: exp.Expr, types: Types) -> DataType | None:
    """Return the type of the first other operand whose type is known."""
    beside: list[exp.Expr] = []
    if isinstance(parent, exp.Between | exp.In):
        beside = [side for group in compared(parent) for side in group]
    elif isinstance(parent, exp.Case):
        beside = alternatives(parent)
    elif isinstance(parent, exp.GenerateSeries):
        beside = [parent.args[each] for each in ("start", "end") if parent.args.get(each)]
    elif isinstance(parent, exp.Array):
        beside = parent.expressions
    elif isinstance(parent, _COMPUTED):
        return _operand_type(parent, child, types)
    elif isinstance(parent, _ALIKE):
        second = parent.args.get("expression")
        beside = [parent.this, *([second] if second else []), *parent.expressions]
    known = (value_type(each, types) for each in beside if each is not child)
    return next((data_type for data_type in known if data_type is not None), None)
