"""The protocol as a table: which message may come in which state, and what may be answered.

Bytes in, messages out; messages in, bytes out. No socket, no clock, no SQL: what a message means
is for `dialog`, how bytes travel for `server`. A message that is missing in its state's row is a
protocol error: the client's when it came from the client, a bug of ours when we wanted to send it.

    STARTUP ──SSLRequest──► SECURING ──answer──► STARTUP
    STARTUP ──StartupMessage──► AUTHENTICATING ──ReadyForQuery──► IDLE
    IDLE ──Query──► QUERYING ──ReadyForQuery──► IDLE
    IDLE ──Parse, Bind, Describe, Execute, Close, Flush──► EXTENDED ──Sync──► SYNCING
    EXTENDED ──our ErrorResponse──► SKIPPING ──Sync──► SYNCING ──ReadyForQuery──► IDLE
    any ──Terminate, our FATAL ErrorResponse──► CLOSED
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from gateway.pgwire.protocol.bind_rounds import Round, RoundReader
from gateway.pgwire.protocol.decode import decode, decode_startup
from gateway.pgwire.protocol.encode import encode
from gateway.pgwire.protocol.errors import FATAL, LocalProtocolError, RemoteProtocolError
from gateway.pgwire.protocol.frames import FRONTEND_TYPES, Splitter
from gateway.pgwire.protocol.messages import (
    AUTHENTICATION_BYTES,
    AuthenticationCleartextPassword,
    AuthenticationOk,
    AuthenticationSASL,
    AuthenticationSASLContinue,
    AuthenticationSASLFinal,
    BackendKeyData,
    BackendMessage,
    Bind,
    BindComplete,
    CancelRequest,
    Close,
    CloseComplete,
    CommandComplete,
    CopyData,
    CopyDone,
    CopyFail,
    CopyOutResponse,
    CopyRows,
    DataRows,
    Describe,
    EmptyQueryResponse,
    EncryptionResponse,
    ErrorResponse,
    Execute,
    Flush,
    FrontendMessage,
    FunctionCall,
    GSSENCRequest,
    NegotiateProtocolVersion,
    NoData,
    NoticeResponse,
    ParameterDescription,
    ParameterStatus,
    Parse,
    ParseComplete,
    PasswordMessage,
    PortalSuspended,
    Query,
    ReadyForQuery,
    RowDescription,
    SSLRequest,
    StartupMessage,
    StartupPacket,
    Sync,
    Terminate,
)

_BODY_AT = 5
"""Where a message's body begins, behind its type and length."""


class State(Enum):
    """Where a connection stands."""

    # Members are single objects; Enum's own hash is Python code, run for every message.
    __hash__ = object.__hash__

    STARTUP = "startup"
    """Nothing but packets without a type byte is expected."""
    SECURING = "securing"
    """Encryption was asked for; the client waits for one byte."""
    AUTHENTICATING = "authenticating"
    """The client has said who it is and waits to be let in."""
    IDLE = "idle"
    QUERYING = "querying"
    """A Query is being answered; what comes meanwhile waits."""
    EXTENDED = "extended"
    """In a group of extended messages."""
    SKIPPING = "skipping"
    """The group failed: all is skipped up to its Sync."""
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
    # A client may still be sending data of a COPY that failed: section 55.2.6 has it ignored.
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
"""What the client may send in each state, and the state it leads to.

A state without entries is one in which it is our turn: what the client sends meanwhile waits.
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
    # Between statements only what the client did not ask for.
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
"""What we may send in each state, and the state it leads to."""


class Connection:
    """The server's end of one connection, without the connection.

    Args:
        message_bytes_max: longest message of a client that is set up.
        startup_bytes_max: longest packet before that.
    """

    __slots__ = ("_rounds", "_splitter", "_startup_bytes_max", "state")

    def __init__(self, *, message_bytes_max: int, startup_bytes_max: int) -> None:
        self._splitter = Splitter(length_max=message_bytes_max)
        self._rounds = RoundReader()
        self._startup_bytes_max = startup_bytes_max
        self.state = State.STARTUP

    @property
    def buffered_bytes(self) -> int:
        """Bytes received that no event has been made of."""
        return self._splitter.buffered_bytes

    def receive_data(self, received: bytes) -> None:
        """Take bytes from the client, cut anywhere."""
        self._splitter.feed(received)

    def next_event(self) -> FrontendMessage | None:
        """The client's next message; None until it is complete and it is the client's turn.

        Messages that a failed group of extended ones still holds are skipped here.

        Raises:
            RemoteProtocolError: the client broke the protocol; anything else is a bug of ours.
                Answer it with an ErrorResponse, then go on unless it is fatal.
        """
        if self.state is State.STARTUP:
            return self._next_startup()
        while allowed := CLIENT[self.state]:
            is_stranger = self.state is State.AUTHENTICATING
            frame = self._splitter.next_frame(
                length_max=AUTHENTICATION_BYTES if is_stranger else None
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
        """A whole round of a prepared statement, where the bytes are one and nothing is pending.

        It is the short way of `receive_data` and four events, and leaves the state as they would
        once all is answered. None changes nothing: give the bytes to `receive_data` then, as also
        when the round turns out to need more than an immediate answer.

        Raises:
            RemoteProtocolError: the Bind is not laid out as one.
        """
        if self.state is not State.IDLE or self._splitter.buffered_bytes:
            return None
        return self._rounds.read(received)

    def receive_query(self, received: bytes) -> str | None:
        """The text of a Query, where the bytes are one and nothing is pending; as `receive_round`.

        Raises:
            UnicodeDecodeError: it is not UTF-8.
        """
        if self.state is not State.IDLE or self._splitter.buffered_bytes:
            return None
        if received.find(b"\0", _BODY_AT) != len(received) - 1:
            return None
        if int.from_bytes(received[1:_BODY_AT], "big") != len(received) - 1:
            return None
        return received[_BODY_AT:-1].decode()

    def send(self, message: BackendMessage) -> bytes:
        """The bytes of a message, which the state must allow.

        Raises:
            LocalProtocolError: it does not; nothing has changed.
        """
        self.sending(type(message))
        if isinstance(message, ErrorResponse) and message.severity == FATAL:
            self.state = State.CLOSED
        return encode(message)

    def sending(self, message: type[BackendMessage]) -> None:
        """Note that a message of this kind, which somebody has encoded already, is being sent.

        Raises:
            LocalProtocolError: as for `send`.
        """
        following = SERVER[self.state].get(message)
        if following is None:
            raise LocalProtocolError(f"cannot send {message.__name__} in state {self.state.value}")
        self.state = following
