"""Transactions over the wire, by psycopg: snapshots, savepoints, modes, and settings of a block."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
from psycopg import pq
from psycopg.rows import TupleRow
from psycopg.sql import SQL

from stategate.gateway.pgwire import PgLimits, PgServer
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.sql import SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import VIEWS_MAX
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.serving import HOST, SERVER_VERSION
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store
from tests.support.waiting import WAIT_S

ACCOUNTS = keyvalue("accounts", {"id": "bigint"}, {"amount": "bigint"})
IDS = range(10)
TOTAL = "SELECT sum(amount) FROM accounts"
ONE = "SELECT amount FROM accounts WHERE id = 1"
Connection = psycopg.Connection[TupleRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bank:
    """A store, and a server for it."""

    store: LocalStore
    port: int
    server: PgServer

    def deposit(self, *epochs: int) -> None:
        """Apply epochs, after each of which every account holds the epoch's number."""
        for epoch in epochs:
            fill(self.store, [(account, epoch) for account in IDS], epoch=epoch)

    def held(self) -> int:
        """Return the number of epochs that are held for readers."""
        return sum(len(replica._holds) for replica in self.store.replicas.values())

    def connect(self, **options: object) -> Connection:
        """Return a client that begins and ends its own transactions."""
        return psycopg.connect(
            host=HOST,
            port=self.port,
            user="joe",
            dbname="db",
            autocommit=True,
            **options,  # type: ignore[arg-type] # connection parameters are open
        )


@pytest.fixture
def bank() -> Iterator[Bank]:
    store = open_store(ACCOUNTS)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="server", daemon=True)
    thread.start()
    threads = StatementThreads(count=4, queue_max=64)
    engine = SqlEngine(FixedCatalog(store))
    server = PgServer(
        engine=engine, threads=threads, limits=PgLimits(), server_version=SERVER_VERSION
    )
    port = asyncio.run_coroutine_threadsafe(server.start(HOST, 0), loop).result(WAIT_S)
    made = Bank(store=store, port=port, server=server)
    made.deposit(0, 1)
    try:
        yield made
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(grace_s=0.2), loop).result(WAIT_S)
        threads.close()
        engine.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()


@pytest.fixture
def client(bank: Bank) -> Iterator[Connection]:
    with bank.connect() as connection:
        yield connection


def one(connection: Connection, sql: str) -> object:
    row = connection.execute(SQL(sql)).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize(
    "level", [psycopg.IsolationLevel.REPEATABLE_READ, psycopg.IsolationLevel.SERIALIZABLE]
)
def test_a_transaction_is_a_snapshot(bank: Bank, level: psycopg.IsolationLevel) -> None:
    with bank.connect() as connection:
        connection.isolation_level = level
        connection.read_only = True
        with connection.transaction():
            assert one(connection, TOTAL) == 10
            bank.deposit(*range(2, 3 * VIEWS_MAX))
            assert one(connection, TOTAL) == 10
            for _ in range(8):  # psycopg prepares it on the way
                assert one(connection, ONE) == 1
            assert one(connection, "SHOW transaction_isolation") == level.name.lower().replace(
                "_", " "
            )
        assert one(connection, TOTAL) == 10 * (3 * VIEWS_MAX - 1)
    assert bank.held() == 0


def test_read_committed_sees_later_epochs(bank: Bank, client: Connection) -> None:
    with client.transaction():
        assert one(client, ONE) == 1
        bank.deposit(2)
        assert one(client, ONE) == 2
        assert one(client, "SHOW transaction_isolation") == "read committed"


def test_a_lookup_begins_the_snapshot(bank: Bank, client: Connection) -> None:
    client.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    assert one(client, ONE) == 1
    bank.deposit(*range(2, 9))
    assert (one(client, ONE), one(client, TOTAL)) == (1, 10)
    client.execute("COMMIT AND CHAIN")
    assert (one(client, ONE), one(client, TOTAL)) == (8, 80)
    bank.deposit(9)
    assert one(client, ONE) == 8
    client.execute("ROLLBACK")
    assert one(client, ONE) == 9


def test_a_client_that_leaves_in_the_middle_releases_its_epochs(bank: Bank) -> None:
    connection = bank.connect()
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    assert one(connection, TOTAL) == 10
    assert bank.held() == 3
    connection.close()
    ticks = threading.Event()
    for _ in range(1000):
        if not bank.held():
            break
        ticks.wait(0.005)
    assert bank.held() == 0


