"""Lookups of one key over HTTP, against a route that only reads RocksDB."""

from __future__ import annotations

import contextlib
import sys
import urllib.request
from collections.abc import Iterator

import orjson

from tests.bench import data
from tests.bench.bare_http import make_database
from tests.bench.clients import wrk
from tests.bench.harness import BenchError, Line, Measured, by_turns
from tests.bench.setting import Setting
from tests.support.process import ServerProcess, answers, free_ports

CONNECTIONS = 16

SQL = "SELECT id, visits, score, seen, city FROM users WHERE id = $1"
SCRIPT = (
    f"local sql = '{SQL}'"
    """
local body = '{{"sql":"' .. sql .. '","params":["%d"]}}'
local headers = {{["Content-Type"] = "application/json"}}
function request()
    return wrk.format("POST", nil, headers, body:format(math.random({first}, {last})))
end
"""
)


def lookups(setting: Setting) -> Line:
    """Sixteen connections, one statement with a parameter, as JSON."""
    script = setting.script(
        "lookup.lua",
        SCRIPT.format(first=data.FIRST_KEY, last=data.FIRST_KEY + setting.keys - 1),
    )
    with _bare_server(setting) as bare:
        if _first_row(setting.gateway.http_url) != _first_row(bare):
            raise BenchError("the servers differ on the first key")
        ours, rival = by_turns(
            *(
                lambda url=url: (
                    wrk(
                        f"{url}/v1/query", script, connections=CONNECTIONS, seconds=setting.seconds
                    ).requests_per_s
                )
                for url in (setting.gateway.http_url, bare)
            ),
            rounds=setting.rounds,
        )
    return Measured(
        work=f"HTTP lookups, {CONNECTIONS} connections",
        unit="requests/s",
        ours=ours,
        rival=rival,
        rival_name="bare Starlette",
        ratio_least=0.6,
    )


def _first_row(url: str) -> list[object]:
    """Return the row of the first key without its time, which the sides format differently."""
    body = orjson.dumps({"sql": SQL, "params": [str(data.FIRST_KEY)]})
    request = urllib.request.Request(
        f"{url}/v1/query", data=body, headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        (row,) = orjson.loads(response.read())["rows"]
    return [*row[:3], *row[4:]]


@contextlib.contextmanager
def _bare_server(setting: Setting) -> Iterator[str]:
    """The other server's base URL."""
    directory = setting.directory / "bare"
    make_database(str(directory), _answers(setting))
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    with ServerProcess(
        [sys.executable, "-m", "tests.bench.bare_http", str(directory), str(port)],
        output=setting.directory / "bare.log",
        ready=lambda: answers(f"{url}/readyz"),
    ):
        yield url


def _answers(setting: Setting) -> list[tuple[str, bytes]]:
    """Yield each key with its row as JSON, without the fields that a gateway adds."""
    columns = [column.to_pylist() for column in setting.table.columns]
    return [(row[0], orjson.dumps({"rows": [row]})) for row in zip(*columns, strict=True)]
