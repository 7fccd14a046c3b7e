"""Clients whose token is older than what replicas keep go on, as long as the log holds the epoch.

The stores are those of a real log. A gateway that is restarted opens its replicas at the last
epoch, and so keeps no older one.
"""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.planner.engine import Moment, Subscription
from stategate.planner.errors import QueryError, UnavailableError
from stategate.planner.live import catching_up
from stategate.planner.live.live_query import LiveQuery
from stategate.planner.sql import LiveLimits, SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.rights import PermissionDeniedError, Rights
from stategate.planner.values.session import Session
from stategate.stores.errors import StoreError
from stategate.stores.hosting.host import Host
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.catalog import Nodes
from stategate.stores.spec.past import PastEpoch, PastOpened
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.spec.store import Stop, Store
from stategate.stores.upkeep.compaction import write_snapshot
from stategate.stores.upkeep.past_stores import LogPast
from stategate.stores.upkeep.rebuild import rebuild
from stategate.stores.upkeep.retention import Retention, compact
from tests.planner.live.test_law import KEYS
from tests.planner.live.watching import Watcher, comparable_row
from tests.planner.sides import rows_of, run
from tests.planner.test_law import STORES, Query, joined, nested, single_store, tables
from tests.support.hosts import has_epoch
from tests.support.stores import batch, keyvalue
from tests.support.waiting import WAIT_S, until

EXAMPLES = settings().max_examples
USERS = keyvalue("users", {"id": "bigint"}, {"city": "text", "visits": "bigint"}, partitions=3)
ALL = "SELECT id, visits FROM users WHERE city = 'Bonn'"
GROUPED = "SELECT city, count(*), sum(visits) FROM users GROUP BY city"
SELF = "SELECT a.id, b.visits FROM users a JOIN users b ON a.visits = b.id"
WRITER = "spark:w"


class Gateway:
    """A host over a log, which can be restarted, for an engine that goes on.

    The engine keeps nothing of a host that is closed: no live query goes on without subscribers.
    """

    nodes: Nodes | None = None

    def __init__(self) -> None:
        self._starts = 0
        limits, self.rights = LiveLimits(linger_s=0, timeout_s=30), Rights()
        self.engine = SqlEngine(self, live=limits, past=self, rights=self.rights)
        self.readings = 0
        """How often the log was opened for clients."""
        self._is_reading, self._may_read = threading.Event(), threading.Event()
        self._may_read.set()

    def begin(self, root: Path, *, bytes_max: int = 1 << 30) -> None:
        """Serve a log, of which so much may be read for one client."""
        self.root = root
        self.scratch, self._data = (Path(f"{root}-{name}") for name in ("scratch", "data"))
        self.scratch.mkdir()
        self.past = LogPast(root, bytes_max=bytes_max, scratch=self.scratch)
        self.start()

    def start(self) -> None:
        """Start the host; its replicas begin at the epoch at which they were closed."""
        self._starts += 1
        self.host = Host(self.root, self._data, poll_ms=2)
        self.host.start()

    def stop(self) -> None:
        """Stop the host."""
        self.host.close()
        until(lambda: list(self.scratch.iterdir()) == [])

    def restart(self, *stores: str, epoch: int) -> None:
        """Stop the host, and start it again; return once it has an epoch of these stores."""
        assert self.engine.live_counts().queries == 0
        self.stop()
        self.start()
        self.reach(epoch, *stores)

    def reach(self, epoch: int, *stores: str) -> None:
        """Wait until its replicas have an epoch."""
        for store in stores or ("users",):
            until(lambda store=store: has_epoch(self.host, epoch, store))  # type: ignore[misc]

    def open(
        self, epochs: Sequence[PastEpoch], *, stop: Stop
    ) -> AbstractContextManager[PastOpened]:
        """Open stores as of earlier epochs; see `PastStores`."""
        self.readings += 1
        self._is_reading.set()
        assert self._may_read.wait(WAIT_S)
        return self.past.open(epochs, stop=stop)

    @contextmanager
    def held(self) -> Iterator[threading.Event]:
        """Let the log be opened for no client meanwhile; set once one wants it."""
        self._is_reading.clear()
        self._may_read.clear()
        try:
            yield self._is_reading
        finally:
            self._may_read.set()

    @property
    def stores(self) -> Mapping[str, Store]:
        """The stores of the host."""
        return self.host.stores

    @property
    def version(self) -> int:
        """A number that differs for each host, too."""
        return (self._starts << 32) + self.host.version

    def is_whole(self) -> bool:
        """Whether the host has opened all stores."""
        return self.host.is_whole()

    def missing(self, store: str) -> StoreError:
        """Return why the host does not have a store."""
        return self.host.missing(store)


