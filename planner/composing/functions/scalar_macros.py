"""Macros for numbers and texts, and for the texts of values: reading and writing them."""

from __future__ import annotations

from stategate.planner.errors import RAISED
from stategate.planner.values.quoting import QUOTED_WORDS, quote_text


def raising(sqlstate: str, message: str) -> str:
    """Return SQL that raises an error when it is evaluated.

    Args:
        sqlstate: the code of the error.
        message: its text, as an SQL expression.
    """
    return f"pg_sg_error('{RAISED}{sqlstate} ' || {message})"


_SCALE = "10000000000000000"
_ROUNDED = f"(2 * abs(a) * {_SCALE}::HUGEINT * up + abs(b) * down) // (2 * abs(b) * down)"

_TENS = ", ".join(str(10**digits) for digits in range(39))
NUMBER_MACROS: tuple[str, ...] = (
    # a and b are numerics without their points, as whole numbers. Their quotient has 16 digits
    # after the decimal point. Python divides numbers that 128 bits do not hold.
    f"""pg_sg_quotient(a, b, up, down, apart) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL
        WHEN abs(a) < 8000000000000000000000 // up AND abs(b) < 1000000000000000000000 // down THEN
            CAST(sign(a) * sign(b) * ({_ROUNDED}) AS DECIMAL(38,0))
                * CAST(0.0000000000000001 AS DECIMAL(16,16))
        ELSE CAST(pg_sg_divided(CAST(a AS VARCHAR), CAST(b AS VARCHAR), apart)
            AS DECIMAL(38,16)) END""",
    f"pg_sg_tens(digits) AS CAST([{_TENS}][digits + 1] AS HUGEINT)",
    # A whole number rounded to tens, hundreds and so on, or cut.
    """pg_sg_round_whole(whole, dropped) AS CASE WHEN dropped <= 0 THEN whole
        WHEN dropped > 38 THEN CAST(0 AS HUGEINT)
        ELSE CAST(sign(whole) AS HUGEINT) * ((abs(whole) + pg_sg_tens(dropped) // 2)
            // pg_sg_tens(dropped) * pg_sg_tens(dropped)) END""",
    """pg_sg_trunc_whole(whole, dropped) AS CASE WHEN dropped <= 0 THEN whole
        WHEN dropped > 38 THEN CAST(0 AS HUGEINT) ELSE whole - whole % pg_sg_tens(dropped) END""",
    """pg_sg_exp(x) AS CASE WHEN x > 709.782712893384 AND isfinite(x) THEN """
    + raising("22003", "'value out of range: overflow'")
    + """ WHEN x < -745.1332191019412 AND isfinite(x) THEN """
    + raising("22003", "'value out of range: underflow'")
    + """ ELSE exp(x) END""",
    """pg_sg_power(a, b) AS CASE WHEN a = 0 AND b < 0 THEN """
    + raising("2201F", "'zero raised to a negative power is undefined'")
    + """ WHEN a < 0 AND b <> trunc(b) THEN """
    + raising("2201F", "'a negative number raised to a non-integer power yields a complex result'")
    + """ WHEN isinf(pow(a, b)) AND NOT isinf(CAST(a AS DOUBLE)) AND NOT isinf(CAST(b AS DOUBLE))
        THEN """
    + raising("22003", "'value out of range: overflow'")
    + """ ELSE pow(a, b) END""",
    """pg_sg_cot(x) AS CASE WHEN x = 0 THEN CAST(if(signbit(x), '-inf', 'inf') AS DOUBLE)
        ELSE cot(x) END""",
    # DuckDB multiplies, which gives another last digit.
    "pg_sg_degrees(x) AS CASE WHEN isinf(x / 0.017453292519943295e0) AND NOT isinf(x) THEN "
    + raising("22003", "'value out of range: overflow'")
    + " ELSE x / 0.017453292519943295e0 END",
    "pg_sg_min_scale(n) AS CAST(length(rtrim(split_part(n, '.', 2), '0')) AS INTEGER)",
    "pg_sg_divides(a, n) AS CASE WHEN isnan(a) AND n = 0 THEN 1 ELSE n END",
    # The least integer % -1 overflows in DuckDB, and is 0 in PostgreSQL. So the divisor becomes 1.
    "pg_sg_divisor(n) AS CASE WHEN n = -1 THEN -n ELSE n END",
    """pg_sg_acosh(x) AS CASE WHEN x < 1 THEN """
    + raising("22003", "'input is out of range'")
    + " ELSE acosh(x) END",
    """pg_sg_atanh(x) AS CASE WHEN abs(x) > 1 AND NOT isnan(x::DOUBLE) THEN """
    + raising("22003", "'input is out of range'")
    + " ELSE atanh(x) END",
    """pg_sg_offset(n) AS CASE WHEN n < 0 THEN """
    + raising("2201X", "'OFFSET must not be negative'")
    + " ELSE n END",
    """pg_sg_nth(n) AS CASE WHEN n <= 0 THEN """
    + raising("22016", "'argument of nth_value must be greater than zero'")
    + " ELSE n END",
    """pg_sg_width_bucket(x, low, high, n) AS CAST(CASE
        WHEN x IS NULL OR low IS NULL OR high IS NULL OR n IS NULL THEN NULL WHEN n < 1 THEN """
    + raising("2201G", "'count must be greater than zero'")
    + """ WHEN isnan(x::DOUBLE) OR isnan(low::DOUBLE) OR isnan(high::DOUBLE) THEN """
    + raising("2201G", "'operand, lower bound, and upper bound cannot be NaN'")
    + """ WHEN isinf(low::DOUBLE) OR isinf(high::DOUBLE) THEN """
    + raising("2201G", "'lower and upper bounds must be finite'")
    + """ WHEN low = high THEN """
    + raising("2201G", "'lower bound cannot equal upper bound'")
    + """
        WHEN low < high AND x < low OR low > high AND x > low THEN 0
        WHEN low < high AND x >= high OR low > high AND x <= high THEN n + 1
        ELSE floor(CAST(x - low AS DOUBLE) / CAST(high - low AS DOUBLE) * n) + 1 END AS INTEGER)""",
    # DuckDB fails when a shift loses bits or is longer than the type; PostgreSQL takes the distance
    # modulo the type's bits, and drops the bits that leave it.
    "pg_sg_wrapped(v, h) AS ((v % (2::HUGEINT * h)) + 3::HUGEINT * h) % (2::HUGEINT * h) - h",
    """pg_sg_shifted_left(x, n, mask, h) AS pg_sg_wrapped(
        x::HUGEINT * CAST(power(2, n & mask) AS HUGEINT), h::HUGEINT)""",
    # The least number has no opposite: PostgreSQL leaves out no character then.
    "pg_sg_right(t, n) AS CASE WHEN n = -2147483648 THEN t ELSE right(t, n) END",
    "pg_sg_shifted_right(x, n, mask) AS x >> (n & mask)",
)
"""`name(parameters) AS body`; a macro may use those above it."""


