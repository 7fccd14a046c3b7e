"""unistr: a text with escapes of Unicode. Source: `src/backend/utils/adt/varlena.c`."""

from __future__ import annotations

import re

from planner.errors import InvalidSyntaxError, InvalidValueError

_ESCAPE = re.compile(
    r"\\(?:(\\)|u?([0-9A-Fa-f]{4})|\+([0-9A-Fa-f]{6})|U([0-9A-Fa-f]{8})|)", re.ASCII
)
_CODE_POINT_MAX = 0x10FFFF


def unistr(text: str) -> str:
    r"""Return a text with its escapes read: `\0061`, `\+000061`, `\u0061`, `\U00000061`.

    Raises:
        InvalidSyntaxError: an escape is incomplete, or is half a pair of surrogates (42601).
        InvalidValueError: there is no such code point (22023).
    """
    made: list[str] = []
    end, high = 0, 0
    for found in _ESCAPE.finditer(text):
        if high and (found.start() > end or found[1]):
            raise _not_paired()
        made.append(text[end : found.start()])
        end = found.end()
        if found[1]:
            made.append("\\")
            continue
        number = _number(found)
        if 0xDC00 <= number <= 0xDFFF and high:
            made.append(chr(0x10000 + ((high - 0xD800) << 10) + number - 0xDC00))
            high = 0
        elif high or 0xDC00 <= number <= 0xDFFF:
            raise _not_paired()
        elif 0xD800 <= number <= 0xDBFF:
            high = number
        else:
            made.append(chr(number))
    if high:
        raise _not_paired()
    return "".join([*made, text[end:]])


def _number(found: re.Match[str]) -> int:
    digits = found[2] or found[3] or found[4]
    if digits is None:
        raise InvalidSyntaxError(
            "invalid Unicode escape",
            hint="Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.",
        )
    number = int(digits, 16)
    if not 0 < number <= _CODE_POINT_MAX:
        raise InvalidValueError(f"invalid Unicode code point: {number:04X}", sqlstate="22023")
    return number


def _not_paired() -> InvalidSyntaxError:
    return InvalidSyntaxError("invalid Unicode surrogate pair")
