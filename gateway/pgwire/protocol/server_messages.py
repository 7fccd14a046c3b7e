"""The messages of the server as values; `encode` writes them.

Source: PostgreSQL 15 documentation, section 55.7 "Message Formats", which names the messages as
here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from stategate.gateway.pgwire.protocol.client_messages import CopyDone


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
