"""`stategate demo` as a new user runs it, with programs that do in a second what Spark does.

`tests/clients` runs the real ones: there the stores of the demo are made by `stategate demo`.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pytest
from rich.console import Console

from stategate.gateway.cli.demo import _Demo, _StoppedError, _StopSignals, run_demo
from stategate.gateway.cli.demo_directory import DemoDirectory
from stategate.gateway.cli.demo_programs import Program
from stategate.gateway.errors import ServeError
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.process import ROOT, answers, free_ports, plain_environment, started
from tests.support.stores import keyvalue

pytestmark = pytest.mark.timeout(400)

PATIENCE_S = 120.0
"""How long a demo may take: it starts up to three Pythons, one of them a whole gateway."""
REPLAY = """
import pathlib, sys
pathlib.Path(sys.argv[1]).mkdir(parents=True)
print(6)
"""
PIPELINE = """
import json, pathlib, shutil, sys, time

here = pathlib.Path(__file__).parent
(here / "runs").open("a").write("x")
print("WARN NativeCodeLoader: no native library", file=sys.stderr)
print("Setting default log level to WARN")
shutil.copytree(here / "made", sys.argv[sys.argv.index("--root") + 1], dirs_exist_ok=True)
for store in ("carrier_delays", "airport_hourly", "aircraft"):
    print(json.dumps({"store": store, "epoch": 0, "rows": 6}), flush=True)
"""
"""It has its log from `made`, so that it need not load what writes one."""
RUN = """
import faulthandler, pathlib, signal, sys
from stategate.gateway.cli.demo import run_demo
faulthandler.register(signal.SIGUSR1)
from stategate.gateway.errors import GatewayError
root, http, pg, example, *flags = sys.argv[1:]
try:
    status = run_demo(root=pathlib.Path(root), http=http, pg=pg, example=pathlib.Path(example),
                      check="--check" in flags, fresh="--fresh" in flags)
except GatewayError as error:
    sys.exit(f"{error.message}. {error.hint}")
sys.exit(status)
"""


class Demo:
    """A demo that runs in its own process, without a terminal."""

    started: ClassVar[list[Demo]] = []

    def __init__(self, directory: Path, *flags: str) -> None:
        http, pg = free_ports(2)
        self.url = f"http://127.0.0.1:{http}"
        self._printed = directory / "printed"
        with self._printed.open("wb") as printed:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-c", RUN, str(directory / "kept")),
                    *(f"127.0.0.1:{http}", f"127.0.0.1:{pg}", str(directory), *flags),
                ],
                cwd=ROOT,
                env=plain_environment(PYTHONPATH=str(ROOT)),
                stdout=printed,
                stderr=subprocess.STDOUT,
            )
        self.started.append(self)

    def printed(self) -> str:
        return self._printed.read_text()

    def wait_for(self, text: str) -> None:
        until = time.monotonic() + PATIENCE_S
        while text not in self.printed():
            assert self.process.poll() is None, self.printed()
            assert time.monotonic() < until, self.printed()
            time.sleep(0.02)  # writing to a file notifies no one

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.status()

    def status(self) -> int:
        """Wait for its end; if it does not come, show where the demo stands."""
        try:
            return self.process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGUSR1)
            time.sleep(1.0)
            pytest.fail(self.printed())

    def end(self) -> None:
        """Kill it if it still runs; its programs end by themselves then."""
        self.process.terminate()
        try:
            self.process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log that the pipeline makes."""
    root = tmp_path_factory.mktemp("made")
    for store in ("carrier_delays", "airport_hourly", "aircraft"):
        writer = StoreWriter(root, keyvalue(store, {"id": "text"}, {"n": "bigint"}))
        rows = pa.table({"id": ["a", "b"], "n": pa.array([1, 2], pa.int64())})
        writer.write(rows, position=Position.of({"flights": {0: 6}}))
    return root


@pytest.fixture
def example(tmp_path: Path, made: Path) -> Iterator[Path]:
    """A directory with the programs of the example; no process uses it after the test."""
    (tmp_path / "made").symlink_to(made)
    (tmp_path / "replay.py").write_text(REPLAY)
    (tmp_path / "pipeline.py").write_text(PIPELINE)
    yield tmp_path
    while Demo.started:
        Demo.started.pop().end()
    assert processes_naming(tmp_path) == []


def processes_naming(path: Path) -> list[str]:
    """Return the command lines of running processes that contain a path."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(each.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return [line for line in found if str(path) in line]


def runs(example: Path) -> int:
    """Return how often the pipeline has been run."""
    path = example / "runs"
    return len(path.read_text()) if path.exists() else 0


@pytest.mark.server
def test_a_demo_replays_once_and_shows_progress_and_no_warnings_of_java(example: Path) -> None:
    changed = PIPELINE + "# changed\n"
    for pipeline, flags, ran in (
        (PIPELINE, (), 1),
        (PIPELINE, (), 1),
        (PIPELINE, ("--fresh",), 2),
        (changed, (), 3),
    ):
        (example / "pipeline.py").write_text(pipeline)
        replays = ran != runs(example)
        demo = Demo(example, *flags)
        demo.wait_for("Ctrl-C stops.")
        assert answers(f"{demo.url}/readyz")
        assert answers(f"{demo.url}/v1/stores/aircraft")
        assert demo.interrupt() == 0
        assert runs(example) == ran
        progress = "of 6 flights: carrier_delays 6, airport_hourly 6, aircraft 6"
        assert (progress in demo.printed()) is replays
        assert "WARN" not in demo.printed()
        assert "WARN NativeCodeLoader" in (example / "kept/_logs/pipeline.log").read_text()


@pytest.mark.server
def test_a_check_shows_its_result_and_ends(example: Path) -> None:
    (example / "check.py").write_text("print('2 of 3 agree')\nraise SystemExit(1)\n")
    for _ in range(2):
        demo = Demo(example, "--check")
        assert demo.status() == 1
        assert demo.printed().count("2 of 3 agree") == 1


WITH_A_CHILD = """
import signal, subprocess, sys, time
def stop(*_):
    child.terminate()
    sys.exit()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", __file__])
