"""Time segments: groups of timed entries, so that time ranges and expiry touch few of them.

A window lies in the segment of its start, a session in that of its end, a replaced version in that
of its end. This module decides which entries have expired, for all engines.
"""

from __future__ import annotations

from dataclasses import dataclass

from stategate.stores.spec.position import Progress
from stategate.stores.spec.schema import SPAN_MS_MAX, StoreSchema
from stategate.stores.spec.windows import TimeRange

_INTERVAL_MS_MIN = 60_000
_WINDOWS_PER_SEGMENT = 1024
"""Length of a segment without a retention: the whole history of a key takes only a few seeks."""
_KEPT_INTERVAL_MS = 30 * 86_400_000
"""The same for sessions and versions, whose length is unknown: ten years take 120 seeks."""

MICROS_MIN, MICROS_MAX = -(1 << 63), (1 << 63) - 1
"""The first and last microsecond that a timestamp column holds."""
FIRST_WHOLE_MS = -(MICROS_MAX // 1000) * 1000
"""The first whole millisecond of a column, in microseconds. Event times are whole milliseconds."""
END_OF_TIME = MICROS_MAX
"""The exclusive end of latest versions. No version can begin there: it would never be valid, and it
would have the same end as the version before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments:
    """The segments of one store."""

    interval_ms: int
    retention_ms: int | None

    @staticmethod
    def of(schema: StoreSchema) -> Segments:
        """Return the segments of a store: half of the retention, at least a minute, as in Kafka."""
        if schema.retention_ms is not None:
            interval_ms = schema.retention_ms // 2
        elif schema.window_size_ms is not None:
            interval_ms = schema.window_size_ms * _WINDOWS_PER_SEGMENT
        else:
            interval_ms = _KEPT_INTERVAL_MS
        # The length in microseconds must fit into the integers of a column.
        bounded_ms = min(max(interval_ms, _INTERVAL_MS_MIN), SPAN_MS_MAX)
        return Segments(interval_ms=bounded_ms, retention_ms=schema.retention_ms)

    def number_of(self, time_us: int) -> int:
        """Return the number of the segment of a time."""
        return time_us // (1000 * self.interval_ms)

    def history_from_us(self, progress: Progress) -> int:
        """Return the earliest time as of which all versions are known; late ones begin before it.

        Versions as of exactly `retention` behind the watermark are complete, while windows that
        start then have expired: both edges are Kafka's. Stream time is the watermark, by which
        Spark evicts.
        """
        if self.retention_ms is None or progress.watermark_ms is None:
            return MICROS_MIN
        return first_micros(progress.watermark_ms - self.retention_ms)

    def live_from_us(self, progress: Progress) -> int:
        """Return the earliest window start, or session end, that is still readable.

        A time exactly `retention` behind the watermark has expired.
        """
        expired = self.history_from_us(progress)
        return expired if expired == MICROS_MIN else expired + 1

    def readable(self, time: TimeRange, progress: Progress) -> tuple[int, int]:
        """Return the first and last readable window start of a range; first > last if empty."""
        first, last = first_micros(time.start_ms), last_micros(time.end_ms)
        return first if self.retention_ms is None else max(first, self.live_from_us(progress)), last


def first_micros(time_ms: int | None) -> int:
    """Return the least time of a column from `time_ms` on; None is an open end."""
    return MICROS_MIN if time_ms is None else _clamped(time_ms)


def last_micros(time_ms: int | None) -> int:
    """Return the greatest time of a column up to `time_ms`; None is an open end."""
    return MICROS_MAX if time_ms is None else _clamped(time_ms)


def _clamped(time_ms: int) -> int:
    """Return the time in microseconds, limited to 8 bytes: callers may ask for any time."""
    return max(MICROS_MIN, min(time_ms * 1000, MICROS_MAX))
