"""The console in a real browser: what is seen, clicked, typed, refused and kept out."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.gateway.console.browsing import (
    REFUSED,
    Reported,
    broken_rules,
    follow,
    open_page,
    run,
    write,
)
from tests.gateway.console.serving import AIRCRAFT, Console, Readers, running_console
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.support.waiting import until

pytestmark = pytest.mark.server

SCREENSHOTS = Path(__file__).parent / "screenshots"
TAKES_SCREENSHOTS = bool(os.environ.get("STATEGATE_SCREENSHOTS"))
HOURLY_SQL = (
    "SELECT origin, window_start, departures, mean_delay\n"
    "FROM airport_hourly\n"
    "WHERE window_start >= '2013-07-04' AND window_start < '2013-07-07'\n"
    "ORDER BY window_start, origin"
)
WIDE_SQL = (
    "SELECT tailnum, flights, "
    + ", ".join(f"repeat('m', 30) || flights AS text_{at}" for at in range(7))
    + " FROM aircraft WHERE tailnum = 'N10000'"
)
"""A row of nine columns, too wide for any window."""
CARRIERS_SQL = "SELECT carrier, flights FROM carrier_delays ORDER BY flights DESC"


@pytest.fixture(scope="module")
def guarded(console: Console, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the URL of the same gateway for users who log in."""
    with access_of(make_users(tmp_path_factory.mktemp("users"))) as access:
        yield console.serve(access)


# --- What is shown --------------------------------------------------------------------------------


def test_the_first_view_shows_stores_and_their_partitions(page: Page, console: Console) -> None:
    expect(page).to_have_title("Overview · Stategate")
    card = page.get_by_role("article", name="carrier_delays")
    expect(card.locator(".badge")).to_have_text("current")
    expect(card.locator(".bar")).to_have_count(4)
    expect(card.locator("dl")).to_contain_text("Rows15")
    expect(page.locator("#status")).to_have_text("all current")
    card.get_by_text("4 replicas of 4 partitions").click()
    epoch = card.locator("tbody tr").first.locator("td").nth(4)
    before = int(epoch.inner_text())
    console.commit()
    expect(epoch).to_have_text(str(before + 1))


def test_rates_are_shown_once_there_are_some(page: Page, console: Console) -> None:
    rate = page.locator(".tile", has_text="Rows read per second").locator("dd").first
    until_s = time.monotonic() + 60.0
    for flights in itertools.count(
        100
    ):  # the answer of one statement would be kept, and given again
        console.ask(f"SELECT * FROM aircraft WHERE flights > {flights}")
        if re.match("[1-9]", rate.text_content() or ""):
            break
        assert time.monotonic() < until_s


def test_a_result_is_shown_as_a_table(page: Page) -> None:
    run(page, CARRIERS_SQL)
    table = page.get_by_role("table", name="Rows of the result")
    expect(table.locator("tbody tr")).to_have_count(15)
    expect(table.locator("tbody tr").first).to_contain_text("UA")
    expect(table.locator("th").nth(1)).to_have_text("flightsbigint")
    expect(page.locator(".status")).to_have_text(re.compile(r"15 rows in .* · 4 partitions"))


def test_a_result_is_shown_as_bars_and_as_lines(page: Page) -> None:
    run(page, CARRIERS_SQL)
    page.get_by_role("tab", name="Plot").click()
    plot = page.get_by_role("img", name="Bars of flights over carrier, 15 points")
    expect(plot.locator("canvas")).to_be_visible()
    run(page, HOURLY_SQL)
    plot = page.get_by_role("img", name="Lines of EWR, JFK, LGA over window_start, 72 points")
    expect(plot.locator("canvas")).to_be_visible()
    page.get_by_label("Show").select_option(label="mean_delay")
    expect(plot.locator(".u-legend")).to_contain_text("JFK")
    assert "tab=plot" in page.url


def test_a_plan_is_a_tree_with_rows_and_times(page: Page) -> None:
    write(page, "SELECT last_origin, count(*) FROM aircraft GROUP BY 1 ORDER BY 2 DESC")
    page.get_by_role("button", name="Explain").click()
    tree = page.locator(".plan-tree")
    expect(tree.locator(".plan-line").first).to_contain_text("3 rows")
    expect(tree.locator(".plan-line").nth(1)).to_contain_text("12,000 rows")
    partitions = tree.locator(".plan-line", has_text="on local")
    expect(partitions).to_have_count(16)
    expect(partitions.first.locator(".plan-time")).to_have_text(re.compile(r"\d .?s"))


