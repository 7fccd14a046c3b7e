r"""The formats of results, and how a request chooses one: by name, or by its `Accept` header.

Each response has its own renderer. It is made with the columns and then receives rows: batches in a
thread, or the few rows of a lookup on the loop. At the end each format reports, in its own
way, the position of the rows, or the error that ended them:

| format | position | an error after the first byte |
|---|---|---|
| JSON | `position` after the rows | an `error` member after the rows, and no position |
| NDJSON | the last line, an object | the last line, `{"error": …}` |
| Arrow | metadata of a last, empty batch | metadata of such a batch; then readers raise |
| Parquet | metadata of the file | a last line instead of the footer: readers raise |
| CSV, TSV | none | a last line that begins with `#error`, or `\#error`: readers raise |
| table | none | a last line that begins with ERROR |
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.formats.arrow_renderers import ArrowRenderer, ParquetRenderer
from stategate.gateway.http.formats.json_renderers import JsonRenderer, NdjsonRenderer
from stategate.gateway.http.formats.rendering import RendererFactory
from stategate.gateway.http.formats.text_renderers import CsvRenderer, TableRenderer, TsvRenderer

RENDERERS: dict[str, RendererFactory] = {
    "application/json": JsonRenderer,
    "application/x-ndjson": NdjsonRenderer,
    "application/vnd.apache.arrow.stream": ArrowRenderer,
    "application/vnd.apache.parquet": ParquetRenderer,
    "text/csv": CsvRenderer,
    "text/tab-separated-values": TsvRenderer,
    "text/plain": TableRenderer,
}
"""Renderers by media type; the first is the default."""
FORMATS: Mapping[str, str] = {
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "arrow": "application/vnd.apache.arrow.stream",
    "parquet": "application/vnd.apache.parquet",
    "table": "text/plain",
}
"""The media type of each format that a request may name."""


def register_renderer(media_type: str, factory: RendererFactory) -> None:
    """Add or replace a format."""
    RENDERERS[media_type] = factory


def choose_renderer(accept: str | None) -> RendererFactory | None:
    """Return the format that an Accept header prefers; None if it accepts no format."""
    if accept is None or accept in {"", "*/*", "application/json"}:
        return RENDERERS["application/json"]
    best: tuple[float, int] | None = None
    chosen: RendererFactory | None = None
    for at, (media_type, factory) in enumerate(RENDERERS.items()):
        weight = _accept_weight(accept, media_type)
        if weight > 0 and (best is None or (weight, -at) > best):
            best, chosen = (weight, -at), factory
    return chosen


def negotiate(accept: str | None, name: str | None = None) -> RendererFactory:
    """Return the format that the client asks for.

    Args:
        accept: the Accept header.
        name: the field `format`, which counts more than the header.

    Raises:
        HttpRequestError: there is no such format (400 for a name, 406 for a header).
    """
    if name is not None:
        return _named(name)
    factory = choose_renderer(accept)
    if factory is None:
        raise HttpRequestError(
            "the Accept header has no supported format",
            status=406,
            hint=f"Accept one of {', '.join(RENDERERS)}.",
        )
    return factory


def _named(name: str) -> RendererFactory:
    media_type = FORMATS.get(name.lower())
    if media_type is None:
        raise HttpRequestError(
            f'format "{name[:100]}" does not exist', hint=f"The formats are {', '.join(FORMATS)}."
        )
    return RENDERERS[media_type]


def _accept_weight(accept: str, media_type: str) -> float:
    """Return an Accept header's weight for a type, by the most specific matching range."""
    found = (-1, 0.0)
    for part in accept.split(","):
        name, *options = (piece.strip() for piece in part.lower().split(";"))
        rank = _range_rank(name, media_type)
        if rank > found[0]:
            found = (rank, quality(options))
    return found[1] + found[0] * 1e-6 if found[1] else 0.0


def quality(options: list[str]) -> float:
    """Return the `q` of a part of an Accept or Accept-Encoding header; 1 if it has none."""
    text = next((each[2:] for each in options if each.startswith("q=")), "1")
    return float(text) if re.fullmatch(r"[01](\.[0-9]{0,3})?", text) else 1.0


def _range_rank(name: str, media_type: str) -> int:
    if name == media_type:
        return 2
    if name == media_type.partition("/")[0] + "/*":
        return 1
    return 0 if name == "*/*" else -1
