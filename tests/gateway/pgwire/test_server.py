"""The server around the protocol: cancel, limits, timeouts, back-pressure, stop."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator

import pyarrow as pa
import pytest

from stategate.gateway.pgwire import PgLimits
from stategate.gateway.pgwire.protocol.connection import Connection
from stategate.planner.values.cancel import Cancellation
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.serving import HOST, SERVER_VERSION, Serving, serving
from tests.gateway.pgwire.wire import Message, RawClient
from tests.support.sample_rows import series_batches
from tests.support.waiting import until

SOON_S = 0.02


def sqlstate(messages: list[Message]) -> str:
    (body,) = [body for type_byte, body in messages if type_byte == "E"]
    return wire.error_fields(body)["C"]


# --- startup -------------------------------------------------------------------------------------


def test_the_messages_after_startup(gateway: Serving) -> None:
    with gateway.connect() as client:
        messages = client.login(
            application_name="x", TimeZone="Europe/Paris", client_encoding="utf-8"
        )
    assert [type_byte for type_byte, _ in messages] == ["R", *"S" * 13, "K", "Z"]
    told = dict(body[:-1].decode().split("\0") for kind, body in messages if kind == "S")
    assert told == {
        "server_version": SERVER_VERSION,
        "server_encoding": "UTF8",
        "client_encoding": "UTF8",
        "DateStyle": "ISO, MDY",
        "IntervalStyle": "postgres",
        "TimeZone": "Europe/Paris",
        "integer_datetimes": "on",
        "standard_conforming_strings": "on",
        "is_superuser": "off",
        "session_authorization": "joe",
        "application_name": "x",
        "in_hot_standby": "off",
        "default_transaction_read_only": "on",
    }


def test_encryption_is_refused_without_a_certificate(gateway: Serving) -> None:
    with gateway.connect() as client:
        for request in (wire.GSSENC_REQUEST, wire.SSL_REQUEST):
            client.send(request)
            assert client.read_exactly(1) == b"N"
        assert client.login()[-1] == ("Z", b"I")


def test_a_newer_minor_version_is_negotiated_down(gateway: Serving) -> None:
    with gateway.connect() as client:
        client.send(wire.startup(9999, user="joe", **{"_pq_.new": "1"}))
        messages = client.read_until("Z", "E")
    assert messages[0] == ("v", struct.pack(">II", 3 << 16 | 2, 1) + b"_pq_.new\0")
    assert messages[-1] == ("Z", b"I")


@pytest.mark.parametrize(("minor", "key_bytes"), [(0, 4), (2, 32)])
def test_the_key_is_as_long_as_the_protocol_allows(
    gateway: Serving, minor: int, key_bytes: int
) -> None:
    with gateway.connect() as client:
        client.send(wire.startup(minor, user="joe"))
        messages = dict(client.read_until("Z", "E"))
        assert len(messages["K"]) == 4 + key_bytes
        assert "v" not in messages


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"user": ""}, "28000"),
        ({"client_encoding": "LATIN1"}, "22023"),
        ({"replication": "database"}, "0A000"),
        ({"options": "-d 5"}, "22023"),
    ],
)
def test_a_startup_that_is_refused(
    gateway: Serving, parameters: dict[str, str], expected: str
) -> None:
    with gateway.connect() as client:
        messages = client.login(**parameters)
        assert sqlstate(messages) == expected
        assert wire.error_fields(messages[-1][1])["S"] == "FATAL"
        assert client.at_end()


@pytest.mark.parametrize(
    "noise",
    [b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\0", b"\0\0\0\x08\0\0\0\0", b"\0\0\0\x09\0\x03\0\0x"],
)
def test_malformed_startup_packets_end_the_connection(gateway: Serving, noise: bytes) -> None:
    with gateway.connect() as client:
        client.send(noise)
        assert client.read()[0] == "E"
        assert client.at_end()


@pytest.mark.parametrize(
    "noise", [b"\xff" * 5, b"Q\0\0\0\x03", b"Q\xff\xff\xff\xff", b"p\0\0\0\x05\0"]
)
def test_a_broken_protocol_ends_the_connection(gateway: Serving, noise: bytes) -> None:
    with gateway.login() as client:
        client.send(noise)
        assert sqlstate([client.read()]) == "08P01"
        assert client.at_end()


def test_a_function_call_is_refused_politely(gateway: Serving) -> None:
    with gateway.login() as client:
        client.send(wire.framed("F", b"\0\0\0\0"))
        assert sqlstate(client.read_until("Z")) == "0A000"
        assert client.ask("SELECT 1")[-1] == ("Z", b"I")


# --- cancel --------------------------------------------------------------------------------------


def test_a_cancel_request_with_the_right_key(gateway: Serving) -> None:
    with gateway.login() as client:
        client.send(wire.query("SELECT sleep(60)"))
        assert gateway.engine.sleeping.wait(10)
        with gateway.connect() as wrong:
            process_id, key = client.key
            wrong.send(wire.cancel_request(process_id, bytes(each ^ 1 for each in key)))
            assert wrong.at_end()
        assert gateway.engine.sleeping.is_set()
        with gateway.connect() as right:
            right.send(wire.cancel_request(*client.key))
            assert right.at_end()
        assert sqlstate(client.read_until("Z")) == "57014"


def test_a_cancel_without_a_running_statement_does_nothing(gateway: Serving) -> None:
    with gateway.login() as client:
        with gateway.connect() as other:
            other.send(wire.cancel_request(*client.key))
            assert other.at_end()
        assert client.ask("SELECT 1")[-1] == ("Z", b"I")


def test_the_statement_timeout_of_a_session(gateway: Serving) -> None:
    with gateway.login(options="-c statement_timeout=50ms") as client:
        messages = client.ask("SELECT sleep(60)")
        assert sqlstate(messages) == "57014"
        assert "statement timeout" in wire.error_fields(messages[0][1])["M"]
        client.ask("SET statement_timeout = 0")
        assert client.ask("SELECT sleep(0.1)")[-1] == ("Z", b"I")


def test_the_statement_timeout_of_the_server() -> None:
    with serving(limits=PgLimits(statement_timeout_s=0.05)) as gateway, gateway.login() as client:
        assert sqlstate(client.ask("SELECT sleep(60)")) == "57014"


def test_a_client_that_leaves_cancels_its_statement(gateway: Serving) -> None:
    client = gateway.login()
    client.send(wire.query("SELECT sleep(60)"))
    assert gateway.engine.sleeping.wait(10)
    client.socket.close()
    assert gateway.eventually(lambda: not gateway.engine.sleeping.is_set())
    assert gateway.eventually(lambda: gateway.server.connections == 0)


MESSAGES = (
    wire.parse("s", "SELECT * FROM series(5000)"),
    wire.bind("p", "s"),
    wire.describe("P", "p"),
    wire.execute("p", 10),
    wire.execute("p"),
    wire.query("SELECT * FROM series(300000)"),
    wire.SYNC,
)


@pytest.mark.parametrize("count", range(len(MESSAGES) + 1))
def test_a_client_that_leaves_after_any_message(gateway: Serving, count: int) -> None:
    client = gateway.login()
    client.send(*MESSAGES[:count])
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.socket.close()
    assert gateway.eventually(lambda: gateway.server.connections == 0)
    assert gateway.eventually(lambda: gateway.engine.open == 0)


# --- limits --------------------------------------------------------------------------------------


def test_too_many_connections() -> None:
    with serving(limits=PgLimits(connections_max=2)) as gateway:
        with gateway.login(), gateway.login(), gateway.connect() as third:
            assert sqlstate(third.login()) == "53300"
            assert third.at_end()
        assert gateway.eventually(lambda: gateway.server.connections == 0)
        with gateway.login() as again:
            assert again.ask("SELECT 1")[-1] == ("Z", b"I")


def test_too_many_statements_and_portals() -> None:
    limits = PgLimits(statements_max=3, portals_max=2)
    with serving(limits=limits) as gateway, gateway.login() as client:
        for name in "abc":
            client.send(wire.parse(name, "SELECT 1") + wire.SYNC)
            assert client.read_until("Z")[0][0] == "1"
        client.send(wire.parse("d", "SELECT 1") + wire.SYNC)
        assert sqlstate(client.read_until("Z")) == "54000"
        client.send(wire.bind("p", "a"), wire.bind("q", "a"), wire.bind("r", "a"), wire.SYNC)
        assert sqlstate(client.read_until("Z")) == "54000"


def test_a_message_that_is_too_long() -> None:
    limits = PgLimits(message_bytes_max=1000)
    with serving(limits=limits) as gateway, gateway.login() as client:
        assert client.ask("SELECT '" + "x" * 900 + "'")[-1] == ("Z", b"I")
        client.send(wire.query("SELECT '" + "x" * 1000 + "'")[:5])
        assert sqlstate([client.read()]) == "08P01"


def test_input_waits_while_a_statement_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that floods a busy connection is not read for a while, but served in the end."""
    held, receive = [0], Connection.receive_data

    def watched(connection: Connection, data: bytes) -> None:
        receive(connection, data)
        held.append(connection.buffered_bytes)

    monkeypatch.setattr(Connection, "receive_data", watched)
    limits = PgLimits(input_bytes_max=1000, events_max=3)
    with serving(limits=limits) as gateway, gateway.login() as client:
        count = 1000
        flood = (wire.parse("", f"SELECT 1 -- {'x' * 8000}") + wire.SYNC) * count
        client.send(wire.query("SELECT sleep(0.3)"))
        client.socket.settimeout(10)
        sender = threading.Thread(target=lambda: client.send(flood))
        sender.start()
        for _ in range(count + 1):
            client.read_until("Z")
        sender.join()
    assert max(held) < len(flood) / 4, "one read of the socket is held, and not all"


