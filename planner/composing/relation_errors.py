"""Why a relation could not be read, as DuckDB's message tells it."""

from __future__ import annotations

import re

from stategate.planner.composing.database import OUT_OF_MEMORY, STREAM, DatabaseError

_FAILED = re.compile(
    r"reading the stream registered as '[^']*' failed: (.*?)(?:\. Detail: Python|$)", re.DOTALL
)
"""DuckDB reports each such failure as an invalid input, though no value of the client is wrong."""
_OF_ARROW = re.compile(r"^[A-Za-z]+(?: [a-z]+)*: (?:Out of Memory Error: )?")
"""Arrow's name of an error, before the error's own text."""


def relation_error(text: str) -> DatabaseError | None:
    """Return the error of a relation that could not be read; None if a message tells of none."""
    failed = _FAILED.search(text)
    if failed is None:
        return None
    return stream_error(failed[1])


def stream_error(text: str) -> DatabaseError:
    """Return the error of a relation that could not be read, for this reason."""
    said = _OF_ARROW.sub("", text).strip()
    if "out of memory" in text.lower():
        return DatabaseError(OUT_OF_MEMORY, f"Out of Memory Error: {said or 'failed to allocate'}")
    return DatabaseError(STREAM, said)
