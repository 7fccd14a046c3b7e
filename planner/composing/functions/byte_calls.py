"""PostgreSQL's functions of bytes, for single values: encodings, parts, bits and character sets."""

from __future__ import annotations

import base64
import hashlib
import re

from stategate.planner.errors import InvalidValueError, NotSupportedError
from stategate.planner.values.byte_text import escaped, unescaped

_LINE = 76
"""Characters of a line of base64."""
_BLANKS = " \t\n\r"
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_QUAD = 4


def encode(value: bytes, form: str) -> str:
    """Return `encode(value, form)`.

    Raises:
        InvalidValueError: there is no such form (22023).
    """
    match _form(form):
        case "hex":
            return value.hex()
        case "base64":
            text = base64.b64encode(value).decode()
            return re.sub(f"(.{{{_LINE}}})", "\\1\n", text)
        case _:
            return escaped(value.hex())


def decode(text: str, form: str) -> bytes:
    """Return `decode(text, form)`.

    Raises:
        InvalidValueError: there is no such form, or the text is malformed (22023, 22P02).
    """
    match _form(form):
        case "hex":
            return _of_hex(text)
        case "base64":
            return _of_base64(text)
        case _:
            return bytes.fromhex(unescaped(text))


def _form(name: str) -> str:
    if name.lower() not in {"hex", "base64", "escape"}:
        raise InvalidValueError(
            f'unrecognized encoding: "{name[:100]}"', hint="Use hex, base64 or escape."
        )
    return name.lower()


def _of_hex(text: str) -> bytes:
    digits = re.sub(rf"([0-9A-Fa-f]{{2}})[{_BLANKS}]+", r"\1", text.lstrip(_BLANKS))
    if wrong := re.search(r"[^0-9A-Fa-f]", digits):
        raise InvalidValueError(f'invalid hexadecimal digit: "{wrong[0]}"')
    if len(digits) % 2:
        raise InvalidValueError("invalid hexadecimal data: odd number of digits")
    return bytes.fromhex(digits)


def _of_base64(text: str) -> bytes:
    found = bytearray()
    held = count = 0
    kept = 3
    """The bytes of four signs; fewer from the first `=` on."""
    for sign in text:
        if sign in _BLANKS:
            continue
        if sign == "=":
            if kept == 3 and count not in {2, 3}:
                raise InvalidValueError('unexpected "=" while decoding base64 sequence')
            kept = min(kept, count - 1) if kept == 3 else kept
            value = 0
        elif (value := _ALPHABET.find(sign)) < 0:
            raise InvalidValueError(f'invalid symbol "{sign}" found while decoding base64 sequence')
        held, count = held << 6 | value, count + 1
        if count == _QUAD:
            found += held.to_bytes(3, "big")[:kept]
            held = count = 0
    if count:
        raise InvalidValueError(
            "invalid base64 end sequence",
            hint="Input data is missing padding, is truncated, or is otherwise corrupted.",
        )
    return bytes(found)


_CODECS = {
    "utf8": "utf-8",
    "unicode": "utf-8",
    **dict.fromkeys(("latin1", "iso88591"), "latin-1"),
}
_SHOWN = {"utf-8": "UTF8", "latin-1": "LATIN1"}


def _codec(name: str) -> str:
    found = _CODECS.get(re.sub(r"[^a-z0-9]", "", name.lower()))
    if found is None:
        raise NotSupportedError(
            f'character set "{name[:100]}" is not supported', hint="Use UTF8 or LATIN1."
        )
    return found


def convert_from(value: bytes, name: str) -> str:
    """Return `convert_from(value, name)`.

    Raises:
        InvalidValueError: the bytes are no text of that character set (22021).
        NotSupportedError: the character set is not supported.
    """
    codec = _codec(name)
    try:
        text, wrong = value.decode(codec), b""
    except UnicodeDecodeError as error:
        text, wrong = "", value[error.start : error.end]
    if "\0" in text:
        wrong = b"\0"
    if wrong:
        shown = " ".join(f"0x{byte:02x}" for byte in wrong)
        raise InvalidValueError(
            f'invalid byte sequence for encoding "{_SHOWN[codec]}": {shown}', sqlstate="22021"
        )
    return text


