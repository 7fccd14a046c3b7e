"""Queries by name, which are watched."""

from __future__ import annotations

from collections.abc import Mapping

from stategate.gateway.watching.statements import Watcher, reads_of
from stategate.planner.engine import Cancellation, Session, Value
from stategate.planner.typed import Ask, TypedAnswer, TypedQuery


class WatchedAsk:
    """Asks the partitions of a store, and has each question watched; see `Ask`.

    Args:
        watcher: watches.
        inner: asks.
    """

    def __init__(self, watcher: Watcher, inner: Ask) -> None:
        self._watcher, self._inner = watcher, inner

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
        """Ask, and watch it until the answer."""
        span = self._watcher.begin(query.name, session, store=query.store)
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
