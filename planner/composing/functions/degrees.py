"""Trigonometric functions of degrees, exact for the angles whose values are.

Source: PostgreSQL's `src/backend/utils/adt/float.c`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from stategate.planner.errors import InvalidValueError

_RADIANS = math.pi / 180
_SIN_30 = math.sin(30 * _RADIANS)
_ONE_MINUS_COS_60 = 1 - math.cos(60 * _RADIANS)
_ASIN_HALF, _ACOS_HALF = math.asin(0.5), math.acos(0.5)
_ATAN_1 = math.atan(1.0)


def _sin_within_30(x: float) -> float:
    return math.sin(x * _RADIANS) / _SIN_30 / 2


def _cos_within_60(x: float) -> float:
    return 1 - (1 - math.cos(x * _RADIANS)) / _ONE_MINUS_COS_60 / 2


def _sin_within_90(x: float) -> float:
    return _sin_within_30(x) if x <= 30 else _cos_within_60(90 - x)


def _cos_within_90(x: float) -> float:
    return _cos_within_60(x) if x <= 60 else _sin_within_30(90 - x)


def _reduced(x: float) -> float:
    """Return an angle within a turn.

    Raises:
        InvalidValueError: it is infinite (22003).
    """
    if math.isinf(x):
        raise InvalidValueError("input is out of range", sqlstate="22003")
    return math.fmod(x, 360)


def _within_half_turn(x: float) -> tuple[float, int]:
    """Return an angle from 0 to 180 degrees, and the sign of an odd function of it."""
    x, sign = _reduced(x), 1
    if x < 0:
        x, sign = -x, -sign
    return (360 - x, -sign) if x > 180 else (x, sign)


def sind(x: float) -> float:
    """Return the sine."""
    if math.isnan(x):
        return x
    x, sign = _within_half_turn(x)
    return sign * _sin_within_90(180 - x if x > 90 else x)


def cosd(x: float) -> float:
    """Return the cosine."""
    if math.isnan(x):
        return x
    x, sign = abs(_reduced(x)), 1
    if x > 180:
        x = 360 - x
    if x > 90:
        x, sign = 180 - x, -sign
    return sign * _cos_within_90(x)


_TAN_45 = _sin_within_90(45) / _cos_within_90(45)
_COT_45 = _cos_within_90(45) / _sin_within_90(45)


def _quotient(of: Callable[[float], float], by: Callable[[float], float], x: float) -> float:
    above, below = of(x), by(x)
    return math.copysign(math.inf, below) if below == 0 else above / below


def _by_quadrant(x: float, within_90: Callable[[float], float]) -> float:
    """Return a tangent or cotangent from its value between 0 and 90 degrees."""
    if math.isnan(x):
        return x
    x, sign = _within_half_turn(x)
    if x > 90:
        x, sign = 180 - x, -sign
    return (sign * within_90(x)) or 0.0  # no negative zero


def tand(x: float) -> float:
    """Return the tangent."""
    return _by_quadrant(x, lambda y: _quotient(_sin_within_90, _cos_within_90, y) / _TAN_45)


def cotd(x: float) -> float:
    """Return the cotangent."""
    return _by_quadrant(x, lambda y: _quotient(_cos_within_90, _sin_within_90, y) / _COT_45)


def _asin_within_1(x: float) -> float:
    if x <= 0.5:
        return math.asin(x) / _ASIN_HALF * 30
    return 90 - math.acos(x) / _ACOS_HALF * 60


def _acos_within_1(x: float) -> float:
    if x <= 0.5:
        return 90 - math.asin(x) / _ASIN_HALF * 30
    return math.acos(x) / _ACOS_HALF * 60


def _check_ratio(x: float) -> None:
    if abs(x) > 1:
        raise InvalidValueError("input is out of range", sqlstate="22003")


def asind(x: float) -> float:
    """Return the angle of a sine."""
    if math.isnan(x):
        return x
    _check_ratio(x)
    return _asin_within_1(x) if x >= 0 else -_asin_within_1(-x)


def acosd(x: float) -> float:
    """Return the angle of a cosine."""
    if math.isnan(x):
        return x
    _check_ratio(x)
    return _acos_within_1(x) if x >= 0 else 90 + _asin_within_1(-x)


def atand(x: float) -> float:
    """Return the angle of a tangent."""
    return math.atan(x) / _ATAN_1 * 45


def atan2d(y: float, x: float) -> float:
    """Return the angle of a point."""
    return math.atan2(y, x) / _ATAN_1 * 45


OF_ONE = (sind, cosd, tand, cotd, asind, acosd, atand)
"""The functions of one number."""
