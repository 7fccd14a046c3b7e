"""The Python client, installed by pip without the gateway, in an environment of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

from tests.clients.environments import Made
from tests.clients.running import PROGRAM_TIMEOUT_S, STATEGATE_CLIENT
from tests.support.gateway import Gateway

ALONE = {"httptools", "orjson", "pip", "setuptools", "stategate-client"}
TABLES = ("pyarrow", "pandas", "polars")


def run(made: Made, *arguments: str) -> str:
    """Return what the environment's Python prints, without any module of the clone."""
    done = subprocess.run(
        [made.python, "-I", *arguments],
        cwd=made.path,
        capture_output=True,
        text=True,
        timeout=PROGRAM_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("name", "tables"), [("stategate-client", ()), ("stategate-frames", TABLES)]
)
def test_it_reads(
    name: str, tables: tuple[str, ...], environment: Callable[[str], Made], gateway: Gateway
) -> None:
    made = environment(name)
    said = run(made, str(STATEGATE_CLIENT.path), gateway.http_url, *tables)
    assert said.startswith("read by ")
    assert str(made.path) in said


def test_it_installs_little(environment: Callable[[str], Made]) -> None:
    listed = json.loads(run(environment("stategate-client"), "-m", "pip", "list", "--format=json"))
    assert {each["name"] for each in listed} <= ALONE