def test_a_cursor_reads_the_snapshot_of_its_declaration(bank: Bank, client: Connection) -> None:
    with client.transaction(), client.cursor(name="mine") as cursor:
        cursor.execute("SELECT amount FROM accounts")
        first = cursor.fetchmany(3)
        bank.deposit(*range(2, 9))
        assert first + cursor.fetchall() == [(1,)] * len(IDS)


def test_savepoints_survive_an_error(bank: Bank, client: Connection) -> None:
    client.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    assert one(client, TOTAL) == 10
    with pytest.raises(psycopg.errors.UndefinedTable), client.transaction():  # a savepoint
        client.execute("SELECT * FROM nope")
    assert client.info.transaction_status.name == "INTRANS"
    bank.deposit(*range(2, 9))
    assert one(client, TOTAL) == 10
    client.execute("SAVEPOINT a")
    with pytest.raises(psycopg.errors.UndefinedTable):
        client.execute("SELECT * FROM nope")
    assert client.info.transaction_status.name == "INERROR"
    for sql in ("SAVEPOINT b", "RELEASE a", "SELECT 1", "BEGIN"):
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            client.execute(SQL(sql))
    with pytest.raises(psycopg.errors.InvalidSavepointSpecification):
        client.execute("ROLLBACK TO b")
    assert client.info.transaction_status.name == "INERROR"
    assert client.execute("ROLLBACK TO SAVEPOINT a").statusmessage == "ROLLBACK"
    assert client.info.transaction_status.name == "INTRANS"
    assert one(client, TOTAL) == 10
    assert client.execute("RELEASE a").statusmessage == "RELEASE"
    assert client.execute("COMMIT").statusmessage == "COMMIT"


def test_going_back_closes_the_cursors_made_since(client: Connection) -> None:
    client.execute("BEGIN")
    client.execute("DECLARE before CURSOR FOR SELECT id FROM accounts ORDER BY id")
    client.execute("SAVEPOINT a")
    client.execute("DECLARE after CURSOR FOR SELECT id FROM accounts ORDER BY id")
    client.execute("ROLLBACK TO a")
    assert client.execute("FETCH 2 FROM before").fetchall() == [(0,), (1,)]
    with pytest.raises(psycopg.errors.InvalidCursorName):
        client.execute("FETCH 2 FROM after")
    client.execute("ROLLBACK TO a")
    client.execute("DECLARE after CURSOR FOR SELECT id FROM accounts ORDER BY id DESC")
    assert client.execute("FETCH after").fetchall() == [(9,)]
    client.execute("COMMIT")


