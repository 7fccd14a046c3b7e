"""Queries by name, each with a span."""

from __future__ import annotations

from collections.abc import Mapping

from opentelemetry.trace import Tracer

from gateway.tracing.contexts import take_context
from gateway.tracing.spans import StatementSpan, reads_of
from planner.engine import Cancellation, Session, Value
from planner.typed import Ask, TypedAnswer, TypedQuery


class TracedAsk:
    """Asks the partitions of a store, with a span for each question; see `Ask`.

    Args:
        tracer: makes the spans.
        inner: asks.
    """

    def __init__(self, tracer: Tracer, inner: Ask) -> None:
        self._tracer, self._inner = tracer, inner

    def __call__(
        self,
        query: TypedQuery,
        arguments: Mapping[str, Value],
        session: Session,
        *,
        partitions: frozenset[int] | None = None,
        active: bool = False,
        cancellation: Cancellation,
    ) -> TypedAnswer:
        """Ask, and end the span with the answer."""
        span = StatementSpan(self._tracer, query.name, take_context(session), store=query.store)
        cancellation.trace = span.trace
        try:
            answer = self._inner(
                query,
                arguments,
                session,
                partitions=partitions,
                active=active,
                cancellation=cancellation,
            )
        except BaseException as error:
            span.fail(None, error)
            raise
        if span.is_recording:
            answers = [each.answer for each in answer.partitions]
            span.end(
                None,
                rows=sum(each.rows for each in answers),
                reads=reads_of(answers),
                times={
                    (query.store, each.answer.partition): each.read_ns for each in answer.partitions
                },
            )
        return answer
