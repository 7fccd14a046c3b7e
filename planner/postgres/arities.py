"""Refuses calls of functions that do not exist, by the records of functions.

The rules that rewrite calls rely on the number of arguments. DuckDB checks those of its own
functions.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from sqlglot import exp

from stategate.planner.errors import MismatchedTypeError, NotSupportedError, UnknownNameError
from stategate.planner.postgres.refused import OF_WINDOWS, check_over, unknown_function
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import arguments, is_open
from stategate.planner.postgres.types.signatures import (
    OPEN,
    is_ambiguous,
    is_taken,
    is_undetermined,
)
from stategate.planner.postgres.types.type_choice import choose, name_of
from stategate.planner.records.functions import RECORDS
from stategate.planner.trees.nodes import CALLS, Nodes, position_of
from stategate.planner.values.catalog_types import is_of_catalog
from stategate.planner.values.sqltypes import format_type
from stategate.planner.values.type_modifiers import is_string
from stategate.stores.spec.schema import DataType, Kind

_OF_ANY = frozenset({"quote_literal", "quote_nullable"})
"""Functions that take the text of a value of any type."""
_OF_SYNTAX: Mapping[type[exp.Expr], str] = {
    exp.GroupConcat: "string_agg",
    exp.Ceil: "ceil",
    exp.Floor: "floor",
}
"""Calls that sqlglot reads in a way of its own, so that they lose the name that was written."""
_EXTREMES = frozenset({"max", "min"})


def check_arguments(
    nodes: Nodes,
    types: Types,
    functions: Container[str],
    wanted: Mapping[str, Sequence[DataType]],
) -> None:
    """Refuse unknown functions, wrong numbers of arguments, and window functions without OVER.

    DuckDB would report arguments of wrong types for the functions that calls are rewritten to.

    Args:
        nodes: the nodes of the query.
        types: the types of its expressions.
        functions: the functions that it may call.
        wanted: the types of the arguments of those that have no record.

    Raises:
        UnknownNameError: there is no such function, or none takes arguments of these types, or this
        many (42883); the message has their types.
        MismatchedTypeError: a window function has no OVER.
    """
    _check_known(nodes, types, functions)
    for node in nodes.among(CALLS):
        name = _written_name(node)
        if name in wanted:
            _check_types(node, name, wanted[name], types)
        record = RECORDS.get(name)
        if record is None or not record.counts:
            continue
        given = arguments(node)
        if name == "count" and not given:
            raise MismatchedTypeError(
                "count(*) must be used to call a parameterless aggregate function",
                position=position_of(node),
                sqlstate="42809",
            )
        if not record.allows(len(given)) or not _takes(name, given, types):
            raise unknown_function(node, name, _types_shown(given, types))
        if any(map(is_open, given)):
            _check_meaning(node, name, given, types)
    for within in nodes.of(exp.WithinGroup):
        _check_ordered_set(within, types)
    check_over(nodes)


def _check_types(node: exp.Expr, name: str, wanted: Sequence[DataType], types: Types) -> None:
    """Refuse arguments that do not become what a function takes by implicit casts."""
    given = arguments(node)[: len(wanted)]
    known = [OPEN if is_open(each) else types.of(each) for each in given]
    found = tuple(name_of(OPEN if each is None else each) for each in known)
    if not choose([tuple(map(name_of, wanted[: len(given)]))], found):
        raise unknown_function(node, name, _types_shown(arguments(node), types))


_REFUSED = frozenset(
    {"setseed", "pg_sleep", "pg_sleep_for", "pg_sleep_until", "trim_scale", "min_scale"}
)
"""Functions of PostgreSQL that clients may miss."""


def _check_known(nodes: Nodes, types: Types, functions: Container[str]) -> None:
    unknown: dict[int, tuple[exp.Expr, str]] = {}
    for node in nodes.among(CALLS):
        if isinstance(node, exp.Cast):
            continue  # `int4(x)` is one
        # A call with its own syntax, such as CAST or EXTRACT, has no name to look up.
        name = node.meta.get("name") or (node.name if type(node) is exp.Anonymous else None)
        if name is not None and name.lower() not in functions:
            unknown[id(node)] = node, name.lower()
    for node, name in unknown.values():
        if name in _REFUSED:
            raise NotSupportedError(f"{name}() is not supported", position=position_of(node))
        if not any(id(each) in unknown for each in node.walk() if each is not node):
            given = [each for each in arguments(node) if not isinstance(each, exp.Star)]
            raise unknown_function(node, name, _types_shown(given, types))


def _check_meaning(node: exp.Expr, name: str, given: Sequence[exp.Expr], types: Types) -> None:
    """Refuse a call of which several functions take the texts and NULLs alike, or none is told."""
    known = [OPEN if is_open(each) else types.of(each) for each in given]
    if is_undetermined(name, known):
        raise MismatchedTypeError(
            "could not determine polymorphic type because input has type unknown",
            position=position_of(node),
        )
    has_more = RECORDS[name].has_more_of(len(given)) and all(each == OPEN for each in known)
    if has_more or is_ambiguous(name, known):
        raise UnknownNameError(
            f"function {name}({_types_shown(given, types)}) is not unique",
            hint="Could not choose a best candidate function. "
            "You might need to add explicit type casts.",
            position=position_of(node),
            sqlstate="42725",
        )


_OF_ANY_TYPE = frozenset({"mode", "percentile_disc"})
"""Aggregates with WITHIN GROUP whose result has the type of what they order."""
_ORDERED_SETS = frozenset(
    {
        *("mode", "percentile_cont", "percentile_disc"),
        *("listagg", "quantile", "quantile_cont", "quantile_disc"),
    }
)
"""Those of PostgreSQL that we have, and those of DuckDB."""


def _check_ordered_set(within: exp.WithinGroup, types: Types) -> None:
    """Refuse an aggregate with WITHIN GROUP that takes more or fewer arguments, or no such ones.

    Its arguments are those in its parentheses, then what it is ordered by.
    """
    name = call_name(within.this)
    record = RECORDS.get(name)
    terms = within.expression.expressions if isinstance(within.expression, exp.Order) else []
    given = [*arguments(within.this), *(term.this for term in terms)]
    if name in _OF_ANY_TYPE and terms and is_open(terms[-1].this):
        raise MismatchedTypeError(
            "could not determine polymorphic type because input has type unknown",
            position=position_of(within),
        )
    if name not in _ORDERED_SETS | OF_WINDOWS:
        raise unknown_function(within.this, name, _types_shown(given, types))
    if record is None or not record.has_own_syntax:
        return
    lengths = {len(signature) for form in record.forms for signature in form.signatures}
    if lengths and (len(given) not in lengths or not _takes(name, given, types)):
        raise unknown_function(within.this, name, _types_shown(given, types))


def _takes(name: str, given: Sequence[exp.Expr], types: Types) -> bool:
    """Whether a function takes values of these types; any of the catalog's, such as oid.

    DuckDB checks which numbers it takes, and arguments of functions without signatures.
    """
    if name in _OF_ANY:
        return True
    known = [None if is_open(each) else types.of(each) for each in given]
    found = [
        None if each is not None and is_of_catalog(each) and not is_string(each) else each
        for each in known
    ]
    if name in _EXTREMES:
        return all(each is None or each.kind.record.has_extremes for each in found)
    return is_taken(name, found, known)


def _written_name(node: exp.Expr) -> str:
    """Return the name of a call; empty for a special syntax, such as sqlglot's for string_agg."""
    if isinstance(node, exp.Cast):
        return ""
    if isinstance(node, exp.Anonymous) or "name" in node.meta:
        return call_name(node)
    return _OF_SYNTAX.get(type(node), "")


def _types_shown(given: Sequence[exp.Expr], types: Types) -> str:
    return ", ".join(_type_shown(each, types) for each in given)


def _type_shown(node: exp.Expr, types: Types) -> str:
    """Return an argument's type as PostgreSQL's message names it."""
    found = types.of(node)
    is_text = isinstance(node, exp.Literal) and node.is_string
    if found is None or is_text or found.kind is Kind.NULL:
        return "unknown"
    return format_type(found)
