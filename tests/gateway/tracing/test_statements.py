"""Each statement has a span, with one for each partition that it asks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from stategate.gateway.tracing.export import OtlpTraces
from stategate.planner.engine import (
    Cancellation,
    Engine,
    Isolation,
    LookedUp,
    QueryError,
    Result,
    Session,
)
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.position import EMPTY
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

AGES = keyvalue("ages", {"name": "text"}, {"age": "bigint"}, partitions=3)
ROWS = [(f"n{number}", number % 5) for number in range(40)]
TRACE_ID, PARENT_ID = 0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331
PARENT = f"00-{TRACE_ID:032x}-{PARENT_ID:016x}-01"
UNSAMPLED = PARENT[:-2] + "00"
LOOKUP = "SELECT age FROM ages WHERE name = $1"


@dataclass(frozen=True)
class Traced:
    """An engine that makes spans, and the spans that have ended."""

    engine: Engine
    exporter: InMemorySpanExporter
    store: LocalStore

    def spans(self) -> tuple[ReadableSpan, ...]:
        """Return the spans since the last call."""
        found = self.exporter.get_finished_spans()
        self.exporter.clear()
        return found

    def statement(self) -> tuple[ReadableSpan, list[ReadableSpan]]:
        """Return the span of the only statement, and those of its partitions."""
        *partitions, last = self.spans()
        assert last.context is not None
        for each in partitions:
            assert each.parent is not None
            assert each.parent.span_id == last.context.span_id
            assert each.context is not None
            assert each.context.trace_id == last.context.trace_id
        return last, partitions

    def run(self, sql: str, session: Session | None = None) -> Result:
        session = session or Session()
        return self.engine.execute(
            self.engine.prepare(sql, session), (), session, cancellation=Cancellation()
        )


@pytest.fixture(scope="module")
def opened() -> Iterator[Traced]:
    exporter = InMemorySpanExporter()
    traces = OtlpTraces(node="here", processor=SimpleSpanProcessor(exporter))
    store = open_store(AGES)
    fill(store, ROWS)
    inner = SqlEngine(
        FixedCatalog(store),
        limits=EngineLimits(few_rows=False),
        watch_look_up=traces.watch_look_up,
    )
    yield Traced(traces.engine(inner), exporter, store)
    inner.close()
    traces.close()


@pytest.fixture
def traced(opened: Traced) -> Traced:
    opened.exporter.clear()
    return opened


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_a_stream_has_a_span_until_its_last_row(traced: Traced) -> None:
    result = traced.run("SELECT name FROM ages WHERE age <> 77")
    assert traced.spans() == ()
    deque(result.batches or (), maxlen=0)
    span, partitions = traced.statement()
    assert (span.name, span.kind, span.parent) == ("SELECT ages", SpanKind.SERVER, None)
    assert attributes(span) == {
        "db.system.name": "stategate",
        "db.operation.name": "SELECT",
        "db.collection.name": "ages",
        "db.query.summary": "SELECT ages",
        "db.query.text": "SELECT name FROM ages WHERE age <> ?",
        "db.response.returned_rows": 40,
        "stategate.partitions": 3,
        "stategate.rows_read": 40,
    }
    found = [attributes(each) for each in partitions]
    assert [each["stategate.partition"] for each in found] == [0, 1, 2]
    assert sum(int(str(each["stategate.rows"])) for each in found) == 40
    assert {each["stategate.epoch"] for each in found} == {0}
    assert {each["stategate.node"] for each in found} == {"local"}
    for each in partitions:
        assert span.start_time is not None
        assert span.end_time is not None
        assert each.start_time is not None
        assert each.end_time is not None
        assert span.start_time <= each.start_time < each.end_time <= span.end_time
    result.close()
    assert traced.spans() == ()


def test_a_stream_that_is_left_ends_its_span_when_it_is_closed(traced: Traced) -> None:
    traced.run("SELECT name FROM ages").close()
    span, _ = traced.statement()
    assert attributes(span)["db.response.returned_rows"] == 0
    assert span.status.status_code is StatusCode.UNSET


def test_computed_rows_and_rows_at_hand_have_spans(traced: Traced) -> None:
    deque(traced.run("SELECT age, count(*) FROM ages GROUP BY age").batches or (), maxlen=0)
    span, partitions = traced.statement()
    assert attributes(span)["db.response.returned_rows"] == 5
    assert attributes(span)["stategate.rows_read"] == 40
    assert len(partitions) == 3
    traced.run("SHOW STORES")
    traced.run("SET statement_timeout = '7s'")
    assert [each.name for each in traced.spans()][-1] == "SET"


def test_a_fast_lookup_has_the_span_of_its_partition(traced: Traced) -> None:
    session = Session()
    look_up = traced.engine.prepare(LOOKUP, session).look_up
    assert look_up is not None
    assert isinstance(look_up(("n3",), session), LookedUp)
    span, (partition,) = traced.statement()
    assert attributes(span)["db.query.text"] == LOOKUP
    assert attributes(span)["db.response.returned_rows"] == 1
    assert attributes(partition)["stategate.rows"] == 1
    assert look_up((), session) is None
    assert traced.spans() == ()


def test_lookups_of_a_batch_have_one_span(traced: Traced) -> None:
    session = Session()
    statement = traced.engine.prepare(LOOKUP, session)
    keys = [("n1",), ("n2",), ("no",)]
    found = traced.engine.look_up_each(
        statement, keys, session, bound=EMPTY, cancellation=Cancellation()
    )
    assert found is not None
    span, partitions = traced.statement()
    assert attributes(span)["db.operation.batch.size"] == 3
    assert attributes(span)["db.response.returned_rows"] == 2
    assert 1 <= len(partitions) <= 3


def test_errors_have_their_sqlstate_and_show_no_values(traced: Traced) -> None:
    with pytest.raises(QueryError):
        traced.run("SELECT secret FROM ages WHERE name = 'private'")
    span, _ = traced.statement()
    assert span.status.status_code is StatusCode.ERROR
    assert attributes(span)["db.response.status_code"] == "42703"
    assert attributes(span)["error.type"] == "42703"
    assert "private" not in span.to_json()
    behind = "SELECT name FROM ages WITH BOUND (events[0] >= 9)"
    with pytest.raises(QueryError):
        traced.run(behind)
    span, _ = traced.statement()
    assert attributes(span)["db.response.status_code"] == "55S01"
    stopped = Cancellation()
    session = Session()
    statement = traced.engine.prepare("SELECT name FROM ages", session)
    result = traced.engine.execute(statement, (), session, cancellation=stopped)
    assert result.batches is not None
    stopped.cancel()
    with pytest.raises(QueryError):
        next(result.batches)
    result.close()
    span, partitions = traced.statement()
    assert attributes(span)["db.response.status_code"] == "57014"
    assert len(partitions) == 3


def test_a_partition_that_fails_is_marked(traced: Traced) -> None:
    deque(
        traced.run("SELECT name FROM ages WITH BOUND (events[0] >= 9), PARTIAL").batches or (),
        maxlen=0,
    )
    span, partitions = traced.statement()
    assert span.status.status_code is StatusCode.UNSET
    assert {attributes(each)["error.type"] for each in partitions} == {"NOT_UP_TO_BOUND"}
    assert {each.status.status_code for each in partitions} == {StatusCode.ERROR}


def parent_of(span: ReadableSpan) -> tuple[int, int] | None:
    return None if span.parent is None else (span.parent.trace_id, span.parent.span_id)


def test_the_tags_of_a_text_name_the_parent_of_its_next_run(traced: Traced) -> None:
    session = Session()
    sql = f"SELECT name FROM ages /*action='list',traceparent='{PARENT}'*/"
    for expected in ((TRACE_ID, PARENT_ID), (TRACE_ID, PARENT_ID)):
        traced.run(sql, session).close()
        span, _ = traced.statement()
        assert parent_of(span) == expected
        assert attributes(span)["db.query.text"] == "SELECT name FROM ages"
    statement = traced.engine.prepare(sql, session)
    for expected_later in ((TRACE_ID, PARENT_ID), None):
        traced.engine.execute(statement, (), session, cancellation=Cancellation()).close()
        assert parent_of(traced.statement()[0]) == expected_later
    traced.engine.prepare(sql, session)
    traced.run("SELECT age FROM ages", session).close()
    assert parent_of(traced.statement()[0]) is None


def test_a_recalled_lookup_belongs_to_the_trace_of_its_text(traced: Traced) -> None:
    session = Session()
    sql = f"{LOOKUP} /*traceparent='{PARENT}'*/"
    traced.engine.prepare(sql, Session())
    found = traced.engine.recall(sql, session)
    assert found is not None
    assert found.look_up is not None
    assert found.look_up(("n1",), session) is not None
    assert parent_of(traced.statement()[0]) == (TRACE_ID, PARENT_ID)
    assert found.look_up(("n1",), session) is not None
    assert parent_of(traced.statement()[0]) is None


def test_a_lookup_that_goes_the_usual_way_keeps_the_trace_of_its_text(traced: Traced) -> None:
    session = Session()
    sql = f"{LOOKUP} /*traceparent='{PARENT}'*/"
    statement = traced.engine.prepare(sql, session)
    assert statement.look_up is not None
    assert statement.look_up((), session) is None
    session.begin(isolation=Isolation.REPEATABLE_READ, deferrable=False)
    assert statement.look_up(("n1",), session) is None
    stopped = Cancellation()
    assert (
        traced.engine.look_up_each(statement, [("n1",)], session, bound=EMPTY, cancellation=stopped)
        is None
    )
    assert traced.spans() == ()
    traced.engine.execute(statement, ("n1",), session, cancellation=Cancellation()).close()
    assert parent_of(traced.statement()[0]) == (TRACE_ID, PARENT_ID)
    session.close()


def test_headers_hold_for_all_statements_of_a_request(traced: Traced) -> None:
    traces = OtlpTraces(node="here", processor=SimpleSpanProcessor(InMemorySpanExporter()))
    session = Session()
    session.trace = traces.trace_of({"traceparent": PARENT})
    other = f"SELECT name FROM ages /*traceparent='{PARENT.replace('b7ad', 'ffff')}'*/"
    for sql in ("SELECT name FROM ages", other, "SELECT age FROM ages"):
        traced.run(sql, session).close()
        parent = parent_of(traced.statement()[0])
        assert parent is not None
        assert parent[0] == TRACE_ID
        assert (parent[1] == PARENT_ID) is (sql is not other)
    assert traces.trace_of({}) is None
    assert traces.trace_of({"traceparent": "00-nonsense"}) is None
    traces.close()


def test_a_trace_that_is_not_sampled_has_no_spans(traced: Traced) -> None:
    session = Session()
    traced.run(f"SELECT name FROM ages /*traceparent='{UNSAMPLED}'*/", session).close()
    look_up = traced.engine.prepare(f"{LOOKUP} /*traceparent='{UNSAMPLED}'*/", session).look_up
    assert look_up is not None
    assert look_up(("n1",), session) is not None
    assert traced.spans() == ()


def test_the_environment_chooses_the_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    exporter = InMemorySpanExporter()
    traces = OtlpTraces(node="here", processor=SimpleSpanProcessor(exporter))
    store = open_store(AGES)
    inner = SqlEngine(FixedCatalog(store), watch_look_up=traces.watch_look_up)
    engine, session = traces.engine(inner), Session()
    engine.execute(
        engine.prepare("SET statement_timeout = 7", session),
        (),
        session,
        cancellation=Cancellation(),
    )
    assert exporter.get_finished_spans() == ()
    inner.close()
    traces.close()
