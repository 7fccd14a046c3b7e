"""Where statements are in the text of a client: it shows the place of an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from stategate.planner.engine import QueryError


def located(sql: str, texts: Sequence[str]) -> Sequence[tuple[str, int]]:
    """Return statements with their offsets: a client shows the error's place in its whole text."""
    found = []
    at = 0
    for text in texts:
        at = max(at, sql.find(text, at))
        found.append((text, at))
        at += len(text)
    return found


@contextmanager
def counted_from(offset: int) -> Iterator[None]:
    """Add an offset to the position in errors, which counts in the client's whole text."""
    try:
        yield
    except QueryError as error:
        if error.position is not None:
            error.position += max(0, offset)
        raise


def only_statement(sql: str, split: Callable[[str], Sequence[str]]) -> str:
    """Return the only statement of a text.

    Raises:
        QueryError: there are several (42601).
    """
    # Most texts have no semicolon and need not be tokenised twice.
    if ";" not in sql:
        return sql
    texts = split(sql)
    if len(texts) > 1:
        raise QueryError(
            "cannot insert multiple commands into a prepared statement", sqlstate="42601"
        )
    return texts[0] if texts else ""
