"""Macros for numbers, times and texts, and for the texts of values: reading and writing them."""

from __future__ import annotations

from planner.errors import RAISED
from planner.values.quoting import QUOTED_WORDS, quote_text
from planner.values.time_zones import ABBREVIATIONS


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
    """pg_sg_exp(x) AS CASE WHEN x > 709.782712893384 AND NOT isinf(x) THEN """
    + raising("22003", "'value out of range: overflow'")
    + """ WHEN x < -745.1332191019412 AND NOT isinf(x) THEN """
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


_YEAR_2000 = 946_684_800_000_000
"""The time in microseconds since 1970."""
_DAY, _INT32_MAX, _MICROS_MAX = 86_400_000_000, (1 << 31) - 1, (1 << 63) // 1000 - 1
_INTERVAL_RANGE = raising("22008", "'interval out of range'")
_POSIX_ZONE = r"'(?:[A-Za-z]{3,})?([+-]?)(\d{1,3})(?::(\d{1,2}))?'"

TIME_MACROS: tuple[str, ...] = (
    """pg_sg_date_bin(w, t, o) AS CASE WHEN t IS NULL OR o IS NULL THEN NULL
        WHEN extract(year FROM w::INTERVAL) <> 0 OR extract(month FROM w::INTERVAL) <> 0 THEN """
    + raising("0A000", "'timestamps cannot be binned into intervals containing months or years'")
    + " WHEN w <= INTERVAL '0 seconds' THEN "
    + raising("22008", "'stride must be greater than zero'")
    + " ELSE time_bucket(w, t, o) END",
    # DuckDB's strftime writes 44 BC as `-43`; PostgreSQL writes `0044`. So Python writes years BC.
    """pg_sg_formatted(x, f, t) AS CASE
        WHEN x < TIMESTAMP '0001-01-01' THEN pg_sg_time_text(epoch_us(x), t)
        ELSE strftime(x, f) END""",
    """pg_sg_year(n) AS CASE WHEN n > 0 THEN n ELSE n - 1 END""",
    # DuckDB's year 0 is 1 BC, and its % rounds towards zero.
    """pg_sg_cut_years(t, n) AS date_trunc('year', t)
        - to_years(CAST(((date_part('year', t) - 1) % n + n) % n AS INTEGER))""",
    "pg_sg_infinity_of(t) AS CAST(CASE WHEN t > '2000-01-01' THEN 'inf' ELSE '-inf' END AS DOUBLE)",
    "pg_sg_no_infinity(t) AS CASE WHEN t IS NULL THEN NULL ELSE "
    + raising("0A000", "'a field of an infinite time as a numeric is not supported'")
    + " END",
    # DuckDB counts 1 BC as the year 0.
    """pg_sg_given_year(n) AS CASE WHEN n = 0 THEN """
    + raising("22008", "'date field value out of range: 0'")
    + """ WHEN n < 0 THEN n + 1 ELSE n END""",
    # PostgreSQL rounds the microseconds since 2000.
    """pg_sg_to_timestamp(s) AS CASE WHEN s = 'infinity'::DOUBLE THEN 'infinity'::TIMESTAMPTZ
        WHEN s = '-infinity'::DOUBLE THEN '-infinity'::TIMESTAMPTZ
        WHEN abs(s) < 9e12 THEN make_timestamptz(
            CAST(round_even((s - 946684800) * 1e6, 0) AS BIGINT) + 946684800000000)
        ELSE to_timestamp(s) END""",
    """pg_sg_decade(n) AS CASE WHEN n >= 0 THEN n // 10 ELSE -((9 - n) // 10) END""",
    # An interval is (months, days, microseconds). // and % round towards zero.
    "pg_sg_interval_months(x) AS date_part('year', x) * 12 + date_part('month', x)",
    "pg_sg_interval_days(x) AS date_part('day', x)",
    """pg_sg_interval_micros(x) AS date_part('hour', x) * 3600000000
        + date_part('minute', x) * 60000000 + date_part('microsecond', x)""",
    f"""pg_sg_interval(m, d, us) AS CASE WHEN greatest(abs(m), abs(d)) > {_INT32_MAX}
        OR abs(us) > {_MICROS_MAX} THEN {_INTERVAL_RANGE}
        ELSE to_months(CAST(m AS INTEGER)) + to_days(CAST(d AS INTEGER))
            + to_microseconds(CAST(us AS BIGINT)) END""",
    # An interval without what is smaller than a unit: a part of the interval, and a size in it.
    """pg_sg_cut_interval(x, part, size) AS CASE part
        WHEN 'months' THEN pg_sg_interval(pg_sg_interval_months(x) // size * size, 0, 0)
        WHEN 'days' THEN pg_sg_interval(pg_sg_interval_months(x), pg_sg_interval_days(x), 0)
        ELSE pg_sg_interval(pg_sg_interval_months(x), pg_sg_interval_days(x), CASE size
            WHEN 1000000 THEN pg_sg_interval_micros(x)
            ELSE pg_sg_interval_micros(x) // size * size END) END""",
    f"""pg_sg_settled_hours(m, d, us) AS pg_sg_interval(m,
        d + CASE WHEN d > 0 AND us < 0 THEN -1 WHEN d < 0 AND us > 0 THEN 1 ELSE 0 END,
        us + CASE WHEN d > 0 AND us < 0 THEN {_DAY} WHEN d < 0 AND us > 0 THEN -{_DAY}
            ELSE 0 END)""",
    """pg_sg_settled_days(m, d, us) AS pg_sg_interval(
        m + CASE WHEN m > 0 AND d < 0 THEN -1 WHEN m < 0 AND d > 0 THEN 1 ELSE 0 END,
        d + CASE WHEN m > 0 AND d < 0 THEN 30 WHEN m < 0 AND d > 0 THEN -30 ELSE 0 END, us)""",
    """pg_sg_borrowed_month(m, d, us) AS CASE
        WHEN m > 0 AND (d < 0 OR d = 0 AND us < 0) THEN -1
        WHEN m < 0 AND (d > 0 OR d = 0 AND us > 0) THEN 1 ELSE 0 END""",
    """pg_sg_settled_all(m, d, us) AS pg_sg_settled_hours(m + pg_sg_borrowed_month(m, d, us),
        d - 30 * pg_sg_borrowed_month(m, d, us), us)""",
    "pg_sg_settled_months(m, d, us) AS pg_sg_settled_all(m + d // 30, d % 30, us)",
    f"""pg_sg_justify_hours(x) AS pg_sg_settled_hours(pg_sg_interval_months(x),
        pg_sg_interval_days(x) + pg_sg_interval_micros(x) // {_DAY},
        pg_sg_interval_micros(x) % {_DAY})""",
    """pg_sg_justify_days(x) AS pg_sg_settled_days(
        pg_sg_interval_months(x) + pg_sg_interval_days(x) // 30, pg_sg_interval_days(x) % 30,
        pg_sg_interval_micros(x))""",
    f"""pg_sg_justify_interval(x) AS pg_sg_settled_months(pg_sg_interval_months(x),
        pg_sg_interval_days(x) + pg_sg_interval_micros(x) // {_DAY},
        pg_sg_interval_micros(x) % {_DAY})""",
    "pg_sg_time_length(t) AS to_microseconds(epoch_us(t))",
    f"""pg_sg_length_time(x) AS TIME '00:00' + to_microseconds(
        (pg_sg_interval_micros(x) % {_DAY} + {_DAY}) % {_DAY})""",
    # Rounding to fewer digits of a second: PostgreSQL rounds halves away from zero, and counts
    # timestamps from the year 2000.
    "pg_sg_rounded(us, u) AS CASE WHEN us < 0 THEN -1 ELSE 1 END * ((abs(us) + u // 2) // u * u)",
    f"""pg_sg_rounded_timestamp(t, u) AS
        make_timestamp(pg_sg_rounded(epoch_us(t) - {_YEAR_2000}, u) + {_YEAR_2000})""",
    """pg_sg_rounded_timestamptz(t, u) AS
        CAST(pg_sg_rounded_timestamp(CAST(t AS TIMESTAMP), u) AS TIMESTAMPTZ)""",
    f"""pg_sg_rounded_time(t, u) AS CASE WHEN pg_sg_rounded(epoch_us(t), u) >= {_DAY}
        THEN TIME '24:00:00' ELSE TIME '00:00' + to_microseconds(pg_sg_rounded(epoch_us(t), u))
        END""",
    """pg_sg_rounded_interval(x, u) AS pg_sg_interval(pg_sg_interval_months(x),
        pg_sg_interval_days(x), pg_sg_rounded(pg_sg_interval_micros(x), u))""",
    *(
        f"pg_sg_rounded_{kind}s(l, u) AS list_transform(l, lambda e: pg_sg_rounded_{kind}(e, u))"
        for kind in ("time", "timestamp", "timestamptz", "interval")
    ),
    """pg_sg_padded(n, w) AS CASE WHEN n < 0 THEN '-' ELSE '' END
        || lpad(CAST(abs(n) AS VARCHAR),
            CAST(greatest(w, strlen(CAST(abs(n) AS VARCHAR))) AS INTEGER), '0')""",
    # PostgreSQL counts the sign of days among their digits, but not that of other fields.
    """pg_sg_padded_day(n, w) AS CASE WHEN n < 0 THEN CAST(n AS VARCHAR)
        ELSE pg_sg_padded(n, w) END""",
    """pg_sg_counted(n, unit, signed) AS CASE WHEN n <> 0 THEN
        CASE WHEN signed AND n > 0 THEN '+' ELSE '' END || n || ' ' || unit
        || CASE WHEN n = 1 THEN '' ELSE 's' END END""",
    """pg_sg_clock(us, signed) AS
        CASE WHEN us < 0 THEN '-' WHEN signed THEN '+' ELSE '' END
        || pg_sg_padded(abs(us) // 3600000000, 2) || ':'
        || pg_sg_padded(abs(us) // 60000000 % 60, 2) || ':'
        || pg_sg_padded(abs(us) // 1000000 % 60, 2)
        || rtrim(CASE WHEN us % 1000000 = 0 THEN '' ELSE
            '.' || pg_sg_padded(abs(us) % 1000000, 6) END, '0')""",
    # A positive field has a sign if the field before it is negative.
    """pg_sg_interval_shown(m, d, us) AS concat_ws(' ', pg_sg_counted(m // 12, 'year', false),
        pg_sg_counted(m % 12, 'mon', false), pg_sg_counted(d, 'day', m < 0),
        CASE WHEN us <> 0 OR (m = 0 AND d = 0)
            THEN pg_sg_clock(us, CASE WHEN d <> 0 THEN d < 0 ELSE m < 0 END) END)""",
    """pg_sg_interval_text(x) AS CASE WHEN x IS NOT NULL THEN pg_sg_interval_shown(
        pg_sg_interval_months(x), pg_sg_interval_days(x), pg_sg_interval_micros(x)) END""",
    "pg_sg_thousands(n) AS CAST(n // 1000 AS VARCHAR) || ',' || pg_sg_padded(abs(n) % 1000, 3)",
    "pg_sg_hour12(h) AS CASE WHEN h % 12 = 0 THEN 12 ELSE h % 12 END",
    f"""pg_sg_zone_seconds(z) AS CASE
        WHEN list_contains({list(ABBREVIATIONS)}, upper(z))
            THEN {list(ABBREVIATIONS.values())}[list_position({list(ABBREVIATIONS)}, upper(z))]
        WHEN regexp_full_match(z, {_POSIX_ZONE}) THEN
            CASE regexp_extract(z, {_POSIX_ZONE}, 1) WHEN '-' THEN 1 ELSE -1 END
            * (CAST(regexp_extract(z, {_POSIX_ZONE}, 2) AS INTEGER) * 3600
            + coalesce(TRY_CAST(regexp_extract(z, {_POSIX_ZONE}, 3) AS INTEGER), 0) * 60) END""",
    """pg_sg_at_zone(z, t) AS CASE WHEN pg_sg_zone_seconds(z) IS NULL THEN timezone(z, t)
        ELSE timezone('UTC', t) + to_seconds(pg_sg_zone_seconds(z)) END""",
    """pg_sg_from_zone(z, t) AS CASE WHEN pg_sg_zone_seconds(z) IS NULL THEN timezone(z, t)
        ELSE timezone('UTC', t) - to_seconds(pg_sg_zone_seconds(z)) END""",
    # The hours, minutes or seconds of +h, +hmm or +h:m:s; 99 for more digits than they have.
    r"""pg_sg_east_part(z, n) AS CASE
        WHEN regexp_full_match(z, '[+-]\d{3,4}') THEN CASE n
            WHEN 1 THEN abs(TRY_CAST(z AS INTEGER)) // 100
            WHEN 2 THEN abs(TRY_CAST(z AS INTEGER)) % 100 ELSE 0 END
        WHEN len(string_split(substring(z, 2), ':')) < n THEN 0
        WHEN len(string_split(substring(z, 2), ':')[n]) > 2 THEN 99
        ELSE TRY_CAST(string_split(substring(z, 2), ':')[n] AS INTEGER) END""",
    # make_timestamptz counts to the east, and not to the west as POSIX does.
    r"""pg_sg_east_seconds(z) AS CASE
        WHEN NOT regexp_full_match(z, '[+-](\d+|\d+:\d+(:\d+)?)') OR pg_sg_east_part(z, 1) > 15
            OR pg_sg_east_part(z, 2) > 59 OR pg_sg_east_part(z, 3) > 59 THEN """
    + raising("22023", "'numeric time zone \"' || z || '\" out of range'")
    + """ ELSE (CASE left(z, 1) WHEN '-' THEN -1 ELSE 1 END) * (pg_sg_east_part(z, 1) * 3600
        + pg_sg_east_part(z, 2) * 60 + pg_sg_east_part(z, 3)) END""",
    """pg_sg_made_in_zone(z, t) AS CASE
        WHEN left(z, 1) BETWEEN '0' AND '9' THEN """
    + raising("22023", "'invalid input syntax for type numeric time zone: \"' || z || '\"'")
    + """ WHEN left(z, 1) IN ('+', '-') THEN timezone('UTC', t) - to_seconds(pg_sg_east_seconds(z))
        ELSE pg_sg_from_zone(z, t) END""",
    # The forms of a session's zone, as a region and the seconds by which it is east of it.
    "pg_sg_local(t, z, s) AS timezone(z, CAST(t AS TIMESTAMPTZ)) + to_seconds(s)",
    "pg_sg_moment(t, z, s) AS timezone(z, CAST(t AS TIMESTAMP) - to_seconds(s))",
    """pg_sg_ahead(t, z, s) AS CASE WHEN isfinite(t) THEN CAST((epoch_us(pg_sg_local(t, z, s))
        - epoch_us(timezone('UTC', t))) // 1000000 AS INTEGER) END""",
    # A moment without what its local time has beyond a cut: the offset from UTC stays.
    "pg_sg_cut_back(t, l, cut) AS CASE WHEN isinf(t) THEN t ELSE t - (l - cut) END",
    "pg_sg_ahead_hours(t, z, s) AS pg_sg_ahead(t, z, s) // 3600",
    "pg_sg_ahead_minutes(t, z, s) AS pg_sg_ahead(t, z, s) % 3600 // 60",
    """pg_sg_moved_part(t, i, z, s) AS pg_sg_moment(pg_sg_local(t, z, s) + i, z, s)""",
    """pg_sg_moved_months(t, m, z, s) AS CASE WHEN m = 0 THEN t
        ELSE pg_sg_moved_part(t, to_months(CAST(m AS INTEGER)), z, s) END""",
    """pg_sg_moved_days(t, d, z, s) AS CASE WHEN d = 0 THEN t
        ELSE pg_sg_moved_part(t, to_days(CAST(d AS INTEGER)), z, s) END""",
    """pg_sg_moved(t, i, z, s) AS pg_sg_moved_days(
        pg_sg_moved_months(t, pg_sg_interval_months(i), z, s), pg_sg_interval_days(i), z, s)
        + to_microseconds(pg_sg_interval_micros(i))""",
    "pg_sg_series_bound(t) AS CASE WHEN isinf(t) THEN "
    + raising("0A000", "'a series from or to infinity is not supported'")
    + " ELSE epoch_us(t) END",
    "pg_sg_moments_of(l) AS list_transform(l, lambda e: make_timestamptz(e))",
    # (a, b) OVERLAPS (c, d): each pair is sorted first; a pair of equal times is that moment.
    """pg_sg_overlapping(a, b, c, d) AS CASE
        WHEN a > c THEN CASE WHEN a < d THEN true WHEN d IS NULL OR b IS NULL THEN NULL
            ELSE false END
        WHEN a < c THEN CASE WHEN c < b THEN true WHEN b IS NULL OR d IS NULL THEN NULL
            ELSE false END
        WHEN a = c THEN CASE WHEN b IS NOT NULL AND d IS NOT NULL THEN true END END""",
    """pg_sg_overlaps(a, b, c, d) AS pg_sg_overlapping(
        least(a, b), CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN greatest(a, b) END,
        least(c, d), CASE WHEN c IS NOT NULL AND d IS NOT NULL THEN greatest(c, d) END)""",
    # The same with an interval in place of one end, and of both ends.
    "pg_sg_overlaps_length(a, b, c, d) AS pg_sg_overlaps(a, a + b, c, d)",
    "pg_sg_overlaps_lengths(a, b, c, d) AS pg_sg_overlaps(a, a + b, c, c + d)",
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
    "pg_sg_bytea_text(b) AS '\\x' || lower(hex(b))",
)
"""`name(parameters) AS body`; a macro may use those above it."""
