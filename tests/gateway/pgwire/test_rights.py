"""A session on the wire reads the stores of its user only, whichever message asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import OperationalError
from psycopg.errors import InsufficientPrivilege

from stategate.gateway.access.changing_users import remove_user, set_stores
from stategate.gateway.access.rules import Access
from stategate.planner.engine import Rights
from stategate.planner.sql import SqlEngine
from tests.gateway.credentials import (
    OTHER,
    OTHER_PASSWORD,
    PASSWORD,
    USER,
    access_of,
    make_users,
)
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.scram_client import ScramClient, log_in
from tests.gateway.pgwire.serving import HOST, serving
from tests.gateway.pgwire.wire import RawClient
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store
from tests.support.waiting import until

SECRETS = keyvalue("secrets", {"k": "text"}, {"v": "text"}, partitions=2)
OPEN = keyvalue("open", {"k": "text"}, {"v": "text"}, partitions=2)
BIG = keyvalue("big", {"k": "bigint"}, {"v": "text"}, partitions=2)
BIG_ROWS = 5_000
"""So many that they are a stream."""
Client = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A gateway with two users, of whom one is limited."""

    port: int
    users: Path
    access: Access

    def connect(self, user: str) -> Client:
        return psycopg.connect(
            host=HOST,
            port=self.port,
            user=user,
            password=PASSWORD if user == USER else OTHER_PASSWORD,
            dbname="stategate",
            autocommit=True,
        )


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    stores = [open_store(schema) for schema in (SECRETS, OPEN)]
    for store in stores:
        fill(store, [("a", "topsecret"), ("b", "topsecret")])
    big = open_store(BIG)
    fill(big, [(key, "topsecret") for key in range(BIG_ROWS)])
    users, rights = make_users(tmp_path), Rights()
    set_stores(users, name=USER, stores=["open"])
    engine = SqlEngine(FixedCatalog(*stores, big), rights=rights)
    with (
        access_of(users, rights=rights) as access,
        serving(other=engine, access=access) as running,
    ):
        yield Served(port=running.port, users=users, access=access)
    engine.close()


def simple(client: Client, store: str) -> list[Any]:
    return list(client.execute(f"SELECT v FROM {store} WHERE k = 'a'".encode()))


def extended(client: Client, store: str) -> list[Any]:
    return list(client.execute(f"SELECT v FROM {store} WHERE k = %s", ("a",), prepare=True))


def binary(client: Client, store: str) -> list[Any]:
    with client.cursor(binary=True) as cursor:
        return list(cursor.execute(f"SELECT v FROM {store} WHERE k = %s", ("a",), prepare=False))


def scanned(client: Client, store: str) -> list[Any]:
    return list(client.execute(f"SELECT upper(v) FROM {store}"))


def named(client: Client, store: str) -> list[Any]:
    with client.transaction(), client.cursor(name="c") as cursor:
        return list(cursor.execute(f"SELECT v FROM {store}"))


def copied(client: Client, store: str) -> list[Any]:
    with client.cursor() as cursor, cursor.copy(f"COPY {store} TO STDOUT") as copy:
        return list(copy.rows())


def executed(client: Client, store: str) -> list[Any]:
    client.execute(b"DEALLOCATE ALL")
    client.execute(f"PREPARE p AS SELECT v FROM {store} WHERE k = $1")
    return list(client.execute(b"EXECUTE p ('a')"))


def explained(client: Client, store: str) -> list[Any]:
    return list(client.execute(f"EXPLAIN ANALYZE SELECT v FROM {store}"))


def subscribed(client: Client, store: str) -> list[Any]:
    with client.transaction():
        client.execute(f"DECLARE c CURSOR FOR SUBSCRIBE (SELECT v FROM {store})")
        return list(client.execute(b"FETCH 1 FROM c"))


def piped(client: Client, store: str) -> list[Any]:
    with client.pipeline():
        client.execute(b"SELECT v FROM open WHERE k = %s", ("a",))
        return list(client.execute(f"SELECT v FROM {store} WHERE k = %s", ("a",)))


WAYS: list[Callable[[Client, str], list[Any]]] = [
    *(simple, extended, binary, scanned, named, copied, executed, explained, subscribed, piped),
]


def test_a_session_reads_the_stores_of_its_user(served: Served) -> None:
    with served.connect(OTHER) as other, served.connect(USER) as mine:
        for way in WAYS:
            for _ in range(3):
                assert way(other, "secrets"), way
                assert way(mine, "open"), way
                with pytest.raises(InsufficientPrivilege, match="denied for table secrets"):
                    way(mine, "secrets")


