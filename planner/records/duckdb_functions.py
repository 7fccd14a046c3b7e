"""DuckDB's own functions that SQL may call: those that read nothing but their arguments.

Functions that read DuckDB's files, settings or internals are left out. DuckDB checks their
arguments and decides the types of their results.
"""

from __future__ import annotations

_NAMES = """
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
    grade_up greatest_common_divisor hamming hash hex histogram
    histogram_exact hour ilike_escape instr isinf isnan isodow isoyear jaccard jaro_similarity
    jaro_winkler_similarity json json_array json_contains json_exists json_extract
    json_extract_string json_group_array json_group_object json_keys json_merge_patch
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
    regexp_escape regexp_extract regexp_extract_all regexp_full_match
    reservoir_quantile round_even roundbankers second sem sha1 signbit skewness split
    str_split str_split_regex strftime string_split string_split_regex strip_accents strlen strptime
    struct_concat struct_contains struct_extract struct_extract_at struct_insert struct_keys
    struct_pack struct_position struct_values subtract suffix sumkahan time_bucket timezone_hour
    timezone_minute to_base to_base64 to_binary to_centuries to_days to_decades to_hours
    to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds
    to_weeks to_years today try_strptime typeof ucase unbin unhex unicode url_decode url_encode uuid
    uuidv4 uuidv7 wavg week weekday weekofyear weighted_avg xor year yearweek
"""
_AGGREGATES = """
    approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_min
    arg_min_null argmax argmin bitstring_agg count_if count_star countif entropy favg first fsum
    geomean geometric_mean histogram histogram_exact kahan_sum kurtosis kurtosis_pop last list
    listagg mad max_by mean median min_by product quantile quantile_cont quantile_disc
    reservoir_quantile sem skewness sumkahan wavg weighted_avg
"""

DUCKDB_FUNCTIONS = frozenset(_NAMES.split())
"""The names."""
VOLATILE_OF_DUCKDB = frozenset({"uuid", "uuidv4", "uuidv7"})
"""Those that return another value in each call."""
AGGREGATES_OF_DUCKDB = frozenset(_AGGREGATES.split())
"""Those that compute one value of the rows of a group."""
