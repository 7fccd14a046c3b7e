"""How many arguments PostgreSQL's functions take, and which take values that are held as texts.

A call with more or fewer is refused, and the rules that rewrite calls rely on that. Functions of
DuckDB are not listed, as DuckDB checks them; nor are functions with a syntax of their own.
Source: pg_proc of PostgreSQL 15.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from sqlglot import exp

from planner.errors import MismatchedTypeError
from planner.postgres.expressions.arithmetic import NO_OPERATOR
from planner.postgres.refused import check_over, unknown_function
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types
from planner.postgres.types.operands import arguments, is_open
from planner.postgres.types.signatures import is_taken
from planner.trees.nodes import CALLS, Nodes, position_of
from planner.values.catalog_types import is_of_catalog
from planner.values.sqltypes import CANONICAL_TEXTS, HELD_AS_TEXT, format_type
from stores.spec.schema import Kind

_LISTED = {
    "0": """
        clock_timestamp gen_random_uuid now pi random row_number statement_timestamp
        transaction_timestamp
    """,
    "0 1": "count",
    "0 1 2 3 4 5 6 7": "make_interval",
    "0+": "json_build_array json_build_object jsonb_build_array jsonb_build_object",
    "1": """
        abs acos acosh array_agg array_dims array_ndims ascii asin asinh atan atanh avg bit_and
        bit_count bit_length bit_or bit_xor bool_and bool_or cardinality cbrt ceil ceiling
        char_length character_length chr cos cosh cot date degrees every exp factorial first_value
        floor initcap isfinite json_agg json_array_elements json_array_elements_text
        json_array_length json_object_keys json_strip_nulls json_typeof jsonb_agg
        jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_object_keys
        jsonb_pretty jsonb_strip_nulls jsonb_typeof justify_days justify_hours justify_interval
        last_value ln log10 lower max md5 min ntile octet_length pg_typeof quote_ident quote_literal
        quote_nullable radians reverse sha256 sign sin sinh sqrt stddev stddev_pop stddev_samp sum
        tan tanh to_hex to_json to_jsonb upper var_pop var_samp variance
    """,
    "1 2": """
        age array_to_json btrim length log ltrim normalize parse_ident round
        row_to_json rtrim to_timestamp trunc
    """,
    "1 2 3": "lag lead",
    "1+": "concat format num_nonnulls num_nulls unnest coalesce greatest least",
    "2": """
        array_append array_cat array_length array_lower array_positions array_prepend array_remove
        array_upper atan2 convert_from corr covar_pop covar_samp date_part decode div encode gcd
        ifnull json_object_agg jsonb_object_agg lcm left mod nth_value nullif pow power regr_avgx
        regr_avgy
        regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat right
        starts_with string_agg strpos timezone to_char to_date to_number trim_array
    """,
    "2 3": """
        array_fill array_position array_to_string date_trunc generate_series generate_subscripts
        lpad regexp_like regexp_match regexp_matches regexp_split_to_array regexp_split_to_table
        rpad string_to_array string_to_table substr substring
    """,
    "2 3 4": "regexp_count",
    "2 3 4 5 6": "regexp_substr",
    "2 4": "width_bucket",
    "2+": """
        concat_ws json_extract_path json_extract_path_text jsonb_extract_path
        jsonb_extract_path_text
    """,
    "3": "array_replace date_bin make_date make_time replace split_part translate",
    "3 4": "jsonb_insert jsonb_set overlay",
    "3 4 5 6": "regexp_replace",
    "6": "make_timestamp",
    "6 7": "make_timestamptz",
}
ARITIES: Mapping[str, str] = {
    name: counts for counts, names in _LISTED.items() for name in names.split()
}
"""The allowed numbers of arguments, by name; `2+` is two or more."""


_OF_ANY = frozenset({"quote_literal", "quote_nullable"})
"""Functions that take the text of a value of any type."""
_OF_JSON = frozenset(
    {f"{kind}_extract_path{ending}" for kind in ("json", "jsonb") for ending in ("", "_text")}
)
"""Functions of a json and any number of texts."""
_EXTREMES = frozenset({"max", "min"})
_OF_TEXTS: Mapping[type[exp.Expr], str] = {
    exp.Like: "~~",
    exp.ILike: "~~*",
    exp.RegexpLike: "~",
    exp.RegexpILike: "~*",
    exp.SimilarTo: "~",
}
"""Operators that match a text with a pattern, as PostgreSQL's errors name them."""


