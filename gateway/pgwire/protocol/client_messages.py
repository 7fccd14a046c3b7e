"""The messages of a client as values; `decode` reads them from bytes.

Source: PostgreSQL 15 documentation, section 55.7 "Message Formats", which names the messages as
here. A message states its largest length field, which is checked before its body is read.
The sizes are those of PostgreSQL's `SocketBackend`: SMALL for a message without text or values,
otherwise the server's limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

SMALL_BYTES = 10_000
"""Largest message with at most a name (PQ_SMALL_MESSAGE_LIMIT)."""
AUTHENTICATION_BYTES = 65_535
"""Largest answer to a request for authentication (PG_MAX_AUTH_TOKEN_LENGTH)."""
CANCEL_KEY_BYTES_MAX = 256
"""Longest key of a CancelRequest (protocol 3.2)."""
LARGE_BYTES = 0x3FFFFFFF
"""Largest message of all (PQ_LARGE_MESSAGE_LIMIT); the server's own limit is far below."""


# --- from the client, in the startup phase: no type byte -----------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SSLRequest:
    """Ask for TLS ("SSLRequest")."""

    length_max: ClassVar[int] = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class GSSENCRequest:
    """Ask for GSSAPI encryption ("GSSENCRequest")."""

    length_max: ClassVar[int] = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequest:
    """Cancel the statement of another connection ("CancelRequest")."""

    length_max: ClassVar[int] = 12 + CANCEL_KEY_BYTES_MAX

    process_id: int
    secret_key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartupMessage:
    """Open a session: user, database and settings ("StartupMessage")."""

    length_max: ClassVar[int] = SMALL_BYTES

    minor: int
    """Minor version of protocol 3 that the client would like."""
    parameters: tuple[tuple[str, str], ...]


# --- from the client -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordMessage:
    """Answer any request for authentication ("PasswordMessage")."""

    length_max: ClassVar[int] = AUTHENTICATION_BYTES

    response: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Run the statements of a text ("Query")."""

    length_max: ClassVar[int] = LARGE_BYTES

    sql: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parse:
    """Prepare a statement ("Parse")."""

    length_max: ClassVar[int] = LARGE_BYTES

    statement: str
    sql: str
    parameter_oids: tuple[int, ...]
    """0 leaves a type to the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bind:
    """Make a portal from a statement and parameters ("Bind")."""

    length_max: ClassVar[int] = LARGE_BYTES

    portal: str
    statement: str
    parameter_formats: tuple[int, ...]
    """0 text, 1 binary; empty for all text, one for all parameters, or one for each."""
    parameters: tuple[bytes | None, ...]
    result_formats: tuple[int, ...]
    """The same for the columns of the result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    """Ask for the parameters and columns of a statement or portal ("Describe")."""

    length_max: ClassVar[int] = SMALL_BYTES

    kind: str
    """`S` a statement, `P` a portal."""
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute:
    """Run a portal, or continue it ("Execute")."""

    length_max: ClassVar[int] = SMALL_BYTES

    portal: str
    rows_max: int
    """0 for all rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """Drop a statement or portal ("Close")."""

    length_max: ClassVar[int] = SMALL_BYTES

    kind: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Flush:
    """Ask for the pending output ("Flush")."""

    length_max: ClassVar[int] = SMALL_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """End a group of extended messages ("Sync")."""

    length_max: ClassVar[int] = SMALL_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminate:
    """Close the connection ("Terminate")."""

    length_max: ClassVar[int] = SMALL_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """Call a function by its oid: legacy and refused ("FunctionCall")."""

    length_max: ClassVar[int] = LARGE_BYTES

    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyData:
    """Bytes of a COPY ("CopyData")."""

    length_max: ClassVar[int] = LARGE_BYTES

    chunk: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyDone:
    """The end of a COPY ("CopyDone"); the server sends it as well."""

    length_max: ClassVar[int] = SMALL_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyFail:
    """The client gives up a COPY ("CopyFail")."""

    length_max: ClassVar[int] = SMALL_BYTES

    reason: str


StartupPacket: TypeAlias = SSLRequest | GSSENCRequest | CancelRequest | StartupMessage
FrontendMessage: TypeAlias = (
    StartupPacket
    | PasswordMessage
    | Query
    | Parse
    | Bind
    | Describe
    | Execute
    | Close
    | Flush
    | Sync
    | Terminate
    | FunctionCall
    | CopyData
    | CopyDone
    | CopyFail
)