def test_what_is_large_is_cut_with_a_notice(page: Page) -> None:
    run(page, "SELECT * FROM aircraft")
    expect(page.locator(".note:not([hidden])")).to_contain_text("Cut after 10,000 rows")
    expect(page.locator(".status")).to_have_text("the first 10,000 rows")
    rows = page.locator(".result-table tbody tr")
    expect(rows).to_have_count(500)
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(1000)


def test_numbers_beyond_those_of_javascript_are_shown_exactly(page: Page) -> None:
    run(page, "SELECT 9007199254740993 AS n, 0.1234567890123456789 AS d, '12345678901234567890' t")
    row = page.locator(".result-table tbody tr").first
    expect(row).to_contain_text("9007199254740993")
    expect(row).to_contain_text("12345678901234567890")


def test_values_are_texts_and_never_markup(page: Page) -> None:
    run(page, "SELECT '<img src=x onerror=alert(1)><script>alert(2)</script>' AS \"<b>x</b>\"")
    expect(page.locator(".result-table td")).to_have_text(re.compile("^<img src=x"))
    assert page.locator(".result-table img, .result-table script, .result-table b").count() == 0


def test_statements_and_nodes_are_listed(page: Page, console: Console) -> None:
    console.ask("SELECT count(*) AS slow_one FROM aircraft WHERE flights % 3 = 1")
    page.get_by_role("link", name="Statements").click()
    link = page.get_by_role("table", name="Slow statements").get_by_text("slow_one").first
    link.click()
    expect(page.locator(".cm-content")).to_contain_text("slow_one")
    page.get_by_role("link", name="Nodes", exact=True).click()
    expect(page.get_by_role("table", name="Nodes of the cluster")).to_contain_text("local")


def test_a_gateway_that_is_gone_is_noticed(opened: tuple[Page, Reported]) -> None:
    page, reported = opened
    expect(page.locator("article.store").first).to_be_visible()
    page.route("**/v1/**", lambda route: route.abort())
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("the gateway does not answer")
    expect(page.locator("#status")).to_have_text("no answer")
    expect(page.locator(".stores.stale")).to_be_visible()
    page.unroute("**/v1/**")
    expect(page.locator("#status")).to_have_text("all current")
    expect(alert).to_have_count(0)
    reported.errors = [text for text in reported.errors if "net::ERR" not in text]


# --- The editor -----------------------------------------------------------------------------------


def test_an_error_is_marked_under_its_word(opened: tuple[Page, Reported]) -> None:
    page, reported = opened
    run(page, "SELECT '😀', carrier,\n       flihgts\nFROM carrier_delays")
    marked = page.locator(".cm-lintRange-error")
    expect(marked).to_have_text("flihgts")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text('column "flihgts" does not exist, at line 2, column 8')
    expect(alert).to_contain_text("42703")
    reported.errors = [text for text in reported.errors if REFUSED not in text]


def test_an_error_stands_alone_before_the_first_result(opened: tuple[Page, Reported]) -> None:
    page, reported = opened
    run(page, "SELECT none FROM carrier_delays")
    expect(page.get_by_role("alert")).to_contain_text('column "none" does not exist')
    expect(page.get_by_text("No result yet")).to_be_hidden()
    run(page, CARRIERS_SQL)
    expect(page.locator(".result-table tbody tr")).to_have_count(15)
    page.get_by_role("textbox", name="SQL statement").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type(" none none")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator(".result-table tbody tr")).to_have_count(15)  # of the statement before
    reported.errors = [text for text in reported.errors if REFUSED not in text]


