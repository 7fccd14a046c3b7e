"""A headless Chromium, and what one of its pages has reported."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect, sync_playwright

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_TIMEOUT_MS = 30_000
REFUSED = "the server responded with a status of 4"
"""What the browser logs for an answer that is an error."""
_RUN_AXE = """async (rules) => {
    const options = { resultTypes: ["violations"], preload: false, selectors: false };
    const { violations } = await axe.run(document, { ...options, ...rules });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => [id, html]));
}"""
expect.set_options(timeout=_TIMEOUT_MS)


def chromium() -> str:
    """Return the program's path, or skip: tests never download a browser."""
    given = os.environ.get("STATEGATE_CHROMIUM")
    found = given or next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if found is None:
        pytest.skip("there is no Chromium: install one, or name it by STATEGATE_CHROMIUM")
    return found


@contextmanager
def browsing() -> Iterator[Browser]:
    """Run a browser. Meanwhile this thread has a running event loop, and can start no other."""
    path = chromium()
    with sync_playwright() as playwright:
        # As root, which containers often are, Chromium starts only without its sandbox.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@dataclass(slots=True)
class Reported:
    """What a page has reported: errors of scripts, of its policy, and of requests."""

    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    """The URLs of all requests."""

    def note(self, kind: str, text: str) -> None:
        """Keep a message of the page's log, if it is an error or a warning."""
        if kind in {"error", "warning"}:
            self.errors.append(text)


@contextmanager
def open_page(browser: Browser, url: str, **options: Any) -> Iterator[tuple[Page, Reported]]:
    """Open a page in a context of its own.

    Args:
        browser: the browser.
        url: the address.
        options: of the context: its size, colours, permissions.
    """
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
    context.set_default_timeout(_TIMEOUT_MS)
    page, reported = context.new_page(), Reported()
    page.on("console", lambda each: reported.note(each.type, each.text))
    page.on("pageerror", lambda error: reported.errors.append(str(error)))
    page.on("request", lambda request: reported.requests.append(request.url))
    try:
        page.goto(url)
        yield page, reported
    finally:
        context.close()


def write(page: Page, sql: str) -> None:
    """Open the editor with a statement, as a link does."""
    page.evaluate("sql => { location.hash = 'query?' + new URLSearchParams({ sql }) }", sql)
    expect(page.locator(".cm-content")).to_contain_text(sql.split("\n", maxsplit=1)[0])


def run(page: Page, sql: str) -> None:
    """Run a statement."""
    write(page, sql)
    page.get_by_role("button", name="Run").click()


def follow(page: Page, sql: str) -> None:
    """Follow a statement."""
    write(page, sql)
    page.get_by_role("button", name="Live").click()


def broken_rules(page: Page) -> list[list[str]]:
    """Return the rules of axe that the page breaks in light and dark colours, with the elements."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    page.emulate_media(color_scheme="dark")
    # What differs in the dark is the contrast.
    dark: list[list[str]] = page.evaluate(_RUN_AXE, {"runOnly": ["color-contrast"]})
    page.emulate_media(color_scheme="light")
    light: list[list[str]] = page.evaluate(_RUN_AXE, {})
    return dark + light
