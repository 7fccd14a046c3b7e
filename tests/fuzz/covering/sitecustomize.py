"""Measures coverage in each Python that finds this directory on its path.

Composing processes are forked, and are killed when they are no longer needed. So what was measured
is saved every second, and not only at the end. No process is forked meanwhile: the child would find
a lock that a thread holds which it does not have, and would save nothing.

Python sets no tracer in the threads of DuckDB, so functions that DuckDB calls set it themselves.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import coverage

_SAVED_EVERY_S = 1.0
_saving = threading.Lock()
"""Held while data are saved, and while a process is forked."""


def _save_again_and_again(measured: coverage.Coverage) -> None:
    while True:
        time.sleep(_SAVED_EVERY_S)
        with _saving:
            measured.save()


def _begin(measured: coverage.Coverage) -> None:
    threading.Thread(target=_save_again_and_again, args=(measured,), daemon=True).start()


def _begin_in_child() -> None:
    _saving.release()
    _begin(_measured)


def _traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs with the tracer, also in a thread that has not set it."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        if sys.gettrace() is None:
            sys.settrace(threading.gettrace())
        return function(*arguments)

    return call


def _trace_python_functions() -> None:
    # Imported late, so that its own lines are measured.
    from stategate.planner.composing.functions.python_functions import (  # noqa: PLC0415
        PYTHON_FUNCTIONS,
    )

    for name, (function, given, result) in tuple(PYTHON_FUNCTIONS.items()):
        PYTHON_FUNCTIONS[name] = _traced(function), given, result


if os.environ.get("COVERAGE_PROCESS_START"):
    _measured = coverage.Coverage(
        config_file=os.environ["COVERAGE_PROCESS_START"], data_suffix=True, auto_data=True
    )
    _measured.start()
    _begin(_measured)
    _trace_python_functions()
    os.register_at_fork(
        before=_saving.acquire, after_in_parent=_saving.release, after_in_child=_begin_in_child
    )
