"""Pages, unchanged answers and typed queries over HTTP, against routes that only read RocksDB.

The rival finds its answer ready-made by one key, as in `small_http`: the ratio says which part of
the way is more than a bare route.
"""

from __future__ import annotations

import urllib.parse
import urllib.request
from functools import partial
from pathlib import Path

import orjson

from tests.bench import data
from tests.bench.clients import wrk
from tests.bench.harness import BenchError, Line, Measured, by_turns
from tests.bench.lookups_http import bare_server
from tests.bench.setting import Setting

CONNECTIONS = 16
PAGE_ROWS = 20
COLUMNS = "id, visits, score, seen, city"
POSTED = """
local headers = {{["Content-Type"] = "application/json"}}
function request()
    local key = math.random({first}, {last})
    return wrk.format("POST", "{path}", headers, ([==[{body}]==]):format(key))
end
"""
TAGGED = """
local headers = {{["If-None-Match"] = [==[{tag}]==]}}
function request()
    return wrk.format("GET", wrk.path, headers)
end
"""
GOT = """
function request()
    return wrk.format("GET", wrk.path)
end
"""


def page(setting: Setting) -> Line:
    """Return the line of the first page after a key."""
    sql = f"SELECT {COLUMNS} FROM users WHERE id >= $1"
    body = {"sql": sql, "params": ["%d"], "page_rows": PAGE_ROWS}
    key = str(data.FIRST_KEY)
    if len(_posted(setting, "/v1/query", {**body, "params": [key]})["rows"]) != PAGE_ROWS:
        raise BenchError(f"a page does not have {PAGE_ROWS} rows")
    return _against_bare(
        setting,
        f"HTTP page of {PAGE_ROWS} rows",
        ours=(_posting(setting, "page.lua", "/v1/query", body), ""),
        rival=(_posting(setting, "page-bare.lua", "/v1/query", {"params": ["page"]}), ""),
    )


def unchanged(setting: Setting) -> Line:
    """Return the line of answers that have not changed since the client got them."""
    sql = f"SELECT {COLUMNS} FROM users ORDER BY visits DESC LIMIT {PAGE_ROWS}"
    path = f"/v1/query?{urllib.parse.urlencode({'sql': sql})}"
    with urllib.request.urlopen(setting.gateway.http_url + path, timeout=60) as response:
        tag = response.headers["ETag"]
    if tag is None:
        raise BenchError("the answer has no tag")
    return _against_bare(
        setting,
        "HTTP answers that are unchanged (304)",
        ours=(setting.script("tagged.lua", TAGGED.format(tag=tag)), path),
        rival=(setting.script("got.lua", GOT), f"/v1/stores/{data.STORE}/page"),
    )


def typed(setting: Setting) -> Line:
    """Return the line of the typed query of a key."""
    path = f"/v1/stores/{data.STORE}/query"
    body = {"type": "key", "args": {"key": ["%d"]}}
    key = {"type": "key", "args": {"key": [str(data.FIRST_KEY)]}}
    if len(_posted(setting, path, key)["partitions"]) != 1:
        raise BenchError("a key is not in one partition")
    return _against_bare(
        setting,
        "HTTP typed queries of a key",
        ours=(_posting(setting, "typed.lua", path, body), ""),
        rival=(_posting(setting, "typed-bare.lua", "/v1/query", {"params": ["row"]}), ""),
    )


def _against_bare(
    setting: Setting, work: str, *, ours: tuple[Path, str], rival: tuple[Path, str]
) -> Line:
    """Measure both sides, each by a script and the path that it is for."""
    with bare_server(setting, "bare-routes", _answers) as bare_url:

        def requests_per_s(url: str, side: tuple[Path, str]) -> float:
            script, path = side
            return wrk(
                url + path, script, connections=CONNECTIONS, seconds=setting.seconds
            ).requests_per_s

        found, bare = by_turns(
            partial(requests_per_s, setting.gateway.http_url, ours),
            partial(requests_per_s, bare_url, rival),
            rounds=setting.rounds,
        )
    return Measured(
        work=f"{work}, {CONNECTIONS} connections",
        unit="requests/s",
        ours=found,
        rival=bare,
        rival_name="bare Starlette",
    )


def _posting(setting: Setting, name: str, path: str, body: object) -> Path:
    last = data.FIRST_KEY + setting.keys - PAGE_ROWS
    script = POSTED.format(
        path=path, body=orjson.dumps(body).decode(), first=data.FIRST_KEY, last=last
    )
    return setting.script(name, script)


def _posted(setting: Setting, path: str, body: object) -> dict[str, list[object]]:
    headers = {"Content-Type": "application/json"}
    url = setting.gateway.http_url + path
    request = urllib.request.Request(url, data=orjson.dumps(body), headers=headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        answer: dict[str, list[object]] = orjson.loads(response.read())
    return answer


def _answers(setting: Setting) -> list[tuple[str, bytes]]:
    """Return the answers of a page and of a row as JSON."""
    columns = [column.to_pylist() for column in setting.table.slice(0, PAGE_ROWS).columns]
    rows = list(zip(*columns, strict=True))
    return [("page", orjson.dumps({"rows": rows})), ("row", orjson.dumps({"rows": rows[:1]}))]