@pytest.fixture(scope="module")
def one() -> Iterator[Gateway]:
    made = Gateway()
    yield made
    made.engine.close()


@pytest.fixture
def gateway(one: Gateway, tmp_path: Path) -> Iterator[Gateway]:
    put(tmp_path / "log", [(n, "Bonn" if n % 2 else "Ulm", n) for n in range(12)])
    one.begin(tmp_path / "log")
    one.reach(0)
    yield one
    one.stop()


def put(
    root: Path, rows: Sequence[Row], *, gone: Sequence[Row] = (), schema: StoreSchema = USERS
) -> int:
    """Write the next epoch, with changed rows and whole rows that are deleted; return its number.

    The writer is taken anew each time, as after a restart of the pipeline.
    """
    whole = batch(schema, [*gone, *rows], deleted=[True] * len(gone) + [False] * len(rows))
    writer = StoreWriter(root, schema, writer=WRITER)
    number = writer.log.latest_epoch() + 1 if writer.log.directory.names("epochs") else 0
    position = Position.of({"events": {0: number}})
    return writer.write(pa.Table.from_batches([whole]), position=position).epoch


def seen(gateway: Gateway, sql: str, epochs: int) -> list[tuple[str, list[Row]]]:
    """Return the token and the rows of a subscriber at the present epoch, and the next ones.

    In each epoch some rows change, one comes and one goes.
    """
    watcher = Watcher(gateway.engine, sql)
    found = []
    for _ in range(epochs):
        assert watcher.moment is not None
        found.append((watcher.moment.token, watcher.rows))
        n = watcher.moment.epoch + 1
        put(gateway.root, [(1, "Bonn", 100 + n), (100 + n, "Bonn", 1)], gone=[(n, "", 0)])
        watcher.until(users=n)
    watcher.close()
    return found


def comes_back(gateway: Gateway, sql: str, token: str, rows: Sequence[Row]) -> Watcher:
    """Subscribe with a token, and take the events that are there."""
    watcher = Watcher(gateway.engine, sql, token=token, rows=rows)
    while watcher.take() is not None:
        pass
    return watcher


def rows_now(gateway: Gateway, sql: str) -> Counter[Row]:
    return Counter(map(comparable_row, rows_of(run(gateway.engine, sql))))


@pytest.mark.parametrize("sql", [ALL, GROUPED, SELF, "SELECT * FROM users WHERE id = 3"])
def test_a_restarted_gateway_brings_clients_back(gateway: Gateway, sql: str) -> None:
    clients = seen(gateway, sql, 5)
    gateway.restart(epoch=5)
    for token, rows in clients:
        watcher = comes_back(gateway, sql, token, rows)
        assert watcher.subscription.start_over is None
        assert watcher.counts() == rows_now(gateway, sql)
        (event,) = watcher.events
        assert (event.moment.epoch, event.moment.position.to_dict()) == (5, {"events": {0: 5}})
        watcher.close()


