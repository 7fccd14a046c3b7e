"""Time segments: how timed entries are grouped, so that time ranges and expiry touch few of them.

A window lies in the segment of its start, a session in that of its end, a version that another has
replaced in that of its end. What is expired is decided here, for all engines alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from stores.spec.position import Progress
from stores.spec.query import TimeRange
from stores.spec.schema import SPAN_MS_MAX, StoreSchema

_INTERVAL_MS_MIN = 60_000
_WINDOWS_PER_SEGMENT = 1024
"""Without retention: enough windows that one key's whole history is a handful of seeks."""
_KEPT_INTERVAL_MS = 30 * 86_400_000
"""The same for sessions and versions, whose length is not known: ten years are 120 seeks."""

MICROS_MIN, MICROS_MAX = -(1 << 63), (1 << 63) - 1
"""The first and last microsecond that a timestamp column holds."""
FIRST_WHOLE_MS = -(MICROS_MAX // 1000) * 1000
"""Where the first millisecond begins that a column holds whole: event times are whole ones."""
END_OF_TIME = MICROS_MAX
"""Where a version ends that no other has replaced, exclusive. So none can begin there: one that did
would be valid at no time, and it and the one before it could not be told apart by their ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments:
    """The segments of one store."""

    interval_ms: int
    retention_ms: int | None

    @staticmethod
    def of(schema: StoreSchema) -> Segments:
        """Kafka's default, half of the retention but a minute at least; see above without one."""
        if schema.retention_ms is not None:
            interval_ms = schema.retention_ms // 2
        elif schema.window_size_ms is not None:
            interval_ms = schema.window_size_ms * _WINDOWS_PER_SEGMENT
        else:
            interval_ms = _KEPT_INTERVAL_MS
        # In microseconds it has to fit into the integers of a column.
        bounded_ms = min(max(interval_ms, _INTERVAL_MS_MIN), SPAN_MS_MAX)
        return Segments(interval_ms=bounded_ms, retention_ms=schema.retention_ms)

    def number_of(self, time_us: int) -> int:
        """The segment that a time lies in, which is in microseconds, as columns hold it."""
        return time_us // (1000 * self.interval_ms)

    def history_from_us(self, progress: Progress) -> int:
        """The earliest time as of which all versions are known, and from which they are taken.

        What is exactly `retention` behind the watermark is served in full, other than for windows:
        both edges are Kafka's. Stream time is the pipeline's watermark, by which Spark evicts too.
        """
        if self.retention_ms is None or progress.watermark_ms is None:
            return MICROS_MIN
        return first_micros(progress.watermark_ms - self.retention_ms)

    def live_from_us(self, progress: Progress) -> int:
        """The earliest window start, or session end, that is still readable.

        One exactly `retention` behind the watermark has expired.
        """
        expired = self.history_from_us(progress)
        return expired if expired == MICROS_MIN else expired + 1

    def readable(self, time: TimeRange, progress: Progress) -> tuple[int, int]:
        """First and last window start, both inclusive, of what a query may see; may be empty."""
        first = max(first_micros(time.start_ms), self.live_from_us(progress))
        return first, last_micros(time.end_ms)


def first_micros(time_ms: int | None) -> int:
    """The least time in a column that is not before `time_ms`; None leaves the end open."""
    return MICROS_MIN if time_ms is None else _clamped(time_ms)


def last_micros(time_ms: int | None) -> int:
    """The greatest time in a column that is not behind `time_ms`; None leaves the end open."""
    return MICROS_MAX if time_ms is None else _clamped(time_ms)


def _clamped(time_ms: int) -> int:
    """No farther than a time's 8 bytes reach: what a caller asks for has no such limit."""
    return max(MICROS_MIN, min(time_ms * 1000, MICROS_MAX))
