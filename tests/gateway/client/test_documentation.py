"""The code in the documentation of the client runs, against a gateway with the rows it shows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from tests.gateway.client.serving import http_serving, services_of
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store
from tests.test_docs import blocks

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
DELAYS = keyvalue("carrier_delays", {"carrier": "text"}, {"flights": "bigint"}, partitions=2)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    clicks, delays = open_store(CLICKS), open_store(DELAYS)
    fill(clicks, [("ann", 1), ("bob", 2), ("cat", 3)], epoch=41)
    fill(delays, [("AA", 32_729)], epoch=41)
    catalog = FixedCatalog(clicks, delays)
    engine = SqlEngine(catalog)
    with (
        services_of(engine, typed=TypedQueries(catalog)) as services,
        http_serving(services) as found,
    ):
        yield found
    engine.close()


@pytest.mark.parametrize(
    ("name", "info", "output"),
    [
        ("gateway/client/README.md", "python", "bob 2\ncat 3\n2\n"),
        ("README.md", "python client", "('AA', 32729)\n"),
    ],
)
def test_python_blocks_run(
    name: str,
    info: str,
    output: str,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    module = ModuleType("documentation")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    found = blocks(name, info)
    assert found
    for code in found:
        here = code.replace("http://localhost:7420", url).replace("http://127.0.0.1:7420", url)
        exec(compile(here, name, "exec"), module.__dict__)
    assert capsys.readouterr().out == output
    if "db" in module.__dict__:
        module.__dict__["db"].close()
