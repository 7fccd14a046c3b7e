"""The protocol as a table: which message may be received and sent in which state.

Bytes in, messages out; messages in, bytes out. No socket, no clock, no SQL: `dialog` knows the
meaning of messages, `client` sends bytes. A message that is missing in its state's row is a
protocol error of the client if it was received, and a bug of the server if it was to be sent.

    STARTUP ──SSLRequest──► SECURING ──answer──► STARTUP
    STARTUP ──StartupMessage──► AUTHENTICATING ──ReadyForQuery──► IDLE
    IDLE ──Query──► QUERYING ──ReadyForQuery──► IDLE
    IDLE ──Parse, Bind, Describe, Execute, Close, Flush──► EXTENDED ──Sync──► SYNCING
    EXTENDED ──ErrorResponse──► SKIPPING ──Sync──► SYNCING ──ReadyForQuery──► IDLE
    any ──Terminate, FATAL ErrorResponse──► CLOSED
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from stategate.gateway.pgwire.protocol.bind_rounds import Round, RoundReader
from stategate.gateway.pgwire.protocol.client_messages import (
    AUTHENTICATION_BYTES,
    Bind,
    CancelRequest,
    Close,
    CopyData,
    CopyDone,
    CopyFail,
    Describe,
    Execute,
    Flush,
    FrontendMessage,
    FunctionCall,
    GSSENCRequest,
    Parse,
    PasswordMessage,
    Query,
    SSLRequest,
    StartupMessage,
    StartupPacket,
    Sync,
    Terminate,
)
from stategate.gateway.pgwire.protocol.decode import (
    FRONTEND_TYPES,
    Splitter,
    decode,
    decode_startup,
)
from stategate.gateway.pgwire.protocol.encode import encode
from stategate.gateway.pgwire.protocol.errors import FATAL, LocalProtocolError, RemoteProtocolError
from stategate.gateway.pgwire.protocol.server_messages import (
    AuthenticationCleartextPassword,
    AuthenticationOk,
    AuthenticationSASL,
    AuthenticationSASLContinue,
    AuthenticationSASLFinal,
    BackendKeyData,
    BackendMessage,
    BindComplete,
    CloseComplete,
    CommandComplete,
    CopyOutResponse,
    CopyRows,
    DataRows,
    EmptyQueryResponse,
    EncryptionResponse,
    ErrorResponse,
    NegotiateProtocolVersion,
    NoData,
    NoticeResponse,
    ParameterDescription,
    ParameterStatus,
    ParseComplete,
    PortalSuspended,
    ReadyForQuery,
    RowDescription,
)

_BODY_AT = 5
"""Where a message's body begins, after its type and length."""


class State(Enum):
    """The state of a connection."""

    # Members are singletons; Enum's own hash is Python code and would run for every message.
    __hash__ = object.__hash__

    STARTUP = "startup"
    """Only packets without a type byte are expected."""
    SECURING = "securing"
    """The client requested encryption and waits for one byte."""
    AUTHENTICATING = "authenticating"
    """The client has sent its StartupMessage, and its session has not begun."""
    IDLE = "idle"
    QUERYING = "querying"
    """A Query is being answered; messages that arrive meanwhile wait."""
    EXTENDED = "extended"
    """The connection is in a group of extended messages."""
    SKIPPING = "skipping"
    """The group failed: its messages are skipped up to the Sync."""
    SYNCING = "syncing"
    """A Sync is being answered."""
    CLOSED = "closed"


_GROUP: dict[type[FrontendMessage], State] = {
    Parse: State.EXTENDED,
    Bind: State.EXTENDED,
    Describe: State.EXTENDED,
    Execute: State.EXTENDED,
    Close: State.EXTENDED,
    Flush: State.EXTENDED,
    Sync: State.SYNCING,
    Query: State.QUERYING,
    FunctionCall: State.QUERYING,
    Terminate: State.CLOSED,
}
_STRAY_COPY: tuple[type[FrontendMessage], ...] = (CopyData, CopyDone, CopyFail)

CLIENT: Mapping[State, Mapping[type[FrontendMessage], State]] = {
    State.STARTUP: {
        SSLRequest: State.SECURING,
        GSSENCRequest: State.SECURING,
        CancelRequest: State.CLOSED,
        StartupMessage: State.AUTHENTICATING,
    },
    State.SECURING: {},
    State.AUTHENTICATING: {
        PasswordMessage: State.AUTHENTICATING,
        Terminate: State.CLOSED,
    },
    # A client may still be sending data of a failed COPY, to be ignored (section 55.2.6).
    State.IDLE: {**_GROUP, **dict.fromkeys(_STRAY_COPY, State.IDLE)},
    State.QUERYING: {},
    State.EXTENDED: {**_GROUP, **dict.fromkeys(_STRAY_COPY, State.EXTENDED)},
    State.SKIPPING: {
        **dict.fromkeys((*_GROUP, *_STRAY_COPY), State.SKIPPING),
        Sync: State.SYNCING,
        Terminate: State.CLOSED,
    },
    State.SYNCING: {},
    State.CLOSED: {},
}
"""State → message that the client may send → next state.

In a state without entries it is the server's turn: the client's messages wait.
"""

_ROWS = (
    RowDescription,
    DataRows,
    CopyOutResponse,
    CopyRows,
    CopyDone,
    CommandComplete,
    EmptyQueryResponse,
    ErrorResponse,
    NoticeResponse,
    ParameterStatus,
)
_EXTENDED_ANSWERS = (
    *_ROWS,
    ParseComplete,
    BindComplete,
    CloseComplete,
    NoData,
    ParameterDescription,
    PortalSuspended,
)

