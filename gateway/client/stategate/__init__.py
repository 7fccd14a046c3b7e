"""The Python client of Stategate: SQL over live, partitioned state, by HTTP.

    import stategate

    with stategate.connect("http://localhost:7420") as db:
        for row in db.execute("SELECT * FROM clicks WHERE usr = $1", ["bob"]):
            print(row)

It follows DB-API 2.0 (PEP 249) and imports nothing of the gateway. Names that are not in `__all__`
may change without notice.
"""

import importlib
import pkgutil
import typing

from stategate.version import __version__

if typing.TYPE_CHECKING:
    from stategate.connecting import ConnectOptions, connect, connect_async
    from stategate.connections import AsyncConnection, Connection
    from stategate.cursors import AsyncCursor, Cursor
    from stategate.errors import (
        DatabaseError,
        DataError,
        Error,
        IntegrityError,
        InterfaceError,
        InternalError,
        NotSupportedError,
        OperationalError,
        ProgrammingError,
        Warning,  # noqa: A004 - DB-API's name
    )
    from stategate.live_events import Changes, Event, FirstRows, Progress
    from stategate.position import Position, Record, at_least
    from stategate.requesting import Options
    from stategate.sql_types import (
        BINARY,
        DATETIME,
        NUMBER,
        ROWID,
        STRING,
        Binary,
        Date,
        DateFromTicks,
        Time,
        TimeFromTicks,
        Timestamp,
        TimestampFromTicks,
    )
    from stategate.subscribing import AsyncSubscription, Subscription

# The other distributions may be in other directories, or in a zip.
__path__ = pkgutil.extend_path(__path__, __name__)

apilevel = "2.0"
"""The version of DB-API."""
threadsafety = 2
"""Threads may share the module and connections, but not cursors."""
paramstyle = "named"
"""`:name` with a mapping; beside it `$1`, `$2`, … with a sequence."""

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "AsyncConnection",
    "AsyncCursor",
    "AsyncSubscription",
    "Binary",
    "Changes",
    "ConnectOptions",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "Event",
    "FirstRows",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "Options",
    "Position",
    "ProgrammingError",
    "Progress",
    "Record",
    "Subscription",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "__version__",
    "apilevel",
    "at_least",
    "connect",
    "connect_async",
    "paramstyle",
    "threadsafety",
]

_MODULES = (
    *("connecting", "connections", "cursors", "errors", "live_events"),
    *("position", "requesting", "sql_types", "subscribing"),
)

if not typing.TYPE_CHECKING:  # which knows the names from above

    def __getattr__(name: str) -> object:
        """Import the client with the first of its names: `stategate.stores` needs none."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        for module in _MODULES:
            found = vars(importlib.import_module(f"{__name__}.{module}"))
            globals().update((each, found[each]) for each in __all__ if each in found)
        return globals()[name]
