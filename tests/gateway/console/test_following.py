"""Results that follow the stores: the stream of changes, what goes wrong with it, and polling."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, Response, Route, expect

from tests.gateway.console.browsing import REFUSED, Reported, follow, open_page
from tests.gateway.console.serving import LIVE_ROWS_MAX, Console
from tests.support.waiting import until

pytestmark = pytest.mark.server

FLIGHTS_SQL = "SELECT carrier, flights FROM carrier_delays ORDER BY flights DESC"
STREAM = "**/v1/subscribe?*"
NOT_SUPPORTED = "status of 501"
"""What the browser logs for a stream that is refused."""
NOTE_MARKS = """() => {
    window.marked = [];
    new MutationObserver((changes) => {
        for (const { target } of changes) {
            if (target.className !== "fresh") continue;
            const { animationName, backgroundColor } = getComputedStyle(target.firstChild);
            marked.push([target.innerText, animationName, backgroundColor]);
        }
    }).observe(document.querySelector("tbody"), { subtree: true, attributeFilter: ["class"] });
}"""
"""Notes each row that is marked, and how."""
Row: TypeAlias = tuple[int, str | None]


def status_is(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.locator(".status")).to_contain_text(text)


def epoch_of(page: Page) -> int:
    """Return the epoch that the page has reached."""
    status_is(page, "live · epoch")
    found = re.search(r"epoch (\d+)", page.locator(".status").inner_text())
    assert found is not None
    return int(found[1])


def is_stopped(page: Page) -> None:
    live = page.get_by_role("button", name="Live")
    expect(live).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_role("button", name="Run")).to_be_visible()


def shown(page: Page) -> list[list[str]]:
    return [each.split("\t") for each in page.locator("tbody tr").all_inner_texts()]


def forgive(reported: Reported, text: str) -> None:
    """Forget what the browser logs for failed requests."""
    reported.errors = [each for each in reported.errors if text not in each]


# --- The stream -----------------------------------------------------------------------------------


def test_a_live_result_follows_the_store_by_one_stream(
    opened: tuple[Page, Reported], console: Console
) -> None:
    page, reported = opened
    follow(page, FLIGHTS_SQL)
    status_is(page, re.compile(r"live · epoch \d+ · 15 rows"))
    expect(page.locator("#announcer")).to_have_text(re.compile("^live: 15 rows at"))
    page.evaluate(NOTE_MARKS)
    console.set_flights("HA", 1_000_000)
    first = page.locator("tbody tr").first
    expect(first).to_have_text("HA1000000")
    marked = page.evaluate("marked")
    assert [each[:2] for each in marked] == [["HA\t1000000", "fresh"]]
    epoch = epoch_of(page)
    console.set_flights("HA", 1_000_000)  # which changes nothing
    status_is(page, f"epoch {epoch + 1} ")
    asked = [urlsplit(url).path for url in reported.requests if "sql=" in url]
    assert asked == ["/v1/subscribe"]
    page.get_by_role("button", name="Live").click()
    expect(page.locator(".status")).to_have_text("stopped")
    until(lambda: console.engine.live_counts().subscribers == 0)


def test_equal_rows_are_followed_one_by_one(page: Page, console: Console) -> None:
    sql = "SELECT flights % 4 AS rest, carrier < 'F' AS early FROM carrier_delays"
    follow(page, sql)
    epoch = epoch_of(page)
    for _ in range(3):
        console.commit()
    status_is(page, f"epoch {epoch + 3} ")
    answer = page.request.get(f"{console.url}v1/query", params={"sql": sql}).json()
    wanted = [[json.dumps(cell) for cell in row] for row in answer["rows"]]
    assert sorted(shown(page)) == sorted(wanted)
    assert len({tuple(row) for row in wanted}) < len(wanted)


def test_marks_do_not_move_where_that_is_not_wanted(browser: Browser, console: Console) -> None:
    with open_page(browser, console.url, reduced_motion="reduce") as (page, _):
        follow(page, FLIGHTS_SQL)
        status_is(page, "live")
        page.evaluate(NOTE_MARKS)
        console.set_flights("UA", 2_000_000)
        expect(page.locator("tbody tr").first).to_have_text("UA2000000")
        assert page.evaluate("marked") == [["UA\t2000000", "none", "rgb(211, 222, 251)"]]
        expect(page.locator(".fresh")).to_have_count(0)


def test_a_hidden_page_rests_and_goes_on(page: Page, console: Console) -> None:
    hide = """isHidden => {
        Object.defineProperty(document, "hidden", { get: () => isHidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    follow(page, FLIGHTS_SQL)
    status_is(page, "live")
    page.evaluate(hide, True)
    until(lambda: console.engine.live_counts().subscribers == 0)
    console.set_flights("B6", 3_000_000)
    page.evaluate(hide, False)
    expect(page.locator("tbody tr").first).to_have_text("B63000000")


# --- What goes wrong ------------------------------------------------------------------------------


def test_a_stream_that_is_cut_goes_on(opened: tuple[Page, Reported], console: Console) -> None:
    page, reported = opened
    follow(page, "SELECT carrier, flights FROM carrier_delays WHERE carrier IN ('HA', 'UA')")
    status_is(page, "live")
    page.evaluate("document.querySelectorAll('tbody tr').forEach((row) => { row.isOld = true; })")
    page.route(STREAM, lambda route: route.abort())
    console.cut_streams()
    status_is(page, "reconnecting: the gateway does not answer")
    console.set_flights("HA", 77)
    with page.expect_request(STREAM) as request:
        page.unroute(STREAM)
    assert request.value.headers["last-event-id"]
    expect(page.locator("tbody tr", has_text="HA")).to_contain_text("77")
    status_is(page, "live")
    # Only the row that has changed is another element: the page has not started over.
    count = "[...document.querySelectorAll('tbody tr')].filter((row) => row.isOld).length"
    assert page.evaluate(count) == 1
    forgive(reported, "net::ERR")


def test_a_stream_that_is_silent_is_begun_again(page: Page) -> None:
    page.clock.install()
    follow(page, FLIGHTS_SQL)
    status_is(page, "live")
    with page.expect_request(STREAM) as request:
        page.clock.fast_forward(41_000)
    assert request.value.headers["last-event-id"]
    status_is(page, "live")


def events(*messages: Mapping[str, object]) -> str:
    return "".join(f"event: {each['event']}\ndata: {json.dumps(each)}\n\n" for each in messages)


def test_the_gateway_may_start_over_or_end_it(page: Page) -> None:
    columns = {"event": "columns", "columns": [{"name": "n", "type": "bigint"}]}
    changes = {"deleted": [], "updated": [[[3], [4]]], "inserted": []}
    changed = {"event": "changes", **changes, "epoch": 3, "token": "three"}
    error = {"message": "too much", "sqlstate": "54000", "retryable": False}
    bodies = [
        events(
            columns,
            {"event": "rows", "rows": [[1], [2]]},
            {"event": "progress", "epoch": 1, "token": "one"},
        )
        + 'event: changes\ndata: {"event": "chan',
        events(
            {"event": "start_over", "reason": "it is gone"},
            columns,
            {"event": "rows", "rows": [[3]]},
            {"event": "progress", "epoch": 2, "token": "two"},
        ),
        events(columns, changed, {"event": "error", "error": error}),
    ]
    tokens = []
    seen = []

    def answer(route: Route) -> None:
        tokens.append(route.request.headers.get("last-event-id"))
        seen.append(shown(page))
        route.fulfill(content_type="text/event-stream", body=bodies[len(tokens) - 1])

    page.route(STREAM, answer)
    follow(page, "SELECT n FROM numbers")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("too much")
    expect(alert).to_contain_text("54000")
    assert tokens == [None, "one", "two"]
    assert seen == [[], [["1"], ["2"]], [["3"]]]
    assert shown(page) == [["4"]]
    is_stopped(page)


def test_a_result_with_too_many_rows_is_refused(opened: tuple[Page, Reported]) -> None:
    page, reported = opened
    follow(page, "SELECT tailnum FROM aircraft")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(f"{LIVE_ROWS_MAX}")
    expect(alert).to_contain_text("54000")
    is_stopped(page)
    forgive(reported, REFUSED)


# --- Polling --------------------------------------------------------------------------------------


def test_what_cannot_be_subscribed_to_is_polled(opened: tuple[Page, Reported]) -> None:
    page, reported = opened
    follow(page, "SELECT carrier, now() > '2013-01-01' AS past FROM carrier_delays ORDER BY 1")
    status_is(page, "polling: Now changes without an epoch · 15 rows")
    page.get_by_role("button", name="Live").click()
    expect(page.locator(".status")).to_have_text("stopped")
    forgive(reported, NOT_SUPPORTED)


def test_polling_asks_with_the_tag_of_the_answer(
    opened: tuple[Page, Reported], console: Console
) -> None:
    page, reported = opened
    error = {"message": "not here", "sqlstate": "0A000", "detail": "There are several nodes."}
    page.route(STREAM, lambda route: route.fulfill(status=501, json={"error": error}))
    statuses: list[int] = []

    def note(response: Response) -> None:
        if "v1/query?" in response.url:
            statuses.append(response.status)

    page.on("response", note)
    follow(page, "SELECT carrier, flights FROM carrier_delays ORDER BY 1")
    status_is(page, "polling: There are several nodes · 15 rows")
    page.evaluate(NOTE_MARKS)
    with page.expect_response(lambda response: response.status == 304):
        pass
    assert statuses[:2] == [200, 304]
    console.set_flights("HA", 78)
    expect(page.locator("tbody tr", has_text="HA")).to_contain_text("78")
    assert [each[0] for each in page.evaluate("marked")] == ["HA\t78"]
    forgive(reported, NOT_SUPPORTED)


# --- The rows -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def modules(browser: Browser, console: Console) -> Iterator[Page]:
    """Return a page where `modules` has what the console's scripts export."""
    load = """async (names) => {
        const load = (name) => import(new URL(`console/${name}`, location));
        window.modules = Object.assign({}, ...(await Promise.all(names.map(load))));
    }"""
    with open_page(browser, console.url) as (page, _):
        page.evaluate(load, ["api.js", "live_rows.js", "order.js", "plot.js", "tables.js"])
        yield page


ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([None, "a", "1"])), max_size=8)


@given(st.lists(ROWS, min_size=2, max_size=5))
def test_the_first_rows_with_all_changes_are_the_rows(
    modules: Page, epochs: list[list[Row]]
) -> None:
    changes: list[dict[str, Any]] = []
    for before, after in pairwise(epochs):
        gone = list((Counter(before) - Counter(after)).elements())
        come = list((Counter(after) - Counter(before)).elements())
        updated = list(zip(gone[::2], come[::2], strict=False))
        old, new = (Counter(pair[at] for pair in updated) for at in (0, 1))
        deleted = list((Counter(gone) - old).elements())
        inserted = list((Counter(come) - new).elements())
        changes.append({"deleted": deleted, "updated": updated, "inserted": inserted})
    found = modules.evaluate(
        """(text) => {
            const [first, changes] = JSON.parse(text);
            const rows = new modules.LiveRows();
            rows.insert(first);
            return changes.map((each) => {
                const fits = rows.change(each);
                return { fits, rows: rows.list(), fresh: [...rows.takeFresh()] };
            });
        }""",
        json.dumps([epochs[0], changes]),
    )
    for each, (before, after) in zip(found, pairwise(epochs), strict=True):
        assert each["fits"]
        assert Counter(map(tuple, each["rows"])) == Counter(after)
        assert Counter(map(tuple, each["fresh"])) == Counter(after) - Counter(before)


def test_changes_of_other_rows_do_not_fit(modules: Page) -> None:
    change = {"deleted": [[1], [1]], "updated": [], "inserted": []}
    apply = """(change) => {
        const rows = new modules.LiveRows();
        rows.insert([[1]]);
        return rows.change(change);
    }"""
    assert modules.evaluate(apply, change) is False


VALUES = (
    "SELECT n, s, d, f::double precision AS f FROM (VALUES (1, 'b', 0.10, '1.5'), "
    "(2, NULL, 10.2, 'NaN'), (3, 'B', NULL, '-2'), (4, '', 9, 'Infinity')) AS t(n, s, d, f)"
)
LONG = "(9007199254740993), (9007199254740992), (5), (-9007199254740993)"
TIMES = "('2013-07-04 10:00:00.5'::timestamptz), ('2013-07-04 10:00:00'), (NULL), ('2013-07-05')"


@pytest.mark.parametrize(
    "sql",
    [
        FLIGHTS_SQL,
        "SELECT carrier, mean_delay AS delay FROM carrier_delays ORDER BY 2, carrier DESC LIMIT 9;",
        f"{VALUES} ORDER BY s",
        f"{VALUES} ORDER BY s DESC NULLS LAST OFFSET 1",
        f'{VALUES} order by "d" desc',
        f"{VALUES} ORDER BY F ASC NULLS FIRST",
        f"SELECT * FROM (VALUES {LONG}) AS t(n) ORDER BY n",
        f"SELECT * FROM (VALUES {TIMES}) AS t(at) ORDER BY at",
        "SELECT rank() OVER (ORDER BY flights) AS n, carrier FROM carrier_delays ORDER BY carrier",
    ],
)
def test_rows_are_sorted_as_the_gateway_sorts_them(modules: Page, sql: str) -> None:
    rows, sorted_rows, notices = modules.evaluate(
        """async (sql) => {
            const { columns, rows } = await modules.runStatement(sql);
            const { sort, notices } = modules.orderOf(sql, columns);
            return [rows, sort(rows.toReversed()), notices];
        }""",
        sql,
    )
    assert len(rows) > 2
    assert sorted_rows == rows
    assert notices == []


@pytest.mark.parametrize(
    "order", ["lower(s)", "t.n", "elsewhere", "n + 1", "9", "twice", "list", 's COLLATE "C"']
)
def test_an_order_that_is_not_kept_is_noticed(modules: Page, order: str) -> None:
    types = {"n": "bigint", "s": "text", "twice": "bigint", "list": "bigint[]"}
    columns = [{"name": name, "type": kind} for name, kind in [*types.items(), ("twice", "text")]]
    rows, notices = modules.evaluate(
        """([order, columns]) => {
            const { sort, notices } = modules.orderOf(`SELECT * FROM t ORDER BY ${order}`, columns);
            return [sort([[2], [1]]), notices];
        }""",
        [order, columns],
    )
    assert rows == [[2], [1]]
    assert len(notices) == 1


def test_arrays_are_neither_numbers_nor_times(modules: Page) -> None:
    types = ["bigint", "decimal(9,2)", "bigint[]", "decimal(9,2)[]", "text", "timestamptz"]
    found = modules.evaluate("(types) => types.map(modules.isNumber)", types)
    assert found == [True, True, False, False, False, False]
    columns = [{"name": kind, "type": kind} for kind in ("timestamptz[]", "bigint[]", "bigint")]
    choice = modules.evaluate("(columns) => modules.choose(columns)", columns)
    assert (choice["isTime"], choice["ys"]) == (False, [2])
