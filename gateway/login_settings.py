"""The settings of clients that have not logged in yet."""

from __future__ import annotations

from stategate.gateway.setting_records import setting

OF_ADDRESS_MAX = setting(
    250,
    "Unauthenticated connections of one address (an IPv6 /64), for each protocol; more are cut "
    "off. A quarter of the total: enough for a burst, too few for a flood.",
    unit="connections",
    least=1,
)
ALL_MAX = setting(
    1_000,
    "Unauthenticated connections of all addresses, for each protocol, in addition to "
    "authenticated clients. Beyond that, the address with the most loses its oldest, so that "
    "a few addresses "
    "cannot lock others out.",
    unit="connections",
    least=1,
)
PROXY_PROTOCOL = setting(
    "off",
    "Listeners whose connections from `proxies` must begin with a header of the PROXY protocol, "
    "version 1 or 2: off, pg, http or both. Off, because most HTTP proxies send X-Forwarded-For. "
    "Connections from elsewhere must not have one.",
)
AUDIT = setting(
    "",
    "Where the audit goes: the path of a file, stderr or stdout. Empty for none, the default: each "
    "statement costs some microseconds more, and a lookup by HTTP takes twice as long.",
)
TIMEOUT_MS = setting(
    60_000,
    "How long a client of the Postgres wire may take to log in, TLS included. PostgreSQL's "
    "default: long enough to type a password.",
    unit="ms",
    least=1,
)
