"""Measures coverage in each Python that finds this directory on its path.

Composing processes are forked, and are killed when they are no longer needed. So what was measured
is saved every second, and not only at the end.
"""

from __future__ import annotations

import os
import threading
import time

import coverage

_SAVED_EVERY_S = 1.0


def _save_again_and_again(measured: coverage.Coverage) -> None:
    while True:
        time.sleep(_SAVED_EVERY_S)
        measured.save()


def _begin(measured: coverage.Coverage) -> None:
    threading.Thread(target=_save_again_and_again, args=(measured,), daemon=True).start()


if os.environ.get("COVERAGE_PROCESS_START"):
    _measured = coverage.Coverage(
        config_file=os.environ["COVERAGE_PROCESS_START"], data_suffix=True, auto_data=True
    )
    _measured.start()
    _begin(_measured)
    os.register_at_fork(after_in_child=lambda: _begin(_measured))