signal.signal(signal.SIGTERM, stop)
time.sleep(600)
"""
"""A pipeline with a child, as Java is one. It ends some time after its parent."""


@pytest.mark.server
@pytest.mark.parametrize(
    ("number", "pipeline"),
    [
        (signal.SIGINT, WITH_A_CHILD),
        (signal.SIGTERM, PIPELINE + "time.sleep(600)\n"),
        (signal.SIGHUP, PIPELINE + "time.sleep(600)\n"),
    ],
    ids=["SIGINT, with a grandchild", "SIGTERM", "SIGHUP"],
)
def test_stopping_a_replay_leaves_no_process_and_no_directory(
    example: Path, number: signal.Signals, pipeline: str
) -> None:
    (example / "pipeline.py").write_text(pipeline)
    demo = Demo(example)
    demo.wait_for("starting Spark")
    demo.process.send_signal(number)
    assert demo.status() == 0
    assert not (example / "kept").exists()
    assert "Traceback" not in demo.printed()


@pytest.mark.server
@pytest.mark.parametrize(
    ("shown", "more"), [("starting Spark", "time.sleep(600)\n"), ("Ctrl-C stops.", "")]
)
def test_a_demo_that_is_killed_leaves_no_process(example: Path, shown: str, more: str) -> None:
    (example / "pipeline.py").write_text(PIPELINE + more)
    demo = Demo(example)
    demo.wait_for(shown)
    assert processes_naming(example)
    demo.process.kill()
    demo.process.wait(timeout=PATIENCE_S)
    until = time.monotonic() + PATIENCE_S
    while processes_naming(example):
        assert time.monotonic() < until, processes_naming(example)
        time.sleep(0.02)  # no one waits for the children of a killed process


@pytest.mark.server
def test_the_error_of_a_program_names_its_log_and_its_replay_is_begun_again(example: Path) -> None:
    (example / "pipeline.py").write_text("import sys\nsys.exit('no Java here')\n")
    demo = Demo(example)
    assert demo.status() == 1
    log = example / "kept" / "_logs" / "pipeline.log"
    assert f"the pipeline ended with status 1. Its log is {log}" in demo.printed()
    assert "no Java here" in log.read_text()
    assert "Traceback" not in demo.printed()
    (example / "pipeline.py").write_text(PIPELINE)
    demo = Demo(example)
    demo.wait_for("Ctrl-C stops.")
    assert demo.interrupt() == 0
    assert runs(example) == 1


@pytest.fixture
def _signals_stay() -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    held = [(number, signal.getsignal(number)) for number in numbers]
    yield
    for number, handler in held:
        signal.signal(number, handler)


@pytest.mark.usefixtures("_signals_stay")
def test_under_nohup_a_closed_terminal_does_not_stop_it() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    stopping = _StopSignals()
    signal.raise_signal(signal.SIGHUP)
    stopping.pause()


@pytest.mark.timeout(60)
@pytest.mark.usefixtures("_signals_stay")
def test_a_gateway_that_does_not_answer_keeps_no_demo_from_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stategate.gateway.cli.demo.ANSWER_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        at = f"127.0.0.1:{silent.getsockname()[1]}"
        directory = DemoDirectory(tmp_path / "kept", programs=[])
        demo = _Demo(Console(), directory, _StopSignals(), http=at, pg=at, example=tmp_path)
        with started(["sleep", "60"]) as sleeping:
            signal.raise_signal(signal.SIGTERM)
            with pytest.raises(_StoppedError):
                demo._wait_until_caught_up(Program("gateway", sleeping, tmp_path / "log"))
            sleeping.kill()


@pytest.mark.usefixtures("_signals_stay")
@pytest.mark.parametrize("name", ["http", "pg"])
def test_an_address_in_use_is_refused_at_once(name: str, tmp_path: Path) -> None:
    """Otherwise an older gateway that still runs would be taken for the demo's."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        taken = f"127.0.0.1:{held.getsockname()[1]}"
        addresses = {"http": "127.0.0.1:0", "pg": "127.0.0.1:0", name: taken}
        with pytest.raises(ServeError, match=f"cannot listen on {taken}: address already in use"):
            run_demo(root=tmp_path / "kept", http=addresses["http"], pg=addresses["pg"])
    assert not (tmp_path / "kept").exists()


@pytest.mark.usefixtures("_signals_stay")
def test_a_directory_with_other_content_is_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "thesis.tex"
    precious.write_text("chapter 1")
    with pytest.raises(ServeError, match="holds something other than a demo"):
        run_demo(root=tmp_path, http="127.0.0.1:0", pg="127.0.0.1:0", fresh=True)
    assert os.listdir(tmp_path) == [precious.name]
