"""Makes spans and sends them away, as OpenTelemetry's environment variables say."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from stategate.gateway.tracing.contexts import read_tags, take_context
from stategate.gateway.tracing.spans import StatementSpan, add_read_for_node, context_of
from stategate.gateway.watching.engine import WatchedEngine, WatchedLookUp
from stategate.gateway.watching.typed import WatchedAsk
from stategate.planner.engine import Engine, LookUp, Session, TracedRead
from stategate.planner.typed import Ask

CLOSE_S = 2.0
"""How long the end of the gateway may wait for the collector."""
_SERVICE: Final = "service.name"


class OtlpTraces:
    """The spans of one process.

    Args:
        node: the name of this node.
        processor: takes the spans; None sends them by OTLP over HTTP.
    """

    def __init__(self, *, node: str, processor: SpanProcessor | None = None) -> None:
        # The provider reads OTEL_TRACES_SAMPLER, the processor OTEL_BSP_…, the exporter
        # OTEL_EXPORTER_OTLP_…
        self._provider = TracerProvider(
            resource=Resource.create(_attributes(node, os.environ)), shutdown_on_exit=False
        )
        self._provider.add_span_processor(processor or BatchSpanProcessor(OTLPSpanExporter()))
        self._node = node
        self._tracer = self._provider.get_tracer("stategate", version("stategate"))

    def begin(self, kind: str, session: Session, *, store: str | None = None) -> StatementSpan:
        """Begin the span of a statement; see `Watcher`.

        Its parent is in the tags at the end of its text, or else in the session.
        """
        return StatementSpan(self._tracer, kind, take_context(session), store=store)

    def read_tags(self, sql: str, session: Session) -> None:
        """Give the session the context of a text; see `contexts`."""
        read_tags(sql, session)

    def engine(self, inner: Engine) -> Engine:
        """Return an engine that makes spans, around one with `watch_look_up`."""
        return WatchedEngine(inner, self)

    def watch_look_up(self, look_up: LookUp, sql: str) -> LookUp:
        """Return the fast way of a statement, with spans."""
        return WatchedLookUp(self, look_up, sql)

    def watch_ask(self, ask: Ask) -> Ask:
        """Return what asks queries by name, with spans."""
        return WatchedAsk(self, ask)

    def trace_of(self, headers: Mapping[str, str]) -> object | None:
        """Return the trace that the headers of a request name, with names in lower case."""
        return context_of(headers)

    def note_read(self, read: TracedRead) -> None:
        """Make the span of a read for a statement of another node."""
        add_read_for_node(self._tracer, read, node=self._node)

    def close(self) -> None:
        """Send the spans that are left, for a while, and make no more."""
        # The exporter tries again for ten seconds if the collector is gone.
        ending = threading.Thread(target=self._provider.shutdown, name="traces", daemon=True)
        ending.start()
        ending.join(CLOSE_S)


def _attributes(node: str, environment: Mapping[str, str]) -> dict[str, str]:
    found = {"service.version": version("stategate"), "stategate.node": node}
    told = environment.get("OTEL_RESOURCE_ATTRIBUTES", "")
    if "OTEL_SERVICE_NAME" not in environment and f"{_SERVICE}=" not in told:
        found[_SERVICE] = "stategate"
    return found
