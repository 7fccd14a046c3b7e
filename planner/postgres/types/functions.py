"""The functions that SQL may call, their result types, and the columns of those in FROM.

A function that is not listed here does not exist for clients, even if DuckDB has it. Functions that
read DuckDB's files, settings or internals are left out. Names that begin with `pg_sg_` are macros,
which only rules of rewriting call. Functions of the session or the server leave a statement before
its names are checked (`pg_catalog.catalog_calls`).
"""

from __future__ import annotations

from sqlglot import exp

from planner.trees.column_names import column_name
from stores.spec.schema import (
    BIGINT,
    BOOLEAN,
    BYTEA,
    DATE,
    DOUBLE,
    INTEGER,
    INTERVAL,
    JSON,
    TEXT,
    TIME,
    DataType,
    Kind,
    decimal_type,
)

_POSTGRES = """
    abs acos acosh age any_value array_agg array_append array_cat array_dims array_fill array_length
    array_lower array_ndims array_position array_positions array_prepend array_remove array_replace
    array_to_json array_to_string array_upper ascii asin asinh atan atan2 atanh avg bit_and
    bit_count bit_length bit_or bit_xor bool_and bool_or btrim cardinality cast cbrt ceil ceiling
    char_length character_length chr clock_timestamp coalesce concat concat_ws convert_from corr cos
    cosh cot count covar_pop covar_samp cume_dist current_date current_setting current_time
    current_timestamp date date_bin date_part date_trunc decode degrees dense_rank div encode every
    exists exp extract factorial first_value floor format gcd gen_random_uuid generate_series
    generate_subscripts greatest grouping initcap isfinite json_agg json_array_elements
    json_array_elements_text json_array_length json_build_array json_build_object json_extract_path
    json_extract_path_text json_object_agg json_object_keys json_typeof jsonb_agg
    jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array
    jsonb_build_object jsonb_extract_path jsonb_extract_path_text jsonb_object_agg jsonb_object_keys
    jsonb_insert jsonb_pretty jsonb_set jsonb_strip_nulls json_strip_nulls jsonb_typeof justify_days
    justify_hours justify_interval lag last_value lcm lead least left length ln localtime
    localtimestamp log log10 lower lpad ltrim make_date make_interval make_time make_timestamp
    make_timestamptz max md5 min mod mode normalize now nth_value ntile nullif num_nonnulls
    num_nulls octet_length overlay percent_rank percentile_cont percentile_disc parse_ident
    pg_typeof pi position pow power quote_ident quote_literal quote_nullable radians random rank
    regexp_count
    regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
    regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2
    regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse right round row row_number
    row_to_json rpad rtrim sha256 sign sin sinh split_part sqrt starts_with statement_timestamp
    stddev stddev_pop stddev_samp string_agg string_to_array string_to_table strpos substr substring
    sum tan tanh timezone to_char to_date to_hex to_json to_number to_jsonb to_timestamp
    transaction_timestamp translate trim trim_array trunc unnest upper var_pop var_samp variance
    width_bucket any all some interval array if ifnull
"""
"""PostgreSQL's functions, and syntax that parses as a call."""

