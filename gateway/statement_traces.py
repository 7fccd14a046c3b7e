"""Opens the traces of statements, if they are on: `gateway.tracing` needs packages of an extra."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from gateway.errors import SettingsError
from gateway.settings import Settings
from planner.engine import Engine, LookUp, TracedRead
from planner.typed import Ask


class Traces(Protocol):
    """What makes spans of statements and of queries by name; see `gateway.tracing`."""

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


def open_traces(settings: Settings) -> Traces | None:
    """Return what makes spans; None if traces are off.

    Raises:
        SettingsError: a package is missing.
    """
    if settings.traces == "off":
        return None
    try:
        from gateway.tracing.export import OtlpTraces  # noqa: PLC0415 - packages of an extra
    except ModuleNotFoundError as error:
        raise SettingsError(
            f'setting "traces" needs a package that is missing: {error.name}',
            hint="Install it: pip install 'stategate[otel]'.",
        ) from error
    return OtlpTraces(node=settings.node)
