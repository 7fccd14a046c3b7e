"""The distribution `stategate-client`: the client, and the two libraries that it needs."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from email.message import Message
from email.parser import Parser
from importlib.metadata import version
from pathlib import Path

import pytest

import stategate
from stategate.planner.sql import SqlEngine
from tests.clients.running import STATEGATE_CLIENT
from tests.gateway.client.serving import http_serving, services_of
from tests.support.process import ROOT, plain_environment
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store
from tests.support.waiting import WAIT_S
from tests.support.wheels import CLIENT, build_client_wheel

ORDERS = keyvalue(
    "orders", {"customer": "text", "number": "integer"}, {"amount": "decimal(12,2)"}, partitions=2
)
NEEDED = ["httptools", "orjson"]
RUN = """
import runpy, sys

_, wheel, installed, program, *arguments = sys.argv
known = {*sys.stdlib_module_names, *installed.split(",")}

class Guard:
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] not in known:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Guard())
sys.path.insert(0, wheel)
sys.argv = [program, *arguments]
runpy.run_path(program, run_name="__main__")
"""
"""Runs a program with the wheel, where only some libraries can be imported."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_client_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A gateway with the rows of `orders` that the program expects."""
    orders = open_store(ORDERS)
    keys = [(customer, number) for customer in ("ada", "bob", "eve") for number in (-1, 1, 2, 3)]
    fill(orders, [(*key, Decimal(key[1] * 100 + 3) / 4) for key in keys], epoch=44)
    engine = SqlEngine(FixedCatalog(orders))
    with services_of(engine) as services, http_serving(services) as found:
        yield found
    engine.close()


def metadata_in(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as files:
        (name,) = [each for each in files.namelist() if each.endswith("/METADATA")]
        return Parser().parsestr(files.read(name).decode())


def test_tables_are_extras(wheel: Path) -> None:
    metadata = metadata_in(wheel)
    assert metadata.get_all("Provides-Extra") == ["arrow", "frames"]


def test_both_distributions_have_one_version(wheel: Path) -> None:
    assert metadata_in(wheel)["Version"] == stategate.__version__
    assert version("stategate") == stategate.__version__


def test_it_has_the_client_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        names = {name for name in files.namelist() if ".dist-info/" not in name}
        licenses = [name for name in files.namelist() if name.endswith("/licenses/LICENSE")]
    package = (CLIENT / "stategate").iterdir()
    assert names == {f"stategate/{path.name}" for path in package if path.is_file()}
    assert len(licenses) == 1


@pytest.mark.parametrize("tables", [(), ("pyarrow",)], ids=["alone", "with pyarrow"])
def test_it_runs_where_nothing_else_is_installed(
    wheel: Path, url: str, tables: tuple[str, ...]
) -> None:
    installed = ",".join(["stategate", *NEEDED, *tables])
    program = [str(STATEGATE_CLIENT.path), url, *tables]
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(wheel), installed, *program],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"read by {stategate.__version__} in {wheel}" in done.stdout
