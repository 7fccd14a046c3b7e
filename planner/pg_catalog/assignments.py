"""`set_config('name', 'value', false)`: the one catalog function that changes the session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from planner.errors import NotSupported, ValueProblem
from planner.predicates import parameter_number
from planner.session import Session
from planner.values import parse_value
from stores.schema import BOOLEAN, Row, Value

Assign = Callable[[str, "str | None", Session, bool], object]
"""Gives a setting a value, None for its default, in a session, and whether for its transaction.

It raises a QueryError where SET would.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """An argument that is known before the statement runs."""

    value: Value = None
    parameter: int = 0
    """The number of the parameter that holds it; 0 for `value` itself."""

    def of(self, parameters: Row) -> Value:
        """The value, with these parameters."""
        return parameters[self.parameter - 1] if self.parameter else self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A setting, its new value, and whether that ends with the transaction."""

    name: Constant
    value: Constant
    local: Constant

    def apply(self, session: Session, parameters: Row, assign: Assign) -> None:
        """Change the session; the value NULL is the default.

        Raises:
            QueryError: the name is NULL (22004) or unknown, or the setting cannot have the value.
        """
        name, value, local = (part.of(parameters) for part in (self.name, self.value, self.local))
        if name is None:
            raise ValueProblem("SET requires parameter name", sqlstate="22004")
        if local is not None and not isinstance(local, bool):
            local = parse_value(str(local), BOOLEAN)
        assign(str(name).lower(), None if value is None else str(value), session, bool(local))


def assignments(tree: exp.Expr) -> tuple[Assignment, ...]:
    """What a statement sets, in order.

    Raises:
        NotSupported: an argument that is neither a literal nor a parameter.
    """
    calls = [node for node in tree.find_all(exp.Anonymous) if node.name.lower() == "set_config"]
    found = []
    for call in calls:
        if len(call.expressions) == 3:
            name, value, local = map(_constant, call.expressions)
            found.append(Assignment(name=name, value=value, local=local))
    return tuple(found)


def _constant(node: exp.Expr) -> Constant:
    bare = node.unnest()
    while isinstance(bare, exp.Cast):
        bare = bare.this.unnest()
    match bare:
        case exp.Parameter():
            return Constant(parameter=parameter_number(bare))
        case exp.Literal():
            return Constant(value=str(bare.this))
        case exp.Boolean():
            return Constant(value=bool(bare.this))
        case exp.Null():
            return Constant()
        case _:
            raise NotSupported("set_config takes literals or parameters")
