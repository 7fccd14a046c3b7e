"""A console with its stores and a browser for each module, and a page for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.gateway.console.browsing import Reported, browsing, chromium, open_page
from tests.gateway.console.serving import Console, running_console


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    chromium()
    with running_console(tmp_path_factory.mktemp("console")) as found:
        yield found


@pytest.fixture
def opened(browser: Browser, console: Console) -> Iterator[tuple[Page, Reported]]:
    """Open a page; at the end nothing has been reported, and nothing came from elsewhere."""
    with open_page(browser, console.url) as (page, reported):
        yield page, reported
        assert reported.errors == []
        assert [url for url in reported.requests if not url.startswith(console.url)] == []


@pytest.fixture
def page(opened: tuple[Page, Reported]) -> Page:
    return opened[0]