def test_output_waits_for_a_slow_client(monkeypatch: pytest.MonkeyPatch) -> None:
    count, made = 400_000, list[int]()

    def watched(rows: int, cancellation: Cancellation) -> Iterator[pa.RecordBatch]:
        for batch in series_batches(rows, cancellation):
            made.append(batch.num_rows)
            yield batch

    def rests() -> bool:
        before = len(made)
        time.sleep(0.2)
        return 0 < before == len(made)

    monkeypatch.setattr("tests.support.fake_engine.series_batches", watched)
    with serving(limits=PgLimits(output_bytes_high=1000)) as gateway, gateway.login() as client:
        client.send(wire.query(f"SELECT * FROM series({count})"))
        until(rests)
        assert sum(made) < count, "the buffers of the system hold less"
        received = bytearray()
        while not received.endswith(b"Z\0\0\0\x05I"):
            received += client.socket.recv(1 << 20)
        assert sum(1 for kind, _ in wire.split_messages(bytes(received)) if kind == "D") == count


def test_a_client_that_never_reads_is_cut_off() -> None:
    limits = PgLimits(output_bytes_high=10_000, write_timeout_s=0.1, sweep_s=SOON_S)
    with serving(limits=limits) as gateway, gateway.login() as client:
        client.send(wire.query("SELECT * FROM series(3000000)"))
        assert gateway.eventually(lambda: gateway.engine.open == 1)
        assert gateway.eventually(lambda: gateway.engine.open == 0)
        assert gateway.eventually(lambda: gateway.server.connections == 0)
        assert gateway.engine.batches_made < 1500, "rows were made that no one could read"