def check_arguments(nodes: Nodes, types: Types, functions: Container[str]) -> None:
    """Refuse unknown functions, wrong numbers of arguments, and window functions without OVER.

    DuckDB would report arguments of wrong types for the functions that calls are rewritten to.

    Args:
        nodes: the nodes of the query.
        types: the types of its expressions.
        functions: the functions that it may call.

    Raises:
        UnknownNameError: there is no such function, or none takes arguments of these types, or this
        many (42883); the message has their types.
        MismatchedTypeError: a window function has no OVER; or an operator of texts has an operand
        that is only held as a text (42883).
    """
    _check_known(nodes, types, functions)
    for node in nodes.among(CALLS):
        name = _written_name(node)
        counts = ARITIES.get(name)
        if counts is None:
            continue
        given = arguments(node)
        if not _allows(counts, len(given)) or not _takes(name, given, types):
            raise unknown_function(node, name, _types_shown(given, types))
    check_over(nodes)
    _check_operators(nodes, types)


def _check_known(nodes: Nodes, types: Types, functions: Container[str]) -> None:
    unknown: dict[int, tuple[exp.Expr, str]] = {}
    for node in nodes.among(CALLS):
        # A call with its own syntax, such as CAST or EXTRACT, has no name to look up.
        name = node.meta.get("name") or (node.name if type(node) is exp.Anonymous else None)
        if name is not None and name.lower() not in functions:
            unknown[id(node)] = node, name.lower()
    for node, name in unknown.values():
        if not any(id(each) in unknown for each in node.walk() if each is not node):
            given = [each for each in arguments(node) if not isinstance(each, exp.Star)]
            raise unknown_function(node, name, _types_shown(given, types))


def _check_operators(nodes: Nodes, types: Types) -> None:
    """Refuse operators of texts for values that are only held as texts: `u LIKE '6%'`."""
    for kind, symbol in _OF_TEXTS.items():
        for node in nodes.of(kind):
            if "name" not in node.meta and types.kind_of(node.this) in HELD_AS_TEXT:
                raise _no_operator(node, symbol, types)
    for node in nodes.of(exp.DPipe):
        if all(types.kind_of(side) in CANONICAL_TEXTS for side in (node.this, node.expression)):
            raise _no_operator(node, "||", types)


def _no_operator(node: exp.Expr, symbol: str, types: Types) -> MismatchedTypeError:
    left, right = (_type_shown(side, types) for side in (node.this, node.expression))
    return MismatchedTypeError(
        f"operator does not exist: {left} {symbol} {right}",
        hint=NO_OPERATOR,
        position=position_of(node.expression),
        sqlstate="42883",
    )


def _takes(name: str, given: Sequence[exp.Expr], types: Types) -> bool:
    """Whether a function takes values of these types; any of the catalog's, such as oid.

    DuckDB checks which numbers it takes, and arguments of functions without signatures.
    """
    if name in _OF_ANY:
        return True
    known = [None if is_open(each) else types.of(each) for each in given]
    found = [None if each is None or is_of_catalog(each) else each for each in known]
    if name in _EXTREMES:
        return all(each is None or each.kind.record.has_extremes for each in found)
    if name in _OF_JSON:
        return found[0] is None or found[0].kind in {Kind.JSON, Kind.NULL}
    return is_taken(name, found)


def _written_name(node: exp.Expr) -> str:
    """Return the name of a call; empty for a special syntax, such as sqlglot's for string_agg."""
    if isinstance(node, exp.Anonymous) or "name" in node.meta:
        return call_name(node)
    return "string_agg" if isinstance(node, exp.GroupConcat) else ""


def _allows(counts: str, given: int) -> bool:
    if counts.endswith("+"):
        return given >= int(counts[:-1])
    return str(given) in counts.split()


def _types_shown(given: Sequence[exp.Expr], types: Types) -> str:
    return ", ".join(_type_shown(each, types) for each in given)


def _type_shown(node: exp.Expr, types: Types) -> str:
    """Return an argument's type as PostgreSQL's message names it."""
    found = types.of(node)
    is_text = isinstance(node, exp.Literal) and node.is_string
    if found is None or is_text or found.kind is Kind.NULL:
        return "unknown"
    return format_type(found)
