"""Lookups of one key over HTTP, against routes that only read RocksDB."""

from __future__ import annotations

import contextlib
import http.client
import random
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson

from tests.bench import data
from tests.bench.bare_http import make_database
from tests.bench.clients import wrk
from tests.bench.harness import BenchError, Line, Measured, by_turns
from tests.bench.setting import Setting
from tests.support.process import ServerProcess, answers, free_ports

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
BATCH_KEYS = 1_000
BATCH_BODIES = 32
KEY_SCRIPT = """
function request()
    return wrk.format("GET", wrk.path .. math.random({first}, {last}))
end
"""


def posted_16(setting: Setting) -> Line:
    """Sixteen connections, one statement with a parameter, as JSON."""
    return _posted(setting, connections=16)


def posted_64(setting: Setting) -> Line:
    """The same with sixty-four."""
    return _posted(setting, connections=64)


def keys_16(setting: Setting) -> Line:
    """Sixteen connections, each key by its path."""
    return _keys(setting, connections=16)


def keys_64(setting: Setting) -> Line:
    """The same with sixty-four."""
    return _keys(setting, connections=64)


def batch(setting: Setting) -> Line:
    """A thousand lookups in each request, against a bare multi-get of prepared answers."""
    draw, last = random.Random(1), data.FIRST_KEY + setting.keys - 1
    bodies = [
        orjson.dumps(
            {
                "sql": SQL,
                "params": [[str(draw.randint(data.FIRST_KEY, last))] for _ in range(BATCH_KEYS)],
            }
        )
        for _ in range(BATCH_BODIES)
    ]
    with bare_server(setting, "bare", _answers) as bare:
        _check_answers(setting.gateway.http_url, bare)
        ours, rival = by_turns(
            lambda: _batches_per_s(setting.gateway.http_url, bodies, setting.seconds),
            lambda: _batches_per_s(bare, bodies, setting.seconds),
            rounds=setting.rounds,
        )
    return Measured(
        work=f"HTTP batch of {BATCH_KEYS:,} lookups, 1 connection",
        unit="batches/s",
        ours=ours,
        rival=rival,
        rival_name="bare multi-get",
        ratio_least=0.3,
        ratio_goal=0.6,
    )


def _batches_per_s(url: str, bodies: list[bytes], seconds: float) -> float:
    """Send the bodies in turn, and read each answer without parsing it."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    headers = {"Content-Type": "application/json"}
    begun_s, count = time.perf_counter(), 0
    with contextlib.closing(connection):
        while (elapsed_s := time.perf_counter() - begun_s) < seconds:
            connection.request("POST", "/v1/batch", bodies[count % len(bodies)], headers)
            response = connection.getresponse()
            if response.status != 200 or not response.read():
                raise BenchError(f"a batch was answered with {response.status}")
            count += 1
    return count / elapsed_s


def _posted(setting: Setting, *, connections: int) -> Line:
    return _measured(
        setting,
        f"HTTP lookups, {connections} connections",
        "/v1/query",
        setting.script("lookup.lua", _of_all_keys(setting, SCRIPT)),
        connections=connections,
    )


def _keys(setting: Setting, *, connections: int) -> Line:
    return _measured(
        setting,
        f"HTTP GET of a key, {connections} connections",
        f"/v1/stores/{data.STORE}/",
        setting.script("key.lua", _of_all_keys(setting, KEY_SCRIPT)),
        connections=connections,
    )


def _of_all_keys(setting: Setting, script: str) -> str:
    return script.format(first=data.FIRST_KEY, last=data.FIRST_KEY + setting.keys - 1)


def _measured(setting: Setting, work: str, path: str, script: Path, *, connections: int) -> Line:
    with bare_server(setting, "bare", _answers) as bare:
        _check_answers(setting.gateway.http_url, bare)

        def requests_per_s(url: str) -> float:
            return wrk(
                url + path, script, connections=connections, seconds=setting.seconds
            ).requests_per_s

        ours, rival = by_turns(
            lambda: requests_per_s(setting.gateway.http_url),
            lambda: requests_per_s(bare),
            rounds=setting.rounds,
        )
    return Measured(
        work=work,
        unit="requests/s",
        ours=ours,
        rival=rival,
        rival_name="bare Starlette",
        ratio_least=1.0,
        ratio_goal=2.0,
    )


def _check_answers(ours: str, bare: str) -> None:
    """Check that both servers give the same row in all ways.

    Raises:
        BenchError: they differ.
    """
    body = orjson.dumps({"sql": SQL, "params": [str(data.FIRST_KEY)]})
    headers = {"Content-Type": "application/json"}
    rows = []
    for url in (ours, bare):
        rows.append(_row(urllib.request.Request(f"{url}/v1/query", data=body, headers=headers)))
        path = f"/v1/stores/{data.STORE}/{data.FIRST_KEY}"
        rows.append(_row(urllib.request.Request(url + path)))
        body_of_many = orjson.dumps({"sql": SQL, "params": [[str(data.FIRST_KEY)]]})
        rows.append(_first(urllib.request.Request(f"{url}/v1/batch", body_of_many, headers)))
    if any(row != rows[0] for row in rows):
        raise BenchError("the servers differ on the first key")


def _row(request: urllib.request.Request) -> list[object]:
    """Return the answered row without its time, which the sides format differently."""
    with urllib.request.urlopen(request, timeout=10) as response:
        (row,) = orjson.loads(response.read())["rows"]
    return [*row[:3], *row[4:]]


def _first(request: urllib.request.Request) -> list[object]:
    """Return the row of the first result of a batch, as `_row` does."""
    with urllib.request.urlopen(request, timeout=10) as response:
        (row,) = orjson.loads(response.read())["results"][0]["rows"]
    return [*row[:3], *row[4:]]


@contextlib.contextmanager
def bare_server(
    setting: Setting, name: str, rows_of: Callable[[Setting], list[tuple[str, bytes]]]
) -> Iterator[str]:
    """Run the server; yield its base URL.

    Args:
        setting: where its database is.
        name: the database's name.
        rows_of: returns the answers by key; they are written once.
    """
    directory = setting.directory / name
    if not directory.exists():
        make_database(str(directory), rows_of(setting))
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    with ServerProcess(
        [sys.executable, "-m", "tests.bench.bare_http", str(directory), str(port)],
        output=setting.directory / f"{name}.log",
        ready=lambda: answers(f"{url}/readyz"),
    ):
        yield url


def _answers(setting: Setting) -> list[tuple[str, bytes]]:
    """Return each key with its row as JSON, without the fields that a gateway adds."""
    columns = [column.to_pylist() for column in setting.table.columns]
    return [(row[0], orjson.dumps({"rows": [row]})) for row in zip(*columns, strict=True)]
