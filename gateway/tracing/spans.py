"""The spans of statements, and of the partitions that they ask.

Source: OpenTelemetry's semantic conventions for databases; `stategate.…` are attributes of ours.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from opentelemetry import propagate
from opentelemetry.context import Context
from opentelemetry.trace import (
    Span,
    SpanKind,
    Status,
    StatusCode,
    Tracer,
    get_current_span,
    set_span_in_context,
)
from opentelemetry.util.types import AttributeValue

from planner.engine import QueryError, statement_shape

SYSTEM: Final = "stategate"
_PARTITIONS_MAX: Final = 1_000
"""Spans of partitions of one statement; more would be dropped by most collectors."""

_KEPT_LENGTH_MAX: Final = 2_000
"""The shapes of longer texts are not kept."""

Times: TypeAlias = Mapping[tuple[str, int], tuple[int, int]]
"""When each partition was asked, and when it was done, in epoch nanoseconds."""


class Read:
    """A partition that was asked."""

    __slots__ = ("epoch", "node", "partition", "reason", "rows", "store")

    def __init__(
        self,
        store: str,
        partition: int,
        epoch: int,
        rows: int,
        *,
        node: str | None = None,
        reason: str | None = None,
    ) -> None:
        self.store, self.partition, self.epoch, self.rows = store, partition, epoch, rows
        self.node, self.reason = node, reason


def context_of(carrier: Mapping[str, str]) -> Context | None:
    """Return the context that headers or tags carry; None if they carry none.

    Args:
        carrier: values by name in lower case, such as `traceparent`.
    """
    found = propagate.extract(carrier, context=Context())
    return found if get_current_span(found).get_span_context().is_valid else None


class StatementSpan:
    """The span of one statement; it ends once, with its rows or with an error.

    Args:
        tracer: makes the spans.
        kind: the command tag of the statement.
        context: the span's parent; None makes a new trace.
    """

    __slots__ = ("_began_ns", "_has_ended", "_kind", "_span", "_tracer")

    def __init__(self, tracer: Tracer, kind: str, context: Context | None) -> None:
        self._tracer, self._kind = tracer, kind
        self._began_ns, self._has_ended = time.time_ns(), False
        self._span: Span = tracer.start_span(
            kind,
            context=Context() if context is None else context,
            kind=SpanKind.SERVER,
            attributes={"db.system.name": SYSTEM, "db.operation.name": kind},
            start_time=self._began_ns,
        )

    @property
    def is_recording(self) -> bool:
        """Whether it is sampled; if not, nothing needs to be measured for it."""
        return self._span.is_recording()

    def end(
        self,
        sql: str,
        *,
        rows: int,
        reads: Sequence[Read],
        times: Times | None = None,
        batch: int = 1,
    ) -> None:
        """End a statement that has returned its rows.

        Args:
            sql: its text, which is shown without its values.
            rows: how many rows it returned.
            reads: the partitions that it asked.
            times: when each of them was read; without them, as long as the statement ran.
            batch: for how many sets of parameters it ran.
        """
        if not self._has_ended:
            if batch > 1:
                self._span.set_attribute("db.operation.batch.size", batch)
            self._span.set_attribute("db.response.returned_rows", rows)
            self._end(sql, reads, times)

    def fail(
        self,
        sql: str,
        error: BaseException,
        *,
        reads: Sequence[Read] = (),
        times: Times | None = None,
    ) -> None:
        """End a statement that has failed."""
        if self._has_ended:
            return
        sqlstate = error.sqlstate if isinstance(error, QueryError) else "XX000"
        self._span.set_attributes({"db.response.status_code": sqlstate, "error.type": sqlstate})
        # Messages of errors may contain values, so they are not shown.
        self._span.set_status(Status(StatusCode.ERROR, f"SQLSTATE {sqlstate}"))
        self._end(sql, reads, times)

    def _end(self, sql: str, reads: Sequence[Read], times: Times | None) -> None:
        self._has_ended = True
        ended_ns = time.time_ns()
        stores = sorted({read.store for read in reads})
        attributes: dict[str, AttributeValue] = {
            "db.query.text": _shape(sql) if len(sql) <= _KEPT_LENGTH_MAX else statement_shape(sql),
            "stategate.partitions": len(reads),
            "stategate.rows_read": sum(read.rows for read in reads),
        }
        name = " ".join([self._kind, *stores[:3]])
        attributes["db.query.summary"] = name
        if len(stores) == 1:
            attributes["db.collection.name"] = stores[0]
        self._span.set_attributes(attributes)
        self._span.update_name(name)
        self._add(reads, times or {}, (self._began_ns, ended_ns))
        self._span.end(ended_ns)

    def _add(self, reads: Iterable[Read], times: Times, whole: tuple[int, int]) -> None:
        """Add the spans of partitions, whose times are known by now."""
        context = set_span_in_context(self._span, Context())
        for read in list(reads)[:_PARTITIONS_MAX]:
            began_ns, ended_ns = times.get((read.store, read.partition), whole)
            attributes: dict[str, AttributeValue] = {
                "db.system.name": SYSTEM,
                "db.collection.name": read.store,
                "stategate.store": read.store,
                "stategate.partition": read.partition,
                "stategate.epoch": read.epoch,
                "stategate.rows": read.rows,
            }
            if read.node is not None:
                attributes["stategate.node"] = read.node
            span = self._tracer.start_span(
                f"partition {read.store}",
                context=context,
                kind=SpanKind.INTERNAL,
                attributes=attributes,
                start_time=began_ns,
            )
            if read.reason is not None:
                span.set_attribute("error.type", read.reason)
                span.set_status(Status(StatusCode.ERROR, read.reason))
            span.end(ended_ns)


@lru_cache(maxsize=1_024)
def _shape(sql: str) -> str:
    return statement_shape(sql)
