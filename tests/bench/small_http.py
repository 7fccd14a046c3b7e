"""Small answers over HTTP, against a route that sends the same rows ready-made.

The rival finds the whole answer by one key, whatever the statement is. So the ratio says which part
of the way is more than a bare route, not how fast the same work could be done.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import orjson

from tests.bench.clients import wrk
from tests.bench.harness import BenchError, Line, Measured, by_turns
from tests.bench.lookups_http import bare_server
from tests.bench.setting import Family, Setting
from tests.bench.small_statements import SAMPLES, SmallStatement, statements

PREFIX = "small-http"
CONNECTIONS = 16
SECONDS_SHARE = 0.4
"""Length of a round, as a share of the rounds of other measurements: there are many lines."""
SCRIPT = """
local bodies = {{{bodies}}}
local headers = {{["Content-Type"] = "application/json"}}
function request()
    return wrk.format("POST", "/v1/query", headers, bodies[math.random(#bodies)])
end
"""


def measure(setting: Setting, name: str) -> Line:
    """Measure one statement with the values of its samples.

    Raises:
        BenchError: an answer is not of the size that is expected.
    """
    assert setting.with_small_stores
    statement = _statements(setting)[name]
    ours_url = setting.gateway.http_url
    bodies = [_body(statement, sample) for sample in range(SAMPLES)]
    for body in bodies:
        if len(_rows(ours_url, body)) != statement.rows:
            raise BenchError(f"{name}: not {statement.rows} rows")
    ours = _script(setting, "small.lua", bodies)
    theirs = _script(setting, "small-bare.lua", [orjson.dumps({"params": [name]}).decode()])
    with bare_server(setting, "bare-small", _answers) as bare_url:

        def requests_per_s(url: str, script: Path) -> float:
            seconds = setting.seconds * SECONDS_SHARE
            return wrk(url, script, connections=CONNECTIONS, seconds=seconds).requests_per_s

        found, rival = by_turns(
            partial(requests_per_s, ours_url, ours),
            partial(requests_per_s, bare_url, theirs),
            rounds=setting.rounds,
        )
    return Measured(
        work=f"{statement.work}, HTTP, {CONNECTIONS}",
        unit="requests/s",
        ours=found,
        rival=rival,
        rival_name="bare Starlette",
    )


NAMES = tuple(statements(keys=1, days=31))
FAMILIES: Mapping[str, Family] = {f"{PREFIX}-{name}": partial(measure, name=name) for name in NAMES}


def _statements(setting: Setting) -> Mapping[str, SmallStatement]:
    return statements(keys=setting.keys, days=setting.days)


def _body(statement: SmallStatement, sample: int) -> str:
    parameters = list(statement.parameters(sample))
    return orjson.dumps({"sql": statement.numbered, "params": parameters}).decode()


def _script(setting: Setting, name: str, bodies: list[str]) -> Path:
    # A long bracket of Lua takes any text that does not contain its end.
    quoted = ", ".join(f"[==[{body}]==]" for body in bodies)
    return setting.script(name, SCRIPT.format(bodies=quoted))


def _rows(url: str, body: str) -> list[object]:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/v1/query", data=body.encode(), headers=headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        rows: list[object] = orjson.loads(response.read())["rows"]
    return rows


def _answers(setting: Setting) -> list[tuple[str, bytes]]:
    """Return the rows of the first sample of each statement as JSON."""
    url = setting.gateway.http_url
    return [
        (name, orjson.dumps({"rows": _rows(url, _body(statement, 0))}))
        for name, statement in _statements(setting).items()
    ]
