"""Predicates on the columns of one relation, in disjunctive normal form.

A `Predicate` is a tuple of disjuncts, each a tuple of conditions that must all hold. It is true for
every row for which the SQL is true; an `exact` one is true for no other row. Predicates are values:
`stategate.planner.binding.predicate_reader` reads them from a tree,
`stategate.planner.binding.domains` fills in the parameters.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from stategate.planner.errors import MismatchedTypeError
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.values.comparison_bounds import Fitted, Fitter, Outside
from stategate.stores.spec.schema import Row, Value

IN_LIST_MAX = 10_000
"""Longest list of values that becomes lookups; a longer one is a range or a scan."""
DISJUNCTS_MAX = 64
"""If a WHERE has more alternatives, some of its conditions are evaluated only by DuckDB."""


class Operand(Struct, frozen=True, kw_only=True):
    """The side of a comparison whose value is known once the parameters are known."""

    text: str
    fit: Fitter
    constant: Value = None
    parameter: int | None = None
    """0-based index of the parameter; None for a constant."""
    compute: Callable[[Row], Value] | None = None
    """Computes the value from the parameters, unless the value is the parameter."""
    is_list: bool = False
    """Whether the parameter is an array of values: `= ANY($1)`."""

    @property
    def place(self) -> int | None:
        """The index of the parameter that it consists of; None if it is not a single parameter."""
        return None if self.is_list or self.compute is not None else self.parameter

    def values(self, parameters: Row) -> Sequence[Value]:
        """Return all values of the operand."""
        value = self.value(parameters)
        return (value,) if not self.is_list else value or ()

    def value(self, parameters: Row) -> Value:
        """Return the value before it is fitted to the column; None is NULL."""
        if self.compute is not None:
            return self.compute(parameters)
        return self.constant if self.parameter is None else parameters[self.parameter]


class Equals(Struct, frozen=True, kw_only=True):
    """The column is equal to one of these values."""

    column: str
    operands: tuple[Operand, ...]
    null: bool = False
    """Whether NULL is one of the values, as in `IS NULL`."""
    known: tuple[Value, ...] | None = None
    """The values converted to the type of the column, each once, if no operand is a parameter."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the condition."""
        return (self.column,)

    @property
    def is_single(self) -> bool:
        """Whether it has exactly one value, whatever the parameters are."""
        return len(self.operands) == 1 and not self.operands[0].is_list and not self.null


class Compares(Struct, frozen=True, kw_only=True):
    """The column is less or greater than a value; `operator` is one of <, <=, >, >=."""

    column: str
    operator: str
    operand: Operand

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the condition."""
        return (self.column,)


class NotNull(Struct, frozen=True, kw_only=True):
    """The column is not NULL."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the condition."""
        return (self.column,)


class OneOf(Struct, frozen=True, kw_only=True):
    """Several columns together are equal to one of these rows: `(a, b) IN ((1, 2), (3, 4))`."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Operand, ...], ...] = ()
    known: tuple[Row, ...] | None = None
    """The rows converted to the types of the columns, each once, instead of operands."""
    parameter: int | None = None
    """0-based index of the parameter that has such rows, instead of operands."""

    def values(self, parameters: Row) -> tuple[Row, ...]:
        """Return the rows that the columns can have, each once."""
        if self.known is not None:
            return self.known
        if self.parameter is not None:
            found: tuple[Row, ...] = parameters[self.parameter]
            return found
        fitted_rows = (
            [next(fitted_values((operand,), parameters), None) for operand in row]
            for row in self.rows
        )
        return tuple(dict.fromkeys(tuple(row) for row in fitted_rows if None not in row))


Condition: TypeAlias = Equals | Compares | NotNull | OneOf
Disjunct: TypeAlias = tuple[Condition, ...]


class Predicate(Struct, frozen=True, kw_only=True):
    """The part of a WHERE that is understood; without disjuncts no row can match."""

    disjuncts: tuple[Disjunct, ...]
    exact: bool = True
    """Whether it is true for no row for which the SQL is not true."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of all conditions, each once."""
        found = (name for d in self.disjuncts for c in d for name in c.columns)
        return tuple(dict.fromkeys(found))

    @property
    def parameters(self) -> frozenset[int]:
        """The 0-based indices of the parameters that the conditions take."""
        operands = [each for d in self.disjuncts for c in d for each in _operands(c)]
        return frozenset(each.parameter for each in operands if each.parameter is not None)

    @property
    def conditions(self) -> Disjunct:
        """The conditions of the only disjunct; empty if there are several, or none."""
        return self.disjuncts[0] if len(self.disjuncts) == 1 else ()


