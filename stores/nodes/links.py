"""What a cluster store needs of the other nodes: a link to each, which a transport implements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import pyarrow as pa

from stores.errors import StoreError
from stores.nodes.messages import Reply, Request
from stores.spec.store import Waiting


class NodeError(StoreError):
    """A node cannot be reached, or does not reply in time. Ask another one."""


Replied: TypeAlias = tuple[Reply, Sequence[pa.RecordBatch]]
"""A reply and the batches that follow it."""
OnReply: TypeAlias = Callable[[Replied | NodeError], object]


class Link(Protocol):
    """The connection to one other node. Safe to use from many threads."""

    def ask(self, request: Request, *, timeout_s: float | None = None) -> Replied:
        """Send a request, and block until its reply has come.

        Args:
            request: what to ask.
            timeout_s: how long to wait; None for the usual time.

        Raises:
            NodeError: there is no reply in time, or there cannot be one.
            MessageError: the reply is malformed.
        """

    def begin(self, request: Request, on_reply: OnReply) -> Waiting:
        """Send a request; call back with its reply, in any thread.

        The callback must return at once.
        """

    def tell(self, request: Request) -> None:
        """Send a request without a reply; do nothing if the node cannot be reached."""
