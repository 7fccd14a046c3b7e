from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.pgwire.protocol.client_messages import (
    Execute,
    FrontendMessage,
    Query,
    SSLRequest,
    StartupMessage,
    Sync,
)
from stategate.gateway.pgwire.protocol.connection import CLIENT, SERVER, Connection, State
from stategate.gateway.pgwire.protocol.decode import FRONTEND_TYPES
from stategate.gateway.pgwire.protocol.errors import LocalProtocolError, RemoteProtocolError, fatal
from stategate.gateway.pgwire.protocol.server_messages import (
    AuthenticationOk,
    BackendMessage,
    BindComplete,
    CommandComplete,
    DataRows,
    EncryptionResponse,
    ErrorResponse,
    ParseComplete,
    ReadyForQuery,
)
from tests.gateway.pgwire import wire

READY = ReadyForQuery(status="I")
ERROR = ErrorResponse(severity="ERROR", sqlstate="XX000", message="m")
BY_TYPE: dict[type[FrontendMessage], bytes] = {
    FRONTEND_TYPES[encoded[0]]: encoded
    for encoded in (
        wire.query("q"),
        wire.parse("", ""),
        wire.bind("", ""),
        wire.describe("P", ""),
        wire.execute(""),
        wire.close("P", ""),
        wire.FLUSH,
        wire.SYNC,
        wire.TERMINATE,
        wire.framed("F", b""),
        wire.framed("p", b""),
        wire.framed("d", b""),
        wire.framed("c", b""),
        wire.framed("f", b"\0"),
    )
}


def in_state(state: State) -> Connection:
    connection = Connection(message_bytes_max=1 << 20, startup_bytes_max=10_000)
    connection.state = state
    return connection


def ready() -> Connection:
    connection = in_state(State.STARTUP)
    connection.receive_data(wire.startup(user="joe"))
    assert isinstance(connection.next_event(), StartupMessage)
    connection.send(AuthenticationOk())
    connection.send(READY)
    assert connection.state is State.IDLE
    return connection


@pytest.mark.parametrize("state", [state for state in State if state is not State.STARTUP])
@pytest.mark.parametrize("message", BY_TYPE, ids=lambda message: message.__name__)
def test_every_message_in_every_state(state: State, message: type[FrontendMessage]) -> None:
    connection = in_state(state)
    connection.receive_data(BY_TYPE[message])
    if not CLIENT[state]:
        assert connection.next_event() is None
        assert connection.state is state
        assert connection.buffered_bytes == len(BY_TYPE[message])
    elif message not in CLIENT[state]:
        with pytest.raises(RemoteProtocolError) as caught:
            connection.next_event()
        assert caught.value.fatal
    else:
        event = connection.next_event()
        assert event is None or type(event) is message
        assert connection.state is CLIENT[state][message]


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize(
    "message", [AuthenticationOk(), BindComplete(), READY, ERROR, DataRows(encoded=b"")]
)
def test_we_send_only_messages_that_the_state_allows(state: State, message: BackendMessage) -> None:
    connection = in_state(state)
    if type(message) in SERVER[state]:
        connection.send(message)
        assert connection.state is SERVER[state][type(message)]
    else:
        with pytest.raises(LocalProtocolError):
            connection.send(message)
        assert connection.state is state


@pytest.mark.parametrize("state", [state for state in State if state is not State.CLOSED])
def test_a_fatal_error_can_be_sent_at_any_time_and_closes(state: State) -> None:
    if ErrorResponse not in SERVER[state]:
        pytest.fail(f"no way to end a connection in state {state}")
    connection = in_state(state)
    connection.send(fatal("57P01", "going down"))
    assert connection.state is State.CLOSED


def test_every_state_that_is_reached_is_in_both_tables() -> None:
    reached = {
        state for table in (CLIENT, SERVER) for row in table.values() for state in row.values()
    }
    assert reached | {State.STARTUP} == set(State)
    assert set(CLIENT) == set(SERVER) == set(State)