def _operands(condition: Condition) -> Iterable[Operand]:
    match condition:
        case Equals():
            return condition.operands
        case Compares():
            return (condition.operand,)
        case OneOf():
            return itertools.chain.from_iterable(condition.rows)
        case NotNull():
            return ()


EVERY_ROW = Predicate(disjuncts=((),))
NO_ROW = Predicate(disjuncts=())
UNKNOWN = Predicate(disjuncts=((),), exact=False)
"""The predicate of a condition that is not understood: any row may match."""


def all_hold(*conditions: Condition) -> Predicate:
    """Return the predicate that is true if all these conditions hold."""
    return Predicate(disjuncts=(conditions,))


def conjunction(one: Predicate, other: Predicate) -> Predicate:
    """Return the predicate that is true if both are."""
    if one is EVERY_ROW or other is EVERY_ROW:
        return other if one is EVERY_ROW else one
    if not (one.disjuncts and other.disjuncts):
        return NO_ROW  # whatever the other one is
    exact = one.exact and other.exact
    if len(one.disjuncts) * len(other.disjuncts) > DISJUNCTS_MAX:
        return Predicate(disjuncts=_fewest(one, other).disjuncts, exact=False)
    pairs = itertools.product(one.disjuncts, other.disjuncts)
    return Predicate(disjuncts=tuple(a + b for a, b in pairs), exact=exact)


def _fewest(one: Predicate, other: Predicate) -> Predicate:
    return one if len(one.disjuncts) <= len(other.disjuncts) else other


def disjunction(parts: Sequence[Predicate]) -> Predicate:
    """Return the predicate that is true if at least one of them is."""
    disjuncts = tuple(dict.fromkeys(d for part in parts for d in part.disjuncts))
    exact = all(part.exact for part in parts)
    if () in disjuncts:
        return EVERY_ROW if any(part.exact and () in part.disjuncts for part in parts) else UNKNOWN
    merged = _one_column(disjuncts)
    if merged is not None:
        return Predicate(disjuncts=((merged,),), exact=exact)
    if len(disjuncts) > DISJUNCTS_MAX:
        # Not before: a few disjuncts are masks of whole columns, which rows in a list are not.
        disjuncts = _by_columns(disjuncts)
    if len(disjuncts) > DISJUNCTS_MAX:
        return UNKNOWN
    return Predicate(disjuncts=disjuncts, exact=exact)


def _by_columns(disjuncts: tuple[Disjunct, ...]) -> tuple[Disjunct, ...]:
    """Return disjuncts with one for all equalities of the same columns, which lists their rows.

    `(a = 1 AND b = 2) OR (b = 3 AND a = 4)` becomes `(a, b) IN ((1, 2), (4, 3))`.
    """
    others: list[Disjunct] = []
    listed: dict[tuple[str, ...], list[tuple[Operand, ...]]] = {}
    for disjunct in disjuncts:
        checkpoint()
        columns, rows = _as_rows(disjunct)
        if columns:
            listed.setdefault(columns, []).extend(rows)
        else:
            others.append(disjunct)
    for columns, rows in listed.items():
        if len(columns) == 1:
            others.append((equals_one_of(columns[0], tuple(operand for (operand,) in rows)),))
        else:
            others.append((OneOf(columns=columns, rows=tuple(rows)),))
    return tuple(others)


