"""The state of the Spark engine, for `/readyz` and the metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from stategate.gateway.http.metrics.families import Family, counter, gauge


class SparkStatus(Protocol):
    """Whether the engine takes statements; see `EngineStatus` in `stategate.stores`."""

    @property
    def state(self) -> str:
        """`starting`, `running` or `failed`."""

    @property
    def error(self) -> str | None:
        """The reason why it does not run."""

    @property
    def running(self) -> int:
        """Statements that run now."""

    @property
    def statements(self) -> int:
        """Statements so far."""

    @property
    def failures(self) -> int:
        """Statements that failed."""

    @property
    def sessions(self) -> int:
        """Sessions so far."""


def spark_document(status: SparkStatus, *, is_trusted: bool) -> dict[str, object]:
    """Return the state as JSON; the reason of a failure names machines, so not for everyone."""
    return {"state": status.state, "error": status.error if is_trusted else None}


def spark_families(read: Callable[[], SparkStatus]) -> Callable[[], Sequence[Family]]:
    """Return a function that returns the metrics of the engine."""

    def families() -> Sequence[Family]:
        now = read()
        up = int(now.state == "running")
        return (
            gauge("stategate_spark_ready", "1 while the Spark engine takes statements.", up),
            gauge("stategate_spark_running", "Statements that run on Spark.", now.running),
            counter("stategate_spark_statements_total", "Statements on Spark.", now.statements),
            counter("stategate_spark_failures_total", "Statements that failed.", now.failures),
            counter("stategate_spark_sessions_total", "Sessions with Spark.", now.sessions),
        )

    return families