def test_values_of_placeholders_are_entered_in_fields(page: Page) -> None:
    fields = page.get_by_role("group", name="Parameters")
    write(page, "SELECT ':a', carrier::text AS c -- :b\nFROM carrier_delays WHERE carrier = :key")
    expect(fields.get_by_role("textbox")).to_have_count(1)
    fields.get_by_label(":key").fill("HA")
    page.keyboard.press("Enter")
    rows = page.locator(".result-table tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("HA")
    assert "HA" not in page.url
    page.get_by_role("button", name="Explain").click()
    expect(page.locator(".plan-line").first).to_be_visible()
    page.get_by_role("button", name="Live").click()
    expect(page.locator(".status")).to_contain_text("live")
    assert broken_rules(page) == []
    run(page, "SELECT $2 IS NULL AS missing, flights > $1 FROM carrier_delays LIMIT 1")
    expect(fields.get_by_role("textbox")).to_have_count(2)
    fields.get_by_label("$1").fill("1")
    page.keyboard.press("Enter")
    expect(rows.locator("td")).to_have_text(["true", "true"])
    write(page, "SELECT carrier FROM carrier_delays WHERE carrier = :key")
    expect(fields.get_by_label(":key")).to_have_value("HA")
    write(page, CARRIERS_SQL)
    expect(fields).to_be_hidden()


def test_names_are_completed_by_keyboard_alone(page: Page) -> None:
    write(page, "SELECT 1")
    expect(page.locator(".tree")).to_contain_text("carrier_delays")
    editor = page.get_by_role("textbox", name="SQL statement")
    editor.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("SELECT * FROM carr")
    options = page.locator(".cm-tooltip-autocomplete li")
    expect(options.first).to_contain_text("carrier_delays")
    page.keyboard.press("Tab")
    page.keyboard.type(" WHERE mean_")
    expect(options.first).to_contain_text("mean_delay")
    page.keyboard.press("Tab")
    page.keyboard.type(" > 15 ORDER BY coale")
    expect(options.first).to_contain_text("coalesce")
    page.keyboard.press("Tab")
    page.keyboard.type("carrier, '')")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".result-table tbody tr").first).to_be_visible()


def test_all_can_be_reached_by_keyboard(page: Page) -> None:
    write(page, CARRIERS_SQL)
    expect(page.locator(".tree .column").first).to_be_visible()
    page.get_by_role("textbox", name="SQL statement").focus()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".result-table tbody tr")).to_have_count(15)
    reached = []
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.innerText.split('\\n')[0]"))
    assert reached[:5] == ["Run", "Explain", "Live", "Copy as", "Table"]
    page.get_by_role("tab", name="Table").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Plot")).to_be_focused()
    expect(page.get_by_role("img", name="Bars of flights")).to_be_visible()


def test_a_link_has_the_statement_and_does_not_run_it(browser: Browser, console: Console) -> None:
    url = f"{console.url}#query?sql=SELECT+count(*)+AS+linked+FROM+aircraft&tab=plan"
    with open_page(browser, url) as (page, reported):
        expect(page.locator(".cm-content")).to_have_text(re.compile("AS linked FROM aircraft"))
        expect(page.get_by_role("tab", name="Plan")).to_have_attribute("aria-selected", "true")
        expect(page.locator(".tree")).to_contain_text("aircraft")
        assert not any("linked" in each for each in map(str, reported.requests))
        page.get_by_role("tab", name="Table").click()
        expect(page.locator(".panels")).to_contain_text("No result yet")
        assert reported.errors == []


def test_a_statement_is_copied_without_credentials(browser: Browser, console: Console) -> None:
    permissions = ["clipboard-read", "clipboard-write"]
    with open_page(browser, console.url, permissions=permissions) as (page, _):
        write(page, "SELECT 'it''s' AS x")
        copied = {}
        for name in ("Link", "curl", "psql", "Python"):
            page.get_by_text("Copy as").click()
            page.get_by_role("button", name=name, exact=True).click()
            expect(page.locator(".copied")).to_have_text(f"{name} copied")
            copied[name] = page.evaluate("navigator.clipboard.readText()")
    assert copied["Link"].startswith(f"{console.url}#query?sql=SELECT")
    assert copied["psql"].endswith("""stategate -c 'SELECT '\\''it'\\'''\\''s'\\'' AS x'""")
    assert f"{console.url}v1/query" in copied["curl"]
    shell = subprocess.run(["sh", "-c", copied["curl"]], capture_output=True, text=True, check=True)
    python = subprocess.run(
        [sys.executable, "-c", copied["Python"]], capture_output=True, text=True, check=True
    )
    assert json.loads(shell.stdout)["rows"] == [["it's"]]
    assert python.stdout == '["it\'s"]\n'


@pytest.mark.parametrize(
    ("listens", "said", "note"),
    [
        ("127.0.0.1:15432", "-h 127.0.0.1 -p 15432 ", ""),
        ("0.0.0.0:15432", "-h 127.0.0.1 -p 15432 ", ""),
        ("[2001:db8::7]:15432", "-h 2001:db8::7 -p 15432 ", ""),
        (None, "-h 127.0.0.1 -p 7432 ", "is off"),
        ("mapped:15432", "-h 127.0.0.1 -p 7432 ", "itself listens at port 15432"),
    ],
)
def test_psql_is_copied_with_the_address_of_the_wire(
    browser: Browser, console: Console, listens: str | None, said: str, note: str
) -> None:
    def mapped(route: Route) -> None:
        answer = route.fetch()
        document = answer.json()
        document["addresses"]["http"] = "10.0.0.2:7420"
        route.fulfill(response=answer, json=document)

    console.wire_address = listens
    permissions = ["clipboard-read", "clipboard-write"]
    with open_page(browser, console.url, permissions=permissions) as (page, _):
        if listens == "mapped:15432":
            page.route("**/v1/stores", mapped)
        write(page, "SELECT 1")
        expect(page.locator(".tree")).to_contain_text("aircraft")
        page.get_by_text("Copy as").click()
        page.get_by_role("button", name="psql", exact=True).click()
        expect(page.locator(".copied")).to_have_text("psql copied")
        assert said in page.evaluate("navigator.clipboard.readText()")
        if note:
            expect(page.locator(".copy-note")).to_contain_text(note)
        else:
            expect(page.locator(".copy-note")).to_be_hidden()


