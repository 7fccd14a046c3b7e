"""Macros for times, intervals and time zones."""

from __future__ import annotations

from stategate.planner.composing.functions.scalar_macros import raising
from stategate.planner.values.time_zones import ABBREVIATIONS

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
    """pg_sg_given_seconds(s) AS CASE WHEN s < 0 OR s > 60 THEN """
    + raising("22008", "'time field value out of range: ' || s")
    + """ ELSE s END""",
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
    # DuckDB's own product wraps around where its microseconds need more digits than a double has.
    """pg_sg_interval_times(i, f) AS CASE WHEN abs(pg_sg_interval_micros(i) * f) < 9e15 THEN i * f
        ELSE pg_sg_interval(pg_sg_interval_months(i), pg_sg_interval_days(i), 0) * f
            + pg_sg_interval(0, 0, round(pg_sg_interval_micros(i) * f)) END""",
    # PostgreSQL's interval_div, which rounds what is left of a month, and of a day, on its way.
    f"""pg_sg_over_micros(m, d, us, rest) AS pg_sg_interval(m, d + trunc(rest / {_DAY}),
        round_even(us + (rest - trunc(rest / {_DAY}) * {_DAY}), 0))""",
    f"""pg_sg_over_days(m, d, us, r) AS pg_sg_over_micros(m, trunc(d) + trunc(r), us,
        round_even((d - trunc(d) + r - trunc(r)) * {_DAY}, 0))""",
    """pg_sg_interval_over(m, d, us, f) AS CASE WHEN us IS NULL OR f IS NULL THEN NULL
        WHEN f = 0 THEN """
    + raising("22012", "'division by zero'")
    + """ ELSE pg_sg_over_days(trunc(m / f), d / f, us / f,
            round_even((m / f - trunc(m / f)) * 30000000, 0) / 1000000) END""",
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