SERVER: Mapping[State, Mapping[type[BackendMessage], State]] = {
    State.STARTUP: {ErrorResponse: State.CLOSED},
    State.SECURING: {EncryptionResponse: State.STARTUP, ErrorResponse: State.CLOSED},
    State.AUTHENTICATING: {
        NegotiateProtocolVersion: State.AUTHENTICATING,
        AuthenticationCleartextPassword: State.AUTHENTICATING,
        AuthenticationSASL: State.AUTHENTICATING,
        AuthenticationSASLContinue: State.AUTHENTICATING,
        AuthenticationSASLFinal: State.AUTHENTICATING,
        AuthenticationOk: State.AUTHENTICATING,
        ParameterStatus: State.AUTHENTICATING,
        BackendKeyData: State.AUTHENTICATING,
        NoticeResponse: State.AUTHENTICATING,
        ReadyForQuery: State.IDLE,
        ErrorResponse: State.CLOSED,
    },
    # Between statements only unsolicited messages.
    State.IDLE: {
        NoticeResponse: State.IDLE,
        ParameterStatus: State.IDLE,
        ErrorResponse: State.CLOSED,
    },
    State.QUERYING: {**dict.fromkeys(_ROWS, State.QUERYING), ReadyForQuery: State.IDLE},
    State.EXTENDED: {
        **dict.fromkeys(_EXTENDED_ANSWERS, State.EXTENDED),
        ErrorResponse: State.SKIPPING,
    },
    State.SKIPPING: {NoticeResponse: State.SKIPPING, ErrorResponse: State.SKIPPING},
    State.SYNCING: {
        NoticeResponse: State.SYNCING,
        ParameterStatus: State.SYNCING,
        ErrorResponse: State.SYNCING,
        ReadyForQuery: State.IDLE,
    },
    State.CLOSED: {},
}
"""State → message that the server may send → next state."""


class Connection:
    """The protocol state of one connection, without its socket.

    Args:
        message_bytes_max: longest message after the startup phase.
        startup_bytes_max: longest startup packet.
    """

    __slots__ = ("_rounds", "_splitter", "_startup_bytes_max", "state")

    def __init__(self, *, message_bytes_max: int, startup_bytes_max: int) -> None:
        self._splitter = Splitter(length_max=message_bytes_max)
        self._rounds = RoundReader()
        self._startup_bytes_max = startup_bytes_max
        self.state = State.STARTUP

    @property
    def buffered_bytes(self) -> int:
        """Return the number of bytes received but not yet returned as messages."""
        return self._splitter.buffered_bytes

    def receive_data(self, received: bytes) -> None:
        """Add bytes from the client, which may be cut anywhere."""
        self._splitter.feed(received)

    def next_event(self) -> FrontendMessage | None:
        """Return the client's next message; None until it is complete and the client's turn.

        After an error in a group of extended messages all messages up to the Sync are skipped.

        Raises:
            RemoteProtocolError: the client broke the protocol; any other exception is a bug.
                Send an ErrorResponse, and continue unless the error is fatal.
        """
        if self.state is State.STARTUP:
            return self._next_startup()
        while allowed := CLIENT[self.state]:
            authenticating = self.state is State.AUTHENTICATING
            frame = self._splitter.next_frame(
                length_max=AUTHENTICATION_BYTES if authenticating else None
            )
            if frame is None:
                return None
            message = FRONTEND_TYPES[frame[0]]
            following = allowed.get(message)
            if following is None:
                raise RemoteProtocolError(
                    f"unexpected message {message.__name__} in state {self.state.value}", fatal=True
                )
            self.state = following
            if following is not State.SKIPPING and message not in _STRAY_COPY:
                return decode(frame)
        return None

    def _next_startup(self) -> StartupPacket | None:
        body = self._splitter.next_startup(length_max=self._startup_bytes_max)
        if body is None:
            return None
        packet = decode_startup(body)
        self.state = CLIENT[State.STARTUP][type(packet)]
        return packet

    def receive_round(self, received: bytes) -> Round | None:
        """Return the bytes as a round; None if they are anything else, or if input is pending.

        This is the fast path of `receive_data` and three to five calls of `next_event`. It changes
        nothing: the state stays IDLE, as after the answer to the round. If the result is None, or
        cannot be answered at once, give the bytes to `receive_data`.

        Raises:
            RemoteProtocolError: the Parse or the Bind is malformed.
        """
        if self.state is not State.IDLE or self._splitter.buffered_bytes:
            return None
        return self._rounds.read(received)

    def receive_query(self, received: bytes) -> str | None:
        """Return the text of bytes that are exactly one Query; None as from `receive_round`.

        Raises:
            UnicodeDecodeError: the text is not UTF-8.
        """
        if self.state is not State.IDLE or self._splitter.buffered_bytes:
            return None
        if received.find(b"\0", _BODY_AT) != len(received) - 1:
            return None
        if int.from_bytes(received[1:_BODY_AT], "big") != len(received) - 1:
            return None
        return received[_BODY_AT:-1].decode()

    def send(self, message: BackendMessage) -> bytes:
        """Return the bytes of a message and move to the next state.

        Raises:
            LocalProtocolError: the state does not allow the message; nothing has changed.
        """
        self.sending(type(message))
        if isinstance(message, ErrorResponse) and message.severity == FATAL:
            self.state = State.CLOSED
        return encode(message)

    def sending(self, message: type[BackendMessage]) -> None:
        """Move to the next state for a message of this kind that is encoded already.

        Raises:
            LocalProtocolError: as `send`.
        """
        following = SERVER[self.state].get(message)
        if following is None:
            raise LocalProtocolError(f"cannot send {message.__name__} in state {self.state.value}")
        self.state = following
