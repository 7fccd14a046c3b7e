"""Each query by name has a span, with one for each partition that it asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from stategate.gateway.tracing.export import OtlpTraces
from stategate.planner.engine import Cancellation, QueryError, Session, Value
from stategate.planner.typed import TypedAnswer, TypedQueries
from stategate.stores.spec.catalog import StoreCatalog
from tests.gateway.tracing.test_nodes import Pair, opened, pair, whole
from tests.gateway.tracing.test_statements import (
    AGES,
    PARENT,
    PARENT_ID,
    ROWS,
    TRACE_ID,
    UNSAMPLED,
    attributes,
    parent_of,
)
from tests.support.stores import FixedCatalog, fill, open_store

__all__ = ["opened", "pair", "whole"]


class Asking:
    """Asks one store by name.

    Args:
        catalog: the stores.
        traces: makes the spans.
        exporter: has those that have ended.
    """

    def __init__(
        self, catalog: StoreCatalog, traces: OtlpTraces, exporter: InMemorySpanExporter
    ) -> None:
        self.typed = TypedQueries(catalog, node="here", watch_ask=traces.watch_ask)
        self._traces, self._exporter = traces, exporter

    def ask(
        self,
        name: str,
        arguments: Mapping[str, Value] | None = None,
        *,
        parent: str | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> TypedAnswer:
        session = Session(settings=settings)
        session.trace = self._traces.trace_of({} if parent is None else {"traceparent": parent})
        query = self.typed.describe("ages", name)
        return self.typed.ask(query, arguments or {}, session, cancellation=Cancellation())

    def spans(self) -> tuple[Sequence[ReadableSpan], ReadableSpan]:
        """Return the spans of the partitions, and that of the query."""
        *partitions, query = self._exporter.get_finished_spans()
        self._exporter.clear()
        return partitions, query

    def has_spans(self) -> bool:
        return bool(self._exporter.get_finished_spans())


@pytest.fixture
def asking() -> Asking:
    exporter = InMemorySpanExporter()
    traces = OtlpTraces(node="here", processor=SimpleSpanProcessor(exporter))
    store = open_store(AGES)
    fill(store, ROWS)
    return Asking(FixedCatalog(store), traces, exporter)


def test_the_rows_of_all_partitions(asking: Asking) -> None:
    asking.ask("range", parent=PARENT)
    partitions, span = asking.spans()
    assert (span.name, span.kind) == ("range ages", SpanKind.SERVER)
    assert parent_of(span) == (TRACE_ID, PARENT_ID)
    assert attributes(span) == {
        "db.system.name": "stategate",
        "db.operation.name": "range",
        "db.collection.name": "ages",
        "db.query.summary": "range ages",
        "db.response.returned_rows": 40,
        "stategate.partitions": 3,
        "stategate.rows_read": 40,
    }
    found = [attributes(each) for each in partitions]
    assert [each["stategate.partition"] for each in found] == [0, 1, 2]
    assert {(each["stategate.node"], each["stategate.epoch"]) for each in found} == {("here", 0)}
    for each in partitions:
        assert span.context is not None
        assert parent_of(each) == (TRACE_ID, span.context.span_id)
        assert span.start_time is not None
        assert span.end_time is not None
        assert each.start_time is not None
        assert each.end_time is not None
        assert span.start_time <= each.start_time <= each.end_time <= span.end_time


def test_the_row_of_a_key(asking: Asking) -> None:
    asking.ask("key", {"key": ("n3",)})
    (partition,), span = asking.spans()
    assert (span.name, span.parent) == ("key ages", None)
    assert attributes(partition)["stategate.rows"] == 1
    assert "n3" not in span.to_json()


def test_failures_have_their_codes(asking: Asking) -> None:
    behind = {"stategate.bound": '{"events": {"0": 9}}'}
    with pytest.raises(QueryError):
        asking.ask("range", settings=behind)
    partitions, span = asking.spans()
    assert not partitions
    assert (span.name, span.status.status_code) == ("range ages", StatusCode.ERROR)
    assert attributes(span)["error.type"] == "55S01"
    asking.ask("range", settings={**behind, "stategate.partial": "on"})
    partitions, span = asking.spans()
    assert span.status.status_code is StatusCode.UNSET
    assert {attributes(each)["error.type"] for each in partitions} == {"NOT_UP_TO_BOUND"}


def test_without_a_sample_there_is_no_span(asking: Asking) -> None:
    asking.ask("range", parent=UNSAMPLED)
    assert not asking.has_spans()


def test_the_reads_of_other_nodes_are_part_of_the_trace(pair: Pair) -> None:
    asking = Asking(pair.catalog, pair.a.traces, pair.a.exporter)
    asking.ask("range")
    pair.check(reads=2)
