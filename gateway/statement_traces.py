"""Opens what watches statements: traces, whose packages are of an extra, and the audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from stategate.gateway.audit.log import Audit
from stategate.gateway.audit.statements import StatementAudit
from stategate.gateway.errors import SettingsError
from stategate.gateway.settings import Settings
from stategate.gateway.watching.engine import WatchedEngine, WatchedLookUp
from stategate.gateway.watching.typed import WatchedAsk
from stategate.planner.engine import Engine, LookUp, TracedRead
from stategate.planner.typed import Ask


class Traces(Protocol):
    """What makes spans of statements and of queries by name; see `stategate.gateway.tracing`."""

    def engine(self, inner: Engine) -> Engine:
        """Return an engine that makes spans, around one with `watch_look_up`."""

    def watch_look_up(self, look_up: LookUp, sql: str) -> LookUp:
        """Return the fast way of a statement, with spans."""

    def watch_ask(self, ask: Ask) -> Ask:
        """Return what asks queries by name, with spans."""

    def trace_of(self, headers: Mapping[str, str]) -> object | None:
        """Return the trace that the headers of a request name."""

    def note_read(self, read: TracedRead) -> None:
        """Make the span of a read for a statement of another node."""

    def close(self) -> None:
        """Send the spans that are left."""


class _Audited:
    """Has statements audited, and traced if there are traces.

    Args:
        audit: takes the lines.
        traces: makes the spans; None for none.
    """

    def __init__(self, audit: Audit, traces: Traces | None) -> None:
        self._watcher, self._traces = StatementAudit(audit), traces

    def engine(self, inner: Engine) -> Engine:
        """Return an engine whose statements are audited, around one with `watch_look_up`."""
        traced = inner if self._traces is None else self._traces.engine(inner)
        return WatchedEngine(traced, self._watcher)

    def watch_look_up(self, look_up: LookUp, sql: str) -> LookUp:
        """Return the fast way of a statement, audited."""
        traced = look_up if self._traces is None else self._traces.watch_look_up(look_up, sql)
        return WatchedLookUp(self._watcher, traced, sql)

    def watch_ask(self, ask: Ask) -> Ask:
        """Return what asks queries by name, audited."""
        return WatchedAsk(
            self._watcher, ask if self._traces is None else self._traces.watch_ask(ask)
        )

    def trace_of(self, headers: Mapping[str, str]) -> object | None:
        """Return the trace that the headers of a request name."""
        return None if self._traces is None else self._traces.trace_of(headers)

    def note_read(self, read: TracedRead) -> None:
        """Make the span of a read for a statement of another node, which audits it itself."""
        if self._traces is not None:
            self._traces.note_read(read)

    def close(self) -> None:
        """Send the spans that are left."""
        if self._traces is not None:
            self._traces.close()


def open_watching(settings: Settings, audit: Audit | None) -> Traces | None:
    """Return what watches statements; None without traces and an audit.

    Raises:
        SettingsError: a package is missing.
    """
    traces = open_traces(settings)
    return traces if audit is None else _Audited(audit, traces)


def open_traces(settings: Settings) -> Traces | None:
    """Return what makes spans; None if traces are off.

    Raises:
        SettingsError: a package is missing.
    """
    if settings.traces == "off":
        return None
    try:
        from stategate.gateway.tracing.export import OtlpTraces  # noqa: PLC0415 - packages of an extra
    except ModuleNotFoundError as error:
        raise SettingsError(
            f'setting "traces" needs a package that is missing: {error.name}',
            hint="Install it: pip install 'stategate[otel]'.",
        ) from error
    return OtlpTraces(node=settings.node)