def test_a_running_statement_can_be_stopped(page: Page, console: Console) -> None:
    run(
        page,
        "SELECT count(*) FROM aircraft a, aircraft b, aircraft c WHERE a.flights < b.flights",
    )
    stop = page.get_by_role("button", name="Stop")
    stop.click()
    expect(page.locator(".status")).to_have_text("stopped")
    expect(page.get_by_role("button", name="Run")).to_be_visible()


# --- Who may --------------------------------------------------------------------------------------


def test_users_log_in_and_out(browser: Browser, guarded: str) -> None:
    with open_page(browser, guarded) as (page, _):
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        assert page.locator("article.store").count() == 0
        dialog.get_by_label("Bearer token").fill("sgt_é")
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("alert")).to_contain_text("no letters beyond ASCII")
        dialog.get_by_label("Bearer token").fill("")
        dialog.get_by_label("User").fill(USER)
        dialog.get_by_label("Password").fill("wrong")
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("alert")).to_contain_text("password")
        dialog.get_by_label("User").fill(USER)
        dialog.get_by_label("Password").fill(PASSWORD)
        dialog.get_by_role("button", name="Log in").click()
        expect(page.locator("article.store").first).to_be_visible()
        expect(page.locator("#user")).to_contain_text(USER)
        follow(page, CARRIERS_SQL)
        expect(page.locator(".status")).to_contain_text("live")
        kept = page.evaluate("JSON.stringify([Object.keys(localStorage), document.cookie])")
        assert kept == '[[],""]'
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("dialog")).to_be_visible()


def test_users_log_in_to_the_page_of_the_api(browser: Browser, guarded: str) -> None:
    """The page itself is open, so that the browser's own window does not ask for a password."""
    with open_page(browser, f"{guarded}docs") as (page, _):
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        assert page.locator("details").count() == 0
        dialog.get_by_label("User").fill(USER)
        dialog.get_by_label("Password").fill(PASSWORD)
        dialog.get_by_role("button", name="Log in").click()
        operation = page.locator("details", has=page.get_by_text("/v1/stores", exact=True))
        operation.locator("summary").click()
        operation.get_by_role("button", name="Send").click()
        expect(operation.locator("pre")).to_contain_text("carrier_delays")
        for path in ("/v1/query", "/v1/subscribe"):  # the page is filled with examples
            summary = page.locator("summary", has_text=path).first
            form = page.locator("details", has=summary).first
            summary.click()
            form.get_by_role("button", name="Send").click()
            expect(form.locator("pre")).to_contain_text('"tailnum"')
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("dialog")).to_be_visible()


def test_no_script_of_another_can_run(opened: tuple[Page, Reported]) -> None:
    """The policy refuses what an injected text would do; the browser logs each refusal."""
    page, reported = opened
    outcome = page.evaluate(
        """async () => {
            const refused = [];
            const note = (event) => refused.push(event.effectiveDirective);
            addEventListener("securitypolicyviolation", note);
            const script = document.createElement("script");
            try { script.textContent = "window.hacked = 1"; } catch { refused.push("text"); }
            try { document.body.innerHTML += "<p>"; } catch { refused.push("markup"); }
            const style = document.createElement("div");
            style.setAttribute("style", "color: red");
            document.body.append(style);
            await fetch("https://example.com/").catch(() => {});
            await new Promise((resolve) => setTimeout(resolve, 100));
            return { refused, hacked: "hacked" in window };
        }"""
    )
    assert outcome["hacked"] is False
    assert {"text", "markup", "connect-src", "style-src-attr"} <= set(outcome["refused"])
    assert len(reported.errors) >= 4
    reported.errors.clear()


# --- For everyone ---------------------------------------------------------------------------------


