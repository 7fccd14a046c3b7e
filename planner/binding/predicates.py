"""What a WHERE says of the columns of one relation, in disjunctive form.

A `Predicate` is one or more disjuncts, each a tuple of conditions that must all hold. It is true of
every row of which the SQL that it was read from is true; if it is `exact`, of no other. Values
only: `planner.binding.extract` reads it from a tree, `planner.binding.domains` puts the parameters
    in.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from planner.errors import MismatchedTypeError
from planner.values.comparison_bounds import Fitted, Fitter, Outside
from stores.spec.schema import Row, Value

IN_LIST_MAX = 10_000
"""Longest list of values that becomes lookups; a longer one is a range or a scan."""
DISJUNCTS_MAX = 64
"""A WHERE with more alternatives than that is read as if some of its parts were not there."""


class Operand(Struct, frozen=True, kw_only=True):
    """The side of a comparison that is known once the parameters are."""

    text: str
    fit: Fitter
    constant: Value = None
    parameter: int | None = None
    """0-based index of the parameter, or of the first of several; None for a constant."""
    compute: Callable[[Row], Value] | None = None
    """What makes the value of the parameters, where it is not one of them."""
    is_list: bool = False
    """Whether the parameter is an array of which the column is one: `= ANY($1)`."""

    def values(self, parameters: Row) -> Sequence[Value]:
        """Every value that it stands for."""
        value = self.value(parameters)
        return (value,) if not self.is_list else value or ()

    def value(self, parameters: Row) -> Value:
        """The value, not yet fitted; None is NULL."""
        if self.compute is not None:
            return self.compute(parameters)
        return self.constant if self.parameter is None else parameters[self.parameter]


class Equals(Struct, frozen=True, kw_only=True):
    """The column is one of these values."""

    column: str
    operands: tuple[Operand, ...]
    null: bool = False
    """Whether NULL is one of them, as `IS NULL` has it."""
    known: tuple[Value, ...] | None = None
    """The values as the column has them, each once, if no parameter is among the operands."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it speaks of."""
        return (self.column,)

    @property
    def is_single(self) -> bool:
        """Whether it is one value and no more, whatever the parameters are."""
        return len(self.operands) == 1 and not self.operands[0].is_list and not self.null


class Compares(Struct, frozen=True, kw_only=True):
    """The column lies on one side of a value; `operator` is one of <, <=, >, >=."""

    column: str
    operator: str
    operand: Operand

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it speaks of."""
        return (self.column,)


class NotNull(Struct, frozen=True, kw_only=True):
    """The column is not NULL."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it speaks of."""
        return (self.column,)


class OneOf(Struct, frozen=True, kw_only=True):
    """Several columns together are one of these rows: `(a, b) IN ((1, 2), (3, 4))`."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Operand, ...], ...] = ()
    known: tuple[Row, ...] | None = None
    """The rows as the columns have them, each once, in place of operands."""

    def values(self, parameters: Row) -> tuple[Row, ...]:
        """The rows that the columns can be, each once."""
        if self.known is not None:
            return self.known
        fitted_rows = (
            [next(fitted_values((operand,), parameters), None) for operand in row]
            for row in self.rows
        )
        return tuple(dict.fromkeys(tuple(row) for row in fitted_rows if None not in row))


Condition: TypeAlias = Equals | Compares | NotNull | OneOf
Disjunct: TypeAlias = tuple[Condition, ...]


class Predicate(Struct, frozen=True, kw_only=True):
    """A WHERE as far as it is understood; without disjuncts nothing can match."""

    disjuncts: tuple[Disjunct, ...]
    exact: bool = True
    """Whether it is true of no row of which the SQL is not."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it speaks of, each once."""
        found = (name for d in self.disjuncts for c in d for name in c.columns)
        return tuple(dict.fromkeys(found))

    @property
    def conditions(self) -> Disjunct:
        """The conditions of the only disjunct; empty if there are several, or none."""
        return self.disjuncts[0] if len(self.disjuncts) == 1 else ()


EVERY_ROW = Predicate(disjuncts=((),))
NO_ROW = Predicate(disjuncts=())
UNKNOWN = Predicate(disjuncts=((),), exact=False)
"""What is said of something that is not understood: any row may match."""


def all_hold(*conditions: Condition) -> Predicate:
    """The predicate that is these conditions."""
    return Predicate(disjuncts=(conditions,))


def conjunction(one: Predicate, other: Predicate) -> Predicate:
    """What both say."""
    if one is EVERY_ROW or other is EVERY_ROW:
        return other if one is EVERY_ROW else one
    if not (one.disjuncts and other.disjuncts):
        return NO_ROW  # whatever the other says
    exact = one.exact and other.exact
    if len(one.disjuncts) * len(other.disjuncts) > DISJUNCTS_MAX:
        return Predicate(disjuncts=_fewest(one, other).disjuncts, exact=False)
    pairs = itertools.product(one.disjuncts, other.disjuncts)
    return Predicate(disjuncts=tuple(a + b for a, b in pairs), exact=exact)


def _fewest(one: Predicate, other: Predicate) -> Predicate:
    return one if len(one.disjuncts) <= len(other.disjuncts) else other


def disjunction(parts: Sequence[Predicate]) -> Predicate:
    """What at least one of them says."""
    disjuncts = tuple(dict.fromkeys(d for part in parts for d in part.disjuncts))
    exact = all(part.exact for part in parts)
    if () in disjuncts:
        return EVERY_ROW if any(part.exact and () in part.disjuncts for part in parts) else UNKNOWN
    merged = _one_column(disjuncts)
    if merged is not None:
        return Predicate(disjuncts=((merged,),), exact=exact)
    if len(disjuncts) > DISJUNCTS_MAX:
        return UNKNOWN
    return Predicate(disjuncts=disjuncts, exact=exact)


def _one_column(disjuncts: tuple[Disjunct, ...]) -> Equals | None:
    """`k = 1 OR k = 2 OR k IN (3, 4)` as one condition."""
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
    """The condition that a column has one of these values; constants are fitted here, once."""
    known = None
    if all(operand.parameter is None for operand in operands):
        known = tuple(dict.fromkeys(fitted_values(operands, ())))
    return Equals(column=column, operands=operands, null=null, known=known)


def fitted_values(operands: Sequence[Operand], parameters: Row) -> Iterator[Value]:
    """The values of operands that the column can have; NULL, and what it cannot hold, left out."""
    for operand in operands:
        for value in operand.values(parameters):
            found = fitted_value(operand, value)
            if isinstance(found, Fitted) and found.exact:
                yield found.value


def fitted(operand: Operand, parameters: Row) -> Fitted | Outside | None:
    """The operand's value as the column can have it; None if it is NULL, which matches nothing.

    Raises:
        MismatchedTypeError: the parameter's value is not of the type that was agreed on.
    """
    return fitted_value(operand, operand.value(parameters))


def fitted_value(operand: Operand, value: Value) -> Fitted | Outside | None:
    """One value of an operand as the column can have it; None if it is NULL.

    Raises:
        MismatchedTypeError: it is not of the type that was agreed on.
    """
    if value is None:
        return None
    try:
        return operand.fit(value)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise MismatchedTypeError(f"{operand.text} is not of the type it is compared as") from error


def describe_condition(condition: Condition) -> str:
    """A condition as SQL."""
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
