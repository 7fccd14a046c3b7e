"""The formats of metrics, compared with prometheus-client."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.openmetrics import exposition as openmetrics_exposition
from prometheus_client.parser import text_string_to_metric_families

from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.metrics.families import Family, label_text
from stategate.stores.errors import FailureReason
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Failure
from tests.gateway.scraping import (
    FakeNode,
    FakeStore,
    MakeMetrics,
    asking,
    buckets,
    labelled,
    read_openmetrics,
    read_text,
    running,
    value,
)

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("*/*", "text/plain; version=0.0.4; charset=utf-8"),
        ("text/plain;version=0.0.4;q=0.5,*/*;q=0.1", "text/plain; version=0.0.4; charset=utf-8"),
        ("application/openmetrics-text", "application/openmetrics-text; version=1.0.0; charset"),
        (
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
            "text/plain;version=1.0.0;q=0.4,*/*;q=0.1",
            "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=allow-utf-8",
        ),
    ],
)
async def test_the_format_is_the_one_that_the_scraper_accepts(
    services: Services, make_metrics: MakeMetrics, accept: str, content_type: str
) -> None:
    store = FakeStore(replace(running(), late_rows=3), committed=7)
    store.counts.count_query(
        KeyQuery, 5000, Failure(reason=FailureReason.NOT_ACTIVE, message="a standby")
    )
    async with asking(services, make_metrics(FakeNode(clicks=store))) as client:
        answer = await client.get("/metrics", headers={"Accept": accept})
    assert answer.headers["Content-Type"].startswith(content_type)
    assert answer.headers["Cache-Control"] == "no-store"
    is_openmetrics = "openmetrics" in content_type
    assert answer.content.endswith(b"# EOF\n") == is_openmetrics
    found = (read_openmetrics if is_openmetrics else read_text)(answer.content)
    assert value(found, "replica_late_rows_total", store="clicks", partition="0") == 3
    assert labelled(found, "store_query_failures_total", "reason")["NOT_ACTIVE"] == 1
    assert buckets(found)[math.inf] == 1


@pytest.mark.parametrize("kind", ["application/openmetrics-text", "text/plain"])
async def test_a_malformed_accept_header_is_a_client_error(
    services: Services, make_metrics: MakeMetrics, kind: str
) -> None:
    async with asking(services, make_metrics(FakeNode())) as client:
        answer = await client.get("/metrics", headers={"Accept": f"{kind};version=x"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "the Accept header has a malformed version"


class Given:
    """A collector of given metrics."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def collect(self) -> list[Metric]:
        return [self._metric]


NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.dictionaries(TEXTS, NUMBERS, min_size=1), st.booleans())
def test_our_lines_parse_like_the_library_s(rows: dict[str, float], counts: bool) -> None:
    theirs = CollectorRegistry()
    if counts:
        rows = {label: abs(number) for label, number in rows.items()}
        family = Family("things_total", "counter", "Things.")
        library: Metric = CounterMetricFamily("things", "Things.", labels=["name"])
    else:
        family = Family("things", "gauge", "Things.")
        library = GaugeMetricFamily("things", "Things.", labels=["name"])
    family.add_all([label_text(name=label) for label in rows], rows.values())
    for label, number in rows.items():
        library.add_metric([label], number)  # type: ignore[attr-defined]  # both have it
    theirs.register(Given(library))
    text, openmetrics = family.text(openmetrics=False), family.text(openmetrics=True)
    assert read_text(text.encode()) == read_text(generate_latest(theirs))
    their_openmetrics = openmetrics_exposition.generate_latest(theirs)  # type: ignore[no-untyped-call]
    assert read_openmetrics(openmetrics.encode() + b"# EOF\n") == read_openmetrics(
        their_openmetrics
    )
    heads = [line for line in generate_latest(theirs).decode().split("\n") if line[:1] == "#"]
    assert [line for line in text.split("\n") if line[:1] == "#"] == heads
    heads = [line for line in their_openmetrics.decode().split("\n")[:2] if line[:1] == "#"]
    assert openmetrics.split("\n")[:2] == heads


def test_an_empty_family_is_omitted() -> None:
    assert Family("things", "gauge", "Things.").text(openmetrics=False) == ""


def test_a_scrape_takes_a_fraction_of_the_library_s_time(
    make_metrics: MakeMetrics,
) -> None:
    stores = {f"s{i}": FakeStore(*(running(n) for n in range(64)), committed=7) for i in range(4)}
    metrics = make_metrics(FakeNode(**stores))
    families = list(text_string_to_metric_families(metrics.text("")[0].decode()))
    library = CollectorRegistry()
    for family in families:
        library.register(Given(family))
    ours_s, theirs_s = [], []
    for _ in range(5):
        begun_s = time.process_time()
        metrics.text("")
        ours_s.append(time.process_time() - begun_s)
        begun_s = time.process_time()
        generate_latest(library)
        theirs_s.append(time.process_time() - begun_s)
    assert min(ours_s) < min(theirs_s) / 2