def test_many_rounds_in_one_piece_leave_room_for_others() -> None:
    with serving(limits=PgLimits(events_max=4)) as gateway, gateway.login() as client:
        client.send(wire.parse("s", "SELECT v FROM kv WHERE k = $1") + wire.SYNC)
        client.read_until("Z")
        rounds = [wire.bind("", "s", [b"%d" % key]) + wire.execute("") + wire.SYNC
                  for key in range(1, 500)]  # fmt: skip
        client.send(*rounds)
        for key in range(1, 500):
            fields = [wire.row_fields(body) for kind, body in client.read_until("Z") if kind == "D"]
            assert fields == [[b"value-%d" % key]]


def test_a_stream_that_was_begun_inline(gateway: Serving) -> None:
    """An inline statement may become a stream: in a Query, in a round, and with a row limit."""
    with gateway.login() as client:
        messages = client.ask("SELECT * FROM quick(30)")
        assert [kind for kind, _ in messages] == ["T", *"D" * 30, "C", "Z"]
        client.send(wire.parse("s", "SELECT * FROM quick(30)") + wire.SYNC)
        client.read_until("Z")
        client.send(wire.bind("", "s") + wire.execute("") + wire.SYNC)
        assert [kind for kind, _ in client.read_until("Z")] == ["2", *"D" * 30, "C", "Z"]
        client.send(wire.bind("", "s") + wire.execute("", 10) + wire.execute("") + wire.SYNC)
        kinds = [kind for kind, _ in client.read_until("Z")]
        assert kinds == ["2", *"D" * 10, "s", *"D" * 20, "C", "Z"]


