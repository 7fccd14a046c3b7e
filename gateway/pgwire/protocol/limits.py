"""Every limit of the Postgres wire server, with its unit and the reason for its default."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PgLimits:
    """How much of what one server, or one connection, takes before it refuses or waits."""

    connections_max: int = 500
    """Open connections. PostgreSQL's default is 100, but ours cost no process."""
    strangers_max: int = 250
    """Connections of one address that are not let in yet: a quarter of all that there may be."""
    strangers_total_max: int = 1000
    """The same of all addresses, beside those that are let in; of more, the address that has most
    loses its oldest."""
    startup_timeout_s: float = 60.0
    """From accept to being let in, TLS included: PostgreSQL's authentication_timeout."""
    startup_bytes_max: int = 10_000
    """Longest startup packet: PostgreSQL's MAX_STARTUP_PACKET_LENGTH."""
    message_bytes_max: int = 16 * 1024 * 1024
    """Longest message. PostgreSQL takes 1 GB; nobody writes here, so 16 MB of SQL is ample."""
    input_bytes_max: int = 256 * 1024
    """Input held unread while a statement runs, beyond which the socket is no longer read."""
    output_bytes_high: int = 256 * 1024
    """Output waiting for a slow client, above which no more rows are read: 4 socket buffers."""
    chunk_rows_max: int = 16384
    """Rows encoded in one go: a few milliseconds, so that workers and the loop take turns."""
    chunk_bytes_target: int = 1024 * 1024
    """Bytes of rows encoded in one go, where rows are wide."""
    events_max: int = 256
    """Messages handled at once before other connections get their turn: a few milliseconds."""
    statements_max: int = 1000
    """Prepared statements of a connection: drivers keep at most some hundred (pgjdbc 256)."""
    statements_text_max: int = 16 * 1024 * 1024
    """Characters of all prepared statements of a connection: room for one of the longest."""
    portals_max: int = 100
    """Open portals of a connection; each can hold a snapshot of every partition."""
    scroll_cursors_max: int = 8
    """Cursors of a connection that can be read backwards, for the rows that they keep."""
    scroll_bytes_max: int = 8 * 1024 * 1024
    """Rows that such a cursor keeps to go back to: some 100,000 of ordinary width."""
    statement_timeout_s: float = 60.0
    """For a session that has not set statement_timeout; 0 is none."""
    statement_timeout_max_s: float = 3600.0
    """Most that a session can set, also by setting 0; a statement holds memory and a worker."""
    idle_timeout_s: float = 0.0
    """Without a message outside a transaction, then the connection ends; 0 is never, for pools."""
    idle_in_transaction_timeout_s: float = 3600.0
    """The same inside one; portals of a transaction hold snapshots."""
    message_timeout_s: float = 60.0
    """From a message's first byte to its last: a byte now and then does not keep a place."""
    keepalive_idle_s: int = 60
    """Silence after which the kernel asks whether the client is still there."""
    keepalive_interval_s: int = 15
    """Between such questions."""
    keepalive_count: int = 4
    """Questions without an answer before the connection is given up: two minutes in all."""
    write_timeout_s: float = 300.0
    """For a client that reads nothing while rows wait; it holds a snapshot and memory."""
    sweep_s: float = 1.0
    """How often the timeouts of connections are looked at; they are that much late at most."""
    abort_timeout_s: float = 5.0
    """For statements that were cancelled at a stop to notice it."""
    backlog: int = 512
    """Connections that the kernel holds before they are accepted."""
