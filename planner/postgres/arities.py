"""How many arguments PostgreSQL's functions take.

A call with more or fewer is refused, and the rules that rewrite calls rely on that. Functions of
DuckDB are not listed, as DuckDB checks them; nor are functions with a syntax of their own.
Source: pg_proc of PostgreSQL 15.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.postgres.refused import check_over, unknown_function
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types
from planner.postgres.types.operands import arguments
from planner.trees.nodes import CALLS, Nodes
from planner.values.sqltypes import format_type
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


def check_arities(nodes: Nodes, types: Types) -> None:
    """Refuse calls with too many or too few arguments, and window functions without OVER.

    Raises:
        UnknownNameError: no function takes so many (42883); the message has the arguments' types.
        MismatchedTypeError: a window function has no OVER.
    """
    for node in nodes.among(CALLS):
        name = _written_name(node)
        counts = ARITIES.get(name)
        if counts is not None and not _allows(counts, len(given := arguments(node))):
            shown = ", ".join(_type_shown(each, types) for each in given)
            raise unknown_function(node, name, shown)
    check_over(nodes)


def _written_name(node: exp.Expr) -> str:
    """Return the name of a call; empty for a special syntax, such as sqlglot's for string_agg."""
    if isinstance(node, exp.Anonymous) or "name" in node.meta:
        return call_name(node)
    return "string_agg" if isinstance(node, exp.GroupConcat) else ""


def _allows(counts: str, given: int) -> bool:
    if counts.endswith("+"):
        return given >= int(counts[:-1])
    return str(given) in counts.split()


def _type_shown(node: exp.Expr, types: Types) -> str:
    """Return an argument's type as PostgreSQL's message has it."""
    found = types.of(node)
    is_text = isinstance(node, exp.Literal) and node.is_string
    if found is None or is_text or found.kind is Kind.NULL:
        return "unknown"
    return format_type(found)
