"""The PostgreSQL wire protocol 3, simple and extended, in text and in binary.

| read | for |
|---|---|
| `server`, `client` | sockets: connections, input, output and timeouts |
| `protocol` | bytes and messages; `connection` has the states as a table |
| `entry` | the startup phase: TLS, authentication, parameters |
| `statements` | the work of a session's messages |
| `types` | values in text and in binary |

An error goes through two files until the Sync. `statements/dialog.py`: `Dialog.handle` catches it,
`Dialog.fail` sends the ErrorResponse. `protocol/connection.py`: that response leads to the state
SKIPPING, in which `next_event` drops all messages but the Sync.
"""

from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.pgwire.server import PgServer

__all__ = ["PgLimits", "PgServer"]
