"""The spans of statements, and of the partitions that they ask.

Source: OpenTelemetry's semantic conventions for databases; `stategate.…` are attributes of ours.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

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
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from stategate.gateway.watching.statements import Read, Times, shape_of
from stategate.planner.engine import QueryError, Trace, TracedRead

SYSTEM: Final = "stategate"
_OF_NODES: Final = TraceContextTextMapPropagator()
"""What nodes send each other is in one form, whichever forms clients may use."""
_PARENT, _STATE = "traceparent", "tracestate"
_PARTITIONS_MAX: Final = 1_000
"""Spans of partitions of one statement; more would be dropped by most collectors."""


def context_of(carrier: Mapping[str, str]) -> Context | None:
    """Return the context that headers or tags carry; None if they carry none.

    Args:
        carrier: values by name in lower case, such as `traceparent`.
    """
    found = propagate.extract(carrier, context=Context())
    return found if get_current_span(found).get_span_context().is_valid else None


class StatementSpan:
    """The span of one statement or query by name; it ends once, with its rows or with an error.

    Args:
        tracer: makes the spans.
        kind: the command tag of the statement, or the name of the query.
        context: the span's parent; None makes a new trace.
        store: the only store that it may ask, if that is known; it is named even if none is asked.
    """

    __slots__ = ("_began_ns", "_has_ended", "_kind", "_span", "_store", "_tracer")

    def __init__(
        self, tracer: Tracer, kind: str, context: Context | None, *, store: str | None = None
    ) -> None:
        self._tracer, self._kind, self._store = tracer, kind, store
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

    @property
    def trace(self) -> Trace | None:
        """The span as the parent of those of other nodes; None if it is not sampled."""
        if not self._span.get_span_context().trace_flags.sampled:
            return None
        carrier: dict[str, str] = {}
        _OF_NODES.inject(carrier, set_span_in_context(self._span, Context()))
        return carrier[_PARENT], carrier.get(_STATE, "")

    def end(
        self,
        sql: str | None,
        *,
        rows: int,
        reads: Sequence[Read],
        times: Times | None = None,
        batch: int = 1,
    ) -> None:
        """End a statement that has returned its rows; see `Watched`."""
        if not self._has_ended:
            if batch > 1:
                self._span.set_attribute("db.operation.batch.size", batch)
            self._span.set_attribute("db.response.returned_rows", rows)
            self._end(sql, reads, times)

    def give_up(self, sql: str, *, is_overdue: bool) -> None:
        """End a lookup that other nodes were asked for in vain; see `Watched`."""
        if not self._has_ended and self.is_recording:
            if is_overdue:
                self._span.set_attribute("stategate.overdue", True)
            self._end(sql, (), None)

    def fail(
        self,
        sql: str | None,
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

    def end_beginning(
        self, sql: str, stores: Sequence[str], *, rows: int | None, epoch: int | None
    ) -> None:
        """End the span of a subscription, which goes on.

        Args:
            sql: the text of its statement, which is shown without its values.
            stores: the stores that it reads.
            rows: how many rows it began with; None if it was closed before it began.
            epoch: the epoch of these rows; None without any.
        """
        if self._has_ended:
            return
        if rows is not None:
            self._span.set_attribute("db.response.returned_rows", rows)
        if epoch is not None:
            self._span.set_attribute("stategate.epoch", epoch)
        self._describe(sql, stores)
        self._span.end(self._ended())

    def _end(self, sql: str | None, reads: Sequence[Read], times: Times | None) -> None:
        ended_ns = self._ended()
        self._span.set_attributes(
            {
                "stategate.partitions": len(reads),
                "stategate.rows_read": sum(read.rows for read in reads),
            }
        )
        stores = {read.store for read in reads}
        if self._store is not None:
            stores.add(self._store)
        self._describe(sql, sorted(stores))
        self._add(reads, times or {}, (self._began_ns, ended_ns))
        self._span.end(ended_ns)

    def _ended(self) -> int:
        self._has_ended = True
        return time.time_ns()

    def _describe(self, sql: str | None, stores: Sequence[str]) -> None:
        name = " ".join([self._kind, *stores[:3]])
        attributes: dict[str, AttributeValue] = {"db.query.summary": name}
        if sql is not None:
            attributes["db.query.text"] = shape_of(sql)
        if len(stores) == 1:
            attributes["db.collection.name"] = stores[0]
        self._span.set_attributes(attributes)
        self._span.update_name(name)

    def _add(self, reads: Iterable[Read], times: Times, whole: tuple[int, int]) -> None:
        """Add the spans of partitions, whose times are known by now."""
        context = set_span_in_context(self._span, Context())
        for read in list(reads)[:_PARTITIONS_MAX]:
            _add_read(
                self._tracer,
                context,
                read,
                kind=SpanKind.INTERNAL,
                times=times.get((read.store, read.partition), whole),
            )


def add_read_for_node(tracer: Tracer, read: TracedRead, *, node: str) -> None:
    """Add the span of a read that another node has asked for, below its statement's.

    Args:
        tracer: makes the span.
        read: the read, which has ended.
        node: the name of this node.
    """
    parent, state = read.trace
    context = _OF_NODES.extract({_PARENT: parent, _STATE: state}, Context())
    if not get_current_span(context).get_span_context().trace_flags.sampled:
        return  # malformed, or not sampled: nothing begins here
    _add_read(
        tracer,
        context,
        Read(read.store, read.partition, read.epoch, read.rows, node=node, reason=read.reason),
        kind=SpanKind.SERVER,
        times=(read.began_ns, read.ended_ns),
    )


def _add_read(
    tracer: Tracer, context: Context, read: Read, *, kind: SpanKind, times: tuple[int, int]
) -> None:
    """Add the span of a partition that was read, whose times are known."""
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
    began_ns, ended_ns = times
    span = tracer.start_span(
        f"partition {read.store}",
        context=context,
        kind=kind,
        attributes=attributes,
        start_time=began_ns,
    )
    if read.reason is not None:
        span.set_attribute("error.type", read.reason)
        span.set_status(Status(StatusCode.ERROR, read.reason))
    span.end(ended_ns)