def test_encryption_is_answered_before_the_startup() -> None:
    connection = in_state(State.STARTUP)
    connection.receive_data(wire.SSL_REQUEST + wire.startup(user="joe"))
    assert isinstance(connection.next_event(), SSLRequest)
    assert connection.next_event() is None
    assert connection.send(EncryptionResponse(accepted=False)) == b"N"
    assert isinstance(connection.next_event(), StartupMessage)


def test_a_query_is_answered_before_the_next_is_read() -> None:
    connection = ready()
    connection.receive_data(wire.query("1") + wire.query("2"))
    assert connection.next_event() == Query(sql="1")
    assert connection.next_event() is None
    connection.send(CommandComplete(tag="SELECT 1"))
    connection.send(READY)
    assert connection.next_event() == Query(sql="2")


def test_after_an_error_a_group_is_skipped_to_its_sync() -> None:
    connection = ready()
    connection.receive_data(
        wire.parse("", "x") + wire.bind("", "") + wire.execute("") + wire.query("no") + wire.SYNC
    )
    connection.next_event()
    connection.send(ERROR)
    assert isinstance(connection.next_event(), Sync)
    connection.send(READY)
    assert connection.state is State.IDLE


def test_pipelined_groups_fail_one_by_one() -> None:
    connection = ready()
    group = wire.parse("", "x") + wire.execute("") + wire.SYNC
    connection.receive_data(group * 2)
    connection.next_event()
    connection.send(ERROR)
    assert isinstance(connection.next_event(), Sync)
    connection.send(READY)
    connection.next_event()
    connection.send(ParseComplete())
    assert isinstance(connection.next_event(), Execute)


def test_stray_copy_messages_are_dropped() -> None:
    connection = ready()
    connection.receive_data(wire.framed("d", b"x") + wire.framed("c", b"") + wire.query("q"))
    assert isinstance(connection.next_event(), Query)


def test_a_body_that_cannot_be_read_leaves_the_group_to_be_skipped() -> None:
    connection = ready()
    connection.receive_data(wire.framed("D", b"Xname\0") + wire.SYNC)
    with pytest.raises(RemoteProtocolError) as caught:
        connection.next_event()
    assert not caught.value.fatal
    connection.send(ERROR)
    assert isinstance(connection.next_event(), Sync)


def test_a_round_is_returned_whole_only_if_no_input_is_pending() -> None:
    round_trip = wire.bind("", "s", [b"1"]) + wire.execute("") + wire.SYNC
    connection = ready()
    found = connection.receive_round(round_trip)
    assert found is not None
    assert (found[0].statement, found[1]) == ("s", (b"1",))
    assert connection.state is State.IDLE
    connection.receive_data(wire.SYNC[:2])
    assert connection.receive_round(round_trip) is None
    assert in_state(State.EXTENDED).receive_round(round_trip) is None


def test_a_round_with_a_malformed_bind() -> None:
    broken = wire.framed("B", b"\0\0\0") + wire.execute("") + wire.SYNC
    with pytest.raises(RemoteProtocolError):
        ready().receive_round(broken)


@given(st.lists(st.sampled_from(list(BY_TYPE.values())), max_size=20), st.integers(1, 30))
def test_any_order_of_messages_ends_in_a_known_state(messages: list[bytes], piece: int) -> None:
    connection = ready()
    stream = b"".join(messages)
    for at in range(0, len(stream), piece):
        connection.receive_data(stream[at : at + piece])
        if not answer_all(connection):
            return


def answer_all(connection: Connection) -> bool:
    """Answer each message with ReadyForQuery only; return False after a fatal error."""
    try:
        while True:
            event = connection.next_event()
            if connection.state in {State.QUERYING, State.SYNCING}:
                connection.send(READY)
            elif event is None:
                return True
    except RemoteProtocolError as error:
        if not error.fatal:
            raise
        return False
