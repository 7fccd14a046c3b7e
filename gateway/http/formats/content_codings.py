"""Compresses bodies as the client accepts it: zstd or gzip, one chunk at a time.

Each chunk is flushed, so that its rows arrive when they are made. A coder runs in statement
threads, except for a page of few rows. The short answers of lookups are not compressed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Final, Protocol

import pyarrow as pa

from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.formats.byte_sink import ByteSink
from stategate.gateway.http.formats.negotiation import quality

BYTES_MIN: Final = 1_024
"""Shortest whole body that is compressed: less fits into one packet anyway."""
_LEVEL: Final = 1
"""The fastest level of gzip; the next ones take two to five times as long for a tenth less."""
_COMPRESSED: Final = frozenset({"application/vnd.apache.parquet"})
"""Media types whose content is compressed already."""


class Coder(Protocol):
    """Compresses one body."""

    name: str

    def code(self, part: bytes) -> bytes:
        """Return bytes from which the client can read all parts so far."""

    def end(self) -> bytes:
        """Return the last bytes."""


class _Gzip:
    name = "gzip"

    def __init__(self) -> None:
        self._stream = zlib.compressobj(_LEVEL, wbits=31)

    def code(self, part: bytes) -> bytes:
        return self._stream.compress(part) + self._stream.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        return self._stream.flush()


class _Zstd:
    name = "zstd"

    def __init__(self) -> None:
        self._sink = ByteSink()
        self._stream = pa.CompressedOutputStream(pa.PythonFile(self._sink, "w"), "zstd")

    def code(self, part: bytes) -> bytes:
        self._stream.write(part)
        self._stream.flush()
        return self._sink.taken()

    def end(self) -> bytes:
        self._stream.close()
        return self._sink.taken()


_CODERS: Final[Mapping[str, Callable[[], Coder]]] = {"zstd": _Zstd, "gzip": _Gzip}
"""Coders by name, the preferred one first."""


def choose_coding(accept: str | None) -> str | None:
    """Return the coding that an Accept-Encoding header prefers; None to send the body as it is.

    Raises:
        HttpRequestError: the header refuses all codings, and none, too (406).
    """
    if not accept:
        return None
    weights = _weights(accept)
    others = weights.get("*", 0.0)
    found = {name: weights.get(name, others) for name in _CODERS}
    best = max(found, key=lambda name: found[name])
    # Without a mention, a body without a coding is acceptable, but any accepted coding is better.
    plain = weights.get("identity", 0.0 if weights.get("*") == 0 else 0.0001)
    if found[best] and found[best] >= plain:
        return best
    if plain:
        return None
    raise HttpRequestError(
        "the Accept-Encoding header has no supported coding",
        status=406,
        hint=f"Accept identity, {', '.join(_CODERS)}.",
    )


def _weights(accept: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in accept.lower().split(","):
        name, *options = (piece.strip() for piece in part.split(";"))
        weights["gzip" if name == "x-gzip" else name] = quality(options)
    return weights


def coder_for(coding: str | None, media_type: str) -> Coder | None:
    """Return a coder for one body; None if it is sent as it is."""
    if coding is None or media_type in _COMPRESSED:
        return None
    return _CODERS[coding]()