def test_views_are_accessible(browser: Browser, console: Console) -> None:
    """No rule of axe is broken; these include names, roles and a contrast of AA in both colours."""
    with open_page(browser, console.url, reduced_motion="reduce") as (page, reported):
        expect(page.locator("article.store").first).to_be_visible()
        page.get_by_text("4 replicas of 4 partitions").click()
        assert broken_rules(page) == []
        for view in ("Statements", "Nodes"):
            page.get_by_role("link", name=view, exact=True).click()
            expect(page.locator("main table").first).to_be_visible()
            assert broken_rules(page) == []
        follow(page, CARRIERS_SQL)
        expect(page.locator(".tree .column").first).to_be_visible()
        expect(page.locator(".status")).to_contain_text("live")
        assert broken_rules(page) == []
        page.get_by_role("tab", name="Plot").click()
        assert broken_rules(page) == []
        page.get_by_role("button", name="Explain").click()
        expect(page.locator(".plan-line").first).to_be_visible()
        assert broken_rules(page) == []
        assert reported.errors == []


def test_a_phone_needs_no_scrolling_to_the_side(browser: Browser, console: Console) -> None:
    options = {"viewport": {"width": 375, "height": 700}, "has_touch": True, "is_mobile": True}
    with open_page(browser, console.url, **options) as (page, reported):
        expect(page.locator("article.store").first).to_be_visible()
        assert overflow(page) == 0
        write(page, CARRIERS_SQL)
        page.get_by_role("button", name="Run").tap()
        expect(page.locator(".result-table tbody tr")).to_have_count(15)
        assert overflow(page) == 0
        assert reported.errors == []


@pytest.mark.parametrize("width", [375, 1280])
def test_a_wide_result_scrolls_inside_its_own_box(
    browser: Browser, console: Console, width: int
) -> None:
    with open_page(browser, console.url, viewport={"width": width, "height": 700}) as (page, _):
        run(page, WIDE_SQL)
        box = page.get_by_role("region", name="Rows of the result")
        expect(box.locator("tbody tr")).to_have_count(1)
        assert overflow(page) == 0
        expect(page.get_by_text("Copy as")).to_be_in_viewport(ratio=1)
        box.focus()
        page.keyboard.press("ArrowRight")
        until(lambda: page.evaluate("document.activeElement.scrollLeft") > 0)
        page.get_by_role("tab", name="Plot").click()
        expect(page.locator(".plot canvas")).to_be_visible()
        assert overflow(page) == 0
        page.get_by_role("button", name="Explain").click()
        expect(page.locator(".plan-line").first).to_be_visible()
        assert overflow(page) == 0


def overflow(page: Page) -> int:
    found: int = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


# --- What is behind, last, since the store stays broken -------------------------------------------


def test_what_is_behind_is_red(page: Page, console: Console) -> None:
    console.lose_an_epoch(AIRCRAFT)
    card = page.get_by_role("article", name="aircraft")
    expect(card.locator(".badge.late")).to_contain_text("behind")
    expect(card.locator(".bar.late").first).to_be_visible()
    expect(page.locator("#status")).to_contain_text("behind")
    red = card.locator(".bar.late").first.evaluate("bar => getComputedStyle(bar).backgroundColor")
    assert red == "rgb(189, 36, 24)"


@pytest.mark.skipif(not TAKES_SCREENSHOTS, reason="STATEGATE_SCREENSHOTS=1 takes screenshots")
def test_screenshots(browser: Browser, tmp_path: Path) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    with running_console(tmp_path) as console, Readers(console):
        take_screenshots(browser, console, "light", "overview", "plot")
        take_screenshots(browser, console, "dark", "overview", "plan")


def take_screenshots(browser: Browser, console: Console, colours: str, *names: str) -> None:
    size = {"width": 1280, "height": 720}
    with open_page(browser, console.url, viewport=size, color_scheme=colours) as (page, _):
        for name in names:
            if name == "overview":
                card = page.get_by_role("article", name="carrier_delays")
                card.get_by_text("4 replicas of 4 partitions").click()
                page.wait_for_timeout(50_000)  # until there are lines
            elif name == "plot":
                run(page, HOURLY_SQL)
                page.get_by_role("tab", name="Plot").click()
                expect(page.locator(".u-legend")).to_contain_text("JFK")
            else:
                write(page, "SELECT last_origin, count(*) FROM aircraft GROUP BY 1 ORDER BY 2 DESC")
                page.get_by_role("button", name="Explain").click()
                expect(page.locator(".plan-line").nth(3)).to_be_visible()
            page.mouse.move(640, 719)
            page.screenshot(path=SCREENSHOTS / f"{name}-{colours}.png")
