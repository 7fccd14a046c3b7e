"""The metrics of the other nodes of a cluster, as one of them sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from stategate.gateway.http.metrics.families import Family, label_text
from stategate.gateway.nodes.counts import MeasuredPeer

_Value: TypeAlias = Callable[[MeasuredPeer], float]

_FAMILIES: Final[Sequence[tuple[str, str, str, _Value]]] = (
    ("connected", "gauge", "1 while the node can be asked.", lambda p: int(p.is_connected)),
    (
        "connections_total",
        "counter",
        "Connections made to the node.",
        lambda p: p.counts.connections,
    ),
    ("requests_total", "counter", "Requests to the node.", lambda p: p.counts.requests),
    ("replies_total", "counter", "Replies of the node.", lambda p: p.counts.replies),
    (
        "failures_total",
        "counter",
        "Requests without a reply: the node was lost or not connected.",
        lambda p: p.counts.failures,
    ),
    (
        "abandoned_total",
        "counter",
        "Requests whose reply no one waits for any more.",
        lambda p: p.counts.abandoned,
    ),
    (
        "overdue_total",
        "counter",
        "Replies that were overdue, so that another node was asked, too.",
        lambda p: p.overdue,
    ),
    (
        "reply_seconds_total",
        "counter",
        "Time from request to reply, in all.",
        lambda p: p.counts.reply_s,
    ),
    ("sent_bytes_total", "counter", "Bytes sent to the node.", lambda p: p.counts.sent_bytes),
    (
        "received_bytes_total",
        "counter",
        "Bytes of its replies.",
        lambda p: p.counts.received_bytes,
    ),
    (
        "answered_total",
        "counter",
        "Requests of the node that were answered here.",
        lambda p: p.answered,
    ),
)
"""Each metric: the end of its name, its kind, its description, and its value."""


def node_families(peers: Sequence[MeasuredPeer], unreadable: Mapping[str, int]) -> list[Family]:
    """Return the metrics of nodes.

    Args:
        peers: the other nodes.
        unreadable: how many reads of each node failed, this one among them.
    """
    info = Family("stategate_node_info", "gauge", "Always 1; the label has the node's version.")
    for peer in peers:
        info.add(label_text(node=peer.name, version=peer.version), 1)
    found = [info]
    for name, kind, about, value in _FAMILIES:
        family = Family(f"stategate_node_{name}", kind, about)
        for peer in peers:
            family.add(label_text(node=peer.name), value(peer))
        found.append(family)
    reads = Family(
        "stategate_node_unreadable_total",
        "counter",
        "Reads that failed at the node's copy, so that another one was asked.",
    )
    # A series that began with its first read could not be seen to increase.
    counts = dict.fromkeys([peer.name for peer in peers], 0) | dict(unreadable)
    for node, count in sorted(counts.items()):
        reads.add(label_text(node=node), count)
    return [*found, reads]
