"""Clients of a gateway while a store that they read is rebuilt by the command line."""

from __future__ import annotations

import threading
from pathlib import Path

import psycopg
import pytest

from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from tests.gateway.real_gateway import PEOPLE, RealGateway
from tests.support.command_line import Ended, stategate
from tests.support.waiting import until

pytestmark = pytest.mark.server


def rebuild(root: Path, *arguments: str) -> Ended:
    return stategate("rebuild", "--root", str(root), "--store", "people", *arguments)


def test_clients_go_on_and_then_see_the_new_columns(tmp_path: Path) -> None:
    gateway = RealGateway(tmp_path)
    gateway.wait_until_ready()
    try:
        wrong: list[object] = []
        stopping = threading.Event()

        def read() -> None:
            with psycopg.connect(gateway.dsn, autocommit=True, prepare_threshold=0) as watching:
                while not stopping.is_set():
                    for statement, expected in (
                        ("SELECT name FROM people WHERE name = 'n7'", [("n7",)]),
                        ("SELECT count(*) FROM people", [(1_000,)]),
                        ("SELECT upper(max(name)) FROM people", [("N999",)]),
                    ):
                        found = watching.execute(statement).fetchall()
                        if found != expected:
                            wrong.append((statement, found))

        def reader() -> None:
            try:
                read()
            except psycopg.Error as error:
                wrong.append(error)

        thread = threading.Thread(target=reader)
        thread.start()
        with psycopg.connect(gateway.dsn, autocommit=True, prepare_threshold=0) as session:
            row = session.execute("SELECT * FROM people WHERE name = %s", ["n7"]).fetchone()
            assert row is not None
            assert len(row) == 3
            ages = "SELECT age FROM people WHERE name = %s"
            assert session.execute(ages, ["n7"]).fetchone() == (7,)
            done = rebuild(
                tmp_path / "log",
                *("--add", "note:text", "--rename", "age:years", "--widen", "age:bigint"),
                *("--drop", "seen", "--partitions", "5", "--not-null", "name"),
            )
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout == "people: rebuilt, 1000 rows as of epoch 0\n"

            def columns() -> list[str]:
                cursor = session.execute("SELECT * FROM people LIMIT 0", prepare=False)
                return [column.name for column in cursor.description or ()]

            until(lambda: columns() == ["name", "years", "note"])
            with pytest.raises(psycopg.errors.FeatureNotSupported, match="cached plan must not"):
                session.execute("SELECT * FROM people WHERE name = %s", ["n7"])
            with pytest.raises(psycopg.errors.UndefinedColumn):
                session.execute(ages, ["n7"])
            years = "SELECT years, note FROM people WHERE name = %s"
            assert session.execute(years, ["n7"]).fetchone() == (7, None)
            numbers = "SELECT count(DISTINCT _partition) FROM people"
            assert session.execute(numbers).fetchone() == (5,)
        stopping.set()
        thread.join()
        assert not wrong
    finally:
        gateway.end()


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("log")
    StoreWriter(root, PEOPLE)
    return root


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), 'store "people" has this definition already'),
        (("--add", "note"), '"note" is not two names'),
        (("--add", "note:words"), "words"),
        (("--drop", "age", "--drop", "x"), 'has no column "x"'),
        (("--drop", "name"), "has no key column"),
        (("--drop", "age", "--add", "age:bigint"), "cannot be dropped and kept"),
        (("--rename", "age:name"), "would have two columns of one name"),
        (("--widen", "age:text"), "cannot change from integer to text"),
        (("--partitions", "0"), "cannot have 0 partitions"),
        (("--not-null", "x"), 'has no column "x"'),
        (("--add", "note:text", "--not-null", "note"), "cannot be added as NOT NULL"),
        (("--key", "age", "--key", "age"), 'columns "age"'),
    ],
)
def test_mistakes_change_nothing(people: Path, arguments: tuple[str, ...], message: str) -> None:
    done = rebuild(people, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) <= 2
    assert StoreLog.open(people, "people").place == ""
