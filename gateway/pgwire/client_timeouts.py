"""How long a client may take: to log in, to complete a message, to send the next one."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from stategate.gateway.pgwire.protocol.errors import fatal
from stategate.gateway.pgwire.protocol.limits import PgLimits, idle_timeout_s
from stategate.gateway.pgwire.protocol.server_messages import ErrorResponse

IDLE_TIMEOUT = "57P05"
IDLE_IN_TRANSACTION_TIMEOUT = "25P03"


class ClientTimeouts:
    """The times of one client, in seconds of the event loop's clock.

    Args:
        limits: the limits of the server.
        now_s: when the connection was accepted.
    """

    __slots__ = ("_accepted_s", "_limits", "_partial", "active_s")

    def __init__(self, limits: PgLimits, now_s: float) -> None:
        self.active_s = now_s
        """When the client last sent something, or was last answered."""
        self._limits = limits
        self._accepted_s = now_s
        self._partial: tuple[int, float] | None = None
        """The messages handled before the one that is arriving, and when that was first seen."""

    def startup_left_s(self, now_s: float) -> float:
        """Return the time that remains for TLS and login.

        It counts from the accept, so that a byte now and then does not extend it.
        """
        return self._limits.startup_timeout_s - (now_s - self._accepted_s)

    def message_overdue(self, now_s: float, *, handled: int, buffered_bytes: int) -> bool:
        """Whether one message has been arriving for too long.

        Args:
            now_s: the time.
            handled: messages that have been handled so far.
            buffered_bytes: bytes of the next message that have arrived.
        """
        if not buffered_bytes:
            self._partial = None
        elif self._partial is None or self._partial[0] != handled:
            self._partial = handled, now_s
        else:
            return now_s - self._partial[1] > self._limits.message_timeout_s
        return False

    def idle_error(
        self, now_s: float, settings: Mapping[str, str], *, in_transaction: bool
    ) -> ErrorResponse | None:
        """Return the error that ends the connection of an idle client; None before its time."""
        most_s = idle_timeout_s(settings, self._limits, in_transaction=in_transaction)
        if most_s is None or now_s - self.active_s <= most_s:
            return None
        sqlstate = IDLE_IN_TRANSACTION_TIMEOUT if in_transaction else IDLE_TIMEOUT
        what = "idle-in-transaction" if in_transaction else "idle-session"
        return fatal(sqlstate, f"terminating connection due to {what} timeout")


def keep_alive(sock: socket.socket, limits: PgLimits) -> None:
    """Have the kernel probe a silent client, which may have vanished without closing."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = (
        ("TCP_KEEPIDLE", limits.keepalive_idle_s),
        ("TCP_KEEPINTVL", limits.keepalive_interval_s),
        ("TCP_KEEPCNT", limits.keepalive_count),
    )
    for name, value in options:
        if hasattr(socket, name):  # missing on some systems, where the defaults are hours
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
