"""Macros for arithmetic and functions of numbers."""

from __future__ import annotations

from planner.composing.functions.macro_errors import raising

_SCALE = "10000000000000000"
_ROUNDED = f"(2 * abs(a) * {_SCALE}::HUGEINT * up + abs(b) * down) // (2 * abs(b) * down)"

NUMBER_MACROS: tuple[str, ...] = (
    # a and b are numerics without their points, as whole numbers. Their quotient has 16 digits
    # after the decimal point. Python divides numbers that 128 bits do not hold.
    f"""pg_sg_quotient(a, b, up, down, apart) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL
        WHEN abs(a) < 8000000000000000000000 // up AND abs(b) < 1000000000000000000000 // down THEN
            CAST(sign(a) * sign(b) * ({_ROUNDED}) AS DECIMAL(38,0))
                * CAST(0.0000000000000001 AS DECIMAL(16,16))
        ELSE CAST(pg_sg_divided(CAST(a AS VARCHAR), CAST(b AS VARCHAR), apart)
            AS DECIMAL(38,16)) END""",
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
    "pg_sg_shifted_right(x, n, mask) AS x >> (n & mask)",
)
"""`name(parameters) AS body`; a macro may use those above it."""
