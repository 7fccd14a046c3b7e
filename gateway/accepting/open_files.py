"""Notices that the process may open no more files: the loop cuts off connections without a word."""

from __future__ import annotations

import errno
import logging
import os
import time
from collections.abc import Callable
from typing import Final

logger = logging.getLogger(__name__)

OUT_OF_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE})
"""The errors of the process's limit and of the system's."""
_LOG_EVERY_S: Final = 10.0


def _probe() -> None:
    os.close(os.open(os.devnull, os.O_RDONLY))


class OpenFilesWatch:
    """Logs that no file can be opened, when it is called and not more often than it should.

    Args:
        probe: opens a file, and closes it.
        clock: monotonic, in seconds.
    """

    def __init__(
        self,
        probe: Callable[[], None] = _probe,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._probe, self._clock = probe, clock
        self._logged_s = float("-inf")

    def __call__(self) -> None:
        """Try to open a file."""
        try:
            self._probe()
        except OSError as error:
            now_s = self._clock()
            if error.errno in OUT_OF_FILES and now_s - self._logged_s >= _LOG_EVERY_S:
                self._logged_s = now_s
                logger.error(
                    "too many open files, connections are cut off: raise the limit (ulimit -n), or "
                    "lower open_files or the limits of connections"
                )
