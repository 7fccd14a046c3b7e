"""A driver that dies between two operations on the files of its log, as often as a test wants.

Spark goes on in the same process, so that each death costs a second instead of the start of a JVM.
A dead driver does nothing more to any file, whatever code still runs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from stategate.stores.errors import LogError, StoreError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark import materialize
from stategate.stores.spark.sink import EpochSink
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import in_store
from tests.spark.conftest import Orders
from tests.stores.hosting.followed import followed
from tests.support.values import rows_of

T = TypeVar("T")
USERS = "abcdefgh"
STORE = "totals"
LAST = 40
"""More operations than a driver does from its start to the end of its first batch."""


class Moment(Enum):
    """When the driver dies."""

    BEFORE = "before an operation"
    AFTER = "after an operation"
    HALF = "with half of a data file written"


class DiedError(OSError):
    """The driver is dead."""


@dataclass(slots=True)
class Death:
    """When a driver dies, counted in operations that change files."""

    at: int
    moment: Moment = Moment.BEFORE
    done: int = 0
    is_dead: bool = False

    def check(self) -> None:
        if self.is_dead:
            raise DiedError("the driver is dead")

    def step(self, operation: Callable[[], T]) -> T:
        self.check()
        self.done += 1
        if self.done != self.at:
            return operation()
        self.is_dead = True
        if self.moment is Moment.AFTER:
            operation()
        raise DiedError(f"the driver dies {self.moment.value}")


class MortalFiles(LocalFiles):
    """Local files of a driver that dies."""

    death: ClassVar[Death] = Death(0)

    def read(self, path: str, bytes_max: int) -> bytes:
        self.death.check()
        return super().read(path, bytes_max)

    def names(self, path: str) -> list[str]:
        self.death.check()
        return super().names(path)

    def has(self, path: str) -> bool:
        self.death.check()
        return super().has(path)

    def make(self, path: str) -> None:
        self.death.step(lambda: super(MortalFiles, self).make(path))

    def _put(self, path: str, data: bytes, *, replace: bool, durable: bool) -> bool:
        return self.death.step(
            lambda: super(MortalFiles, self)._put(path, data, replace=replace, durable=durable)
        )

    @contextmanager
    def open_output(self, path: str) -> Iterator[Any]:
        def leave_half() -> None:
            with open(path, "wb") as stream:
                stream.write(b"PAR1 and then nothing")

        death = self.death
        if death.moment is Moment.HALF and death.done + 1 == death.at:
            leave_half()
        death.step(lambda: None)
        with super().open_output(path) as stream:
            yield stream

    def remove_tree(self, root: str, relative: str) -> None:
        self.death.step(lambda: super(MortalFiles, self).remove_tree(root, relative))

    def remove_file(self, root: str, relative: str) -> None:
        self.death.step(lambda: super(MortalFiles, self).remove_file(root, relative))

    def move(self, root: str, relative: str, to: str) -> None:
        self.death.step(lambda: super(MortalFiles, self).move(root, relative, to))

    def sync(self, path: str) -> None:
        self.death.step(lambda: super(MortalFiles, self).sync(path))


def make_mortal(patching: pytest.MonkeyPatch) -> None:
    """Let every driver that starts from now on use `MortalFiles`."""
    patching.setattr("stategate.stores.log.files.directory.LocalFiles", MortalFiles)
    write = EpochSink.__call__

    def mortal(sink: EpochSink, *batch: Any) -> None:
        write(sink, *batch)
        # Spark must not commit the batch of a driver that died while it tidied up.
        MortalFiles.death.check()

    patching.setattr(EpochSink, "__call__", mortal)


@dataclass(slots=True)
class Pipeline:
    """A pipeline over generated orders whose driver dies at random, and starts again."""

    orders: Orders
    directory: Path
    draw: random.Random
    options: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, Row] = field(default_factory=dict)
    deaths: int = 0

    def send(self) -> None:
        """Send some orders."""
        for _ in range(self.draw.randrange(1, 4)):
            rows = [
                (self.draw.choice(USERS), self.draw.randrange(-9, 100))
                for _ in range(self.draw.randrange(1, 20))
            ]
            self.orders.send(self.draw.randrange(2), *rows)
            for usr, amount in rows:
                total, count = self.expected.get(usr, (0, 0))
                self.expected[usr] = (total + amount, count + 1)

    def run_until_death(self) -> None:
        """Run a driver that dies at some operation, or has nothing more to do."""
        at, moment = self.draw.randrange(1, LAST), self.draw.choice([*Moment])
        MortalFiles.death = Death(at, moment)
        try:
            self._run()
        except (StoreError, PySparkException):
            if not MortalFiles.death.is_dead:
                raise
        self.deaths += MortalFiles.death.is_dead
        MortalFiles.death = Death(0)

    def run(self) -> None:
        """Run a driver until it has read all orders."""
        self._run()

    def lose_last_commit(self) -> None:
        """Leave the checkpoint as a driver that died after its epoch, and before Spark's commit."""
        commits = self.directory / "checkpoint" / "commits"
        last = max((int(p.name) for p in commits.glob("[0-9]*")), default=None)
        if last is not None:
            (commits / str(last)).unlink()
            (commits / f".{last}.crc").unlink(missing_ok=True)

    def difference(self) -> str | None:
        """Return what is wrong with the store; None if it has what all orders add up to."""
        log = StoreLog.open(self.directory / "log", STORE)
        store = followed(self.directory / "log", log.schema())
        while store.follow():
            pass
        errors = {status.error for status in store.statuses().values()} - {None}
        if errors:
            return f"a reader stops: {errors}"
        if log.epochs() != list(range(len(log.epochs()))):
            return f"epochs {log.epochs()}"
        found = _content(store)
        return None if found == self.expected else f"{found} instead of {self.expected}"

    def _run(self) -> None:
        given: dict[str, Any] = {
            "store": STORE,
            "key": ["usr"],
            "root": str(self.directory / "log"),
            "partitions": 3,
            "checkpoint": str(self.directory / "checkpoint"),
            **self.options,
        }
        frame = self.orders.frame.groupBy("usr").agg(F.sum("amount"), F.count("*").alias("n"))
        query: StreamingQuery = materialize(frame, **given)
        try:
            query.processAllAvailable()
        finally:
            query.stop()


def _content(store: LocalStore) -> dict[str, Row]:
    answer = store.query(in_store(STORE).with_query(RangeQuery()))
    if answer.failures:
        raise LogError(str(answer.failures))
    rows = [row for part in answer.partitions.values() for row in rows_of(part.value)]
    return {row[0]: tuple(row[1:]) for row in rows}
