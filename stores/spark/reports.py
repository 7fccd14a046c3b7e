"""What a batch did, for the log and for programs; and why one failed, in one sentence."""

from __future__ import annotations

import itertools
import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from stategate.stores.errors import StoreError
from stategate.stores.log.metadata.records import Commit

logger = logging.getLogger(__name__)

_SENTENCE_CHARS_MAX = 500
_RAISED = re.compile(r"(?:\w+\.)*\w*(?:Error|Exception): (?P<message>.+)")
"""The line of a traceback that says what was raised."""
_CALLING = "An error occurred while calling"
"""The beginning of py4j's errors, whose second line has the message."""
_TRACEBACK = "Traceback (most recent call last)"
"""The beginning of Python's traceback in an error of Java, whose own begins with `at`."""
_STATE = re.compile(r"\s*SQLSTATE: \w{5}$")
_STOPPED = re.compile(
    r"InterruptedException|cancelled part of cancelled job group|cancelled Query .* was stopped"
)
"""The errors of a batch whose query is being stopped; the batch runs again at the next start."""


class BatchFailedError(StoreError):
    """Spark could not compute or write the rows of a batch. The log has Spark's whole error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochReport:
    """One epoch that a pipeline has committed."""

    store: str
    epoch: int
    rows: int
    """Rows that were written: one for each key that changed."""
    size_bytes: int
    """Bytes of its data files."""
    seconds: Mapping[str, float]
    """Phase → time. A small batch is collected by the driver (`collect`, with Spark's own work),
    then its rows are checked and deduplicated (`shape`), written and committed. A large one is
    written by Spark's tasks (`write`, with Spark's own work), and committed."""
    event_lag_ms: int | None
    """How far the watermark is behind the clock; None before the first watermark."""

    @property
    def total_s(self) -> float:
        """The time of all phases, in seconds."""
        return sum(self.seconds.values())

    def __str__(self) -> str:
        """Return the line for the log."""
        phases = "".join(f" {phase}_s={spent:.3f}" for phase, spent in self.seconds.items())
        lag = "" if self.event_lag_ms is None else f" event_lag_s={self.event_lag_ms / 1000:.3f}"
        return (
            f"epoch committed store={self.store} epoch={self.epoch} rows={self.rows} "
            f"bytes={self.size_bytes} total_s={self.total_s:.3f}{phases}{lag}"
        )


OnEpoch: TypeAlias = Callable[[EpochReport], None]


def report_epoch(
    store: str, commit: Commit, seconds: Mapping[str, float], on_epoch: OnEpoch | None
) -> None:
    """Log a committed epoch, and tell the caller's function of it.

    The epoch is committed, so an error of the function is only logged.
    """
    watermark_ms = commit.watermark_ms
    report = EpochReport(
        store=store,
        epoch=commit.epoch,
        rows=commit.rows,
        size_bytes=sum(file.size_bytes for file in commit.files),
        seconds=seconds,
        event_lag_ms=None if watermark_ms is None else time.time_ns() // 1_000_000 - watermark_ms,
    )
    logger.info("%s", report)
    if on_epoch is not None:
        try:
            on_epoch(report)
        except Exception:
            logger.exception("on_epoch failed store=%s epoch=%d", store, commit.epoch)


def fail_batch(store: str, batch: int, error: Exception) -> NoReturn:
    """Log the error of a batch, and raise one whose message is a sentence.

    Spark puts the traceback of what a batch raises into its own error, so the one that is raised
    has neither a traceback of ours nor a cause.

    Raises:
        StoreError: always; the error itself if it is one.
    """
    if _STOPPED.search(str(error)):
        raise error
    logger.error("epoch failed store=%s epoch=%d", store, batch, exc_info=error)
    if isinstance(error, StoreError):
        raise error.with_traceback(None) from None
    message = f'epoch {batch} of store "{store}" cannot be written: {sentence_of(error)}'
    raise BatchFailedError(message) from None


def sentence_of(error: BaseException) -> str:
    """Return why something failed as one short line, without stack traces and plans."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    python = itertools.takewhile(lambda line: not line.startswith("at "), lines)
    raised = [found["message"] for line in python if (found := _RAISED.fullmatch(line))]
    if _TRACEBACK in str(error) and raised:
        line = raised[-1]
    elif lines[0].startswith(_CALLING) and len(lines) > 1:
        line = lines[1].removeprefix(": ")
    else:
        line = lines[0]
    return _STATE.sub("", line)[:_SENTENCE_CHARS_MAX]
