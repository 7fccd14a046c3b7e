"""Each subscription has a span, which ends when it has begun."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from stategate.gateway.tracing.export import OtlpTraces
from stategate.gateway.watching.subscription import WatchedSubscription
from stategate.planner.engine import Cancellation, Engine, QueryError, Session, Subscription
from stategate.planner.live.results import ResultReader
from stategate.planner.sql import LiveLimits, SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from tests.gateway.tracing.test_statements import (
    AGES,
    PARENT,
    PARENT_ID,
    TRACE_ID,
    UNSAMPLED,
    attributes,
    parent_of,
)
from tests.support.past import GivenPast, until_forgotten
from tests.support.stores import FixedCatalog, fill, open_store
from tests.support.waiting import WAIT_S

ROWS = [("ann", 1), ("bob", 2), ("cid", 70)]
YOUNG = "SELECT * FROM ages WHERE age < 60"


@dataclass
class Live:
    """An engine with live queries that makes spans, and the spans that have ended."""

    inner: SqlEngine
    engine: Engine
    """Traces what it asks the other one."""
    exporter: InMemorySpanExporter
    store: LocalStore
    past: GivenPast

    def __post_init__(self) -> None:
        self.ready = threading.Event()

    def subscribe(
        self, sql: str = YOUNG, *, token: str | None = None, may_start_over: bool = True
    ) -> Subscription:
        session = Session()
        return self.engine.subscribe(
            self.engine.prepare(sql, session),
            (),
            session,
            token=token,
            on_ready=self.ready.set,
            cancellation=Cancellation(WAIT_S),
            may_start_over=may_start_over,
        )

    def spans(self) -> tuple[ReadableSpan, ...]:
        """Return the spans since the last call."""
        found = self.exporter.get_finished_spans()
        self.exporter.clear()
        return found

    def away(self) -> str:
        """Return the token of a client, after more epochs than replicas keep."""
        first = self.subscribe()
        assert first.first is not None
        token = first.first.moment.token
        first.close()
        until_forgotten(self.inner, [self.store])
        for epoch in range(1, 8):
            fill(self.store, [("bob", epoch)], epoch=epoch)
        self.spans()
        self.ready.clear()
        return token


@pytest.fixture
def live() -> Iterator[Live]:
    exporter, past = InMemorySpanExporter(), GivenPast()
    traces = OtlpTraces(node="here", processor=SimpleSpanProcessor(exporter))
    store = open_store(AGES)
    fill(store, ROWS)
    past.stores[0] = open_store(AGES)
    fill(past.stores[0], ROWS)
    inner = SqlEngine(FixedCatalog(store), live=LiveLimits(linger_s=0), past=past)
    with closing(inner):
        yield Live(inner, traces.engine(inner), exporter, store, past)
    traces.close()


def test_its_span_ends_with_its_first_rows(live: Live) -> None:
    with closing(live.subscribe(f"{YOUNG} /*traceparent='{PARENT}'*/")) as subscription:
        (span,) = live.spans()
        assert (span.name, parent_of(span)) == ("SUBSCRIBE ages", (TRACE_ID, PARENT_ID))
        assert attributes(span) == {
            "db.system.name": "stategate",
            "db.operation.name": "SUBSCRIBE",
            "db.collection.name": "ages",
            "db.query.summary": "SUBSCRIBE ages",
            "db.query.text": "SELECT * FROM ages WHERE age < ?",
            "db.response.returned_rows": 2,
            "stategate.epoch": 0,
        }
        fill(live.store, [("ann", 3)], epoch=1)
        assert live.ready.wait(WAIT_S)
        assert subscription.take() is not None
        assert not isinstance(subscription, WatchedSubscription), "its events cost nothing more"
    assert live.spans() == ()


def test_one_that_goes_on_has_no_rows(live: Live) -> None:
    with closing(live.subscribe()) as other:
        assert other.first is not None
        live.spans()
        live.subscribe(token=other.first.moment.token).close()
    (span,) = live.spans()
    assert attributes(span)["db.response.returned_rows"] == 0
    assert "stategate.epoch" not in attributes(span)


def test_one_that_waits_for_the_log_has_a_span_until_then(live: Live) -> None:
    token = live.away()
    live.past.may_answer.clear()
    with closing(live.subscribe(token=token)) as subscription:
        assert live.past.is_asked.wait(WAIT_S)
        assert live.spans() == ()
        assert (subscription.has_begun, subscription.start_over) == (False, None)
        live.past.may_answer.set()
        assert live.ready.wait(WAIT_S)
        (span,) = live.spans()
        assert attributes(span)["db.response.returned_rows"] == 0
        event = subscription.take()
        assert event is not None
        assert [column.name for column in subscription.columns] == ["name", "age"]
    assert live.spans() == ()


def test_one_that_starts_over_has_a_span_until_its_rows_were_read(live: Live) -> None:
    token = live.away()
    del live.past.stores[0]
    with closing(live.subscribe(token=token)) as subscription:
        assert live.ready.wait(WAIT_S)
        assert subscription.start_over is not None
        assert live.spans() == ()
        subscription.begin()
        (span,) = live.spans()
        assert attributes(span)["db.response.returned_rows"] == 2
        assert attributes(span)["stategate.epoch"] == 7
        assert subscription.first is not None
        subscription.check()
    assert live.spans() == ()


def test_one_that_may_not_start_over_fails_before_it_reads(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = live.away()
    del live.past.stores[0]
    monkeypatch.delattr(ResultReader, "read")
    with (
        closing(live.subscribe(token=token, may_start_over=False)) as subscription,
        pytest.raises(QueryError, match=r"cannot go on after the token: .* epoch 0 is gone"),
    ):
        subscription.check()
    (span,) = live.spans()
    assert attributes(span)["error.type"] == "72000"
    assert span.status.status_code is StatusCode.ERROR


def test_one_that_is_closed_before_it_begins(live: Live) -> None:
    token = live.away()
    live.past.may_answer.clear()
    live.subscribe(token=token).close()
    (span,) = live.spans()
    assert "db.response.returned_rows" not in attributes(span)
    live.past.may_answer.set()


def test_one_that_fails_has_the_code_of_its_error(live: Live) -> None:
    with pytest.raises(QueryError):
        live.subscribe("SELECT now(), name FROM ages")
    (span,) = live.spans()
    assert (span.name, attributes(span)["error.type"]) == ("SUBSCRIBE", "0A000")


def test_one_that_is_not_sampled_has_no_span(live: Live) -> None:
    live.subscribe(f"{YOUNG} /*traceparent='{UNSAMPLED}'*/").close()
    assert live.spans() == ()
