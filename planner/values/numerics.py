"""The division of numerics: 16 digits after the decimal point, the last one rounded."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

_EXACT = Context(prec=100)
_PLACES = Decimal(1).scaleb(-16)


def quotient(one: Decimal, other: Decimal, apart: int = 0) -> Decimal:
    """Return `one / other * 10**apart`; `other` is not 0."""
    found = _EXACT.divide(one, other).scaleb(apart, _EXACT)
    return found.quantize(_PLACES, ROUND_HALF_UP, _EXACT)
