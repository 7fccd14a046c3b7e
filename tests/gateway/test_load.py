"""A third party's module in a real gateway: the example of the README."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import httpx
import pyarrow as pa
import pytest

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.gateway.test_main import run
from tests.support.process import ROOT, ServerProcess, answers, free_ports, plain_environment
from tests.support.stores import keyvalue

pytestmark = pytest.mark.server


def example() -> str:
    text = (ROOT / "gateway" / "README.md").read_text()
    (code,) = re.findall(r"^```python\n([^`]*register_query\([^`]*)^```", text, re.MULTILINE)
    assert len(code.splitlines()) < 60
    return str(code)


def test_the_readmes_query_is_answered_over_http(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path / "state", keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}))
    rows = pa.table({"usr": ["ann", "bob"], "n": [3, 5]})
    writer.write(rows, position=Position.of({"events": {0: 41}}))
    (tmp_path / "greatest.py").write_text(example())
    http, pg = free_ports(2)
    url = f"http://127.0.0.1:{http}"
    command = [sys.executable, "-m", "stategate.gateway.main", "serve", "--load", "greatest"]
    command += ["--root", str(tmp_path / "state"), "--http", f"127.0.0.1:{http}"]
    command += ["--pg", f"127.0.0.1:{pg}"]
    with ServerProcess(
        command,
        output=tmp_path / "log",
        ready=lambda: answers(f"{url}/readyz"),
        environment=plain_environment(PYTHONPATH=str(tmp_path)),
    ):
        body = {"type": "greatest", "args": {"key": ["bob"], "least": 1}}
        found = httpx.post(f"{url}/v1/stores/clicks/query", json=body).json()
        assert [each["result"] for each in found["partitions"] if each["result"]] == [5]
        assert found["position"] == {"events": {"0": 41}}
        assert httpx.get(f"{url}/v1/stores/clicks/bob").json()["rows"] == [["bob", 5]]


def test_the_error_of_a_module_that_cannot_be_loaded_is_one_sentence() -> None:
    ended = run("serve", "--root", "x", "--load", "no_such_module")
    assert ended.returncode == 2
    assert "no_such_module" in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("import sys; sys.exit('enough')", "SystemExit: enough"),
        ("raise ValueError('one\\ntwo')", "ValueError: one two"),
        ("def", "SyntaxError: invalid syntax"),
    ],
)
def test_the_error_of_a_module_that_fails_is_one_sentence(
    tmp_path: Path, code: str, said: str
) -> None:
    (tmp_path / "broken.py").write_text(code)
    ended = run("serve", "--root", "x", "--load", "broken", PYTHONPATH=str(tmp_path))
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert f'module "broken" cannot be loaded: {said}' in line
    shown = run(
        *("serve", "--root", "x", "--load", "broken", "--set", "log_level=debug"),
        PYTHONPATH=str(tmp_path),
    )
    assert "broken.py" in shown.stderr
