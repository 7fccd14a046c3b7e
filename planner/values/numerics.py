"""Arithmetic of numerics, which Python would round to 28 digits."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import reduce

_EXACT = Context(prec=100)
_ONE = Decimal(1)
_PLACES = Decimal(1).scaleb(-16)


def quotient(one: Decimal, other: Decimal, apart: int = 0) -> Decimal:
    """Return `one / other * 10**apart` with 16 digits after the decimal point; `other` is not 0."""
    found = _EXACT.divide(one, other).scaleb(apart, _EXACT)
    return found.quantize(_PLACES, ROUND_HALF_UP, _EXACT)


def trimmed(value: Decimal) -> Decimal:
    """Return a numeric without the zeros at the end of its fraction."""
    if value == value.to_integral_value(context=_EXACT):
        return value.quantize(_ONE, context=_EXACT)
    return value.normalize(_EXACT)


def total(values: Iterable[Decimal]) -> Decimal:
    """Return the exact sum of at least one value."""
    return reduce(_EXACT.add, values)
