"""The messages of protocol 3 as values; `decode` reads them from bytes, `encode` writes them.

Source: PostgreSQL 15 documentation, section 55.7 "Message Formats", where each message stands
under the name that its class has here. A message from the client states the largest length field
it may have, which is checked before its body is read; the classes are those of PostgreSQL's
`SocketBackend`: what carries no text or values is SMALL, the rest is up to the server's limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

SMALL_BYTES = 10_000
"""Largest message that carries at most a name (PQ_SMALL_MESSAGE_LIMIT)."""
AUTHENTICATION_BYTES = 65_535
"""Largest answer to a request for authentication (PG_MAX_AUTH_TOKEN_LENGTH)."""
CANCEL_KEY_BYTES_MAX = 256
"""Longest key of a CancelRequest (protocol 3.2)."""
LARGE_BYTES = 0x3FFFFFFF
"""Largest message of all (PQ_LARGE_MESSAGE_LIMIT); the server's own limit is far below."""


# --- from the client, before the connection is set up: no type byte ------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SSLRequest:
    """May we speak TLS? ("SSLRequest")."""

    length_max: ClassVar[int] = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class GSSENCRequest:
    """May we speak GSSAPI encryption? ("GSSENCRequest")."""

    length_max: ClassVar[int] = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequest:
    """Cancel what another connection runs ("CancelRequest")."""

    length_max: ClassVar[int] = 12 + CANCEL_KEY_BYTES_MAX

    process_id: int
    secret_key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartupMessage:
    """Who connects to what, with which settings ("StartupMessage")."""

    length_max: ClassVar[int] = SMALL_BYTES

    minor: int
    """Minor version of protocol 3 that the client would like."""
    parameters: tuple[tuple[str, str], ...]


# --- from the client -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordMessage:
    """Answer to a request for authentication, whatever was asked for ("PasswordMessage")."""

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
    """Make a portal of a statement and its parameters ("Bind")."""

    length_max: ClassVar[int] = LARGE_BYTES

    portal: str
    statement: str
    parameter_formats: tuple[int, ...]
    """0 text, 1 binary: none for all text, one for all parameters, or one each."""
    parameters: tuple[bytes | None, ...]
    result_formats: tuple[int, ...]
    """As `parameter_formats`, of the result's columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    """Tell what a statement or portal takes and gives ("Describe")."""

    length_max: ClassVar[int] = SMALL_BYTES

    kind: str
    """`S` a statement, `P` a portal."""
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute:
    """Run a portal, or run it on ("Execute")."""

    length_max: ClassVar[int] = SMALL_BYTES

    portal: str
    rows_max: int
    """0 for all rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """Forget a statement or portal ("Close")."""

    length_max: ClassVar[int] = SMALL_BYTES

    kind: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Flush:
    """Send what there is ("Flush")."""

    length_max: ClassVar[int] = SMALL_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """The end of a group of extended messages ("Sync")."""

    length_max: ClassVar[int] = SMALL_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminate:
    """Goodbye ("Terminate")."""

    length_max: ClassVar[int] = SMALL_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """Call a function by its oid: legacy, refused ("FunctionCall")."""

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
    """A COPY that the client gives up ("CopyFail")."""

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
    """We do not speak the minor version or the options asked for ("NegotiateProtocolVersion")."""

    minor: int
    """The newest minor version that we speak, up to the one asked for."""
    unknown_options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationOk:
    """You are who you say ("AuthenticationOk")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationCleartextPassword:
    """Send your password ("AuthenticationCleartextPassword"); asked over TLS only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationSASL:
    """Choose how to prove who you are ("AuthenticationSASL")."""

    mechanisms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationSASLContinue:
    """Go on with your proof ("AuthenticationSASLContinue")."""

    challenge: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationSASLFinal:
    """You have proved it, and here is our proof ("AuthenticationSASLFinal")."""

    outcome: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterStatus:
    """A setting that clients want to know ("ParameterStatus")."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendKeyData:
    """What a CancelRequest must name ("BackendKeyData")."""

    process_id: int
    secret_key: bytes = field(repr=False)
    """4 bytes, from protocol 3.2 on up to 256."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyForQuery:
    """We wait for you ("ReadyForQuery")."""

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
    """A statement or portal is forgotten ("CloseComplete")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoData:
    """What was described gives no rows ("NoData")."""


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
    """Bytes of the type's values; -1 where they vary (`pg_type.typlen`)."""
    modifier: int
    """Precision and scale of a numeric, else -1 (`pg_attribute.atttypmod`)."""
    format: int
    """0 text, 1 binary."""
    table_oid: int = 0
    """`pg_class.oid` of the relation that has this column; 0 for a computed column."""
    column_number: int = 0
    """`pg_attribute.attnum` there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDescription:
    """The columns of the rows that follow ("RowDescription")."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRows:
    """Any number of "DataRow" messages, encoded already: rows never exist as values here."""

    encoded: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyOutResponse:
    """The rows of a COPY follow ("CopyOutResponse")."""

    format: int
    """0 text or csv, 1 binary."""
    columns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRows:
    """Any number of "CopyData" messages, one a row, encoded already."""

    encoded: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandComplete:
    """A statement ended well ("CommandComplete")."""

    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorResponse:
    """A statement, or with severity FATAL the connection, failed ("ErrorResponse")."""

    severity: str
    sqlstate: str
    message: str
    detail: str | None = None
    hint: str | None = None
    position: int | None = None
    """1-based character of the client's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeResponse:
    """Something to know, but no failure ("NoticeResponse")."""

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
