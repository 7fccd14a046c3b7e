"""Damage messages as a broken client, a bad network or an attacker would."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
Chunks = list[bytes]
"""Messages as sent, one by one."""

_LENGTHS = (0, 1, 3, 4, 5, 255, 65_536, 2**24, 2**30, 2**31 - 1, 2**31, 2**32 - 1)


def mutated(chance: random.Random, chunks: Sequence[bytes], *, framed: bool) -> Chunks:
    """Damage messages in one to four ways.

    Args:
        chance: source of randomness.
        chunks: messages of a protocol.
        framed: whether each begins with a type byte and a length, as in the Postgres wire.
    """
    found = list(chunks)
    damages = [*_ANY, *(_FRAMED if framed else ())]
    for _ in range(chance.randint(1, 4)):
        if found:
            chance.choice(damages)(chance, found)
    return found


def _flip(chance: random.Random, chunks: Chunks) -> None:
    place = chance.randrange(len(chunks))
    data = bytearray(chunks[place])
    for _ in range(chance.randint(1, 3)):
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    chunks[place] = bytes(data)


def _drop(chance: random.Random, chunks: Chunks) -> None:
    del chunks[chance.randrange(len(chunks))]


def _repeat(chance: random.Random, chunks: Chunks) -> None:
    place = chance.randrange(len(chunks))
    times = chance.choice([1, 2, 20, 500])
    chunks[place:place] = [chunks[place]] * min(times, 1 + 200_000 // (len(chunks[place]) + 1))


def _swap(chance: random.Random, chunks: Chunks) -> None:
    one, other = chance.randrange(len(chunks)), chance.randrange(len(chunks))
    chunks[one], chunks[other] = chunks[other], chunks[one]


def _truncate(chance: random.Random, chunks: Chunks) -> None:
    place = chance.randrange(len(chunks))
    chunks[place] = chunks[place][: chance.randrange(len(chunks[place]) + 1)]


def _end_early(chance: random.Random, chunks: Chunks) -> None:
    place = chance.randrange(len(chunks))
    chunks[place:] = [chunks[place][: chance.randrange(len(chunks[place]) + 1)]]


def _insert(chance: random.Random, chunks: Chunks) -> None:
    place = chance.randrange(len(chunks))
    at = chance.randrange(len(chunks[place]) + 1)
    noise = chance.choice([chance.randbytes(chance.randint(1, 12)), b"\0" * 8, b"\xff" * 40])
    chunks[place] = chunks[place][:at] + noise + chunks[place][at:]


def _swell(chance: random.Random, chunks: Chunks) -> None:
    place = chance.randrange(len(chunks))
    at = chance.randrange(len(chunks[place]) + 1)
    piece = chance.choice([b"(", b"a", b"'", b"\0", b"[", b"NOT ", "ß".encode(), b"1+"])
    chunks[place] = (
        chunks[place][:at] + piece * chance.choice([300, 5_000, 70_000]) + chunks[place][at:]
    )


def _split(chance: random.Random, chunks: Chunks) -> None:
    place = chance.randrange(len(chunks))
    at = chance.randrange(len(chunks[place]) + 1)
    chunks[place : place + 1] = [chunks[place][:at], chunks[place][at:]]


def _length(chance: random.Random, chunks: Chunks) -> None:
    place = chance.randrange(len(chunks))
    data = chunks[place]
    if len(data) >= 5:
        near = (struct.unpack_from(">I", data, 1)[0] + chance.choice([-1, 1, 4])) % 2**32
        wrong = chance.choice([*_LENGTHS, near])
        chunks[place] = data[:1] + struct.pack(">I", wrong) + data[5:]


def _number(chance: random.Random, chunks: Chunks) -> None:
    """Damage a count or a length inside a message, and keep the message's own length correct."""
    place = chance.randrange(len(chunks))
    data = bytearray(chunks[place])
    if len(data) > 8:
        at = chance.randrange(5, len(data) - 2)
        data[at : at + 2] = chance.choice([b"\x00\x00", b"\xff\xff", b"\x7f\xff", b"\x80\x00"])
    chunks[place] = bytes(data)


def _type(chance: random.Random, chunks: Chunks) -> None:
    place = chance.randrange(len(chunks))
    letter = chance.choice(b"QPBEDCSHXFfdcpRZ\x00\xff~")
    chunks[place] = bytes([letter]) + chunks[place][1:]


_ANY: tuple[Callable[[random.Random, Chunks], None], ...] = (
    _flip,
    _drop,
    _repeat,
    _swap,
    _truncate,
    _end_early,
    _insert,
    _swell,
    _split,
)
_FRAMED = (_length, _number, _type)


def fewest(chunks: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """Return the messages or steps that are needed to fail, leaving out ever smaller parts."""
    found, size = list(chunks), max(1, len(chunks) // 2)
    while size:
        at = 0
        while at < len(found):
            without = found[:at] + found[at + size :]
            if fails(without):
                found = without
            else:
                at += size
        size //= 2
    return found
