"""Reads and writes the JSON of requests; no number becomes a double on the way."""

from __future__ import annotations

from decimal import Decimal, DecimalException
from typing import Any, TypeAlias

import msgspec

from stategate.planner.errors import LimitExceededError

Json: TypeAlias = Any
"""A value of a request: None, bool, int, Decimal, str, list or dict."""


def _exact(digits: str) -> Decimal:
    try:
        return Decimal(digits)
    except DecimalException as error:  # an exponent of twenty digits
        raise ValueError(f"the number {digits[:100]} is out of range") from error


_decode = msgspec.json.Decoder(float_hook=_exact).decode
_encode = msgspec.json.Encoder(decimal_format="number").encode


def read_json(text: bytes | str) -> Json:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is not JSON.
        LimitExceededError: it is nested too deep.
    """
    try:
        return _decode(text)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error
    except RecursionError:
        raise LimitExceededError("the JSON is nested too deep") from None


def json_text(value: Json) -> str:
    """Return a value as JSON.

    Raises:
        LimitExceededError: it is nested too deep.
    """
    try:
        return _encode(value).decode()
    except RecursionError:
        raise LimitExceededError("the value is nested too deep") from None
