"""The metrics of live queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stategate.gateway.http.metrics.families import Family, counter, gauge
from stategate.planner.engine import LiveCounts


def live_families(read: Callable[[], LiveCounts]) -> Callable[[], Sequence[Family]]:
    """Return a function that returns the metrics of the live queries."""

    def families() -> Sequence[Family]:
        now = read()
        return (
            gauge("stategate_live_subscribers", "Open subscriptions.", now.subscribers),
            gauge("stategate_live_queries", "Statements kept up to date for them.", now.queries),
            gauge("stategate_live_rows", "Rows of their results.", now.held_rows),
            gauge("stategate_live_bytes", "Memory of results and events.", now.held_bytes),
            counter(
                "stategate_live_events_total", "Events taken by subscribers.", now.events_given
            ),
            counter(
                "stategate_live_slow_total",
                "Subscribers that were ended because they read too slowly.",
                now.slow_ended,
            ),
            counter(
                "stategate_live_caught_up_total",
                "Clients with an old token that went on by the state log.",
                now.caught_up,
            ),
            counter(
                "stategate_live_started_over_total",
                "Clients with an old token that got all rows again.",
                now.started_over,
            ),
            counter(
                "stategate_live_whole_reads_total",
                "Results read whole, because the changed keys of an epoch were not known.",
                now.whole_reads,
            ),
        )

    return families