def test_errors_in_a_round_are_reported(gateway: Serving) -> None:
    with gateway.login() as client:
        client.send(wire.parse("s", "SELECT v FROM kv WHERE k = $1") + wire.SYNC)
        client.read_until("Z")
        run = wire.describe("P", "") + wire.execute("") + wire.SYNC
        for value in (b"one", b"\xff", b"9" * 30):
            client.send(wire.bind("", "s", [value]) + run)
            messages = client.read_until("Z")
            assert [kind for kind, _ in messages] == ["E", "Z"]
        client.send(wire.bind("", "gone", [b"1"]) + run)
        assert sqlstate(client.read_until("Z")) == "26000"
        client.send(wire.framed("B", b"\0s\0\0") + run)
        assert sqlstate(client.read_until("Z")) == "08P01"
        client.send(wire.bind("", "s", [b"7"]) + run)
        assert [kind for kind, _ in client.read_until("Z")] == ["2", "T", "D", "C", "Z"]


# --- timeouts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "sql", "expected"),
    [
        (PgLimits(idle_timeout_s=0.1, sweep_s=SOON_S), "SELECT 1", "57P05"),
        (PgLimits(idle_in_transaction_timeout_s=0.1, sweep_s=SOON_S), "BEGIN", "25P03"),
    ],
)
def test_idle_clients_are_disconnected(limits: PgLimits, sql: str, expected: str) -> None:
    with serving(limits=limits) as gateway, gateway.login() as client:
        client.ask(sql)
        assert sqlstate([client.read()]) == expected
        assert client.at_end()


@pytest.mark.parametrize(
    ("options", "sql", "expected"),
    [
        ("-c idle_session_timeout=100ms", "SELECT 1", "57P05"),
        ("-c idle_in_transaction_session_timeout=100ms", "BEGIN", "25P03"),
    ],
)
def test_a_session_can_set_how_long_it_may_be_idle(options: str, sql: str, expected: str) -> None:
    with (
        serving(limits=PgLimits(sweep_s=SOON_S)) as gateway,
        gateway.login(options=options) as client,
    ):
        client.ask(sql)
        assert sqlstate([client.read()]) == expected
        assert client.at_end()


def test_a_silent_client_is_cut_off() -> None:
    limits = PgLimits(startup_timeout_s=0.1, sweep_s=SOON_S)
    with serving(limits=limits) as gateway, gateway.connect() as client:
        assert client.at_end()


