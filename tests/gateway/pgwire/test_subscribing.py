"""SUBSCRIBE over the wire, by psycopg: COPY, cursors, row limits and cancellation."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
import pytest
from psycopg.rows import TupleRow

from stategate.gateway.pgwire import PgLimits, PgServer
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.live.results import ResultReader
from stategate.planner.sql import LiveLimits, SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.past import PastStores
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.serving import HOST, SERVER_VERSION
from tests.support.past import GivenPast, until_forgotten
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store
from tests.support.waiting import WAIT_S, until

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
ALL = "SUBSCRIBE (SELECT * FROM clicks ORDER BY usr)"
Connection = psycopg.Connection[TupleRow]
FIRST = [("insert", 0, "ann", 1), ("insert", 0, "bob", 2), ("progress", 0, None, None)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A store, and a server for it."""

    store: LocalStore
    engine: SqlEngine
    port: int

    def connect(self) -> Connection:
        return psycopg.connect(host=HOST, port=self.port, user="joe", dbname="db", autocommit=True)

    def cancel(self, client: Connection) -> None:
        """Cancel a client's statement; `Connection.cancel` would block this whole process."""
        with self.connect() as other:
            other.execute("SELECT pg_cancel_backend(%s)", (client.info.backend_pid,))


CATALOG = FixedCatalog()