@pytest.mark.parametrize(
    ("statements", "sqlstate"),
    [
        (["SAVEPOINT a"], "25P01"),
        (["RELEASE a"], "25P01"),
        (["ROLLBACK TO a"], "25P01"),
        (["COMMIT AND CHAIN"], "25P01"),
        (["BEGIN", "RELEASE SAVEPOINT nope"], "3B001"),
        (["BEGIN", TOTAL, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"], "25001"),
        (["BEGIN", "SAVEPOINT a", "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"], "25001"),
        (["BEGIN ISOLATION LEVEL"], "42601"),
        (["BEGIN ISOLATION LEVEL CHAOS"], "42601"),
        (["BEGIN READ ONLY,"], "42601"),
        (["SAVEPOINT"], "42601"),
        (["COMMIT PREPARED 'x'"], "0A000"),
        (["BEGIN", "SET TRANSACTION SNAPSHOT '00000003-1'"], "0A000"),
        (["SET default_transaction_isolation = 'chaos'"], "22023"),
        (["BEGIN READ WRITE", "DELETE FROM accounts"], "25006"),
        (["BEGIN READ WRITE", "CREATE TABLE t (a int)"], "25006"),
    ],
)
def test_refusals(client: Connection, statements: list[str], sqlstate: str) -> None:
    *before, last = statements
    for sql in before:
        client.execute(SQL(sql))
    with pytest.raises(psycopg.Error) as caught:
        client.execute(SQL(last))
    assert caught.value.sqlstate == sqlstate


def test_a_snapshot_that_is_lost_is_too_old(bank: Bank, client: Connection) -> None:
    client.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    assert one(client, TOTAL) == 10
    bank.store.close()
    with pytest.raises(psycopg.errors.SnapshotTooOld):
        one(client, TOTAL)
    assert client.info.transaction_status.name == "INERROR"
    client.execute("ROLLBACK")


@pytest.mark.parametrize("read_only", [True, False])
def test_modes_of_a_driver(bank: Bank, *, read_only: bool) -> None:
    with bank.connect() as connection:
        connection.autocommit = False
        connection.read_only = read_only
        connection.deferrable = True
        connection.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        assert one(connection, ONE) == 1
        assert one(connection, "SHOW transaction_isolation") == "serializable"
        assert one(connection, "SHOW transaction_deferrable") == "on"
        assert one(connection, "SHOW transaction_read_only") == "on"  # whichever mode it asked for
        connection.rollback()


def test_show_reports_the_real_mode(client: Connection) -> None:
    assert one(client, "SHOW TRANSACTION ISOLATION LEVEL") == "read committed"
    client.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    assert one(client, "SHOW default_transaction_isolation") == "repeatable read"
    assert one(client, "SHOW transaction_isolation") == "repeatable read"
    client.execute("BEGIN")
    client.execute("SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED, READ WRITE")
    assert one(client, "SHOW transaction_isolation") == "read uncommitted"
    client.execute("SET transaction_isolation TO 'serializable'")
    assert one(client, "SHOW transaction_isolation") == "serializable"
    client.execute("COMMIT")
    assert one(client, "SHOW transaction_isolation") == "repeatable read"
    client.execute("SET default_transaction_read_only = off")
    assert one(client, "SHOW default_transaction_read_only") == "on"


def test_a_startup_option_sets_the_isolation(bank: Bank) -> None:
    options = "-c default_transaction_isolation=serializable -c stategate.consistency=snapshot"
    with bank.connect(options=options) as connection:
        assert one(connection, "SHOW transaction_isolation") == "serializable"
        bank.deposit(2)
        assert one(connection, TOTAL) == 20


def test_settings_follow_their_transaction(client: Connection) -> None:
    name = "application_name"
    client.execute("SET application_name = 'first'")
    client.execute("BEGIN")
    client.execute("SET application_name = 'second'")
    client.execute("SET LOCAL stategate.wait = '5 s'")
    client.execute("SAVEPOINT a")
    client.execute("SET application_name = 'third'")
    assert one(client, f"SHOW {name}") == "third"
    client.execute("ROLLBACK TO a")
    assert (one(client, f"SHOW {name}"), one(client, "SHOW stategate.wait")) == ("second", "5 s")
    client.execute("COMMIT")
    assert (one(client, f"SHOW {name}"), one(client, "SHOW stategate.wait")) == ("second", "0")
    client.execute("BEGIN")
    client.execute("SET application_name = 'fourth'")
    client.execute("ROLLBACK")
    assert one(client, f"SHOW {name}") == "second"
    assert client.info.parameter_status(name) == "second"


@pytest.mark.parametrize("clause", ["UNBOUNDED", "LATEST", "SNAPSHOT", "events[0] >= 0"])
def test_no_clause_takes_a_monotonic_session_back(
    bank: Bank, client: Connection, clause: str
) -> None:
    """It goes on from a position of another gateway, which this one has not reached."""
    client.execute("SET stategate.consistency = 'monotonic'")
    assert one(client, f"{ONE} WITH BOUND ({clause})") == 1
    assert one(client, "SHOW stategate.position") == '{"events":{"0":1}}'
    client.execute("""SET stategate.bound = '{"events": {"0": 2}}'""")
    for sql in (ONE, TOTAL):
        with pytest.raises(psycopg.Error) as caught:
            client.execute(SQL(f"{sql} WITH BOUND ({clause})"))
        assert caught.value.sqlstate == "55S01"
    bank.deposit(2)
    assert one(client, f"{ONE} WITH BOUND ({clause})") == 2


def test_a_waiting_statement_is_cancelled_at_once(bank: Bank, client: Connection) -> None:
    asking: list[str | None] = []

    def ask() -> None:
        try:
            client.execute("SELECT * FROM accounts WITH BOUND (events[0] >= 99), WAIT '60 s'")
        except psycopg.Error as error:
            asking.append(error.sqlstate)

    thread = threading.Thread(target=ask)
    thread.start()
    replica = bank.store.replicas[0]
    ticks = threading.Event()
    while not len(replica._waiters):
        ticks.wait(0.001)
    client.cancel_safe()
    thread.join(WAIT_S)
    assert asking == ["57014"]


# --- cursors and prepared statements -------------------------------------------------------------


def test_a_connection_lists_its_own_cursors_and_statements(bank: Bank, client: Connection) -> None:
    before = dt.datetime.now(dt.UTC)
    client.execute("PREPARE look (bigint) AS SELECT amount FROM accounts WHERE id = $1")
    with bank.connect() as other:
        other.execute("PREPARE hidden AS SELECT 1")
        listed = client.execute("SELECT * FROM pg_prepared_statements ORDER BY name").fetchall()
    assert len(listed) == 1
    name, sql, prepared, types, from_sql, generic, custom = listed[0]
    assert (name, types, from_sql, generic, custom) == ("look", ["bigint"], True, 0, 0)
    assert sql == "PREPARE look (bigint) AS SELECT amount FROM accounts WHERE id = $1"
    assert before <= prepared <= dt.datetime.now(dt.UTC)
    with client.transaction():
        client.execute("DECLARE c SCROLL CURSOR FOR SELECT * FROM accounts")
        client.execute("DECLARE h BINARY CURSOR WITH HOLD FOR SELECT * FROM accounts")
        shown = "SELECT name, is_holdable, is_binary, is_scrollable FROM pg_cursors ORDER BY name"
        found = client.execute(shown).fetchall()
        assert found == [("c", False, False, True), ("h", True, True, False)]
        assert bank.server.cursors()[0] == 2
    assert one(client, "SELECT string_agg(name, ',') FROM pg_cursors") == "h"
    client.execute("CLOSE ALL")
    client.execute("DEALLOCATE ALL")
    assert one(client, "SELECT count(*) FROM pg_cursors") == 0
    assert bank.server.cursors() == (0, 0.0)
    assert one(client, "SELECT count(*) FROM pg_prepared_statements") == 0


def test_lists_show_the_whole_text_that_a_statement_came_in(client: Connection) -> None:
    text = "BEGIN; PREPARE p AS SELECT 1; DECLARE c CURSOR FOR SELECT 2; SELECT 3;"
    client.execute(text)
    shown = (
        "SELECT statement FROM pg_prepared_statements UNION ALL SELECT statement FROM pg_cursors"
    )
    assert client.execute(shown).fetchall() == [(text,), (text,)]
    client.execute("ROLLBACK")


def test_a_failed_transaction_finds_wrong_messages_first(client: Connection) -> None:
    """PostgreSQL counts the values of a Bind, and plans a Parse before it looks at its name."""
    connection = client.pgconn
    connection.prepare(b"p", b"SELECT amount FROM accounts WHERE id = $1")
    client.execute("BEGIN")
    with pytest.raises(psycopg.errors.DivisionByZero):
        client.execute("SELECT 1 / 0")

    def state(result: pq.abc.PGresult) -> bytes | None:
        return result.error_field(pq.DiagnosticField.SQLSTATE)

    assert state(connection.exec_prepared(b"p", [b"1", b"2"])) == b"08P01"
    assert state(connection.exec_prepared(b"p", [b"x"])) == b"25P02"
    assert state(connection.prepare(b"p", b"SELECT 1")) == b"25P02"
    assert state(connection.prepare(b"p", b"SELEC 1")) == b"42601"
    client.execute("ROLLBACK")
    assert state(connection.prepare(b"p", b"SELECT nothing")) == b"42703"
    assert state(connection.prepare(b"p", b"SELECT 1")) == b"42P05"


def test_queries_before_begin_in_one_text_are_part_of_the_transaction(client: Connection) -> None:
    client.execute("SELECT 1; BEGIN; ROLLBACK")
    client.execute("SELECT 1; COMMIT; BEGIN ISOLATION LEVEL SERIALIZABLE; ROLLBACK")
    client.execute("SELECT 1")
    client.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
    client.execute("SELECT 1")
    client.execute("RESET transaction_isolation")
    assert one(client, "SHOW transaction_isolation") == "read committed"
    client.execute("ROLLBACK")
    for mode in ("ISOLATION LEVEL SERIALIZABLE", "NOT DEFERRABLE"):
        with pytest.raises(psycopg.errors.ActiveSqlTransaction):
            client.execute(f"SELECT 1; BEGIN {mode}")
        assert client.info.transaction_status is pq.TransactionStatus.IDLE
    with pytest.raises(psycopg.errors.ActiveSqlTransaction):
        client.execute("SELECT set_config('transaction_deferrable', 'off', true)")


def test_an_argument_that_no_cast_takes_names_its_parameter(client: Connection) -> None:
    client.execute("PREPARE look (bigint, text) AS SELECT amount FROM accounts WHERE id = $1")
    with pytest.raises(psycopg.errors.DatatypeMismatch, match=r"parameter \$1 of type json"):
        client.execute("EXECUTE look ('null'::json, 'x')")


def test_a_statement_of_a_driver_is_listed(client: Connection) -> None:
    for _ in range(6):  # the fifth is prepared
        client.execute("SELECT amount FROM accounts WHERE id = %s", (1,))
    shown = "SELECT statement, from_sql FROM pg_prepared_statements"
    assert client.execute(shown, prepare=False).fetchall() == [
        ("SELECT amount FROM accounts WHERE id = $1", False)
    ]


def test_set_config_over_the_wire(client: Connection) -> None:
    with client.transaction():
        assert one(client, "SELECT set_config('statement_timeout', '7s', true)") == "7s"
        assert one(client, "SHOW statement_timeout") == "7s"
    assert one(client, "SHOW statement_timeout") == "0"
    with pytest.raises(psycopg.errors.UndefinedObject):
        client.execute("SELECT set_config('no_such', 'x', false)")
    assert one(client, "SELECT set_config('application_name', 'told', false)") == "told"
    assert client.info.parameter_status("application_name") == "told"


def test_discard_all_cannot_run_in_a_transaction(client: Connection) -> None:
    client.execute("SET application_name = 'kept'")
    with pytest.raises(psycopg.errors.ActiveSqlTransaction):
        client.execute("SELECT 1; DISCARD ALL")
    assert one(client, "SHOW application_name") == "kept"
    client.execute("SELECT 1; DISCARD PLANS")
    client.execute("DISCARD ALL")
    assert one(client, "SHOW application_name") == ""


def test_a_cursor_reads_backwards_unless_it_is_no_scroll(client: Connection) -> None:
    with client.transaction():
        client.execute("DECLARE c CURSOR FOR SELECT id FROM accounts ORDER BY id")
        assert [row[0] for row in client.execute("FETCH 3 FROM c")] == [0, 1, 2]
        assert [row[0] for row in client.execute("FETCH PRIOR FROM c")] == [1]
        client.execute("DECLARE n NO SCROLL CURSOR FOR SELECT id FROM accounts ORDER BY id")
        client.execute("FETCH 3 FROM n")
        with (
            pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState),
            client.transaction(),
        ):
            client.execute("FETCH PRIOR FROM n")


def test_a_held_cursor_outlives_lookups(client: Connection) -> None:
    client.execute("BEGIN; DECLARE h CURSOR WITH HOLD FOR SELECT id FROM accounts; COMMIT")
    for number in (1, 2, 1, 2, 1):  # planned, then found by its shape, then by the text around it
        client.execute(f"SELECT amount FROM accounts WHERE id = {number}")
    assert len(client.execute("FETCH ALL FROM h").fetchall()) > 0


def test_a_lookup_has_the_same_answer_by_every_path(bank: Bank) -> None:
    """It is planned, or found by its shape, or by the text around its literal."""
    with wire.RawClient(HOST, bank.port) as client:
        client.login(user="joe", database="db")
        answers = []
        for _ in range(6):
            client.send(wire.parse("", "SELECT id FROM accounts"), wire.SYNC)
            client.read_until("Z")
            answers.append(client.ask("SELECT amount FROM accounts WHERE id = 2;"))
            client.send(wire.describe("S", ""), wire.SYNC)
            (told, *_) = client.read_until("Z")
            assert wire.error_fields(told[1])["C"] == "26000"
            nobody = client.ask("SELECT amount FROM accounts WHERE id = 77;")
            assert [kind for kind, _ in nobody] == ["T", "C", "Z"]
        assert [kind for kind, _ in answers[0]] == ["T", "D", "C", "Z"]
        assert all(answer == answers[0] for answer in answers)