@pytest.mark.parametrize("first", [b"", wire.SSL_REQUEST])
def test_single_bytes_do_not_extend_the_startup_timeout(first: bytes) -> None:
    limits = PgLimits(startup_timeout_s=0.2, sweep_s=SOON_S)
    with serving(limits=limits) as gateway, gateway.connect() as client:
        client.send(first)
        assert client.read_exactly(1) == b"N" if first else True
        assert _is_cut_off_while_it_drips(client, wire.startup(user="joe", database="db" * 20))
        assert gateway.eventually(lambda: not gateway.server._clients)


@pytest.mark.parametrize("first", [b"", wire.parse("", "SELECT 1")])
def test_a_byte_now_and_then_does_not_keep_a_message_open(first: bytes) -> None:
    limits = PgLimits(message_timeout_s=0.2, sweep_s=SOON_S)
    with serving(limits=limits) as gateway, gateway.login() as client:
        if first:
            client.send(first)
            assert gateway.eventually(lambda: gateway.engine.prepared > 0)
            client.read()
        assert _is_cut_off_while_it_drips(client, wire.query("SELECT " + "1" * 100))
        assert gateway.eventually(lambda: not gateway.server._clients)


def test_completed_messages_keep_a_client_connected() -> None:
    limits = PgLimits(message_timeout_s=0.2, sweep_s=SOON_S)
    with serving(limits=limits) as gateway, gateway.login() as client:
        asked, pause = wire.query("SELECT 1"), threading.Event()
        for _ in range(4):
            for at in range(0, len(asked), 6):
                client.send(asked[at : at + 6])
                pause.wait(0.03)
            assert [kind for kind, _ in client.read_until("Z")] == ["T", "D", "C", "Z"]


def _is_cut_off_while_it_drips(client: RawClient, drip: bytes) -> bool:
    """Whether the server ends the connection before the last byte is sent."""
    pause = threading.Event()
    for at in range(len(drip) - 1):
        try:
            client.send(drip[at : at + 1])
        except ConnectionError:
            return True
        pause.wait(0.02)
    return client.at_end()


def test_a_half_closed_connection_is_closed(gateway: Serving) -> None:
    with gateway.login() as client:
        client.socket.shutdown(socket.SHUT_WR)
        assert client.at_end()
        assert gateway.eventually(lambda: not gateway.server._clients)


def test_the_kernel_probes_silent_clients(gateway: Serving) -> None:
    with gateway.login():
        (client,) = gateway.server._clients
        assert client._transport is not None
        sock = client._transport.get_extra_info("socket")
        limits = PgLimits()
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == limits.keepalive_idle_s
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT) == limits.keepalive_count


def test_a_cursor_with_hold_is_not_a_transaction() -> None:
    limits = PgLimits(idle_in_transaction_timeout_s=0.1, sweep_s=SOON_S)
    with serving(limits=limits) as gateway, gateway.login() as client:
        client.ask("DECLARE c CURSOR WITH HOLD FOR SELECT * FROM series(3)")
        threading.Event().wait(0.3)
        assert [kind for kind, _ in client.ask("FETCH c")] == ["T", "D", "C", "Z"]


# --- stop ----------------------------------------------------------------------------------------


def test_a_stop_lets_statements_end_and_disconnects_idle_clients() -> None:
    with serving() as gateway, gateway.login() as idle, gateway.login() as busy:
        busy.send(wire.query("SELECT sleep(0.2)"))
        assert gateway.engine.sleeping.wait(10)
        gateway.run(gateway.server.stop(grace_s=5))
        assert sqlstate([idle.read()]) == "57P01"
        messages = busy.read_until("Z")
        assert [kind for kind, _ in messages] == ["T", "D", "C", "Z"]
        assert sqlstate([busy.read()]) == "57P01"
        with pytest.raises(ConnectionRefusedError):
            RawClient(HOST, gateway.port)


def test_a_stop_cancels_statements_that_do_not_end() -> None:
    with serving() as gateway, gateway.login() as client:
        client.send(wire.query("SELECT sleep(60)"))
        assert gateway.engine.sleeping.wait(10)
        gateway.run(gateway.server.stop(grace_s=0.05))
        assert not gateway.engine.sleeping.is_set()
        assert client.at_end()
