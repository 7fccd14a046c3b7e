"""The computed values of a plan: what each run computes from its parameters before it reads."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property

import pyarrow as pa
from msgspec import Struct

from stategate.planner.binding.computed_values import ComputedValue
from stategate.planner.binding.quick_values import DeclinedError
from stategate.planner.errors import MismatchedTypeError, QueryError
from stategate.planner.trees.outline import Outline
from stategate.planner.values.cancel import Cancellation
from stategate.stores.spec.schema import Column, DataType, Row


class ValuesQuery(Struct, frozen=True, kw_only=True, dict=True):
    """The query for all values of a statement; it has one row."""

    sql: str
    outline: Outline
    numbers: tuple[int, ...]
    """The parameters in the SQL."""
    parameters: tuple[DataType, ...]
    """Their types, from $1 on."""
    columns: tuple[Column, ...]

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of its row."""
        return pa.schema([(c.name, c.type.arrow) for c in self.columns])


class RunValues(Struct, frozen=True, kw_only=True, dict=True):
    """The values that each run computes: parameters after those that it is given."""

    values: tuple[ComputedValue, ...]
    query: Callable[[Cancellation], ValuesQuery]
    """Returns their query, which takes the given parameters. Raises a QueryError if DuckDB cannot
    compute them."""

    @property
    def given(self) -> int:
        """The number of parameters before the first value."""
        return self.values[0].number - 1

    @cached_property
    def is_quick(self) -> bool:
        """Whether all values can be computed here, without DuckDB, for most parameters."""
        return all(each.quick is not None for each in self.values)

    @cached_property
    def _uses_clock(self) -> bool:
        return any(each.uses_clock for each in self.values)

    def quickly(self, parameters: Row) -> Row | None:
        """Return the parameters with the values computed here; None if DuckDB must compute one."""
        found = self.quick_values(parameters)
        return None if found is None else self.with_values(parameters, found)

    def each_quickly(self, parameters: Sequence[Row]) -> list[Row]:
        """Return each with its values; none if DuckDB must compute one of them."""
        found = [*map(self.quickly, parameters)]
        known = [each for each in found if each is not None]
        return known if len(known) == len(found) else []

    def quick_values(self, parameters: Row) -> Row | None:
        """Return the values computed here; None if DuckDB must compute one."""
        if not self.is_quick:
            return None
        now_us = time.time_ns() // 1000 if self._uses_clock else 0
        try:
            return tuple([each.quick(parameters, now_us) for each in self.values if each.quick])
        except (DeclinedError, QueryError, ArithmeticError):
            return None
        except (TypeError, ValueError) as error:
            message = "a parameter is not of the type it is declared as"
            raise MismatchedTypeError(message) from error

    def with_values(self, parameters: Row, found: Row) -> Row:
        """Return the given parameters, the values, and what a narrower plan has after them."""
        given = self.given
        return (*parameters[:given], *found, *parameters[given:])

    def inputs_of(self, places: frozenset[int]) -> frozenset[int]:
        """Return the 0-based indices of the given parameters on which parameters depend."""
        given = self.given
        taken = {place for place in places if place < given}
        inner = (self.values[place - given].inputs for place in places if place >= given)
        return frozenset(taken.union(*({n - 1 for n in numbers} for numbers in inner)))
