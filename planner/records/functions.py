"""The functions of PostgreSQL that SQL may call, and what is known about each.

A function that is neither here nor among `duckdb_functions` does not exist for clients, even if
DuckDB has it. Functions of the session or the server leave a statement before its names are checked
(`pg_catalog.catalog_calls`). `record.records` says how a line is read. A test compares volatility
and NULLs with PostgreSQL's own pg_proc.
"""

from __future__ import annotations

from collections.abc import Mapping

from stategate.planner.records.record import FunctionRecord, records

_TEXT = """
    ascii char_length character_length: (text) -> integer
    bit_length length octet_length: (bytea) (text) -> integer
    btrim ltrim rtrim trim: (text, text?) (bytea, bytea) -> $1
    chr: (integer) -> text; as pg_sg_chr
    concat: (any, any...) -> text; stable, takes NULL
    concat_ws: (text, any, any...) -> text; stable, takes NULL
    convert_from: (bytea, text) -> text; stable, as pg_sg_convert_from
    convert_to: (text, text) -> bytea; stable, as pg_sg_convert_to
    decode: (text, text) -> bytea; as pg_sg_decode
    encode: (bytea, text) -> text
    format: (text) (text, any...) -> text; stable, takes NULL
    get_bit: (bytea, bigint) -> integer; as pg_sg_get_bit
    get_byte: (bytea, integer) -> integer; as pg_sg_get_byte
    hashtext: (text) -> integer; as pg_sg_hashtext
    hashtextextended: (text, bigint) -> bigint; as pg_sg_hashtextextended
    initcap: (text) -> text; as pg_sg_initcap
    left right: (text, integer) -> text
    length: (bytea, text) -> integer; stable
    lower quote_literal: (text) -> text
    lpad rpad: (text, integer, text?) -> text
    md5: (bytea) (text) -> text
    normalize: (text, text?) -> text
    overlay: (bytea, bytea, integer, integer?) (text, text, integer, integer?) -> $1
    parse_ident: (text, boolean?) -> text[]
    position: (bytea, bytea) (text, text) -> integer; own syntax
    quote_ident: (text) -> text; as pg_sg_quote_ident
    quote_nullable: (text) -> text; takes NULL
    repeat: (text, integer) -> text; as pg_sg_repeat
    replace translate: (text, text, text) -> text
    reverse: (text) -> first; as pg_sg_reverse
    set_bit: (bytea, bigint, integer) -> bytea; as pg_sg_set_bit
    set_byte: (bytea, integer, integer) -> bytea; as pg_sg_set_byte
    sha224 sha256 sha384 sha512: (bytea) -> bytea
    split_part: (text, text, integer) -> text; as pg_sg_split_part
    starts_with: (text, text) -> boolean
    str_position -> integer
    strpos: (text, text) -> integer
    substr: (bytea, integer, integer?) (text, integer, integer?) -> $1
    substring: (bytea, integer, integer?) (text, integer, integer?) (text, text, text?) -> $1
    to_char: (bigint, text) (double, text) (integer, text) (interval, text) (numeric, text)
      (real, text) (timestamp, text) (timestamptz, text) -> text; stable
    to_number: (text, text); stable
    unistr: (text) -> text; as pg_sg_unistr
    upper: (text) -> text; as pg_sg_upper
"""
_PATTERNS = """
    regexp_count: (text, text, integer?, text?) -> integer
    regexp_instr: (text, text, integer?, integer?, integer?, text?, integer?) -> integer
    regexp_like: (text, text, text?) -> boolean
    regexp_match regexp_split_to_array: (text, text, text?) -> text[]
    regexp_matches: (text, text, text?) -> text[]; many rows
    regexp_replace: (text, text, text) (text, text, text, integer, integer?, text?) (text, text,
      text, text) -> text
    regexp_split_to_table: (text, text, text?) -> text; many rows
    regexp_substr: (text, text, integer?, integer?, text?, integer?) -> text
"""
_NUMBERS = """
    abs: (bigint) (double) (integer) (numeric) (real) (smallint)
    acos asin asinh atan cbrt cos cosh radians sin sinh tan tanh: (double) -> double
    cot: (double) -> double; as pg_sg_cot
    degrees: (double) -> double; as pg_sg_degrees
    acosh: (double) -> double; as pg_sg_acosh
    atan2: (double, double) -> double
    atan2d: (double, double) -> double; as pg_sg_atan2d
    acosd: (double) -> double; as pg_sg_acosd
    asind: (double) -> double; as pg_sg_asind
    atand: (double) -> double; as pg_sg_atand
    cosd: (double) -> double; as pg_sg_cosd
    cotd: (double) -> double; as pg_sg_cotd
    sind: (double) -> double; as pg_sg_sind
    tand: (double) -> double; as pg_sg_tand
    atanh: (double) -> double; as pg_sg_atanh
    bit_count: (bytea) -> bigint; more forms
    ceil ceiling floor: (double) (numeric)
    div: (numeric, numeric) -> number
    exp: (double) (numeric) -> double; as pg_sg_exp
    factorial: (bigint) -> decimal(38,0)
    gcd lcm: (bigint, bigint) (integer, integer) (numeric, numeric) -> $1
    ln sqrt: (double) (numeric) -> double
    log10 sign: (double) (numeric) -> number
    log: (double) (numeric, numeric?) -> number
    mod: (bigint, bigint) (integer, integer) (numeric, numeric) (smallint, smallint) -> number
    pi: () -> double
    pow power: (double, double) (numeric, numeric) -> number
    min_scale scale: (numeric) -> integer
    random: () -> double; volatile
    round: (double) (numeric, integer?)
    trunc: (double) (numeric); more forms
    trunc: (numeric, integer)
    to_hex: (bigint) (integer) -> text
    width_bucket: (anycompatible, anycompatiblearray) (double, double, double, integer)
      (numeric, numeric, numeric, integer) -> integer
"""
_TIMES = """
    age: (timestamp) (timestamptz) -> interval; stable, more forms
    age: (timestamp, timestamp) (timestamptz, timestamptz) -> interval
    clock_timestamp now statement_timestamp transaction_timestamp: () -> timestamptz; stable
    current_date -> date; stable, as today
    current_time localtime -> time; stable
    current_timestamp -> timestamptz; stable
    date_bin: (interval, timestamp, timestamp) (interval, timestamptz, timestamptz) -> $2; as
      pg_sg_date_bin
    date_part: (text, date) (text, interval) (text, time) (text, timestamp) -> double
    date_part: (text, timestamptz) -> double; stable
    date_trunc: (text, interval) (text, timestamp) -> $2
    date_trunc: (text, timestamptz, text?) -> $2; stable
    extract; stable
    interval
    isfinite: (date) (interval) (timestamp) (timestamptz) -> boolean
    justify_days justify_hours justify_interval: (interval) -> interval
    localtimestamp -> timestamp; stable
    make_date: (integer, integer, integer) -> date
    make_interval: (integer, integer?, integer?, integer?, integer?, integer?, double?) () ->
      interval
    make_time: (integer, integer, double) -> time
    make_timestamp: (integer, integer, integer, integer, integer, double) -> timestamp
    make_timestamptz: (integer, integer, integer, integer, integer, double, text?) ->
      timestamptz; stable
    timezone: (interval, timestamp) (interval, timestamptz) (text, timestamp) (text,
      timestamptz)
    to_date: (text, text) -> date; stable
    to_timestamp: (double) -> timestamptz
    to_timestamp: (text, text) -> timestamptz; stable
"""
"""`clock_timestamp` is the moment of the statement here, so that an answer is of one moment."""
_ARRAYS = """
    array
    array_append: (anycompatiblearray, anycompatible) -> $1; takes NULL
    array_cat: (anycompatiblearray, anycompatiblearray) -> $1; takes NULL
    array_dims: (anyarray) -> text
    array_fill: (anyelement, integer[], integer[]?); takes NULL
    array_length array_lower array_upper: (anyarray, integer) -> integer
    array_ndims: (anyarray) -> integer
    array_position: (anycompatiblearray, anycompatible, integer?) -> integer; takes NULL
    array_positions: (anycompatiblearray, anycompatible); takes NULL
    array_prepend: (anycompatible, anycompatiblearray) -> $2; takes NULL
    array_remove: (anycompatiblearray, anycompatible) -> $1; takes NULL
    array_replace: (anycompatiblearray, anycompatible, anycompatible) -> $1; takes NULL
    array_to_string: (anyarray, text) -> text; stable
    array_to_string: (anyarray, text, text) -> text; stable, takes NULL
    cardinality: (anyarray) -> integer
    generate_subscripts: (anyarray, integer, boolean?) -> integer; many rows
    string_to_array: (text, text, text?) -> text[]; takes NULL
    string_to_table: (text, text, text?) -> text; takes NULL, many rows
    trim_array: (anyarray, integer) -> first; as pg_sg_trim_array
    unnest: (anyarray); many rows, more forms
    unnest: (anyarray, any...); many rows
"""
_JSON = """
    array_to_json: (anyarray, boolean?) -> json; stable
    json_array_elements: (json) -> json; many rows
    json_array_elements_text json_object_keys: (json) -> text; many rows
    json_array_length: (json) -> integer
    json_build_array json_build_object: (any...) -> json; stable, takes NULL
    json_each json_each_text: (json); many rows
    json_extract_path: (json, text, text...) -> json
    json_extract_path_text: (json, text, text...) -> text
    json_object: (text[]) (text[], text[]) -> json
    json_strip_nulls: (json) -> json
    json_typeof: (json) -> text
    jsonb_array_elements: (jsonb) -> jsonb; many rows
    jsonb_array_elements_text jsonb_object_keys: (jsonb) -> text; many rows
    jsonb_array_length: (jsonb) -> integer
    jsonb_build_array jsonb_build_object: (any...) -> jsonb; stable, takes NULL
    jsonb_each jsonb_each_text: (jsonb); many rows
    jsonb_extract_path: (jsonb, text, text...) -> jsonb
    jsonb_extract_path_text: (jsonb, text, text...) -> text
    jsonb_insert jsonb_set: (jsonb, text[], jsonb, boolean?) -> jsonb
    jsonb_object: (text[]) (text[], text[]) -> jsonb
    jsonb_path_exists jsonb_path_match: (any, any, any?, any?) -> boolean
    jsonb_path_query: (any, any, any?, any?) -> jsonb; many rows
    jsonb_path_query_array jsonb_path_query_first: (any, any, any?, any?) -> jsonb
    jsonb_pretty jsonb_typeof: (jsonb) -> text
    jsonb_set_lax: (jsonb, text[], jsonb, boolean?, text?) -> jsonb; takes NULL
    jsonb_strip_nulls: (jsonb) -> jsonb
    row_to_json: (any, boolean?) -> json; stable
    to_json: (any) -> json; stable
    to_jsonb: (any) -> jsonb; stable
"""
_AGGREGATES = """
    any_value mode -> first
    array_agg: (any); more forms
    avg sum: (bigint) (double) (integer) (interval) (numeric) (real) (smallint)
    bit_and bit_or bit_xor: (bigint) (integer) (smallint) -> first
    bool_and bool_or: (boolean) -> boolean
    corr covar_pop covar_samp regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx
      regr_sxy regr_syy: (double, double) -> double
    count: (any) -> bigint
    every: (boolean) -> boolean; as bool_and
    group_concat -> first
    json_agg: (any) -> json; stable
    json_object_agg: (any, any) -> json; stable
    jsonb_agg: (any) -> jsonb; stable
    jsonb_object_agg: (any, any) -> jsonb
    max min: (any) -> first
    percentile_cont: (double, double) (double, interval) (double[], double) (double[], interval);
      own syntax
    percentile_disc: (double, anyelement) (double[], anyelement) -> first; own syntax
    regr_count: (double, double) -> bigint
    stddev stddev_pop stddev_samp var_pop var_samp variance: (bigint) (double) (integer)
      (numeric) (real) (smallint) -> number
    string_agg: (bytea, bytea) (text, text) -> first
"""
_WINDOWS = """
    cume_dist percent_rank -> double
    dense_rank rank -> bigint
    first_value last_value: (anyelement) -> first
    lag lead: (anyelement, integer?) (anycompatible, integer, anycompatible) -> common
    nth_value: (anyelement, integer) -> first
    ntile: (integer) -> integer
    row_number: () -> bigint
"""
_VALUES = """
    all any cast if row some; takes NULL
    coalesce greatest least: (any, any...); takes NULL
    current_setting: (text, boolean?) -> text; stable, own syntax
    exists -> boolean; takes NULL
    gen_random_uuid: () -> uuid; volatile
    generate_series: (bigint, bigint, bigint?) (integer, integer, integer?) (numeric, numeric,
      numeric?) (timestamp, timestamp, interval) -> $1; many rows
    generate_series: (timestamptz, timestamptz, interval) -> $1; stable, many rows
    grouping -> integer; takes NULL
    nullif: (any, any); takes NULL
    num_nonnulls num_nulls: (any, any...) -> integer; takes NULL
    pg_typeof: (any) -> text; stable, takes NULL
"""

RECORDS: Mapping[str, FunctionRecord] = records(
    _TEXT,
    _PATTERNS,
    _NUMBERS,
    _TIMES,
    _ARRAYS,
    _JSON,
    _AGGREGATES,
    _WINDOWS,
    _VALUES,
)
"""The record of each function, by name."""
OF_WINDOWS = frozenset(records(_WINDOWS))
"""Functions that need OVER."""
OF_MANY_ROWS = frozenset(records(_AGGREGATES)) | OF_WINDOWS | {"grouping"}
"""Functions whose value depends on several rows."""