_DUCKDB = """
    approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_min
    arg_min_null argmax argmin array_aggr array_aggregate array_apply array_concat array_contains
    array_cosine_distance array_cosine_similarity array_cross_product array_distance array_distinct
    array_dot_product array_extract array_filter array_grade_up array_has array_has_all
    array_has_any array_indexof array_inner_product array_intersect array_pop_back array_pop_front
    array_push_back array_push_front array_reduce array_resize array_reverse array_reverse_sort
    array_select array_slice array_sort array_transform array_unique array_value array_where
    array_zip bar base64 bin bit_position bitstring bitstring_agg century contains count_if
    count_star countif damerau_levenshtein date_add date_diff date_sub datediff datepart datesub
    datetrunc day dayname dayofmonth dayofweek dayofyear days_in_month decade editdist3 element_at
    ends_with entropy epoch epoch_ms epoch_ns epoch_us equi_width_bins even favg fdiv first flatten
    fmod format_bytes from_base64 from_binary from_hex from_json fsum gamma geomean geometric_mean
    get_bit grade_up greatest_common_divisor group_concat hamming hash hex histogram
    histogram_exact hour ilike_escape instr isinf isnan isodow isoyear jaccard jaro_similarity
    jaro_winkler_similarity json json_array json_contains json_exists json_extract
    json_extract_string json_group_array json_group_object json_keys json_merge_patch json_object
    json_pretty json_quote json_structure json_transform json_type json_valid json_value julian
    kahan_sum kurtosis kurtosis_pop last last_day lcase least_common_multiple len levenshtein lgamma
    like_escape list list_aggr list_aggregate list_any_value list_append list_apply list_avg
    list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or list_cat list_concat
    list_contains list_cosine_distance list_cosine_similarity list_count list_distance
    list_distinct list_dot_product list_element list_entropy list_extract list_filter list_first
    list_grade_up list_has list_has_all list_has_any list_histogram list_indexof list_inner_product
    list_intersect list_kurtosis list_last list_mad list_max list_median list_min list_mode
    list_pack list_position list_prepend list_product list_reduce list_resize list_reverse
    list_reverse_sort list_select list_sem list_skewness list_slice list_sort list_stddev_pop
    list_stddev_samp list_string_agg list_sum list_transform list_unique list_value list_var_pop
    list_var_samp list_where list_zip listagg log2 mad make_timestamp_ms make_timestamp_ns map
    map_concat map_contains map_contains_entry map_contains_value map_entries map_extract
    map_extract_value map_from_entries map_keys map_values max_by mean median microsecond millennium
    millisecond min_by minute mismatches month monthname nextafter nfc_normalize not_ilike_escape
    not_like_escape ord prefix printf product quantile quantile_cont quantile_disc quarter range
    regexp_escape regexp_extract regexp_extract_all regexp_full_match regexp_matches
    reservoir_quantile round_even roundbankers second sem set_bit sha1 signbit skewness split
    str_split str_split_regex strftime string_split string_split_regex strip_accents strlen strptime
    struct_concat struct_contains struct_extract struct_extract_at struct_insert struct_keys
    struct_pack struct_position struct_values subtract suffix sumkahan time_bucket timezone_hour
    timezone_minute to_base to_base64 to_binary to_centuries to_days to_decades to_hours
    to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds
    to_weeks to_years today try_strptime typeof ucase unbin unhex unicode url_decode url_encode uuid
    uuidv4 uuidv7 wavg week weekday weekofyear weighted_avg xor year yearweek
"""
"""DuckDB's functions that read nothing but their arguments."""

FUNCTIONS = frozenset((_POSTGRES + _DUCKDB).split())
"""The functions that may be called."""

