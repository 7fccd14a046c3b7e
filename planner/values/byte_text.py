r"""PostgreSQL's format `escape` of bytes: ASCII unchanged, other bytes in octal, `\\ooo`."""

from __future__ import annotations

import re

from stategate.planner.errors import InvalidValueError

_ESCAPE = re.compile(r"\\(?:(\\)|([0-3][0-7]{2}))")


def escaped(digits: str) -> str:
    """Return the escaped text of bytes, which are given in hexadecimal digits."""
    return "".join(_escape(byte) for byte in bytes.fromhex(digits))


def _escape(byte: int) -> str:
    if byte == ord("\\"):
        return "\\\\"
    return chr(byte) if 0 < byte < 128 else f"\\{byte:03o}"


def hex_digits_of(text: str) -> str:
    r"""Return the bytes of `\\x00ff` or of an escaped text, in hexadecimal digits.

    Raises:
        InvalidValueError: it is neither (22023, 22P02).
    """
    if not text.startswith("\\x"):
        return unescaped(text)
    digits = re.sub(r"([0-9A-Fa-f]{2})\s+", r"\1", text[2:].lstrip())
    if wrong := re.search(r"[^0-9A-Fa-f]", digits):
        raise InvalidValueError(f'invalid hexadecimal digit: "{wrong[0]}"')
    if len(digits) % 2:
        raise InvalidValueError("invalid hexadecimal data: odd number of digits")
    return digits


def unescaped(text: str) -> str:
    """Return the bytes of an escaped text, in hexadecimal digits.

    Raises:
        InvalidValueError: a backslash precedes anything else (22P02).
    """
    if "\\" in _ESCAPE.sub("", text):
        raise InvalidValueError("invalid input syntax for type bytea", sqlstate="22P02")
    found = bytearray()
    at = 0
    for each in _ESCAPE.finditer(text):
        found += text[at : each.start()].encode()
        found.append(ord("\\") if each[1] else int(each[2], 8))
        at = each.end()
    return (bytes(found) + text[at:].encode()).hex()