def test_events_follow_the_one_that_leads_to_the_present(gateway: Gateway) -> None:
    (token, rows), *_ = seen(gateway, ALL, 3)
    gateway.restart(epoch=3)
    watcher = comes_back(gateway, ALL, token, rows)
    again = comes_back(gateway, ALL, token, rows)
    kept = []
    for epoch in (4, 5):
        put(gateway.root, [(1, "Bonn", epoch)])
        watcher.until(users=epoch)
        kept.append((watcher.moment, watcher.rows))
    assert [event.moment.epoch for event in watcher.events] == [3, 4, 5]
    again.until(users=5)
    assert again.events[0] is watcher.events[0], "it is made once"
    assert again.counts() == watcher.counts() == rows_now(gateway, ALL)
    watcher.close()
    again.close()
    (moment, rows), _ = kept
    assert moment is not None
    third = comes_back(gateway, ALL, moment.token, rows)
    assert [event.moment.epoch for event in third.events] == [5], "this one was kept"
    third.close()


def test_stores_of_one_pipeline_go_on_from_one_epoch(gateway: Gateway) -> None:
    other = keyvalue("cities", {"city": "text"}, {"name": "text"}, partitions=2)
    put(gateway.root, [("Bonn", "B0"), ("Ulm", "U0")], schema=other)
    gateway.reach(0, "cities")
    sql = "SELECT u.id, c.name FROM users u JOIN cities c ON u.city = c.city"
    watcher = Watcher(gateway.engine, sql)
    assert watcher.moment is not None
    token, rows = watcher.moment.token, watcher.rows
    watcher.close()
    for n in range(1, 4):
        put(gateway.root, [(n, "Ulm", n)])
        put(gateway.root, [("Ulm", f"U{n}")], schema=other)
    gateway.restart("users", "cities", epoch=3)
    back = comes_back(gateway, sql, token, rows)
    assert back.subscription.start_over is None
    assert back.counts() == rows_now(gateway, sql)
    back.close()


def test_the_log_is_read_from_a_snapshot(gateway: Gateway) -> None:
    seen(gateway, ALL, 3)
    compact(gateway.root, "users", retention=Retention(epochs=2))
    (token, rows), *_ = seen(gateway, ALL, 3)
    gateway.restart(epoch=6)
    back = comes_back(gateway, ALL, token, rows)
    assert back.subscription.start_over is None
    assert back.counts() == rows_now(gateway, ALL)
    back.close()


def subscribe(gateway: Gateway, sql: str, token: str, on_ready: Callable[[], None]) -> Subscription:
    """Subscribe with a token, and do not wait."""
    session = Session()
    return gateway.engine.subscribe(
        gateway.engine.prepare(sql, session),
        (),
        session,
        token=token,
        on_ready=on_ready,
        cancellation=Cancellation(WAIT_S),
    )


def starts_over(gateway: Gateway, token: str, rows: Sequence[Row], sql: str = ALL) -> str:
    """Return why a client has to start over; it has all rows then."""
    counted = gateway.engine.live_counts().started_over
    back = comes_back(gateway, sql, token, rows)
    assert back.counts() == rows_now(gateway, sql)
    back.close()
    reason = back.subscription.start_over
    assert reason is not None
    assert gateway.engine.live_counts().started_over == counted + 1
    return reason


def test_what_the_log_no_longer_holds(gateway: Gateway) -> None:
    (token, rows), *_, (second, two) = seen(gateway, ALL, 5)
    compact(gateway.root, "users", retention=Retention(epochs=2))
    gateway.restart(epoch=5)
    held = "the changes after the token are no longer held: "
    gone = 'the log no longer has epoch 0 of store "users"'
    assert starts_over(gateway, token, rows) == held + gone
    # The epoch is there, and the snapshot from which its rows would be built is a later one.
    hole = 'store "users" has a hole before epoch 4, and no snapshot that fills it'
    assert starts_over(gateway, second, two) == held + hole


def test_a_store_that_was_made_anew(gateway: Gateway) -> None:
    (token, rows), *_ = seen(gateway, ALL, 2)
    gateway.stop()
    shutil.rmtree(gateway.root)
    for n in range(4):
        put(gateway.root, [(1, "Bonn", n)])
    gateway.start()
    gateway.reach(3)
    assert starts_over(gateway, token, rows) == 'store "users" was rebuilt or created again'