_TYPES: dict[DataType, str] = {
    INTEGER: """
        array_length array_lower array_ndims array_position array_upper ascii bit_length cardinality
        char_length character_length generate_subscripts grouping json_array_length
        jsonb_array_length length ntile num_nonnulls num_nulls octet_length position
        regexp_count strpos width_bucket str_position
    """,
    BIGINT: "count row_number rank dense_rank regr_count bit_count",
    BOOLEAN: "bool_and bool_or every isfinite regexp_like starts_with exists",
    DOUBLE: """
        acos asin atan atan2 atanh acosh asinh cbrt corr cos cosh cot covar_pop covar_samp cume_dist
        date_part degrees percent_rank pi radians random regr_avgx regr_avgy regr_intercept regr_r2
        regr_slope regr_sxx regr_sxy regr_syy sin sinh sqrt tan tanh ln exp
    """,
    TEXT: """
        array_dims array_to_string btrim chr concat concat_ws convert_from encode format initcap
        json_extract_path_text jsonb_extract_path_text json_typeof jsonb_typeof jsonb_pretty left
        lower lpad ltrim md5 normalize overlay pg_typeof quote_ident quote_literal quote_nullable
        regexp_replace regexp_substr repeat replace right rpad rtrim split_part string_agg
        substr substring to_char to_hex translate trim upper group_concat current_setting
    """,
    BYTEA: "decode sha256",
    DATE: "current_date date make_date to_date",
    decimal_type(38, 0): "factorial",
    TIME: "make_time current_time localtime",
    DataType(kind=Kind.TIMESTAMP): "make_timestamp localtimestamp",
    DataType(kind=Kind.TIMESTAMPTZ): """
        now clock_timestamp current_timestamp make_timestamptz statement_timestamp to_timestamp
        transaction_timestamp
    """,
    INTERVAL: "age make_interval justify_days justify_hours justify_interval",
    DataType(kind=Kind.UUID): "gen_random_uuid",
    JSON: """
        array_to_json json_agg json_array_elements json_build_array json_build_object
        json_extract_path json_object_agg jsonb_agg jsonb_array_elements jsonb_build_array
        jsonb_build_object jsonb_extract_path jsonb_insert jsonb_object_agg jsonb_set row_to_json
        to_json to_jsonb
    """,
    DataType(kind=Kind.ARRAY, element=TEXT): """
        parse_ident regexp_match regexp_matches regexp_split_to_array string_to_array
    """,
}
RESULTS = {name: data_type for data_type, names in _TYPES.items() for name in names.split()}
"""The result types of PostgreSQL's functions that have one, whatever their arguments are."""
OF_ARGUMENT = {
    **{"date_trunc": 1, "date_bin": 1, "gcd": 0, "lcm": 0, "array_append": 0, "array_prepend": 1},
    **{"array_cat": 0, "array_remove": 0, "array_replace": 0},
}
"""Functions whose result has the type of a parameter, and the index of that parameter."""
_OF_SIGNATURE = """
    div log log10 mod pow power sign stddev stddev_pop stddev_samp var_pop var_samp variance
"""
OF_SIGNATURE = frozenset(_OF_SIGNATURE.split())
"""Functions of numbers whose result is a double or a numeric, depending on the signature."""
_SAME_AS_FIRST = """
    any_value bit_and bit_or bit_xor first_value lag last_value lead max min mode nth_value
    percentile_disc reverse trim_array
"""
SAME_AS_FIRST = frozenset(_SAME_AS_FIRST.split())
"""Functions whose result has the type of their first argument."""


def call_name(node: exp.Expr) -> str:
    """Return the name of a function as the statement writes it, in lower case."""
    written = node.meta.get("name")
    if written:
        return str(written).lower()
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


ROW_FUNCTIONS = frozenset(f"json{b}_each{text}" for b in ("", "b") for text in ("", "_text")) | {
    "regexp_matches"
}
"""Functions in FROM that are written as a SELECT."""
_VALUE_COLUMNS = {f"json{b}_array_elements{text}" for b in ("", "b") for text in ("", "_text")}
"""Functions whose column is called `value`; for others, it has the name of the FROM item."""


def is_numbered(item: exp.Expr) -> bool:
    """Whether a function in FROM has WITH ORDINALITY, a last column that numbers its rows."""
    return bool(item.args.get("offset") or item.args.get("ordinality"))


def columns_of_function(item: exp.Expr) -> tuple[str, ...] | None:
    """Return the columns of a function in FROM; None for other items, or if not certain."""
    if isinstance(item, exp.Unnest) and len(item.expressions) == 1:
        # sqlglot keeps a second column name as `offset`.
        name, number = "unnest", item.args.get("offset")
    elif isinstance(item, exp.Table) and isinstance(item.this, exp.Func):
        name, number = column_name(item.this), item.args.get("ordinality")
    else:
        return None
    alias = item.args.get("alias")
    given = [column.name for column in alias.columns] if alias is not None else []
    if isinstance(number, exp.Expr) and number.name != "offset":
        given.append(number.name)
    own = ["value" if name in _VALUE_COLUMNS else item.alias or name]
    own += ["ordinality"] if number else []
    return (*given, *own[len(given) :])
