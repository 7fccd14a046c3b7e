"""Follows statements over a log, and comes back to a gateway that was restarted.

Its replicas keep no epoch before the restart, so the log must tell what has changed since a client
left. The judge is the same statement in DuckDB over the present rows, and the law of
`tests/planner/live/test_catching_up.py`: each change is needed.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from stategate.planner.errors import QueryError
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.stores.spec.schema import Row
from stategate.stores.upkeep.compaction import write_snapshot
from stategate.stores.upkeep.past_stores import LogPast
from stategate.stores.upkeep.retention import Retention, compact
from tests.fuzz.ways.asked import LEFT_OPEN, Asked, Difference, answer, counted, shown
from tests.fuzz.ways.live import watcher_of
from tests.fuzz.ways.nodes import changes, physical
from tests.fuzz.world import STORES
from tests.planner.live.test_catching_up import Gateway, put

_OTHER_ROWS = "the statement has other rows each time, as by LIMIT among equals"
_BEHIND, _CANNOT_GO_ON = "55S01", "72000"
_NAMES = tuple(schema.name for schema in STORES)


class Past:
    """A gateway, and a judge over the stores that it has.

    Args:
        directory: gets a log for each case.
    """

    def __init__(self, directory: Path) -> None:
        self._directory, self._count = directory, 0
        self.gateway = Gateway()
        self.judge = SqlEngine(self.gateway, limits=EngineLimits(few_rows=False))
        self.rows: dict[str, dict[Row, Row]] = {}

    @contextmanager
    def log(self) -> Iterator[None]:
        """Serve a new log meanwhile."""
        self._count += 1
        root = self._directory / f"log-{self._count}"
        self.rows = {schema.name: physical(schema) for schema in STORES}
        for schema in STORES:
            put(root, [*self.rows[schema.name].values()], schema=schema)
        self.gateway.begin(root)
        try:
            self.gateway.reach(0, *_NAMES)
            yield
        finally:
            self.gateway.stop()

    def change(self, chance: random.Random) -> None:
        """Write an epoch of each store."""
        for schema in STORES:
            rows = self.rows[schema.name]
            changed, gone = changes(schema, rows, chance)
            self.rows[schema.name] = {
                key: row for key, row in {**rows, **changed}.items() if key not in gone
            }
            put(self.gateway.root, [*changed.values()], gone=[*gone.values()], schema=schema)

    def close(self) -> None:
        """End the engines."""
        self.judge.close()
        self.gateway.engine.close()


@contextmanager
def log_world(directory: Path) -> Iterator[Past]:
    """Open a gateway for logs."""
    past = Past(directory)
    try:
        yield past
    finally:
        past.close()


def left_and_back(past: Past, asked: Asked, chance: random.Random) -> Difference | str:
    """Follow a statement, leave, and come back after a restart; return how it differs."""
    with past.log():
        try:
            return _left_and_back(past, asked, chance)
        except QueryError as error:
            if error.sqlstate.startswith(LEFT_OPEN):
                return "back, an error"
            return "back", error.sqlstate, error.message


def _left_and_back(past: Past, asked: Asked, chance: random.Random) -> Difference | str:
    gateway, epochs = past.gateway, chance.randint(1, 4)
    try:
        watcher = watcher_of(gateway.engine, asked)
    except QueryError as error:
        return f"back, refused {error.sqlstate}"
    clients: list[tuple[str, list[Row]]] = []
    older = Path(f"{gateway.root}-older")
    try:
        for epoch in range(1, epochs + 1):
            assert watcher.moment is not None, "it has begun"
            clients.append((watcher.moment.token, watcher.rows))
            if epoch == epochs and chance.random() < 0.15:
                shutil.copytree(gateway.root, older)
            past.change(chance)
            if chance.random() < 0.2:
                write_snapshot(gateway.root, chance.choice(_NAMES))
            watcher.until(**dict.fromkeys(_NAMES, epoch))
        assert watcher.moment is not None, "it has begun"
        last = watcher.moment.token, watcher.rows
    finally:
        watcher.close()
    if older.exists():
        return _at_one_behind(past, asked, older, epochs - 1, last)
    is_short = _spoil(past, chance)
    gateway.restart(*_NAMES, epoch=epochs)
    outcome = "back"
    for token, rows in chance.sample(clients, min(2, len(clients))):
        reason = _comes_back(past, asked, token, rows, may_start_over=chance.random() < 0.7)
        if isinstance(reason, tuple):
            return reason
        if reason is not None:
            outcome = "back, starts over"
            if not is_short and not reason.endswith(_OTHER_ROWS):
                return "back", "starts over", reason
    return outcome


def _comes_back(
    past: Past, asked: Asked, token: str, rows: Sequence[Row], *, may_start_over: bool
) -> Difference | str | None:
    """Return how the rows of a client differ that comes back, or why it starts over."""
    engine = past.gateway.engine
    try:
        back = watcher_of(engine, asked, token, rows, may_start_over=may_start_over)
        with closing(back):
            while back.take() is not None:
                pass
    except QueryError as error:
        if error.sqlstate != _CANNOT_GO_ON or may_start_over:
            raise
        return error.message
    wanted, given = answer(past.judge, asked), counted(back.rows)
    if isinstance(wanted, Counter) and given != wanted:
        return "back", "rows", f"ours: {shown(given, wanted)}\njudge: {shown(wanted, given)}"
    for event in back.events[:1]:
        gone = Counter(repr(each.old) for each in event.changes if each.old is not None)
        come = Counter(repr(each.new) for each in event.changes if each.new is not None)
        if needless := gone & come:
            return "back", "a change that is not needed", str(needless)
    return back.subscription.start_over


def _at_one_behind(
    past: Past, asked: Asked, older: Path, epoch: int, last: tuple[str, list[Row]]
) -> Difference | str:
    """Come to a gateway that lacks the last epoch, which must not give older rows."""
    gateway = past.gateway
    gateway.stop()
    gateway.begin(older)
    gateway.reach(epoch, *_NAMES)
    try:
        with closing(watcher_of(gateway.engine, asked, *last)) as back:
            stores = back.subscription.stores
    except QueryError as error:
        if error.sqlstate == _BEHIND:
            return "back, refused by one that is behind"
        raise
    return ("back", "goes on at one that is behind", f"{stores}") if stores else "back"


def _spoil(past: Past, chance: random.Random) -> bool:
    """Let the log be too short for a client now and then; return whether it may be."""
    gateway, drawn = past.gateway, chance.random()
    if drawn < 0.1:
        gateway.past = LogPast(gateway.root, bytes_max=1, scratch=gateway.scratch)
    elif drawn < 0.3:
        for name in _NAMES:
            compact(gateway.root, name, retention=Retention(epochs=chance.randint(1, 3)))
    return drawn < 0.3
