"""Checks the alternatives of CASE, COALESCE, ARRAY and similar expressions: they have one type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sqlglot import exp

from stategate.planner.errors import MismatchedTypeError, NotSupportedError
from stategate.planner.postgres.types.array_literals import array_beside
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import check_literal, read_number
from stategate.planner.postgres.types.operands import ALTERNATIVES, alternatives, is_open
from stategate.planner.postgres.types.result_types import INTEGERS, common_type
from stategate.planner.postgres.types.type_choice import mismatch, name_of
from stategate.planner.trees.nodes import Nodes, position_of, put, strip
from stategate.planner.values.array_types import depth_of
from stategate.planner.values.catalog_types import is_record
from stategate.planner.values.sqltypes import format_type, innermost
from stategate.stores.spec.schema import DataType, Kind


def check_alternatives(nodes: Nodes, types: Types) -> None:
    """Check the text literals among the alternatives of CASE, COALESCE and similar expressions.

    DuckDB reads a literal when it is the result; PostgreSQL reads all of them first. Those beside
    numerics keep their digits.

    Raises:
        MismatchedTypeError: two of them have no common type (42804, 42846).
        QueryError: a literal does not have the type of the others (22P02).
    """
    is_changed = False
    for kind, word in ALTERNATIVES.items():
        for node in nodes.of(kind):
            sides = [strip(side) for side in alternatives(node)]
            if kind is exp.Array and _cast_elements(node, types):
                is_changed = True
                continue
            found = [types.of(side) for side in sides if not is_open(side)]
            beside = [each for each in found if each is not None and each.kind is not Kind.NULL]
            check_alike(beside, word, node)
            texts = [each for each in sides if isinstance(each, exp.Literal) and each.is_string]
            if texts and any(map(is_record, beside)):
                raise NotSupportedError(
                    "input of anonymous composite types is not implemented",
                    position=position_of(texts[0]),
                )
            if texts and len(texts) < len(sides):
                known = [types.of(side) for side in sides if not any(side is t for t in texts)]
                common = None if None in known else common_type(known)
                for text in texts:
                    if common is not None and depth_of(common):
                        put(text, array_beside(text, common))
                    elif common is not None and common.kind is Kind.BOOLEAN:
                        put(text, exp.Boolean(this=check_literal(text, common)))
                    else:
                        is_changed |= read_number(text, common, types)
    if is_changed:
        nodes.renew()


def _cast_elements(array: exp.Expr, types: Types) -> bool:
    """Cast the elements of `ARRAY[1, now()]::text[]` one by one, as PostgreSQL does.

    Returns:
        Whether they are of several types and have a cast; otherwise nothing has changed.
    """
    outer = array.parent
    while isinstance(outer, exp.Paren):
        outer = outer.parent
    if not isinstance(outer, exp.Cast) or outer.to.this is not exp.DType.ARRAY:
        return False
    elements = list(_elements(array))
    found = [types.of(each) for each in elements]
    if len(set(map(str, found))) < 2 or any(map(depth_of, found)):
        return False
    for each in elements:
        holder = exp.Cast(to=innermost(outer.to).copy())
        each.replace(holder)
        holder.set("this", each)
    types.note(array, types.of(outer))
    return True


def _elements(array: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what an array and those inside it list, without NULLs."""
    for each in map(strip, array.expressions):
        if isinstance(each, exp.Array):
            yield from _elements(each)
        elif not isinstance(each, exp.Null):
            yield each


def check_depths(known: Sequence[DataType], node: exp.Expr) -> None:
    """Refuse arrays of different numbers of dimensions, which have one type in PostgreSQL.

    Raises:
        NotSupportedError: two numbers differ (0A000).
    """
    depths = {depth for each in known if (depth := depth_of(each))}
    if len(depths) > 1:
        raise NotSupportedError(
            "arrays of different numbers of dimensions in one column or expression are not "
            "supported",
            position=position_of(node),
        )


def check_alike(known: Sequence[DataType], word: str, node: exp.Expr) -> None:
    """Refuse types that do not match; DuckDB reads true as 1, PostgreSQL does not.

    Raises:
        MismatchedTypeError: two types do not match: their categories differ (42804), or neither
            becomes the other (42846).
        NotSupportedError: as `check_depths`, or they are rows of different types.
    """
    rows = [[kind for _, kind in each.fields] for each in known if is_record(each)]
    if any(not _are_alike(one, other) for one, other in pairwise(rows)):
        raise NotSupportedError(
            "rows of different types in one column or expression are not supported",
            hint="Cast their members to the same types.",
            position=position_of(node),
        )
    if word != ALTERNATIVES[exp.Array]:  # its own rule counts the dimensions
        check_depths(known, node)
    if (found := mismatch([name_of(each) for each in known])) is None:
        return
    one, other = (format_type(known[at]) for at in (found.one, found.other))
    if found.is_of_categories:
        raise MismatchedTypeError(
            f"{word} types {one} and {other} cannot be matched", position=position_of(node)
        )
    raise MismatchedTypeError(
        f"{word} could not convert type {one} to {other}",
        position=position_of(node),
        sqlstate="42846",
    )


def _are_alike(one: Sequence[DataType], other: Sequence[DataType]) -> bool:
    """Whether members of two rows print alike as what DuckDB makes of both."""
    differing = [{a.kind, b.kind} for a, b in zip(one, other, strict=False) if a != b]
    # A bare NULL of a row is a text.
    is_told = all(Kind.TEXT in kinds or kinds <= INTEGERS.keys() for kinds in differing)
    return len(one) == len(other) and is_told
