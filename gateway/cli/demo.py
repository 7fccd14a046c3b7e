"""`stategate demo`: the flights pipeline and a gateway over its stores, as processes of this one.

The programs it runs are those that a user would: `examples/flights/replay.py` and `pipeline.py`,
`stategate serve`, and for `--check` `examples/flights/check.py`.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gateway.cli.client import Client
from gateway.errors import GatewayError, ServeError
from gateway.serve import cannot_listen
from gateway.settings import parse_address

EXAMPLE = Path(__file__).parents[2] / "examples" / "flights"
STORES = ("carrier_delays", "airport_hourly", "aircraft")
STOP_S = 20.0
"""How long a process may take to stop before it is killed: Spark finishes its batch first."""
CAUGHT_UP_S = 120.0
"""How long the gateway may take to apply what the pipeline has committed."""


class _StoppedError(Exception):
    """SIGTERM came."""


def run_demo(*, root: Path | None, http: str, pg: str, check: bool) -> int:
    """Run the demo until Ctrl-C or SIGTERM; with `check`, until all answers are compared.

    Returns:
        The exit status: 0, or 1 if an answer differs from DuckDB's or a program failed.

    Raises:
        GatewayError: the example is not there, or a program does not start.
    """
    if not (EXAMPLE / "pipeline.py").is_file():
        raise ServeError(
            "the demo's pipeline is not installed", hint="Run it from a clone of the repository."
        )
    signal.signal(signal.SIGTERM, _on_sigterm)
    console = Console()
    with ExitStack() as closing:
        try:
            return _Demo(console, closing, root=root, http=http, pg=pg).run(check=check)
        except (KeyboardInterrupt, _StoppedError):
            console.print("stopping")
            return 0


def _check_free(name: str, text: str) -> None:
    """See that an address can be listened on: who has it would be taken for the demo's gateway."""
    address = parse_address(name, text)
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        socket.create_server((address.host, address.port), family=family).close()
    except OSError as error:
        raise cannot_listen(name, address, error) from error


def _on_sigterm(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise _StoppedError


class _Demo:
    def __init__(
        self, console: Console, closing: ExitStack, *, root: Path | None, http: str, pg: str
    ) -> None:
        self._console, self._closing = console, closing
        temporary = closing.enter_context(
            tempfile.TemporaryDirectory(prefix="stategate-demo-", ignore_cleanup_errors=True)
        )
        self._root = (Path(temporary) / "log" if root is None else root).resolve()
        # Beside the stores, for the checkpoints name the input by its path: with a root that is
        # kept, the next run finds that it has read these files.
        self._input = self._root / "_input"
        self._input.mkdir(parents=True, exist_ok=True)
        self._http, self._pg = http, pg
        self._url = f"http://{http}"

    def run(self, *, check: bool) -> int:
        for name, address in (("http", self._http), ("pg", self._pg)):
            _check_free(name, address)
        self._console.print("preparing the flights of 2013 …")
        rows = self._write_input()
        gateway = self._start(
            [
                *(*_STATEGATE, "serve", "--root", str(self._root)),
                *("--http", self._http, "--pg", self._pg),
            ]
        )
        self._wait_for_gateway(gateway)
        if not check:
            self._console.print(f"the gateway answers on {self._url} and, for psql, on {self._pg}")
        pipeline = self._start(
            [
                *(sys.executable, str(EXAMPLE / "pipeline.py"), "--input", str(self._input)),
                *("--root", str(self._root), "--progress", "--once"),
            ],
            output=subprocess.PIPE,
        )
        self._show_progress(pipeline, rows)
        if pipeline.wait() != 0:
            raise ServeError(f"the pipeline ended with status {pipeline.returncode}")
        self._wait_until_caught_up()
        if check:
            return self._check()
        # Not wrapped: the lines are there to be copied.
        self._console.print(_what_to_try(self._http, self._pg), soft_wrap=True)
        status = gateway.wait()
        raise ServeError(f"the gateway ended with status {status}")

    def _write_input(self) -> int:
        command = [sys.executable, str(EXAMPLE / "replay.py"), str(self._input)]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise ServeError("the flights cannot be prepared", hint="See the lines above.")
        return int(done.stdout)

    def _start(self, command: Sequence[str], *, output: int | None = None) -> subprocess.Popen[str]:
        return self._closing.enter_context(_process(command, output=output))

    def _wait_for_gateway(self, gateway: subprocess.Popen[str]) -> None:
        client, deadline = Client(self._url), time.monotonic() + CAUGHT_UP_S
        while True:
            if gateway.poll() is not None:
                raise ServeError(f"the gateway ended with status {gateway.returncode}")
            try:
                client.stores()
                return
            except GatewayError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _show_progress(self, pipeline: subprocess.Popen[str], rows: int) -> None:
        assert pipeline.stdout is not None
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self._console) as progress:
            tasks = {
                store: progress.add_task(f"flights into {store}", total=rows) for store in STORES
            }
            for line in pipeline.stdout:
                event = _event(line)
                if event is not None and event["store"] in tasks:
                    progress.update(tasks[str(event["store"])], completed=float(str(event["rows"])))

    def _wait_until_caught_up(self) -> None:
        """Wait until the gateway has opened the stores and applied every committed epoch."""
        client, deadline = Client(self._url), time.monotonic() + CAUGHT_UP_S
        while True:
            known = {str(store["name"]) for store in client.stores()}
            if set(STORES) <= known and all(_is_current(client.store(name)) for name in STORES):
                return
            if time.monotonic() > deadline:
                raise ServeError("the gateway did not catch up with the pipeline")
            time.sleep(0.1)

    def _check(self) -> int:
        command = [sys.executable, str(EXAMPLE / "check.py"), "--url", self._url]
        return subprocess.run(command, check=False).returncode


_STATEGATE = (sys.executable, "-m", "gateway.main")


@contextmanager
def _process(command: Sequence[str], *, output: int | None) -> Iterator[subprocess.Popen[str]]:
    """A process that is stopped on leaving; it takes no Ctrl-C of its own, we pass one on."""
    process = subprocess.Popen(command, stdout=output, text=True, start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _event(line: str) -> dict[str, object] | None:
    """A line of progress; None for anything else that the pipeline prints."""
    try:
        event = json.loads(line)
    except json.JSONDecodeError:
        return None
    return event if isinstance(event, dict) and {"store", "rows"} <= event.keys() else None


def _is_current(store: dict[str, object]) -> bool:
    replicas = store["replicas"]
    assert isinstance(replicas, list)
    return all(
        replica["state"] == "running" and replica["epoch"] == store["committed_epoch"]
        for replica in replicas
    )


def _what_to_try(http: str, pg: str) -> str:
    host, port = pg.rsplit(":", 1)
    return f"""
All flights are in. In another terminal, try

  psql -h {host} -p {port} stategate -c "SELECT * FROM carrier_delays WHERE carrier = 'AA'"
  psql -h {host} -p {port} stategate -c '\\d'
  curl -s http://{http}/v1/query -H 'Content-Type: application/json' \\
    -d '{{"sql": "SELECT * FROM aircraft WHERE tailnum = $1", "params": ["N14228"]}}'
  .venv/bin/stategate sql --url http://{http}

and in psql or the shell

  SELECT origin, window_start, departures FROM airport_hourly
  WHERE origin = 'JFK' AND window_start >= '2013-07-04' AND window_start < '2013-07-05';

  EXPLAIN SELECT flights FROM aircraft WHERE tailnum = 'N14228' WITH BOUND (LATEST), WAIT '1s';

README.md has more. Ctrl-C stops."""