@contextmanager
def serving(past: PastStores | None = None) -> Iterator[tuple[SqlEngine, int]]:
    """Serve the catalog from a thread; yield the engine and the port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="server", daemon=True)
    thread.start()
    threads = StatementThreads(count=4, queue_max=64)
    limits_of_live = LiveLimits(bytes_max=200_000, linger_s=0 if past else 0.5)
    engine = SqlEngine(CATALOG, live=limits_of_live, past=past)
    limits = PgLimits(statement_timeout_s=WAIT_S)
    server = PgServer(engine=engine, threads=threads, limits=limits, server_version=SERVER_VERSION)
    port = asyncio.run_coroutine_threadsafe(server.start(HOST, 0), loop).result(WAIT_S)
    try:
        yield engine, port
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(grace_s=0.2), loop).result(WAIT_S)
        threads.close()
        engine.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[SqlEngine, int]]:
    with serving() as made:
        yield made


@pytest.fixture
def store() -> LocalStore:
    made = open_store(CLICKS)
    fill(made, [("ann", 1), ("bob", 2)])
    CATALOG.replace(made)
    return made


@pytest.fixture
def served(server: tuple[SqlEngine, int], store: LocalStore) -> Iterator[Served]:
    engine, port = server
    until(lambda: engine.live_counts().queries == 0)
    yield Served(store=store, engine=engine, port=port)
    until(lambda: engine.live_counts().subscribers == 0)
    store.close()


@pytest.fixture
def client(served: Served) -> Iterator[Connection]:
    with served.connect() as connection:
        yield connection


def without_tokens(rows: list[TupleRow]) -> list[TupleRow]:
    return [(*row[:2], *row[4:]) for row in rows]


def test_copy_gives_first_rows_and_then_changes(served: Served, client: Connection) -> None:
    types = ("text", "int8", "text", "json", "text", "int8")
    with client.cursor() as cursor, cursor.copy(f"COPY ({ALL}) TO STDOUT") as copy:
        copy.set_types(types)
        rows = copy.rows()
        assert without_tokens([next(rows) for _ in range(3)]) == FIRST
        fill(served.store, [("bob", 3), ("cid", 4)], epoch=1)
        change = [next(rows) for _ in range(4)]
        assert without_tokens(change) == [
            ("update_old", 1, "bob", 2),
            ("update_new", 1, "bob", 3),
            ("insert", 1, "cid", 4),
            ("progress", 1, None, None),
        ]
        assert [row[2:4] for row in change[:-1]] == [(None, None)] * 3
        assert change[-1][3] == {"events": {"0": 1}}
        fill(served.store, [], epoch=2)
        assert without_tokens([next(rows)]) == [("progress", 2, None, None)]
        served.cancel(client)
        with pytest.raises(psycopg.errors.QueryCanceled):
            next(rows)
    assert client.execute("SELECT 1").fetchone() == (1,)


def test_binary_copy(served: Served, client: Connection) -> None:
    sql = f"COPY ({ALL}) TO STDOUT (FORMAT binary)"
    with client.cursor() as cursor, cursor.copy(sql) as copy:
        copy.set_types(("text", "int8", "text", "json", "text", "int8"))
        rows = copy.rows()
        assert without_tokens([next(rows) for _ in range(3)]) == FIRST
        fill(served.store, [("cid", 4)], epoch=1)
        assert without_tokens([next(rows)]) == [("insert", 1, "cid", 4)]
        served.cancel(client)
        with pytest.raises(psycopg.errors.QueryCanceled):
            list(rows)


def test_a_cursor_gives_what_is_there(served: Served, client: Connection) -> None:
    with client.transaction():
        client.execute(f"DECLARE c CURSOR FOR {ALL}")
        assert without_tokens(client.execute("FETCH 2 c").fetchall()) == FIRST[:2]
        assert without_tokens(client.execute("FETCH ALL c").fetchall()) == FIRST[2:]
        assert client.execute("FETCH 5 c WITH (TIMEOUT = '10 ms')").fetchall() == []
        applying = threading.Timer(0.02, fill, (served.store, [("ann", 5)]), {"epoch": 1})
        applying.start()
        found = client.execute("FETCH 1 c").fetchall()
        assert without_tokens(found) == [("update_old", 1, "ann", 1)]
        applying.join()
        # The extended protocol, with values in binary.
        found = client.cursor(binary=True).execute("FETCH ALL c").fetchall()
        assert without_tokens(found) == [("update_new", 1, "ann", 5), ("progress", 1, None, None)]
        assert client.execute("FETCH 0 c").fetchall() == []
        assert served.engine.live_counts().subscribers == 1
    assert served.engine.live_counts().subscribers == 0


def test_a_server_side_cursor_and_parameters(served: Served, client: Connection) -> None:
    sql = "SUBSCRIBE (SELECT n FROM clicks WHERE usr = %s)"
    with client.transaction(), client.cursor("mine") as cursor:
        cursor.execute(sql, ("bob",))
        assert cursor.description is not None
        names = [column.name for column in cursor.description]
        assert names == ["_change", "_epoch", "_token", "_position", "n"]
        assert [row[4] for row in cursor.fetchmany(2)] == [2, None]


def test_rows_stream_in_single_row_mode(served: Served, client: Connection) -> None:
    rows = client.cursor().stream(ALL)
    assert without_tokens([next(rows) for _ in range(3)]) == FIRST
    fill(served.store, [("cid", 4)], epoch=1)
    assert without_tokens([next(rows) for _ in range(2)]) == [
        ("insert", 1, "cid", 4),
        ("progress", 1, None, None),
    ]
    served.cancel(client)
    with pytest.raises(psycopg.errors.QueryCanceled):
        next(rows)


def test_a_subscription_outlives_the_statement_timeout(served: Served, client: Connection) -> None:
    client.execute("SET statement_timeout = '400 ms'")
    rows = client.cursor().stream(ALL)
    assert len([next(rows) for _ in range(3)]) == 3
    threading.Event().wait(0.5)
    fill(served.store, [("cid", 4)], epoch=1)
    assert next(rows)[0] == "insert"
    served.cancel(client)
    with pytest.raises(psycopg.errors.QueryCanceled):
        list(rows)
    with client.transaction():
        client.execute(f"DECLARE c CURSOR FOR {ALL}")
        client.execute("FETCH ALL c")
        with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
            client.execute("FETCH 1 c")
        raise psycopg.Rollback


def test_it_goes_on_after_a_token(served: Served, client: Connection) -> None:
    def rows_of(options: str = "") -> list[TupleRow]:
        with client.transaction():
            client.execute(f"DECLARE c CURSOR FOR {ALL} {options}")
            return client.execute("FETCH ALL c").fetchall()

    first = rows_of()
    token = first[-1][2]
    fill(served.store, [("cid", 4)], epoch=1)
    changes = [("insert", 1, "cid", 4), ("progress", 1, None, None)]
    assert without_tokens(rows_of(f"WITH (AFTER = '{token}')")) == changes
    assert without_tokens(rows_of("WITH (SNAPSHOT = false)")) == changes[1:]
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="malformed token"):
        rows_of("WITH (AFTER 'nonsense')")


def test_a_client_that_was_away_for_too_long_is_told(served: Served, client: Connection) -> None:
    with client.transaction():
        client.execute(f"DECLARE c CURSOR FOR {ALL}")
        token = client.execute("FETCH ALL c").fetchall()[-1][2]
    with client.transaction():
        client.execute(f"DECLARE c CURSOR FOR {ALL}")
        for epoch in range(1, 250):
            fill(served.store, [("ann", epoch)], epoch=epoch)
            while client.execute("FETCH ALL c").fetchall()[-1][1] < epoch:
                pass
        assert served.engine.live_counts().held_bytes <= 200_000
        with pytest.raises(psycopg.Error, match="cannot go on after the token") as caught:
            client.execute(f"DECLARE d CURSOR FOR {ALL} WITH (AFTER = '{token}')")
        assert caught.value.sqlstate == "72000"
        raise psycopg.Rollback


def test_a_client_that_leaves_is_forgotten(served: Served) -> None:
    client = served.connect()
    rows = client.cursor().stream(ALL)
    next(rows)
    assert served.engine.live_counts().subscribers == 1
    client.close()
    until(lambda: served.engine.live_counts().subscribers == 0)


def test_it_is_listed_and_its_backend_can_be_cancelled(served: Served, client: Connection) -> None:
    with served.connect() as other:
        rows = other.cursor().stream(ALL)
        next(rows)
        shown = client.execute("SELECT username, sql FROM stategate.queries").fetchall()
        assert ("joe", "SELECT * FROM clicks ORDER BY usr") in shown
        client.execute("SELECT pg_cancel_backend(%s)", (other.info.backend_pid,))
        with pytest.raises(psycopg.errors.QueryCanceled):
            list(rows)


def test_a_slow_reader_is_told(served: Served, client: Connection) -> None:
    with client.transaction():
        client.execute(f"DECLARE c CURSOR FOR {ALL}")
        client.execute("FETCH ALL c")
        with served.connect() as other, other.transaction():
            other.execute(f"DECLARE c CURSOR FOR {ALL}")
            for epoch in range(1, 250):
                fill(served.store, [("ann", epoch)], epoch=epoch)
                while other.execute("FETCH ALL c").fetchall()[-1][1] < epoch:
                    pass
        with pytest.raises(psycopg.Error, match="too slow") as caught:
            client.execute("FETCH 1 c")
        assert caught.value.sqlstate == "53400"
        raise psycopg.Rollback


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("SUBSCRIBE", "42601"),
        ("SUBSCRIBE (SELECT 1", "42601"),
        ("SUBSCRIBE clicks WITH (NOPE)", "42601"),
        ("SUBSCRIBE clicks WITH (SNAPSHOT, SNAPSHOT)", "42601"),
        ("SUBSCRIBE clicks WITH (SNAPSHOT = maybe)", "42601"),
        ("SUBSCRIBE clicks nonsense", "42601"),
        ("SUBSCRIBE nope", "42P01"),
        ("SUBSCRIBE (SELECT nope FROM clicks)", "42703"),
        ("SUBSCRIBE (SHOW STORES)", "42601"),
        ("SUBSCRIBE (SUBSCRIBE clicks)", "42601"),
        ("SUBSCRIBE (SELECT now() FROM clicks)", "0A000"),
        ("SUBSCRIBE (SELECT * FROM pg_class)", "0A000"),
        ("PREPARE p AS SUBSCRIBE clicks", "42601"),
        ("EXPLAIN SUBSCRIBE clicks", "42601"),
        ("DECLARE c SCROLL CURSOR WITH HOLD FOR SUBSCRIBE clicks", "0A000"),
        ("DECLARE c CURSOR WITH HOLD FOR SUBSCRIBE clicks", "0A000"),
        ("DECLARE c CURSOR FOR SUBSCRIBE clicks", "25P01"),
    ],
)
def test_errors(served: Served, client: Connection, sql: str, sqlstate: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        client.execute(sql)
    assert caught.value.sqlstate == sqlstate


def test_the_place_of_an_error_is_that_in_the_whole_text(client: Connection) -> None:
    sql = "SUBSCRIBE (SELECT nope FROM clicks)"
    with pytest.raises(psycopg.Error) as caught:
        client.execute(sql)
    position = caught.value.diag.statement_position
    assert position is not None
    assert sql[int(position) - 1 :].startswith("nope")


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("FETCH PRIOR c", "55000"),
        ("FETCH ABSOLUTE 1 c", "55000"),
        ("MOVE 1 c", "0A000"),
        ("FETCH 1 nope", "34000"),
    ],
)
def test_cursors_only_go_forwards(client: Connection, sql: str, sqlstate: str) -> None:
    with client.transaction():
        client.execute("DECLARE c CURSOR FOR SUBSCRIBE TO clicks")
        with pytest.raises(psycopg.Error) as caught:
            client.execute(sql)
        assert caught.value.sqlstate == sqlstate
        raise psycopg.Rollback


def test_executes_with_a_row_limit_suspend_the_portal(served: Served) -> None:
    """Read as drivers with a fetch size do; psycopg does not send such messages."""
    with wire.RawClient(HOST, served.port) as raw:
        raw.login()
        raw.send(wire.parse("", ALL), wire.bind("p", ""), wire.describe("P", "p"))
        raw.send(wire.execute("p", 2), wire.execute("p", 2), wire.FLUSH)
        messages = raw.read_until("s")
        names = next(wire.columns_of(body) for kind, body in messages if kind == "T")
        assert [name for name, *_ in names][-2:] == ["usr", "n"]
        assert [wire.row_fields(body)[4] for kind, body in messages if kind == "D"] == [
            b"ann",
            b"bob",
        ]
        rows = [wire.row_fields(body) for kind, body in raw.read_until("s") if kind == "D"]
        assert [row[0] for row in rows] == [b"progress"]
        fill(served.store, [("cid", 4)], epoch=1)
        raw.send(wire.execute("p", 10), wire.SYNC)
        rows = [wire.row_fields(body) for kind, body in raw.read_until("Z") if kind == "D"]
        assert [row[0] for row in rows] == [b"insert", b"progress"]


def test_the_end_of_the_gateway_is_told(store: LocalStore) -> None:
    with serving() as (engine, port):
        served = Served(store=store, engine=engine, port=port)
        with served.connect() as client:
            rows = client.cursor().stream(ALL)
            assert len([next(rows) for _ in range(3)]) == 3
            engine.end_live()
            with pytest.raises(psycopg.Error) as caught:
                next(rows)
            assert caught.value.sqlstate == "57P01"


def test_a_client_goes_on_by_the_log(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    past = GivenPast()
    past.stores[0] = open_store(CLICKS)
    fill(past.stores[0], [("ann", 1), ("bob", 2)])
    with (
        serving(past) as (engine, port),
        Served(store=store, engine=engine, port=port).connect() as client,
    ):
        client.execute("BEGIN")
        client.execute(f"DECLARE c CURSOR FOR {ALL}")
        token = client.execute("FETCH ALL c").fetchall()[-1][2]
        client.execute("COMMIT")
        until_forgotten(engine, [store])
        for epoch in range(1, 8):
            fill(store, [("bob", epoch)], epoch=epoch)
        after = f"{ALL} WITH (AFTER = '{token}')"
        client.execute("BEGIN")
        client.execute(f"DECLARE c CURSOR FOR {after}")
        assert without_tokens(client.execute("FETCH ALL c").fetchall()) == [
            ("update_old", 7, "bob", 2),
            ("update_new", 7, "bob", 7),
            ("progress", 7, None, None),
        ]
        client.execute("COMMIT")
        del past.stores[0]
        client.execute("BEGIN")
        with monkeypatch.context() as patched:
            patched.delattr(ResultReader, "read")  # it is refused before rows are read
            with pytest.raises(psycopg.Error, match="no longer held: epoch 0 is gone") as caught:
                client.execute(f"DECLARE c CURSOR FOR {after}")
        assert caught.value.sqlstate == "72000"
        client.rollback()
        past.may_answer.clear()
        client.execute("SET statement_timeout = '20ms'")
        with pytest.raises(psycopg.Error) as caught:
            client.execute(f"COPY ({after}) TO STDOUT")
        assert caught.value.sqlstate == "57014"
        past.may_answer.set()
