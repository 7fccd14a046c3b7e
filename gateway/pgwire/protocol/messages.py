"""The messages of protocol 3 as values; `decode` reads them from bytes, `encode` writes them.

Source: PostgreSQL 15 documentation, section 55.7 "Message Formats", which names the messages as
here. A client's message states its largest length field, which is checked before its body is read.
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


# --- from the server -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptionResponse:
    """Answer to SSLRequest or GSSENCRequest: one byte, S or N ("SSL Session Encryption")."""

    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NegotiateProtocolVersion:
    """A minor version or options are not supported ("NegotiateProtocolVersion")."""

    minor: int
    """The newest minor version that is supported, at most the one asked for."""
    unknown_options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationOk:
    """The client is authenticated ("AuthenticationOk")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationCleartextPassword:
    """Ask for the password, over TLS only ("AuthenticationCleartextPassword")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationSASL:
    """Offer mechanisms of authentication ("AuthenticationSASL")."""

    mechanisms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationSASLContinue:
    """Continue the SASL exchange ("AuthenticationSASLContinue")."""

    challenge: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationSASLFinal:
    """End the SASL exchange with the server's own proof ("AuthenticationSASLFinal")."""

    outcome: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterStatus:
    """A setting that is reported to clients ("ParameterStatus")."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendKeyData:
    """The process id and key that a CancelRequest needs ("BackendKeyData")."""

    process_id: int
    secret_key: bytes = field(repr=False)
    """4 bytes; up to 256 since protocol 3.2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyForQuery:
    """The server waits for the next statement ("ReadyForQuery")."""

    status: str
    """`I` idle, `T` in a transaction, `E` in a failed one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseComplete:
    """A statement was prepared ("ParseComplete")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BindComplete:
    """A portal was made ("BindComplete")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseComplete:
    """A statement or portal was dropped ("CloseComplete")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoData:
    """The described statement gives no rows ("NoData")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalSuspended:
    """The row limit of an Execute was reached ("PortalSuspended")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyQueryResponse:
    """The statement was empty ("EmptyQueryResponse")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterDescription:
    """The types of a statement's parameters ("ParameterDescription")."""

    oids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One column in a RowDescription."""

    name: str
    oid: int
    """`pg_type.oid`."""
    length: int
    """Bytes of a value; -1 if they vary (`pg_type.typlen`)."""
    modifier: int
    """Precision and scale of a numeric, otherwise -1 (`pg_attribute.atttypmod`)."""
    format: int
    """0 text, 1 binary."""
    table_oid: int = 0
    """`pg_class.oid` of the relation that has this column; 0 for a computed column."""
    column_number: int = 0
    """`pg_attribute.attnum` in that relation; 0 for a computed column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDescription:
    """The columns of the next rows ("RowDescription")."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRows:
    """Any number of "DataRow" messages, encoded already."""

    encoded: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyOutResponse:
    """The beginning of a COPY's rows ("CopyOutResponse")."""

    format: int
    """0 text or csv, 1 binary."""
    columns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRows:
    """Any number of "CopyData" messages, one for each row, encoded already."""

    encoded: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandComplete:
    """A statement succeeded ("CommandComplete")."""

    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorResponse:
    """A statement failed, or the connection if the severity is FATAL ("ErrorResponse")."""

    severity: str
    sqlstate: str
    message: str
    detail: str | None = None
    hint: str | None = None
    position: int | None = None
    """1-based character of the client's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeResponse:
    """A message that is not an error ("NoticeResponse")."""

    message: str
    severity: str = "NOTICE"
    sqlstate: str = "00000"


BackendMessage: TypeAlias = (
    EncryptionResponse
    | NegotiateProtocolVersion
    | AuthenticationOk
    | AuthenticationCleartextPassword
    | AuthenticationSASL
    | AuthenticationSASLContinue
    | AuthenticationSASLFinal
    | ParameterStatus
    | BackendKeyData
    | ReadyForQuery
    | ParseComplete
    | BindComplete
    | CloseComplete
    | NoData
    | PortalSuspended
    | EmptyQueryResponse
    | ParameterDescription
    | RowDescription
    | DataRows
    | CopyOutResponse
    | CopyRows
    | CopyDone
    | CommandComplete
    | ErrorResponse
    | NoticeResponse
)