def test_a_store_that_was_defined_anew(gateway: Gateway) -> None:
    (token, rows), *_, (last, _) = seen(gateway, ALL, 3)
    wider = keyvalue(
        "users",
        {"id": "bigint"},
        {"city": "text", "visits": "bigint", "note": "text"},
        partitions=2,
    )
    rebuild(gateway.root, "users", wider)
    gateway.restart(epoch=3)
    assert starts_over(gateway, token, rows) == 'store "users" was rebuilt or created again'
    del last


def test_more_of_the_log_than_may_be_read(gateway: Gateway) -> None:
    put(gateway.root, [(n, "Bonn", n) for n in range(1_000)])
    gateway.reach(1)
    size = sum(each.stat().st_size for each in (gateway.root / "users/data").rglob("*.parquet"))
    of_key = f"{ALL} AND id = 3"
    (one, its_rows), *_ = seen(gateway, of_key, 4)
    (token, rows), *_ = seen(gateway, ALL, 4)
    gateway.past = LogPast(gateway.root, bytes_max=size // 2, scratch=gateway.scratch)
    gateway.restart(epoch=9)
    assert starts_over(gateway, token, rows).endswith(
        f"for the rows of that epoch more than {size // 2} bytes of the log would have to be read"
    )
    back = comes_back(gateway, of_key, one, its_rows)
    assert back.subscription.start_over is None, "only the partition of the key is read"
    back.close()


@given(
    query=st.one_of(single_store(), joined(), nested()),
    contents=st.lists(tables(), min_size=2, max_size=4),
    snapshot_at=st.integers(0, 3),
)
@settings(max_examples=max(4, EXAMPLES // 12), suppress_health_check=list(HealthCheck))
def test_the_event_is_the_difference_of_the_results(
    one: Gateway,
    tmp_path_factory: pytest.TempPathFactory,
    query: Query,
    contents: list[dict[str, list[Row]]],
    snapshot_at: int,
) -> None:
    root = tmp_path_factory.mktemp("law") / "log"
    put_all(root, {schema.name: [] for schema in STORES}, contents[0])
    one.begin(root)
    names = [schema.name for schema in STORES]
    try:
        one.reach(0, *names)
        clients = _clients(one, query, contents, snapshot_at)
        if clients:
            one.restart(*names, epoch=len(contents) - 1)
        for moment, rows in clients[:-1]:
            watcher = Watcher(
                one.engine, query.sql, query.parameters, token=moment.token, rows=rows
            )
            if watcher.subscription.start_over is not None:
                assert "LIMIT" in query.sql, "it may keep any of the rows that are equal"
                continue
            event = watcher.next()
            before, now = Counter(rows), Counter(clients[-1][1])
            assert watcher.counts() == now, query.sql
            gone = Counter(comparable_row(c.old) for c in event.changes if c.old is not None)
            come = Counter(comparable_row(c.new) for c in event.changes if c.new is not None)
            assert (gone, come) == (before - now, now - before), "each change is needed"
            assert event.moment == clients[-1][0]
            watcher.close()
    finally:
        one.stop()


def _clients(
    gateway: Gateway, query: Query, contents: list[dict[str, list[Row]]], snapshot_at: int
) -> list[tuple[Moment, list[Row]]]:
    """Write all epochs, and return the moments and rows of a subscriber; none if it fails."""
    try:
        watcher = Watcher(gateway.engine, query.sql, query.parameters)
    except QueryError:
        return []  # it fails with these rows, or cannot be subscribed to
    try:
        assert watcher.moment is not None
        found = [(watcher.moment, watcher.rows)]
        for epoch, (old, new) in enumerate(itertools.pairwise(contents), 1):
            put_all(gateway.root, old, new)
            if epoch == snapshot_at:
                for schema in STORES:
                    write_snapshot(gateway.root, schema.name)
            watcher.until(people=epoch, orders=epoch, clicks=epoch)
            found.append((watcher.moment, watcher.rows))
        return found
    except QueryError:
        return []
    finally:
        watcher.close()


def put_all(root: Path, old: dict[str, list[Row]], new: dict[str, list[Row]]) -> None:
    """Make the rows of all stores new in one epoch of each."""
    for schema in STORES:
        width = KEYS[schema.name]
        before = {row[:width]: row for row in old[schema.name]}
        after = {row[:width]: row for row in new[schema.name]}
        gone = [row for key, row in before.items() if key not in after]
        changed = [row for key, row in after.items() if before.get(key) != row]
        put(root, changed, gone=gone, schema=schema)


def test_a_client_has_other_rows_than_the_statement_gives_now(gateway: Gateway) -> None:
    """As if LIMIT had taken others of equal rows then, or another node had added floats otherwise.

    Changes of rows that it does not have would be of no use to it.
    """
    clients = seen(gateway, GROUPED, 3)
    token, rows = clients[0]
    edited = json.loads(base64.urlsafe_b64decode(token + "=="))
    digest = edited["rows"]
    edited["rows"] = f"{int(digest, 16) ^ 1:x}"
    other = base64.urlsafe_b64encode(json.dumps(edited).encode()).rstrip(b"=").decode()
    gateway.restart(epoch=3)
    assert starts_over(gateway, other, rows, GROUPED).endswith(
        "the statement has other rows each time, as by LIMIT among equals"
    )
    back = comes_back(gateway, GROUPED, token, rows)
    assert back.subscription.start_over is None
    back.close()


def test_clients_with_one_token_share_the_work(gateway: Gateway) -> None:
    (token, _), *_ = seen(gateway, GROUPED, 3)
    gateway.restart(epoch=3)
    before, counted = gateway.readings, gateway.engine.live_counts().caught_up
    with gateway.held():
        ready = [threading.Event() for _ in range(50)]
        waiting = [subscribe(gateway, GROUPED, token, each.set) for each in ready]
        assert not any(each.has_begun or each.take() for each in waiting), "none waits in a thread"
        put(gateway.root, [(1, "Bonn", 7)])
        gateway.reach(4)
    for each in ready:
        assert each.wait(WAIT_S)
    until(lambda: all(each.has_begun for each in waiting))
    events = [each.take() for each in waiting]
    assert all(event is events[0] is not None for event in events)
    assert gateway.readings == before + 1
    assert gateway.engine.live_counts().caught_up == counted + 50
    for subscription in waiting:
        subscription.close()


def test_statements_share_the_stores_of_one_epoch(gateway: Gateway) -> None:
    """As of users each of whom watches rows of their own."""
    statements = [f"{ALL} AND id = {number}" for number in range(1, 12, 2)]
    watchers = [Watcher(gateway.engine, sql) for sql in statements]
    clients = [(each.moment, each.rows) for each in watchers]
    for each in watchers:
        each.close()
    for epoch in range(1, 4):
        put(gateway.root, [(number, "Bonn", 100 + epoch) for number in range(epoch, 12)])
    gateway.restart(epoch=3)
    before = gateway.readings
    with gateway.held() as is_reading:
        tokens = [moment.token for moment, _ in clients if moment is not None]
        waiting = [
            subscribe(gateway, sql, token, lambda: None)
            for sql, token in zip(statements, tokens, strict=True)
        ]
        assert is_reading.wait(WAIT_S)
    until(lambda: all(each.has_begun for each in waiting))
    events = [each.take() for each in waiting]
    found = [[(c.old, c.new) for c in event.changes] for event in events if event is not None]
    newest = {number: 100 + min(number, 3) for number in range(1, 12, 2)}
    assert found == [[((n, n), (n, newest[n]))] for n in newest]
    assert gateway.readings == before + 1
    for subscription in waiting:
        subscription.close()


def test_the_log_is_read_by_a_reader_of_its_own(gateway: Gateway) -> None:
    """Its query goes on meanwhile in other threads, with a session of its own."""
    (token, _), *_ = seen(gateway, GROUPED, 3)
    gateway.restart(epoch=3)
    with gateway.held() as is_reading:
        waiting = subscribe(gateway, GROUPED, token, lambda: None)
        assert is_reading.wait(WAIT_S)
        (wanted,) = gateway.engine._live._catching_up._wanted.values()
        reader = wanted.query._reader
        assert wanted.reader is not reader
        assert wanted.reader._session is not reader._session
    waiting.close()


def test_a_client_that_leaves_ends_the_work(gateway: Gateway) -> None:
    (token, _), *_ = seen(gateway, GROUPED, 3)
    gateway.restart(epoch=3)
    before = gateway.readings
    with gateway.held() as is_reading:
        first = subscribe(gateway, GROUPED, token, lambda: None)
        assert is_reading.wait(WAIT_S)
        first.close()
        back = subscribe(gateway, GROUPED, token, lambda: None)
    until(lambda: back.has_begun)
    assert back.start_over is None, "the work is begun again for one that came after it was ended"
    assert gateway.readings == before + 2
    back.close()


def test_a_client_that_cannot_begin_gets_the_error(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: LiveQuery) -> NoReturn:
        raise UnavailableError("a partition is gone")

    (token, _), *_ = seen(gateway, GROUPED, 3)
    gateway.restart(epoch=3)
    with gateway.held() as is_reading:
        waiting = subscribe(gateway, GROUPED, token, lambda: None)
        assert is_reading.wait(WAIT_S)
        gateway.past = LogPast(gateway.root, bytes_max=1, scratch=gateway.scratch)
        monkeypatch.setattr(LiveQuery, "first_rows", fail)
    until(lambda: waiting.start_over is not None)
    with pytest.raises(QueryError, match="a partition is gone"):
        waiting.begin()
    assert (waiting.has_begun, waiting.first) == (False, None)
    waiting.close()


def test_a_client_that_has_lost_its_right_gets_no_rows(gateway: Gateway) -> None:
    (token, _), *_ = seen(gateway, ALL, 3)
    gateway.restart(epoch=3)
    counts = gateway.engine.live_counts()
    before = counts.caught_up, counts.started_over
    with gateway.held() as is_reading:
        waiting = subscribe(gateway, ALL, token, lambda: None)
        assert is_reading.wait(WAIT_S)
        gateway.past = LogPast(gateway.root, bytes_max=1, scratch=gateway.scratch)
        gateway.rights.by_user = {}
    until(lambda: waiting.has_begun)
    assert waiting.first is None
    waiting.begin()
    with pytest.raises(PermissionDeniedError):
        waiting.take()
    counts = gateway.engine.live_counts()
    assert (counts.caught_up, counts.started_over) == before, "it did neither"
    waiting.close()
    gateway.rights.by_user = None


def test_what_is_waited_for_is_limited(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catching_up, "WAITING_MAX", 1)
    (token, _), (second, others), *_ = seen(gateway, GROUPED, 3)
    gateway.restart(epoch=3)
    with gateway.held():
        first = subscribe(gateway, GROUPED, token, lambda: None)
        back = Watcher(gateway.engine, GROUPED, token=second, rows=others)
        assert back.subscription.start_over == "the changes after the token are no longer held"
        back.close()
    until(lambda: first.has_begun)
    first.close()


def test_an_engine_that_closes_reads_no_further(tmp_path: Path) -> None:
    put(tmp_path / "log", [(n, "Bonn", n) for n in range(12)])
    own = Gateway()
    own.begin(tmp_path / "log")
    own.reach(0)
    (token, _), *_ = seen(own, GROUPED, 3)
    own.restart(epoch=3)
    with own.held() as is_reading:
        waiting = subscribe(own, GROUPED, token, lambda: None)
        assert is_reading.wait(WAIT_S)
        own.engine._live.close()
    own.engine.close()
    with pytest.raises(QueryError, match="shutting down"):
        waiting.begin()
    assert own.engine.live_counts().caught_up == 0
    waiting.close()
    own.stop()
