"""Unplanned errors: the client gets a short message, the log all that helps to find the cause.

The one place where an internal error (XX000) is logged, whichever protocol it was met in: with the
statement's shape, for its values are no business of a log, and with who asked, from where.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from gateway.access.users import shown_name
from planner.engine import QueryError, statement_shape
from planner.errors import InternalError

logger = logging.getLogger(__name__)

INTERNAL = InternalError.sqlstate


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """What was asked when something went wrong, and by whom."""

    client: str
    """Its address, and on the wire its process id."""
    user: str | None = None
    """None before it was let in."""
    sql: str | None = None
    """The statement; None before one was read."""

    def __str__(self) -> str:
        """As the log has it."""
        shape = None if self.sql is None else statement_shape(self.sql)
        user = None if self.user is None else shown_name(self.user)
        return f"statement={shape!r} user={user!r} client={self.client}"


def to_query_error(error: Exception, context: RequestContext) -> QueryError:
    """The error as a client sees it; an internal one is logged whole."""
    if isinstance(error, QueryError) and error.sqlstate != INTERNAL:
        return error
    logger.error("internal error %s", context, exc_info=error)
    if isinstance(error, QueryError):
        return error
    return InternalError("internal error", hint="The log of the gateway has more.")
