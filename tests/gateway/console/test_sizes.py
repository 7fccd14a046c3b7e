"""The first view of a gateway without stores, and of one with many."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import Browser, Page, expect

from stategate.gateway.http.metrics.exposition import Metrics
from stategate.gateway.http.stores_document import describe_stores
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.stores.hosting.host import Host
from tests.gateway.client.serving import http_serving, services_of
from tests.gateway.console.browsing import broken_rules, open_page
from tests.gateway.http.serving import serving
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

pytestmark = pytest.mark.server

STORES = 70


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[str]:
    with (
        closing(Host(str(tmp_path))) as host,
        closing(SqlEngine(host)) as engine,
        services_of(engine, typed=TypedQueries(host)) as services,
        closing(Metrics(host, threads=services.threads)) as metrics,
    ):
        host.start()
        described = replace(
            services, metrics=metrics, describe_stores=lambda: describe_stores(host)
        )
        with http_serving(described) as url:
            yield url


@pytest.fixture
def many() -> Iterator[str]:
    stores = [
        open_store(
            keyvalue(
                f"s{n:02}_{'even' if n % 2 == 0 else 'odd'}",
                {"k": "text"},
                {"n": "bigint"},
                partitions=64,
            )
        )
        for n in range(STORES)
    ]
    for each in stores:
        fill(each, [("a", 1), ("b", 2)])
    host = cast(Host, FixedCatalog(*stores))
    with (
        serving(*stores) as services,
        http_serving(replace(services, describe_stores=lambda: describe_stores(host))) as url,
    ):
        yield url


def check_width(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_gateway_without_stores_says_what_to_do(browser: Browser, empty: str) -> None:
    with open_page(browser, empty) as (page, reported):
        welcome = page.locator(".welcome")
        expect(welcome).to_contain_text("No stores yet")
        expect(welcome).to_contain_text("stategate demo")
        expect(page.locator(".tiles")).to_be_hidden()
        assert broken_rules(page) == []
        page.set_viewport_size({"width": 390, "height": 844})
        check_width(page)
        welcome.get_by_role("link", name="Run a statement").click()
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_role("cell", name="statement_timeout")).to_be_visible()
        assert reported.errors == []


def test_many_stores_are_shown_in_parts_and_filtered(browser: Browser, many: str) -> None:
    with open_page(browser, many) as (page, _):
        cards = page.locator("article.store")
        expect(cards).to_have_count(60)
        expect(page.locator(".tile").first).to_contain_text(f"{STORES * 64:,} / {STORES * 64:,}")
        assert page.locator("article.store tbody tr").count() == 0, (
            "rows are made when they are shown"
        )
        cards.first.locator("summary").click()
        expect(cards.first.locator("tbody tr")).to_have_count(64)
        assert broken_rules(page) == []
        page.get_by_label("Filter stores by name").fill("S0 even")
        expect(cards).to_have_count(5)
        page.get_by_label("Filter stores by name").fill("nothing")
        expect(page.locator(".stores")).to_contain_text("No store has such a name")
        page.get_by_label("Filter stores by name").fill("")
        page.get_by_role("button", name=f"Show all {STORES} stores").click()
        expect(cards).to_have_count(STORES)
        page.set_viewport_size({"width": 390, "height": 844})
        check_width(page)
