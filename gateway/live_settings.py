"""The settings of live queries."""

from __future__ import annotations

from stategate.gateway.setting_records import setting

SUBSCRIBERS_MAX = setting(
    5_000,
    "Subscribers at once, over HTTP and the Postgres wire; more are refused (53300). Those of the "
    "same statement share its work, so that each costs little more than its connection.",
    unit="subscribers",
    least=1,
)
ROWS_MAX = setting(
    100_000,
    "Rows of a statement that is subscribed to; with more it ends (54000). Its whole result is "
    "compared with the one before at each epoch: some 50 ms of CPU time for as many, 300 ms with "
    "floating-point numbers; its first one takes 70 ms more, for tokens.",
    unit="rows",
    least=1,
)
BYTES_MAX = setting(
    256 << 20,
    "Memory for the results and the latest events of all live queries. Old events are dropped "
    "first, then a query that needs more ends (53200).",
    unit="bytes",
    least=1 << 20,
    most=1 << 50,
)
LOG_BYTES_MAX = setting(
    1 << 30,
    "Bytes of the state log that may be read of one store to bring back clients whose token is "
    "older than what replicas keep; if they need more, they start over. The store as of the token "
    "is built from them on the disk for temporary files, some ten seconds for as much; four stores "
    "are there at once, in each worker. 0 reads nothing: all such clients start over.",
    unit="bytes",
    most=1 << 50,
)
LINGER_MS = setting(
    30_000,
    "How long a live query goes on after its last subscriber has left, so that one who comes back "
    "need not start over. Longer than a reconnect takes.",
    unit="ms",
)
LIFETIME_MS = setting(
    3_600_000,
    "How long one stream of /v1/subscribe lasts; clients then reconnect by themselves. So a user "
    "who is removed sees no more than an hour of changes.",
    unit="ms",
    least=1,
)
