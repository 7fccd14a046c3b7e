"""The settings of what one user, or one address, may take; the users file has others."""

from __future__ import annotations

from stategate.gateway.setting_records import setting

HTTP_CONNECTIONS_MAX = setting(
    1_000,
    "HTTP connections at once; more are answered 503, but for /healthz, /readyz and /metrics. "
    "A gateway behind a proxy has some hundred, and each may hold a stream.",
    unit="connections",
    least=1,
)
PG_CONNECTIONS_MAX = setting(
    500,
    "Clients of the Postgres wire at once. PostgreSQL's default is 100, but there a connection "
    "costs a process.",
    unit="connections",
    least=1,
)
ADMIN_CONNECTIONS = setting(
    3,
    "Connections of each protocol, of those above, that only administrators get, so that they can "
    "end the others. As many as PostgreSQL reserves.",
    unit="connections",
)
CONNECTIONS_OF_USER_MAX = setting(
    0,
    "Connections of one user at once, for each protocol; 0 is three quarters of all, so that "
    "others find a place, or all where no login is required. Those of a listed proxy count as "
    "no one's.",
    unit="connections",
)
CONNECTIONS_OF_ADDRESS_MAX = setting(
    0,
    "Connections of one address (an IPv6 /64) at once, for each protocol, except from loopback; 0 "
    "is three quarters of all.",
    unit="connections",
)
SUBSCRIBERS_OF_USER_MAX = setting(
    0,
    "Subscribers of one user at once; 0 is three quarters of `live_subscribers_max`, or all where "
    "no login is required.",
    unit="subscribers",
)
RESULT_ROWS_MAX = setting(
    0,
    "Rows of one result, for a user without another limit; a statement with more fails (54000). 0 "
    "for no limit: rows are streamed, and cost no memory.",
    unit="rows",
)
RESULT_BYTES_MAX = setting(
    0,
    "Bytes of one result, in the form of Arrow, for a user without another limit; 0 for no limit.",
    unit="bytes",
    most=1 << 50,
)
STATEMENT_TIMEOUT_MAX_MS = setting(
    3_600_000,
    "The longest `statement_timeout` that a session can set, and what 0 means there: a statement "
    "holds memory and a thread.",
    unit="ms",
    least=1,
)