LENGTH_MAX = 1 << 26
"""Maximum length of a text or list that one call makes; DuckDB's memory limit does not count these.
"""
_TOO_LONG = raising("54000", "'requested length too large'")
_BAD_BOOLEAN = raising("22P02", "'invalid input syntax for type boolean: \"' || t || '\"'")
_BAD_INTEGER = raising("22P02", "'invalid input syntax for type integer: \"' || t || '\"'")
_NO_TEXT = raising("0A000", "'a row, a map or an array of them as a text is not supported'")
_QUOTED = "'\"' || replace(replace(e, '\\', '\\\\'), '\"', '\\\"') || '\"'"
_NAME = r'(?:"(?:[^"]|"")+"|[A-Za-z_\x{80}-\x{10FFFF}][\w$\x{80}-\x{10FFFF}]*)'
"""A name as `parse_ident` reads it."""

_WIDE_CHAR = raising("0A000", "'a \"char\" of a byte above 127 is not supported'")
_NO_OID = raising("22003", "'OID out of range'")
_BAD_OID = raising("22003", """'value "' || t || '" is out of range for type oid'""")
_WRONG_CHAR = raising("22003", """'"char" out of range'""")
_OF_CATALOG = (
    "pg_sg_oid_of_integer(n) AS CAST(n AS BIGINT) + CASE WHEN n < 0 THEN 4294967296 ELSE 0 END",
    f"""pg_sg_oid_of_bigint(n) AS CASE WHEN n NOT BETWEEN 0 AND 4294967295
        THEN {_NO_OID} ELSE n END""",
    f"""pg_sg_oid_of_text(t) AS CASE WHEN CAST(pg_sg_whole(t) AS HUGEINT)
        NOT BETWEEN -2147483648 AND 4294967295
        THEN {_BAD_OID}
        ELSE CAST(t AS BIGINT) + CASE WHEN CAST(t AS BIGINT) < 0 THEN 4294967296 ELSE 0 END END""",
    "pg_sg_integer_of_oid(n) AS CAST(n - (n // 2147483648) * 4294967296 AS INTEGER)",
    f"""pg_sg_char_of_number(n) AS CASE WHEN n = 0 THEN '' WHEN n BETWEEN 1 AND 127 THEN chr(n)
        WHEN n BETWEEN -128 AND -1 THEN {_WIDE_CHAR}
        WHEN n IS NOT NULL THEN {_WRONG_CHAR} END""",
    f"""pg_sg_char_of_text(t) AS CASE WHEN unicode(t) > 127 THEN {_WIDE_CHAR}
        ELSE left(t, 1) END""",
    "pg_sg_number_of_char(t) AS CASE WHEN t = '' THEN 0 ELSE unicode(t) END",
)
TEXT_MACROS: tuple[str, ...] = (
    """pg_sg_substring(t, f, n) AS CASE WHEN n < 0 AND t IS NOT NULL AND f IS NOT NULL
        THEN """
    + raising("22011", "'negative substring length not allowed'")
    + """
        WHEN f IS NOT NULL AND n IS NOT NULL
        THEN substring(t, greatest(f, 1), greatest(f + n - greatest(f, 1), 0)) END""",
    f"""pg_sg_repeat(t, n) AS CASE WHEN strlen(t)::HUGEINT * n > {LENGTH_MAX} THEN {_TOO_LONG}
        ELSE repeat(t::VARCHAR, n) END""",
    f"""pg_sg_length(n) AS CASE WHEN n > {LENGTH_MAX} THEN {_TOO_LONG}
        WHEN n IS NOT NULL THEN CAST(greatest(n, 0) AS INTEGER) END""",
    "pg_sg_pad_length(t, n) AS CASE WHEN t IS NOT NULL THEN pg_sg_length(n) END",
    "pg_sg_substring_from(t, f) AS CASE WHEN f IS NOT NULL THEN substring(t, greatest(f, 1)) END",
    "pg_sg_to_hex(n) AS lower(to_hex(n))",
    f"""pg_sg_quote_ident(t) AS CASE WHEN regexp_full_match(t, '[a-z_][a-z0-9_]*')
        AND t NOT IN ({", ".join(map(quote_text, sorted(QUOTED_WORDS)))})
        THEN t ELSE '"' || replace(t, '"', '""') || '"' END""",
    rf"""pg_sg_parse_ident(t) AS CASE
        WHEN NOT regexp_full_match(t, '\s*{_NAME}(\s*\.\s*{_NAME})*\s*') THEN """
    + raising("22023", "'string is not a valid identifier: \"' || t || '\"'")
    + r""" ELSE list_transform(regexp_extract_all(t, '"(?:[^"]|"")+"|[^".\s]+'),
        lambda w: CASE WHEN w[1] = '"' THEN replace(w[2:-2], '""', '"') ELSE lower(w) END) END""",
    "pg_sg_quote_literal(t) AS CASE WHEN contains(t, '\\') THEN 'E' ELSE '' END || '''' || "
    "replace(replace(t, '''', ''''''), '\\', '\\\\') || ''''",
    "pg_sg_quote_nullable(t) AS coalesce(pg_sg_quote_literal(t), 'NULL')",
    """pg_sg_split_part(t, d, n) AS CASE WHEN n = 0 AND t IS NOT NULL AND d IS NOT NULL THEN """
    + raising("22023", "'field position must not be zero'")
    + """ WHEN d = '' AND t IS NOT NULL THEN
            CASE WHEN abs(n) = 1 THEN t WHEN n IS NOT NULL THEN '' END
        ELSE split_part(t, d, n) END""",
    """pg_sg_chr(n) AS CASE WHEN n > 0 AND n < 55296 OR n > 57343 AND n < 1114112 THEN chr(n)
        WHEN n < 0 THEN """
    + raising("22023", "'character number must be positive'")
    + " WHEN n = 0 THEN "
    + raising("54000", "'null character not permitted'")
    + " WHEN n IS NOT NULL THEN "
    + raising("54000", "'requested character not valid for encoding: ' || n")
    + " END",
    # DuckDB's upper('ß') is 'ẞ'; PostgreSQL keeps 'ß' in all locales.
    """pg_sg_upper(t) AS CASE WHEN contains(t, 'ß') THEN list_aggregate(list_transform(
        string_split(t, 'ß'), lambda w: upper(w)), 'string_agg', 'ß') ELSE upper(t) END""",
    r"""pg_sg_initcap(t) AS CASE WHEN t = '' THEN t ELSE list_aggregate(list_transform(
        regexp_extract_all(t, '[\pL\pN]+|[^\pL\pN]+'),
        lambda w: pg_sg_upper(left(w, 1)) || lower(substring(w, 2))), 'string_agg', '') END""",
    """pg_sg_overlay(t, n, f, l) AS CASE
        WHEN t IS NULL OR n IS NULL OR f IS NULL OR l IS NULL THEN NULL WHEN f < 1 THEN """
    + raising("22011", "'negative substring length not allowed'")
    + " ELSE left(t, f - 1) || n || substring(t, greatest(f + l, 1)) END",
    # `names` and `held` are the names and values of all settings.
    """pg_sg_setting(n, m, names, held) AS CASE
        WHEN n IS NULL OR m IS NULL THEN NULL
        WHEN list_contains(names, lower(n)) THEN held[list_position(names, lower(n))]
        WHEN NOT m THEN """
    + raising("42704", "'unrecognized configuration parameter \"' || n || '\"'")
    + """ END""",
    """pg_sg_bytes_count(b) AS CASE WHEN octet_length(b) = 0 THEN 0
        ELSE CAST(bit_count(CAST(b AS BIT)) AS BIGINT) END""",
    "pg_sg_character(t, i) AS CASE WHEN i >= 0 THEN substring(t, CAST(i AS BIGINT) + 1, 1) END",
    "pg_sg_cut(l, n) AS list_transform(l, lambda e: left(e, n))",
    """pg_sg_bytes(t) AS CASE WHEN contains(t, '\\') THEN unhex(pg_sg_digits_of(t))
        ELSE encode(t) END""",
    f"""pg_sg_boolean(t) AS CASE
        WHEN lower(trim(t)) IN ('t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1') THEN true
        WHEN lower(trim(t)) IN
            ('f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0') THEN false
        WHEN t IS NULL THEN NULL ELSE {_BAD_BOOLEAN} END""",
    rf"""pg_sg_whole(t) AS CASE WHEN regexp_full_match(t, '\s*[+-]?[0-9]+\s*') OR t IS NULL
        THEN t ELSE {_BAD_INTEGER} END""",
    r"""pg_sg_float_text(x) AS CASE WHEN isnan(x) THEN 'NaN' WHEN isinf(x) THEN
        CASE WHEN x > 0 THEN 'Infinity' ELSE '-Infinity' END
        WHEN abs(x) >= 1e15 AND abs(x) < 1e16 THEN
            regexp_replace(printf('%.15e', CAST(x AS DOUBLE)), '\.?0*e', 'e')
        ELSE regexp_replace(CAST(x AS VARCHAR), '\.0$', '') END""",
    # DuckDB writes the real 1234567 in full; PostgreSQL writes `1.234567e+06` from seven digits on.
    r"""pg_sg_with_exponent(t) AS regexp_replace(regexp_replace(replace(t, '.', ''),
        '^(-?\d)(\d*?)0*$', '\1.\2'), '\.$', '')
        || 'e+' || lpad(CAST(strlen(ltrim(split_part(t, '.', 1), '-')) - 1 AS VARCHAR), 2, '0')""",
    """pg_sg_real_text(x) AS CASE WHEN abs(x) >= 1e6 AND abs(x) < 1e16
        THEN pg_sg_with_exponent(CAST(CAST(x AS REAL) AS VARCHAR)) ELSE pg_sg_float_text(x) END""",
    "pg_sg_boolean_text(x) AS CASE WHEN x THEN 't' WHEN NOT x THEN 'f' END",
    f"""pg_sg_plain_text(x) AS CASE
        WHEN regexp_matches(typeof(x), '^(STRUCT|TUPLE|MAP|UNION)[(]|]$') THEN {_NO_TEXT}
        ELSE CAST(x AS VARCHAR) END""",
    r"""pg_sg_field_text(e) AS CASE WHEN e IS NULL THEN ''
        WHEN e = '' OR regexp_matches(e, '[\s\x0b(),"\\]')
        THEN '"' || replace(replace(e, '\', '\\'), '"', '""') || '"' ELSE e END""",
    rf"""pg_sg_array_text(l) AS CASE WHEN len(l) = 0 THEN '{{}}' ELSE
        '{{' || list_aggregate(list_transform(
        list_transform(l, lambda v: CAST(v AS VARCHAR)), lambda e: CASE WHEN e IS NULL THEN 'NULL'
        WHEN e = '' OR lower(e) = 'null' OR regexp_matches(e, '[\s\x0b{{}},"\\]')
        THEN {_QUOTED} ELSE e END), 'string_agg', ',') || '}}' END""",
    # DuckDB writes ` (BC)` after the day; PostgreSQL writes ` BC` at the end.
    r"""pg_sg_moment_text(t) AS CASE WHEN contains(CAST(t AS VARCHAR), '(BC)')
        THEN regexp_replace(CAST(t AS VARCHAR), ' \(BC\)(.*)$', '\1 BC')
        ELSE CAST(t AS VARCHAR) END""",
    # DuckDB writes a numeric that has no digits before its point without the 0.
    r"""pg_sg_fraction_text(n) AS regexp_replace(CAST(n AS VARCHAR), '^(-?)\.', '\10.')""",
    r"""pg_sg_numeric_text(n) AS CASE WHEN contains(CAST(n AS VARCHAR), '.')
        THEN rtrim(rtrim(CAST(n AS VARCHAR), '0'), '.') ELSE CAST(n AS VARCHAR) END""",
    # A macro would repeat the moment in each of its parts, and planning it would take seconds.
    *(
        f"""pg_sg_zoned_{each}(t, z, s) AS CASE WHEN isfinite(t)
            THEN pg_sg_{each}_in_zone(epoch_us(t), z, s) ELSE CAST(t AS VARCHAR) END"""
        for each in ("text", "iso")
    ),
    *(
        f"pg_sg_zoned_{each}s(l, z, s) AS list_transform(l, lambda v: pg_sg_zoned_{each}(v, z, s))"
        for each in ("text", "iso")
    ),
    """pg_sg_inet_text(a) AS CASE WHEN contains(a, '/') THEN a
        WHEN contains(a, ':') THEN a || '/128' ELSE a || '/32' END""",
    "pg_sg_bytea_text(b) AS '\\x' || lower(hex(b))",
    *_OF_CATALOG,
)
"""`name(parameters) AS body`; a macro may use those above it."""
