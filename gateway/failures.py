"""Unexpected exceptions: the client gets a short message, the log gets the details.

This is the only place that logs an internal error (XX000), for both protocols. The log entry has
the statement's shape without its values, the user and the client's address.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from stategate.gateway.access.users import shown_name
from stategate.planner.engine import QueryError, statement_shape
from stategate.planner.errors import InternalError, is_out_of_files, out_of_files, out_of_memory

logger = logging.getLogger(__name__)

INTERNAL = InternalError.sqlstate


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """The statement and the client of a request, for the log."""

    client: str
    """The client's address; on the wire also its process id."""
    user: str | None = None
    """None before the client is authenticated."""
    sql: str | None = None
    """The statement; None before one is read."""

    def __str__(self) -> str:
        """Format the fields for a log line."""
        shape = None if self.sql is None else statement_shape(self.sql)
        user = None if self.user is None else shown_name(self.user)
        return f"statement={shape!r} user={user!r} client={self.client}"


def to_query_error(error: Exception, context: RequestContext) -> QueryError:
    """Return the error that the client gets; log an internal one with its traceback."""
    if isinstance(error, QueryError) and error.sqlstate != INTERNAL:
        return error
    if is_out_of_files(error):
        logger.error("too many open files %s", context)
        return out_of_files()
    logger.error("internal error %s", context, exc_info=error)
    if isinstance(error, QueryError):
        return error
    if isinstance(error, MemoryError):
        return out_of_memory()
    return InternalError("internal error", hint="See the log of the gateway.")
