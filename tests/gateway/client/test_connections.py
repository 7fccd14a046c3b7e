"""Connections over real sockets: streams, batches, pages, data frames, pools and threads."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import stategate
from stategate import requesting
from tests.gateway.client.conftest import USERS, Clicks
from tests.support.fake_engine import FakeEngine
from tests.support.waiting import WAIT_S

LOOKUP = "SELECT n, paid FROM clicks WHERE usr = $1"


@pytest.fixture
def real(clicks: Clicks) -> Iterator[stategate.Connection]:
    with stategate.connect(clicks.url) as made:
        yield made


# --- streams -------------------------------------------------------------------------------------


def test_a_long_result_comes_as_it_is_read(db: stategate.Connection) -> None:
    cursor = db.execute("SELECT n, name FROM series(100000)")
    assert cursor.rowcount == -1
    assert sum(n for n, _ in cursor) == 100_000 * 99_999 // 2
    assert (cursor.rowcount, cursor.position) == (100_000, db.position)


def test_closing_a_cursor_cancels_its_statement(
    db: stategate.Connection, fake_engine: FakeEngine
) -> None:
    with db.execute("SELECT n, name FROM series(100000000)") as cursor:
        assert cursor.fetchone() == (0, "row 0")
    until = threading.Event()
    for _ in range(int(WAIT_S / 0.01)):
        if fake_engine.open == 0:
            break
        until.wait(0.01)  # nothing signals it
    assert fake_engine.open == 0
    assert db.execute("SELECT 1").fetchall() == [(1,)]


def test_an_error_in_the_middle_comes_after_the_rows_before_it(db: stategate.Connection) -> None:
    sql = "SELECT n, name FROM broken(2500, '55S01')"
    cursor, taken = db.execute(sql), list[object]()
    with pytest.raises(stategate.OperationalError, match="it failed") as raised:
        taken.extend(cursor)
    assert (len(taken), raised.value.sqlstate) == (2500, "55S01")
    # Nothing of a table was given to the caller, so it is read again.
    with pytest.raises(stategate.OperationalError, match="it failed"):
        db.arrow("SELECT n, name FROM broken(2500, '58030')")


def test_the_pool_is_limited(fake_url: str) -> None:
    with stategate.connect(fake_url, connections_max=1, timeout_s=0.05) as db:
        first = db.execute("SELECT n, name FROM series(10000000)", timeout_s=5)
        with pytest.raises(stategate.OperationalError, match="no connection") as raised:
            db.execute("SELECT 1")
        assert (raised.value.sqlstate, "Close cursors" in str(raised.value)) == ("53300", True)
        first.close()
        assert db.execute("SELECT 1", timeout_s=5).fetchall() == [(1,)]


def test_a_forgotten_cursor_frees_its_connection(fake_url: str) -> None:
    with stategate.connect(fake_url, connections_max=1) as db:
        for _ in range(3):
            assert db.execute("SELECT n, name FROM series(10000000)").fetchone() == (0, "row 0")


def test_threads_share_a_connection(db: stategate.Connection) -> None:
    def look_up(key: int) -> list[tuple[object, ...]]:
        return db.execute("SELECT v FROM kv WHERE k = $1", [key]).fetchall()

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(look_up, range(1, 301)))
    assert found == [[(f"value-{key}",)] for key in range(1, 301)]


def test_notices_and_partitions(db: stategate.Connection) -> None:
    cursor = db.execute("SELECT notice('careful')")
    assert list(cursor.notices) == ["careful"]
    assert [each["store"] for each in cursor.partitions] == ["clicks"]


# --- a real engine -------------------------------------------------------------------------------


def test_reads_wait_for_what_was_written(clicks: Clicks) -> None:
    """The bound of `after` is reached by an epoch that is applied while the statement waits."""
    with stategate.connect(clicks.url) as db:
        clicks.apply(10)
        assert db.execute(LOOKUP, ["u00007"]).fetchall() == [(10, None)]
        assert db.position == stategate.at_least("events", 0, 10)
        applying = threading.Timer(0.1, clicks.apply, [11])
        applying.start()
        bound = stategate.at_least("events", 0, 11)
        assert db.execute(LOOKUP, ["u00007"], bound=bound).fetchall() == [(11, None)]
        applying.join()
        with pytest.raises(stategate.OperationalError) as raised:
            db.execute(LOOKUP, ["u00007"], bound=bound | stategate.at_least("events", 0, 99),
                       wait_s=0.01, timeout_s=0.1)  # fmt: skip
        assert (raised.value.sqlstate, raised.value.retryable) == ("55S01", True)
        with pytest.raises(stategate.ProgrammingError, match="does not feed") as unknown:
            db.execute(LOOKUP, ["u00007"], bound=stategate.at_least("evnets", 0, 1), wait_s=0)
        assert unknown.value.sqlstate == "42704"


def test_a_position_goes_on_in_another_connection(clicks: Clicks) -> None:
    with stategate.connect(clicks.url) as first:
        first.execute(LOOKUP, ["u00001"])
        token = first.position.token
    with stategate.connect(clicks.url, position=stategate.Position.from_token(token)) as second:
        assert second.execute(LOOKUP, ["u00001"]).position == second.position


def test_batches_have_an_error_for_each_run(real: stategate.Connection) -> None:
    found = real.batch("SELECT usr FROM clicks WHERE usr = $1", [["u00001"], ["none"], [[1]]])
    assert found[:2] == [[("u00001",)], []]
    assert isinstance(found[2], stategate.DatabaseError)
    assert real.batch("SELECT 1", []) == []


@pytest.mark.parametrize(("limit", "value"), [("_SETS_MAX", 100), ("_SETS_BYTES_MAX", 1_000)])
def test_large_batches_take_several_requests(
    real: stategate.Connection, limit: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requesting, limit, value)
    sets = [[f"u{n % USERS:05}"] for n in range(256)]
    assert len(list(requesting.batches_of(sets))) == 3
    found = real.batch("SELECT usr FROM clicks WHERE usr = $1", sets)
    assert found == [[(key,)] for (key,) in sets]


@pytest.mark.parametrize("consistency", ["eventual", "snapshot"])
def test_pages_have_all_rows_in_order(
    real: stategate.Connection, consistency: requesting.Consistency
) -> None:
    real.execute(LOOKUP, ["u00001"])
    pages = list(real.pages("SELECT usr FROM clicks", page_rows=700, consistency=consistency))
    assert [len(page) for page in pages] == [700, 700, 700, 400]
    assert [usr for page in pages for (usr,) in page] == [f"u{n:05}" for n in range(USERS)]


# --- arrow ---------------------------------------------------------------------------------------


def test_arrow_and_data_frames(real: stategate.Connection, clicks: Clicks) -> None:
    clicks.apply(20)
    sql, params = "SELECT usr, n FROM clicks WHERE usr < $1 ORDER BY usr", ["u00003"]
    table = real.arrow(sql, params)
    assert table.to_pylist() == [{"usr": f"u{n:05}", "n": 20} for n in range(3)]
    assert real.position.covers(stategate.at_least("events", 0, 20))
    frame = real.df(sql, params)
    assert isinstance(frame, pd.DataFrame)
    assert frame["n"].tolist() == [20, 20, 20]
    polar = real.pl(sql, params)
    assert isinstance(polar, pl.DataFrame)
    assert polar["usr"].to_list() == ["u00000", "u00001", "u00002"]


def test_arrow_has_every_type(db: stategate.Connection) -> None:
    table = db.arrow("SELECT * FROM types")
    assert table.num_rows == 2
    assert table["a_decimal"].to_pylist() == [Decimal("-1234.50"), None]
    assert table.schema.field("a_timestamptz").type == pa.timestamp("us", "UTC")
    assert table.schema.field("a_uuid").metadata == {b"stategate.type": b"uuid"}


def test_arrow_of_no_rows(real: stategate.Connection) -> None:
    table = real.arrow("SELECT usr, n FROM clicks WHERE usr = 'none'")
    assert (table.num_rows, table.column_names) == (0, ["usr", "n"])


# --- no gateway ----------------------------------------------------------------------------------


def test_no_gateway_is_an_error_after_some_attempts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    with (
        stategate.connect(f"http://127.0.0.1:{port}", attempts_max=2) as db,
        pytest.raises(stategate.OperationalError, match="no gateway answers") as raised,
    ):
        db.execute("SELECT 1")
    assert raised.value.sqlstate == "08001"


def test_a_silent_gateway_times_out() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        stategate.connect(f"http://127.0.0.1:{listener.getsockname()[1]}") as db,
        pytest.raises(stategate.OperationalError, match="in time") as raised,
    ):
        db.execute("SELECT 1", timeout_s=0.05)
    assert raised.value.sqlstate == "57014"


@pytest.mark.parametrize(
    "said", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"]
)
def test_a_connection_that_breaks_off_is_an_error(said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(said)

        serving = threading.Thread(target=serve)
        serving.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with (
            stategate.connect(url, attempts_max=2) as db,
            pytest.raises(stategate.OperationalError, match="broke off") as raised,
        ):
            db.execute("SELECT 1")
        serving.join(WAIT_S)
    assert (raised.value.sqlstate, raised.value.retryable) == ("08006", True)


def test_a_request_comes_in_one_piece() -> None:
    """The gateway answers a lookup at once only if its head and its body come together."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                received.append(connection.recv(65536))

        serving = threading.Thread(target=serve)
        serving.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/below"
        with (
            stategate.connect(url, attempts_max=1) as db,
            pytest.raises(stategate.OperationalError),
        ):
            db.execute("SELECT 1")
        serving.join(WAIT_S)
    head, _, body = received[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /below/v1/query HTTP/1.1\r\n")
    assert body == b'{"sql":"SELECT 1"}'
