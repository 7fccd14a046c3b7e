"""The items of FROM that an item of the same FROM sees."""

from __future__ import annotations

from typing import TypeVar

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from stategate.planner.postgres.types.output_columns import within_lateral

_Source = TypeVar("_Source")


def left_of(
    inner: Scope, sources: dict[str, tuple[_Source, exp.Table | Scope]]
) -> dict[str, tuple[_Source, exp.Table | Scope]]:
    """Return the items of FROM that an inner scope sees: those before it, if it is one of them."""
    for at, (_, source) in enumerate(sources.values()):
        if inner in (source, _within(source)):
            return dict(list(sources.items())[:at])
    return sources


def _within(source: exp.Table | Scope) -> Scope | None:
    return within_lateral(source) if isinstance(source, Scope) else None