def test_a_session_follows_the_file_without_a_login(served: Served) -> None:
    with served.connect(USER) as mine:
        for way in (simple, extended, binary):
            for stores, store, refused in (
                (["open", "sec*"], "open", None),
                (["open", "sec*"], "secrets", None),
                (["open"], "secrets", "secrets"),
                (["secrets"], "open", "open"),
                (["open"], "open", None),
            ):
                set_stores(served.users, name=USER, stores=stores)
                served.access.look()
                for _ in range(3):
                    if refused is None:
                        assert way(mine, store) == [("topsecret",)]
                    else:
                        with pytest.raises(InsufficientPrivilege, match=refused):
                            way(mine, store)
        remove_user(served.users, name=USER)
        served.access.look()

        def has_ended() -> bool:
            try:
                simple(mine, "open")
            except InsufficientPrivilege:
                return False  # its rights are gone, and it ends in a moment
            except OperationalError:
                return True
            raise AssertionError("a user who is gone has read")

        until(has_ended)


def fetched(client: Client, store: str, hold: str = "") -> Callable[[], list[Any]]:
    client.execute(f"DECLARE c CURSOR {hold} FOR SELECT v FROM {store}")
    return lambda: list(client.execute(b"FETCH 1 FROM c", binary=True))


def fetched_simply(client: Client, store: str) -> Callable[[], list[Any]]:
    client.execute(f"DECLARE c CURSOR FOR SELECT upper(v) FROM {store}")
    return lambda: list(client.execute(b"FETCH 1 FROM c"))


def held(client: Client, store: str) -> Callable[[], list[Any]]:
    read = fetched(client, store, "WITH HOLD")
    client.execute(b"COMMIT")
    return read


def moved(client: Client, store: str) -> Callable[[], list[Any]]:
    client.execute(f"DECLARE c CURSOR FOR SELECT v FROM {store}")
    return lambda: [client.execute(b"MOVE 1 IN c").statusmessage]


def subscribed_on(client: Client, store: str) -> Callable[[], list[Any]]:
    client.execute(f"DECLARE c CURSOR FOR SUBSCRIBE (SELECT v FROM {store})")
    return lambda: list(client.execute(b"FETCH 1 FROM c"))


@pytest.mark.parametrize("store", ["secrets", "big"])
@pytest.mark.parametrize("opened", [fetched, fetched_simply, held, moved, subscribed_on])
def test_a_cursor_ends_with_the_right(
    served: Served, opened: Callable[[Client, str], Callable[[], list[Any]]], store: str
) -> None:
    set_stores(served.users, name=USER, stores=["secrets", "big"])
    served.access.look()
    with served.connect(USER) as mine, served.connect(OTHER) as other:
        readers = []
        for client in (mine, other):
            client.execute(b"BEGIN")
            readers.append(opened(client, store))
        for read in readers:
            assert len(read()) == 1
        set_stores(served.users, name=USER, stores=["open"])
        served.access.look()
        with pytest.raises(InsufficientPrivilege, match=f"denied for table {store}"):
            readers[0]()
        assert len(readers[1]()) == 1, "the other user goes on"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT v FROM secrets",
        "SELECT v FROM big",
        "FETCH ALL FROM small",
        "FETCH ALL FROM large",
        "EXECUTE small",
        "EXECUTE large",
    ],
)
def test_a_suspended_portal_ends_with_the_right(served: Served, sql: str) -> None:
    set_stores(served.users, name=USER, stores=["secrets", "big"])
    served.access.look()
    with RawClient(HOST, served.port) as client:
        log_in(client, ScramClient(PASSWORD), user=USER)
        for name, store in (("small", "secrets"), ("large", "big")):
            client.ask(f"PREPARE {name} AS SELECT v FROM {store}")
        client.ask("BEGIN")
        for name, store in (("small", "secrets"), ("large", "big")):
            client.ask(f"DECLARE {name} CURSOR FOR SELECT v FROM {store}")
        client.send(wire.parse("", sql), wire.bind("p", ""), wire.execute("p", 1), wire.SYNC)
        assert [kind for kind, _ in client.read_until("Z")] == ["1", "2", "D", "s", "Z"]
        set_stores(served.users, name=USER, stores=["open"])
        served.access.look()
        client.send(wire.execute("p", 1), wire.SYNC)
        first, *_ = client.read_until("Z")
        assert first[0] == "E"
        assert wire.error_fields(first[1])["C"] == "42501"
