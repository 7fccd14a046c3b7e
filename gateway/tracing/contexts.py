"""The trace that the next statement of a session belongs to: that of its text or of its request."""

from __future__ import annotations

from opentelemetry.context import Context

from stategate.gateway.tracing.spans import context_of
from stategate.planner.engine import Session, tags_of


class _TextContext:
    """A context that a text has brought: the next statement that runs has it, and no other."""

    __slots__ = ("before", "context")

    def __init__(self, context: Context, before: object | None) -> None:
        self.context, self.before = context, before


def read_tags(sql: str, session: Session) -> None:
    """Give the session the context of a text, or take away that of the text before."""
    if isinstance(session.trace, _TextContext):
        session.trace = session.trace.before
    tags = tags_of(sql)
    context = context_of(tags) if tags else None
    if context is not None:
        session.trace = _TextContext(context, session.trace)


def take_context(session: Session) -> Context | None:
    """Return the context of what runs next; a session keeps only that of its request."""
    trace = session.trace
    if isinstance(trace, _TextContext):
        session.trace = trace.before
        return trace.context
    # The headers of a request hold for all its statements.
    return trace if isinstance(trace, Context) else None
