"""The Postgres wire: protocol 3.0, simple and extended, text and binary."""

from gateway.pgwire.protocol.limits import PgLimits
from gateway.pgwire.server import PgServer

__all__ = ["PgLimits", "PgServer"]
