"""Shows the progress of the pipeline of `stategate demo`: bars in a terminal, else lines."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

LINE_EVERY_S = 10.0
"""How often a line is printed without a terminal; a replay prints about ten."""


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
    """Return a line of progress; None for anything else that the pipeline prints."""
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
        events: what the pipeline reports.
        total: the rows that each store takes in.
        is_running: whether the pipeline still runs.
        pause: waits for a moment; what it raises ends the display.
    """
    show = _show_bars if console.is_terminal else _show_lines
    show(console, events, total, is_running, pause)


def _show_bars(
    console: Console,
    events: PipelineEvents,
    total: int,
    is_running: Callable[[], bool],
    pause: Callable[[], None],
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
        runs = True
        while runs:
            runs = is_running()  # asked first: the last events are read after the end
            events.read()
            for store, rows in events.rows.items():
                progress.update(tasks[store], completed=rows)
            pause()


def _show_lines(
    console: Console,
    events: PipelineEvents,
    total: int,
    is_running: Callable[[], bool],
    pause: Callable[[], None],
) -> None:
    shown_s = time.monotonic()
    runs = True
    while runs:
        runs = is_running()
        events.read()
        if not runs or time.monotonic() - shown_s >= LINE_EVERY_S:
            shown_s = time.monotonic()
            stores = ", ".join(f"{store} {rows:,}" for store, rows in events.rows.items())
            console.print(f"of {total:,} flights: {stores}", soft_wrap=True)
        pause()