def _as_rows(disjunct: Disjunct) -> tuple[tuple[str, ...], list[tuple[Operand, ...]]]:
    """Return a disjunct as columns and the rows that they can have; no columns if it is no such."""
    columns: tuple[str, ...] = ()
    rows: list[tuple[Operand, ...]] = [()]
    for condition in sorted(disjunct, key=lambda each: each.columns):
        match condition:
            case Equals(operands=operands, null=False) if not any(o.is_list for o in operands):
                values: Sequence[tuple[Operand, ...]] = [(operand,) for operand in operands]
            case OneOf(known=None, parameter=None) if len(disjunct) == 1:
                values = condition.rows
            case _:
                return (), []
        if len(rows) * len(values) > IN_LIST_MAX or set(columns) & set(condition.columns):
            return (), []
        columns += condition.columns
        rows = [row + more for row in rows for more in values]
    return columns, rows


def _one_column(disjuncts: tuple[Disjunct, ...]) -> Equals | None:
    """Return `k = 1 OR k = 2 OR k IN (3, 4)` as one condition; None for other disjuncts."""
    found: list[Equals] = []
    for disjunct in disjuncts:
        only = disjunct[0] if len(disjunct) == 1 else None
        if not isinstance(only, Equals) or (found and only.column != found[0].column):
            return None
        found.append(only)
    if not found:
        return None
    operands = tuple(operand for equals in found for operand in equals.operands)
    return equals_one_of(found[0].column, operands, null=any(each.null for each in found))


def equals_one_of(column: str, operands: tuple[Operand, ...], *, null: bool = False) -> Equals:
    """Return the condition that a column has one of these values; constants are fitted once."""
    known = None
    if all(operand.parameter is None for operand in operands):
        known = tuple(dict.fromkeys(fitted_values(operands, ())))
    return Equals(column=column, operands=operands, null=null, known=known)


def fitted_values(operands: Sequence[Operand], parameters: Row) -> Iterator[Value]:
    """Return the values of operands that the column can have, without NULL."""
    for operand in operands:
        checkpoint()
        values = operand.values(parameters)
        if operand.fit is Fitted:  # as for keys in most lists: values stay as they are
            yield from [value for value in values if value is not None]
            continue
        for value in values:
            found = fitted_value(operand, value)
            if isinstance(found, Fitted) and found.exact:
                yield found.value


def fitted(operand: Operand, parameters: Row) -> Fitted | Outside | None:
    """Return the operand's value fitted to the column; None for NULL, which matches nothing.

    Raises:
        MismatchedTypeError: the parameter does not have its declared type.
    """
    return fitted_value(operand, operand.value(parameters))


def fitted_value(operand: Operand, value: Value) -> Fitted | Outside | None:
    """Return one value of an operand fitted to the column; None for NULL.

    Raises:
        MismatchedTypeError: the value does not have its declared type.
    """
    if value is None:
        return None
    try:
        return operand.fit(value)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise MismatchedTypeError(f"{operand.text} is not of the type it is compared as") from error


def describe_condition(condition: Condition) -> str:
    """Return a condition as SQL."""
    match condition:
        case Compares():
            return f"{condition.column} {condition.operator} {condition.operand.text}"
        case NotNull():
            return f"{condition.column} is not null"
        case OneOf():
            rows = [f"({', '.join(operand.text for operand in row)})" for row in condition.rows]
            rows += [f"({', '.join(map(str, row))})" for row in condition.known or ()]
            return f"({', '.join(condition.columns)}) in ({_shortened(rows)})"
        case Equals():
            return _describe_equals(condition)


def _describe_equals(condition: Equals) -> str:
    column, texts = condition.column, [operand.text for operand in condition.operands]
    is_null = f"{column} is null"
    if not texts:
        return is_null
    said = f"{column} = {texts[0]}" if len(texts) == 1 else f"{column} in ({_shortened(texts)})"
    return f"({said} or {is_null})" if condition.null else said


def _shortened(texts: list[str]) -> str:
    return ", ".join(texts[:5]) + (f", … {len(texts)} values" if len(texts) > 5 else "")
