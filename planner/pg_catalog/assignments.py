"""`set_config('name', 'value', false)`: the one catalog function that changes the session."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from planner.errors import NotSupported
from planner.pg_catalog.parameters import parameter_number
from planner.session import Session
from stores.schema import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A setting and its new value; an int is the number of the parameter that holds it."""

    name: str | int
    value: str | int

    def apply(self, session: Session, parameters: Row) -> None:
        """Change the session; NULL changes nothing."""
        name, value = (
            parameters[part - 1] if isinstance(part, int) else part
            for part in (self.name, self.value)
        )
        if name is not None and value is not None:
            session.set(str(name).lower(), str(value))


def assignments(tree: exp.Expr) -> tuple[Assignment, ...]:
    """What a statement sets, in order.

    Raises:
        NotSupported: a name or value that is neither a literal nor a parameter.
    """
    calls = [node for node in tree.find_all(exp.Anonymous) if node.name.lower() == "set_config"]
    return tuple(
        Assignment(name=_constant(call.expressions[0]), value=_constant(call.expressions[1]))
        for call in calls
        if len(call.expressions) == 3
    )


def _constant(node: exp.Expr) -> str | int:
    bare = node.unnest()
    while isinstance(bare, exp.Cast):
        bare = bare.this.unnest()
    if isinstance(bare, exp.Parameter):
        return parameter_number(bare)
    if isinstance(bare, exp.Literal):
        return str(bare.this)
    raise NotSupported("set_config takes literals or parameters")
