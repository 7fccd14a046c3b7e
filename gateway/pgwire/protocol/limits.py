"""All limits of the wire server, each with its unit and the reason for its default.

A session can set its own timeouts, within those of the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stategate.planner.engine import duration_ms

SETTING = "statement_timeout"
_IDLE = "idle_session_timeout"
_IDLE_IN_TRANSACTION = "idle_in_transaction_session_timeout"


@dataclass(frozen=True, slots=True, kw_only=True)
class PgLimits:
    """Limits of one server and of each connection, beyond which it refuses or waits."""

    connections_max: int = 500
    """Open connections. PostgreSQL's default is 100, but here a connection is not a process."""
    unauthenticated_of_address_max: int = 250
    """Unauthenticated connections from one address: a quarter of those from all addresses."""
    unauthenticated_max: int = 1000
    """Unauthenticated connections from all addresses. Beyond it the address with the most loses its
    oldest one."""
    startup_timeout_s: float = 60.0
    """Seconds from the accept to the session, TLS included: PostgreSQL's authentication_timeout."""
    startup_bytes_max: int = 10_000
    """Longest startup packet: PostgreSQL's MAX_STARTUP_PACKET_LENGTH."""
    message_bytes_max: int = 16 * 1024 * 1024
    """Longest message. PostgreSQL accepts 1 GB, but there are no writes: 16 MB of SQL is ample."""
    input_bytes_max: int = 256 * 1024
    """Input that is kept while a statement runs; beyond it the socket is not read."""
    output_bytes_high: int = 256 * 1024
    """Output that waits for a slow client; beyond it no more rows are read: 4 socket buffers."""
    chunk_rows_max: int = 16384
    """Rows that are encoded at once: a few milliseconds, so that other threads get their turn."""
    chunk_bytes_target: int = 1024 * 1024
    """Bytes of rows that are encoded at once, for wide rows."""
    events_max: int = 256
    """Messages that are handled before other connections get their turn: a few milliseconds."""
    statements_max: int = 1000
    """Prepared statements of a connection: drivers keep a few hundred at most (pgjdbc 256)."""
    statements_text_max: int = 16 * 1024 * 1024
    """Characters of all prepared statements of a connection: room for one of the longest."""
    portals_max: int = 100
    """Open portals of a connection; each can hold a snapshot of every partition."""
    scroll_cursors_max: int = 8
    """Cursors of a connection that can be read backwards: each keeps rows."""
    scroll_bytes_max: int = 8 * 1024 * 1024
    """Bytes of rows that such a cursor keeps: about 100,000 rows of ordinary width."""
    statement_timeout_s: float = 60.0
    """Timeout of a session that has not set statement_timeout; 0 for none."""
    statement_timeout_max_s: float = 3600.0
    """Maximum that a session can set, even with 0: a statement holds memory and a thread."""
    idle_timeout_s: float = 0.0
    """Silence outside a transaction that ends a connection; 0 for never, as pools need it."""
    idle_in_transaction_timeout_s: float = 3600.0
    """Silence inside a transaction that ends a connection: its portals hold snapshots."""
    message_timeout_s: float = 60.0
    """Time from a message's first byte to its last: a trickle of bytes must not hold a connection.
    """
    keepalive_idle_s: int = 60
    """Silence after which the kernel probes the client."""
    keepalive_interval_s: int = 15
    """Time between probes."""
    keepalive_count: int = 4
    """Unanswered probes before the connection is closed: two minutes in all."""
    write_timeout_s: float = 300.0
    """Longest wait for a client that does not read its rows: it holds a snapshot and memory."""
    sweep_s: float = 1.0
    """How often the timeouts of connections are checked, which is also their maximum delay."""
    abort_timeout_s: float = 5.0
    """How long a stop waits for cancelled statements to end."""
    backlog: int = 512
    """Connections that the kernel holds before they are accepted."""


def statement_timeout_s(setting: str | None, limits: PgLimits) -> float | None:
    """Return the seconds that a statement may run under a session's setting; None for no limit.

    Raises:
        QueryError: the setting is not a duration (22023).
    """
    wanted = limits.statement_timeout_s if setting is None else _seconds(SETTING, setting)
    most = limits.statement_timeout_max_s
    if wanted == 0:
        return most or None
    return min(wanted, most) if most else wanted


def idle_timeout_s(
    settings: Mapping[str, str], limits: PgLimits, *, in_transaction: bool
) -> float | None:
    """Return the seconds that a client may be silent; None for no limit.

    A session can set less than the server's limit, not more.
    """
    name = _IDLE_IN_TRANSACTION if in_transaction else _IDLE
    granted = limits.idle_in_transaction_timeout_s if in_transaction else limits.idle_timeout_s
    wanted = _seconds(name, settings[name]) if name in settings else 0.0
    return min((each for each in (granted, wanted) if each > 0), default=None)


def _seconds(name: str, text: str) -> float:
    return duration_ms(name, text) / 1000
