"""inet: it is held as PostgreSQL's text, which is read where a literal or a parameter has it."""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import check_literal
from stategate.planner.trees.column_names import type_name
from stategate.planner.trees.nodes import position_of, strip
from stategate.planner.values.array_types import leaf_of
from stategate.planner.values.catalog_types import is_inet
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import DataType


def read_address(node: exp.Cast, target: DataType, types: Types) -> None:
    """Read the literal of a cast to inet, in place.

    Raises:
        InvalidValueError: it is no address (22P02).
        NotSupportedError: the value is a text that is no literal (0A000).
    """
    inner, source, leaf = strip(node.this), types.of(node.this), leaf_of(target)
    while isinstance(inner, exp.Cast) and type_name(inner.to) in {"text", "text[]"}:
        inner = strip(inner.this)
    written = inner.expressions if isinstance(inner, exp.Array) and target.element else [inner]
    literals = [each for each in written if isinstance(each, exp.Literal) and each.is_string]
    for literal in literals:
        literal.set("this", check_literal(literal, leaf))
    nulls = [each for each in written if isinstance(each, exp.Null)]
    if source is None or len(literals) + len(nulls) == len(written):
        return
    if not is_inet(source) and not is_inet(types.of(inner)):
        raise NotSupportedError(
            f"a cast from {format_type(source)} to inet is not supported",
            hint="Write each address as a literal.",
            position=position_of(node.this),
        )
