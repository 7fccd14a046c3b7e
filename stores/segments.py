"""Time segments: how window entries are grouped, so that time ranges and expiry touch few of them.

The entry of a window is keyed by segment, key, window start. A segment covers `interval_ms` of
window starts. What is expired is decided here, for all engines alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from stores.position import Progress
from stores.query import TimeRange
from stores.schema import StoreSchema

_INTERVAL_MS_MIN = 60_000
_WINDOWS_PER_SEGMENT = 1024
"""Without retention: enough windows that one key's whole history is a handful of seeks."""

TIME_MIN, TIME_MAX = -(1 << 62), 1 << 62
"""Beyond all times that a timestamp column holds."""


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
        else:
            interval_ms = (schema.window_size_ms or 0) * _WINDOWS_PER_SEGMENT
        return Segments(
            interval_ms=max(interval_ms, _INTERVAL_MS_MIN), retention_ms=schema.retention_ms
        )

    def number(self, time_ms: int) -> int:
        """The segment that a window start lies in."""
        return time_ms // self.interval_ms

    def live_from_ms(self, progress: Progress) -> int:
        """The earliest window start that is still readable.

        A window that starts exactly `retention` behind the watermark has expired, as in Kafka;
        stream time is the pipeline's watermark, by which Spark evicts too.
        """
        if self.retention_ms is None or progress.watermark_ms is None:
            return TIME_MIN
        return progress.watermark_ms - self.retention_ms + 1

    def readable(self, time: TimeRange, progress: Progress) -> tuple[int, int]:
        """First and last window start, both inclusive, of what a query may see; may be empty."""
        start = TIME_MIN if time.start_ms is None else time.start_ms
        end = TIME_MAX if time.end_ms is None else time.end_ms
        # No farther than a time's 8 bytes reach: what a caller asks for has no such limit.
        first = min(max(start, self.live_from_ms(progress)), TIME_MAX)
        return first, min(max(end, TIME_MIN), TIME_MAX)