def convert_to(text: str, name: str) -> bytes:
    """Return `convert_to(text, name)`.

    Raises:
        InvalidValueError: a character is not in that character set (22P05).
        NotSupportedError: the character set is not supported.
    """
    codec = _codec(name)
    try:
        return text.encode(codec)
    except UnicodeEncodeError as error:
        shown = " ".join(f"0x{byte:02x}" for byte in text[error.start].encode())
        raise InvalidValueError(
            f'character with byte sequence {shown} in encoding "UTF8" has no equivalent in '
            f'encoding "{_SHOWN[codec]}"',
            sqlstate="22P05",
        ) from None


def length_in(value: bytes, name: str) -> int:
    """Return `length(value, name)`: the characters of bytes in a character set."""
    return len(convert_from(value, name))


def _check_index(index: int, count: int) -> None:
    if not 0 <= index < count:
        raise InvalidValueError(
            f"index {index} out of valid range, 0..{count - 1}", sqlstate="2202E"
        )


def get_byte(value: bytes, index: int) -> int:
    """Return `get_byte(value, index)`.

    Raises:
        InvalidValueError: there is no such byte (2202E).
    """
    _check_index(index, len(value))
    return value[index]


def set_byte(value: bytes, index: int, byte: int) -> bytes:
    """Return `set_byte(value, index, byte)`.

    Raises:
        InvalidValueError: there is no such byte (2202E).
    """
    _check_index(index, len(value))
    return value[:index] + bytes([byte & 255]) + value[index + 1 :]


def get_bit(value: bytes, index: int) -> int:
    """Return `get_bit(value, index)`; the first bit of a byte is its lowest.

    Raises:
        InvalidValueError: there is no such bit (2202E).
    """
    _check_index(index, len(value) * 8)
    return value[index // 8] >> index % 8 & 1


def set_bit(value: bytes, index: int, bit: int) -> bytes:
    """Return `set_bit(value, index, bit)`.

    Raises:
        InvalidValueError: there is no such bit (2202E), or it is neither 0 nor 1 (22023).
    """
    _check_index(index, len(value) * 8)
    if bit not in {0, 1}:
        raise InvalidValueError("new bit must be 0 or 1")
    byte = value[index // 8] & ~(1 << index % 8) | bit << index % 8
    return set_byte(value, index // 8, byte)


def substring(value: bytes, start: int, count: int) -> bytes:
    """Return `substring(value, start, count)`; places before the first have no bytes.

    Raises:
        InvalidValueError: the count is negative (22011).
    """
    if count < 0:
        raise InvalidValueError("negative substring length not allowed", sqlstate="22011")
    return value[max(start - 1, 0) : max(start - 1 + count, 0)]


def overlay(value: bytes, fresh: bytes, start: int, count: int) -> bytes:
    """Return `overlay(value PLACING fresh FROM start FOR count)`.

    Raises:
        InvalidValueError: the start is not positive (22011).
    """
    if start < 1:
        raise InvalidValueError("negative substring length not allowed", sqlstate="22011")
    return value[: start - 1] + fresh + value[max(start - 1 + count, 0) :]


def position(part: bytes, value: bytes) -> int:
    """Return `position(part IN value)`."""
    return value.find(part) + 1


def trimmed(value: bytes, dropped: bytes, side: str) -> bytes:
    """Return bytes without those to drop: at the beginning (LEADING), the end, or BOTH."""
    if side != "TRAILING":
        value = value.lstrip(dropped)
    return value if side == "LEADING" else value.rstrip(dropped)


def hashed(value: bytes, name: str) -> bytes:
    """Return `sha224(value)` and the like."""
    return hashlib.new(name, value).digest()


def reversed_text(text: str) -> str:
    """Return `reverse(text)`: by characters, even if some are drawn as one."""
    return text[::-1]
