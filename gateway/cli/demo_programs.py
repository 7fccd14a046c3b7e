"""The programs that `stategate demo` runs: their output, their progress, and their end.

Their output goes to files, and none outlives the demo.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from stategate.gateway.errors import ServeError

STOP_S = 20.0
"""How long a program may take to stop before it is killed: Spark finishes its batch first."""
_POLL_S = 0.05
_BEGIN = 'read -r _ && exec "$@" </dev/null'
"""Begins the program once a line is read; if the demo ends before that, there is none to read."""
_GUARD = 'read -r _; kill -s KILL -- "-$1"'
LINE_EVERY_S = 10.0
"""How often a line is printed without a terminal; a replay prints about ten."""


class Program:
    """A running program, in its own process group.

    Args:
        name: its name in errors.
        process: the first process of the group.
        log: the file with its standard error; errors name it.
    """

    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self._name = name
        self._process = process
        self._log = log

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.poll()

    def wait(self, pause: Callable[[], None]) -> int:
        """Return its exit status, pausing until it has ended."""
        while (status := self._process.poll()) is None:
            pause()
        return status

    def failure(self) -> ServeError:
        """Return the error of a program that has ended and should not have."""
        return ServeError(
            f"the {self._name} ended with status {self._process.poll()}",
            hint=f"Its log is {self._log}",
        )

    def stop(self) -> None:
        """Terminate the first process, wait for the group, and kill what has not ended in time."""
        deadline = time.monotonic() + STOP_S
        if self._process.poll() is None:
            self._process.terminate()
        while self._process.poll() is None or self._group_runs():
            if time.monotonic() > deadline:
                self._kill_group()
                break
            time.sleep(_POLL_S)
        self._process.wait()

    def _group_runs(self) -> bool:
        """Whether a process of the group still exists: Java ends some time after its Python."""
        if sys.platform == "win32":
            return False
        try:
            os.killpg(self._process.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def _kill_group(self) -> None:
        if sys.platform == "win32":
            self._process.kill()
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


@contextmanager
def running(
    name: str, command: Sequence[str], *, log: Path, output: Path | None = None
) -> Iterator[Program]:
    """Run a program until the block ends.

    Args:
        name: its name in errors.
        command: its argument vector.
        log: takes its standard error.
        output: takes its standard output; the log does by default.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    output = output or log
    for path in (log, output):
        path.write_bytes(b"")
    # The files are opened to append, because both streams may go to one file.
    with log.open("ab") as log_file, output.open("ab") as output_file:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _BEGIN, "begin", *command],
            stdin=subprocess.PIPE,
            stdout=output_file,
            stderr=log_file,
            # Ctrl-C reaches the demo alone, which then stops its programs one after the other.
            start_new_session=True,
        )
    program = Program(name, process, log)
    try:
        with _killed_with_the_demo(process.pid):
            # Only now, so that there is no moment at which it would outlive a demo that is killed.
            _begin(process)
            yield program
    finally:
        program.stop()


def _begin(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as line:
        line.write(b"\n")


@contextmanager
def _killed_with_the_demo(group: int) -> Iterator[None]:
    """Have a process group killed if the demo is killed: it can then stop nothing itself.

    The guard waits for the end of its standard input, which comes when the demo ends, however it
    ends.
    """
    guard = subprocess.Popen(
        ["/bin/sh", "-c", _GUARD, "guard", str(group)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with guard:
        try:
            yield
        finally:
            guard.kill()


class PipelineEvents:
    """The rows that each store has taken in, from the file to which the pipeline writes.

    Args:
        path: a file of `{"store": …, "rows": …}`, one line an epoch.
        stores: the stores that the pipeline fills.
    """

    def __init__(self, path: Path, *, stores: Sequence[str]) -> None:
        self._path = path
        self._read_bytes = 0
        self.rows: dict[str, int] = dict.fromkeys(stores, 0)

    def read(self) -> None:
        """Take in the lines that were written since the last call."""
        with self._path.open("rb") as file:
            file.seek(self._read_bytes)
            whole, newline, _ = file.read().rpartition(b"\n")
        self._read_bytes += len(whole) + len(newline)
        for line in whole.splitlines():
            event = _event(line)
            if event is not None and event["store"] in self.rows:
                self.rows[str(event["store"])] = int(str(event["rows"]))


def _event(line: bytes) -> dict[str, object] | None:
    """Return a line of progress; None for any other output of the pipeline."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and {"store", "rows"} <= event.keys() else None


def show_progress(
    console: Console,
    events: PipelineEvents,
    *,
    total: int,
    is_running: Callable[[], bool],
    pause: Callable[[], None],
) -> None:
    """Show the progress of a pipeline until it has ended.

    Args:
        console: where it is shown.
        events: the reports of the pipeline.
        total: the rows that each store takes in.
        is_running: whether the pipeline still runs.
        pause: waits for a moment; an exception from it ends the display.
    """
    readings = _readings(events, is_running, pause)
    if console.is_terminal:
        _show_bars(console, events, total, readings)
    else:
        _show_lines(console, events, total, readings)


def _readings(
    events: PipelineEvents, is_running: Callable[[], bool], pause: Callable[[], None]
) -> Iterator[bool]:
    """Read the events until the pipeline has ended; yield each time whether it runs."""
    runs = True
    while runs:
        runs = is_running()  # asked first: the last events are read after the end
        events.read()
        yield runs
        pause()


def _show_bars(
    console: Console, events: PipelineEvents, total: int, readings: Iterator[bool]
) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        tasks = {
            each: progress.add_task(f"flights into {each}", total=total) for each in events.rows
        }
        for _ in readings:
            for store, rows in events.rows.items():
                progress.update(tasks[store], completed=rows)


def _show_lines(
    console: Console, events: PipelineEvents, total: int, readings: Iterator[bool]
) -> None:
    shown_s = time.monotonic()
    for runs in readings:
        if not runs or time.monotonic() - shown_s >= LINE_EVERY_S:
            shown_s = time.monotonic()
            stores = ", ".join(f"{store} {rows:,}" for store, rows in events.rows.items())
            console.print(f"of {total:,} flights: {stores}", soft_wrap=True)
