"""unistr: a text with escapes of Unicode. Source: `src/backend/utils/adt/varlena.c`."""

from __future__ import annotations

import re

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError
from stategate.planner.trees.surrogates import with_whole_pairs

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
    return with_whole_pairs(_ESCAPE.sub(_character, text))


def _character(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    digits = found[2] or found[3] or found[4]
    if digits is None:
        raise InvalidSyntaxError(
            "invalid Unicode escape",
            hint="Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.",
        )
    number = int(digits, 16)
    if not 0 < number <= _CODE_POINT_MAX:
        raise InvalidValueError(f"invalid Unicode code point: {number:04X}", sqlstate="22023")
    return chr(number)
