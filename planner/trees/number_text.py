"""The text of numbers in SQL."""

from __future__ import annotations

from decimal import Decimal
from math import isinf

from stategate.planner.errors import InvalidValueError

DIGITS_MAX = 38
"""Digits of the longest numeric that is held exactly."""


def plain_number(text: str) -> str:
    """Return a number without its exponent: `1.5e3` as `1500.`, a numeric as in PostgreSQL.

    A number of too many digits, or what is no number, stays as it is, and so is a double.

    Raises:
        InvalidValueError: no double is as large (22003).
    """
    if "e" not in text and "E" not in text:
        return text
    mantissa, _, exponent = text.lower().partition("e")
    digits = mantissa.replace(".", "", 1)
    is_number = digits.isdecimal() and exponent.lstrip("+-").isdecimal() and len(exponent) < 4
    if not is_number or len(digits) + abs(int(exponent)) > DIGITS_MAX:
        if digits.isdecimal() and exponent.lstrip("+-").isdecimal() and isinf(float(text)):
            raise InvalidValueError(
                f'"{text[:40]}" is out of range for type double precision',
                hint="Numbers of more than 38 digits are doubles.",
                sqlstate="22003",
            )
        return text
    plain = format(Decimal(text), "f")
    return plain if "." in plain else f"{plain}."


def plain_numeric(text: str) -> str:
    """Return a text that is read as a numeric without its exponent, as `plain_number` does."""
    bare = text.strip()
    sign = bare[: len(bare) - len(bare.lstrip("+-"))]
    plain = plain_number(bare[len(sign) :])
    return text if plain == bare[len(sign) :] else sign + plain
