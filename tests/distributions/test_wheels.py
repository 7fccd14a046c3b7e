"""What users install: each distribution alone, and all together, beside folders with our names."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import stategate
from tests.distributions.conftest import PROJECTS, Environment, run
from tests.import_tree import TOPS
from tests.support.process import ROOT, ServerProcess, answers, free_ports, plain_environment

pytestmark = pytest.mark.server
NEEDED = {
    "stategate-client": {"httptools", "orjson"},
    "stategate-stores": {"mmh3", "msgspec", "numpy", "orjson", "pyarrow"},
}
"""Distribution → the libraries that it brings."""
WRITE = """
import sys

class Guard:
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {"rocksdict", "obstore", "duckdb", "sqlglot", "httptools"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Guard())
import pyarrow as pa
from stategate.stores import Column, DataType, Host, InputTopic, Position, StoreError, StoreKind
from stategate.stores import StoreSchema, StoreWriter
from stategate.stores.spark import materialize

print("spark")
clicks = StoreSchema(
    name="clicks",
    kind=StoreKind.KEYVALUE,
    key=(Column(name="usr", type=DataType.parse("text")),),
    value=(Column(name="n", type=DataType.parse("bigint")),),
    partitions=2,
    inputs=(InputTopic(topic="events"),),
)
rows = pa.table({"usr": ["ann", "bob"], "n": [3, 5]})
StoreWriter("log", clicks).write(rows, position=Position.of({"events": {0: 41}}))
for use in (lambda: Host("log").start(), lambda: StoreWriter("s3://bucket/x", clicks)):
    try:
        use()
    except StoreError as error:
        print(error)
"""
"""A pipeline with the libraries of the stores alone."""
LOADED = "print('loaded', flush=True)\n"


def test_all_have_one_version() -> None:
    for name, folder in PROJECTS.items():
        text = (folder / "pyproject.toml").read_text()
        version = tomllib.loads(text)["project"].get("version", stategate.__version__)
        pins = re.findall(r'"stategate-\w+(?:\[[\w,]+\])?==([^"]+)"', text)
        assert {version, *pins} == {stategate.__version__}, name


def test_they_are_sound(wheels: Mapping[str, Path]) -> None:
    for wheel in wheels.values():
        files = [str(path) for path in wheel.parent.iterdir()]
        said = run(sys.executable, "-m", "twine", "check", "--strict", *files, cwd=wheel.parent)
        assert said.count("PASSED") == 2


@pytest.mark.parametrize("name", PROJECTS)
def test_links_of_their_pages_are_absolute(wheels: Mapping[str, Path], name: str) -> None:
    with zipfile.ZipFile(wheels[name]) as files:
        (metadata,) = [each for each in files.namelist() if each.endswith("/METADATA")]
        page = files.read(metadata).decode().partition("\n\n")[2]
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", page) == []
    assert len(re.findall(r"\]\(https://", page)) > 1


def test_a_file_belongs_to_one_of_them(wheels: Mapping[str, Path]) -> None:
    found: dict[str, list[str]] = {}
    for name, wheel in wheels.items():
        with zipfile.ZipFile(wheel) as files:
            for each in files.namelist():
                found.setdefault(each, []).append(name)
    assert {each: names for each, names in found.items() if len(names) > 1} == {}
    ours = {each.partition("/")[0] for each in found if ".dist-info" not in each}
    assert ours == {"stategate"}
    sources = [path for top in (*TOPS, "examples/flights") for path in (ROOT / top).rglob("*.py")]
    expected = {
        path.relative_to(ROOT / "gateway/client").as_posix()
        if "client/stategate" in path.as_posix()
        else f"stategate/{path.relative_to(ROOT).as_posix()}"
        for path in sources
    }
    assert {each for each in found if each.endswith(".py")} == expected


@pytest.mark.parametrize("name", NEEDED)
def test_what_it_needs_is_little(wheels: Mapping[str, Path], name: str) -> None:
    with zipfile.ZipFile(wheels[name]) as files:
        (metadata,) = [each for each in files.namelist() if each.endswith("/METADATA")]
        lines = files.read(metadata).decode().splitlines()
    needed = [line for line in lines if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert {re.split(r"[ >=]+", line)[1] for line in needed} == NEEDED[name]


def test_a_pipeline_needs_the_stores_alone(
    wheels: Mapping[str, Path], environment: Environment, hostile: Path
) -> None:
    environment.install(wheels["stategate-stores"])
    (hostile / "pipeline.py").write_text(WRITE)
    said = run(environment.python, "pipeline.py", cwd=hostile).splitlines()
    assert said == [
        "spark",
        "rocksdict is not installed: pip install 'stategate-stores[rocksdb]'",
        "obstore is not installed: pip install 'stategate-stores[buckets]'",
    ]


def test_the_gateway_serves_in_a_project_with_such_folders(
    wheels: Mapping[str, Path], environment: Environment, hostile: Path, tmp_path: Path
) -> None:
    environment.install(*wheels.values())
    (hostile / "mine.py").write_text(LOADED)
    (hostile / "orders.csv").write_text("customer,amount\nada,3\nbob,5\n")
    program = environment.bin / "stategate"
    demo = "from stategate.gateway.cli.demo import EXAMPLE, KEPT;"
    demo += "print(*sorted(EXAMPLE.glob('*.py')), KEPT)"
    *programs, kept = run(environment.python, "-c", demo, cwd=hostile).split()
    assert [Path(each).name for each in programs] == ["check.py", "pipeline.py", "replay.py"]
    assert Path(kept).parent == hostile
    load = ("load", "orders.csv", "--root", "log", "--store", "orders", "--key", "customer")
    run(program, *load, cwd=hostile)
    http, pg = free_ports(2)
    places = ("--http", f"127.0.0.1:{http}", "--pg", f"127.0.0.1:{pg}")
    with ServerProcess(
        [str(program), "serve", "--root", "log", "--load", "mine", *places],
        output=tmp_path / "output",
        ready=lambda: answers(f"http://127.0.0.1:{http}/readyz"),
        environment=plain_environment(),
        cwd=hostile,
    ):
        ask = f"import stategate; db = stategate.connect('http://127.0.0.1:{http}')"
        ask += "; print(db.execute('SELECT count(*) FROM orders').fetchall())"
        assert run(environment.python, "-c", ask, cwd=hostile).strip().endswith("[(2,)]")
    assert "loaded" in (tmp_path / "output").read_text()


def test_they_may_be_in_several_directories(
    wheels: Mapping[str, Path], environment: Environment, hostile: Path
) -> None:
    for name in ("stategate-client", "stategate-stores"):
        shutil.unpack_archive(wheels[name], hostile / name, "zip")
    code = "import sys; sys.path[:0] = {}; import stategate.stores; print(stategate.connect)"
    for places in (
        ["stategate-client", "stategate-stores"],
        ["stategate-stores", "stategate-client"],
    ):
        assert "connect" in run(environment.python, "-c", code.format(places), cwd=hostile)


def test_one_can_be_uninstalled(
    wheels: Mapping[str, Path], environment: Environment, hostile: Path
) -> None:
    environment.install(*wheels.values())
    environment.pip("uninstall", "--quiet", "--yes", "stategate")
    code = "import stategate.stores; print(stategate.connect, stategate.__version__)"
    assert stategate.__version__ in run(environment.python, "-c", code, cwd=hostile)
    environment.pip("uninstall", "--quiet", "--yes", "stategate-stores")
    code = "import stategate; print(stategate.connect, stategate.__version__)"
    assert stategate.__version__ in run(environment.python, "-c", code, cwd=hostile)
