"""PostgreSQL's hashes of texts, which programs lock by: `pg_advisory_lock(hashtext('job'))`.

Source: Bob Jenkins' lookup3, as in PostgreSQL's hashfn.c on a little-endian machine.
"""

from __future__ import annotations

from struct import unpack_from

_MASK = 0xFFFFFFFF
_START = 0x9E3779B9 + 3923095
_BLOCK = 12
_MIXES = (4, 6, 8, 16, 19, 4)
_FINALS = (14, 11, 25, 16, 4, 14, 24)


def hashtext(text: str) -> int:
    """Return the hash of a text, as a signed integer of 32 bits."""
    return _signed(_hashed(text, 0)[1], 32)


def hashtextextended(text: str, seed: int) -> int:
    """Return the hash of a text with a seed, as a signed integer of 64 bits."""
    high, low = _hashed(text, seed)
    return _signed(high << 32 | low, 64)


def _hashed(text: str, seed: int) -> tuple[int, int]:
    """Return two words of a hash; the second one is the hash of 32 bits."""
    data = text.encode()
    a = b = c = (_START + len(data)) & _MASK
    if seed:
        a, b, c = _mixed((a + (seed >> 32)) & _MASK, (b + seed) & _MASK, c)
    whole = len(data) // _BLOCK * _BLOCK
    for at in range(0, whole, _BLOCK):
        one, two, three = unpack_from("<III", data, at)
        a, b, c = _mixed((a + one) & _MASK, (b + two) & _MASK, (c + three) & _MASK)
    rest = data[whole:]
    # The lowest byte of the last word is kept for the length.
    last = rest[:8].ljust(8, b"\0") + b"\0" + rest[8:]
    one, two, three = unpack_from("<III", last.ljust(_BLOCK, b"\0"))
    return _ended((a + one) & _MASK, (b + two) & _MASK, (c + three) & _MASK)


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for bits in _MIXES:
        # Each step subtracts c from a, and then the next word takes the place of the first.
        a = (a - c) & _MASK ^ _rotated(c, bits)
        c = (c + b) & _MASK
        a, b, c = b, c, a
    return a, b, c


def _ended(a: int, b: int, c: int) -> tuple[int, int]:
    for bits in _FINALS:
        c = ((c ^ b) - _rotated(b, bits)) & _MASK
        a, b, c = b, c, a
    return a, b  # the words have turned once more than they are


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & _MASK


def _signed(word: int, bits: int) -> int:
    return word - (1 << bits) if word >> bits - 1 else word
