"""The laws of an engine, as tests that ship with the package.

To test an engine, subclass `StoreContract` in a test module and define how a partition is opened;
pytest finds the tests:

    class TestMine(StoreContract):
        def open_partition(self, directory: Path) -> StorePartition:
            return MyPartition(directory, self.schema, 0)

Rows go in as from a log and come out by the queries of `stategate.stores.spec.query` that the
engine answers. Other queries are not tested: an engine need not know any query of this package. An
engine without `RangeQuery` overrides `rows_in`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pyarrow as pa

from stategate.stores.errors import StoreError
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.query import (
    FewKeysQuery,
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    Query,
    RangeQuery,
)
from stategate.stores.spec.schema import (
    BIGINT,
    TEXT,
    Column,
    InputTopic,
    Row,
    StoreKind,
    StoreSchema,
)
from stategate.stores.spec.store import StorePartition, View

KEYS = (None, "", "a", "a\0", "a\0b", "aa", "b", "ä", "日")
"""Keys, in the order in which SQL sorts them."""


class UnknownQuery(Query[None]):
    """A query that no engine knows."""


class StoreContract:
    """The laws of every engine, tested with rows of (k text, n bigint) by key k."""

    schema: ClassVar[StoreSchema] = StoreSchema(
        name="contract",
        kind=StoreKind.KEYVALUE,
        key=(Column(name="k", type=TEXT),),
        value=(Column(name="n", type=BIGINT),),
        partitions=1,
        inputs=(InputTopic(topic="events"),),
    )
    """A subclass may replace it with a schema of its own kind with the same columns."""
    keeps: ClassVar[bool] = True
    """Whether applied rows are there again after closing and opening."""

    def open_partition(self, directory: Path) -> StorePartition:
        """Open partition 0 of `schema` in a directory, which may have an earlier one's files."""
        raise NotImplementedError("a subclass says how its engine is opened")

    def rows_in(self, engine: StorePartition, view: View) -> list[Row]:
        """Return all rows of a view, by key."""
        return stream_rows(engine, view, RangeQuery())

    def test_a_new_partition_is_empty(self, tmp_path: Path) -> None:
        """A new partition has applied nothing, and it answers."""
        engine = self.open_partition(tmp_path / "p")
        assert engine.view.progress == Progress()
        assert self.rows_in(engine, engine.view) == []
        engine.close()

    def test_an_epoch_arrives_with_its_progress(self, tmp_path: Path) -> None:
        """Rows and all parts of the progress arrive together; later rows replace earlier ones."""
        engine = self.open_partition(tmp_path / "p")
        engine.apply(progress(3), [batch([("b", 1)]), batch([("a", 2), ("c", None)])])
        assert engine.view.progress == progress(3)
        assert self.rows_in(engine, engine.view) == [("a", 2), ("b", 1), ("c", None)]
        engine.apply(progress(7), [batch([("b", 9)])])
        assert engine.view.progress == progress(7)
        assert self.rows_in(engine, engine.view) == [("a", 2), ("b", 9), ("c", None)]
        engine.close()

    def test_an_epoch_without_rows_advances(self, tmp_path: Path) -> None:
        """Input that changes no row still moves the progress."""
        engine = self.open_partition(tmp_path / "p")
        engine.apply(progress(0), [batch([("a", 1)])])
        engine.apply(progress(1), [])
        assert engine.view.progress == progress(1)
        assert self.rows_in(engine, engine.view) == [("a", 1)]
        engine.close()

    def test_tombstones_remove_rows(self, tmp_path: Path) -> None:
        """Tombstones remove rows; those of unknown keys do nothing."""
        engine = self.open_partition(tmp_path / "p")
        engine.apply(progress(0), [batch([("a", 1), ("b", 2)])])
        engine.apply(progress(1), [batch([("a", None), ("z", None)], deleted=[True, True])])
        assert self.rows_in(engine, engine.view) == [("b", 2)]
        engine.apply(progress(2), [batch([("a", 5)])])
        assert self.rows_in(engine, engine.view) == [("a", 5), ("b", 2)]
        engine.close()

    def test_a_replacing_epoch_removes_all_other_rows(self, tmp_path: Path) -> None:
        """Rows that a replacing epoch lacks are gone."""
        engine = self.open_partition(tmp_path / "p")
        engine.apply(progress(0), [batch([("a", 1), ("b", 2)])])
        engine.apply(progress(1), [batch([("b", 3)])], replace=True)
        assert self.rows_in(engine, engine.view) == [("b", 3)]
        engine.close()

    def test_by_event_time_earlier_rows_change_nothing(self, tmp_path: Path) -> None:
        """In a store by event time neither rows nor tombstones replace a later row."""
        schema = replace(self.schema, by_event_time=True)
        # A class of its own, since `open_partition` reads the schema of its class.
        by_time: StoreContract = type("ByEventTime", (type(self),), {"schema": schema})()
        engine = by_time.open_partition(tmp_path / "p")
        engine.apply(progress(0), [batch([("a", 1), ("b", 2), ("c", 3)], times_ms=[5, 5, 5])])
        gone = [True, True, False]
        later = batch([("a", None), ("b", None), ("c", 4)], times_ms=[7, 4, 5], deleted=gone)
        engine.apply(progress(1), [later])
        assert self.rows_in(engine, engine.view) == [("b", 2), ("c", 4)]
        engine.apply(progress(2), [batch([("a", 6), ("b", 7), ("c", 8)], times_ms=[6, 6, 4])])
        assert self.rows_in(engine, engine.view) == [("b", 7), ("c", 4)]
        engine.close()

    def test_a_view_does_not_change(self, tmp_path: Path) -> None:
        """A view does not change when epochs are applied, rows replaced or the engine closed."""
        engine = self.open_partition(tmp_path / "p")
        engine.apply(progress(0), [batch([("a", 1), ("b", 2)])])
        held = engine.view
        engine.apply(progress(1), [batch([("a", 9), ("c", 3)])])
        assert (held.progress, self.rows_in(engine, held)) == (progress(0), [("a", 1), ("b", 2)])
        engine.apply(progress(2), [], replace=True)
        assert self.rows_in(engine, held) == [("a", 1), ("b", 2)]
        assert self.rows_in(engine, engine.view) == []
        engine.close()
        assert self.rows_in(engine, held) == [("a", 1), ("b", 2)]

    def test_an_epoch_that_fails_leaves_nothing(self, tmp_path: Path) -> None:
        """The log may turn out to be torn when half of the rows are read."""
        engine = self.open_partition(tmp_path / "p")
        engine.apply(progress(0), [batch([("a", 1)])])

        def torn() -> Iterator[pa.RecordBatch]:
            yield batch([("a", 2), ("b", 2)])
            raise StoreError("the file ends here")

        raised: StoreError | None = None
        try:
            engine.apply(progress(1), torn(), replace=True)
        except StoreError as error:
            raised = error
        assert str(raised) == "the file ends here", "an error of a batch reaches the caller"
        assert engine.view.progress == progress(0)
        assert self.rows_in(engine, engine.view) == [("a", 1)]
        engine.apply(progress(1), [batch([("b", 2)])])
        assert self.rows_in(engine, engine.view) == [("a", 1), ("b", 2)]
        engine.close()

    def test_it_goes_on_where_it_stopped(self, tmp_path: Path) -> None:
        """An engine that keeps its rows has rows and progress of the same epoch after opening."""
        engine = self.open_partition(tmp_path / "p")
        engine.apply(progress(0), [batch([("a", 1)])])
        engine.apply(progress(4), [batch([("b", 2)])])
        engine.close()
        again = self.open_partition(tmp_path / "p")
        assert again.view.progress == (progress(4) if self.keeps else Progress())
        assert self.rows_in(again, again.view) == ([("a", 1), ("b", 2)] if self.keeps else [])
        again.close()

    def test_a_closed_partition_has_no_view(self, tmp_path: Path) -> None:
        """Closing twice is fine; a closed partition has no view."""
        engine = self.open_partition(tmp_path / "p")
        engine.close()
        engine.close()
        try:
            assert engine.view is None
        except StoreError:
            return
        raise AssertionError("a closed partition has no view")

    def test_handlers_are_of_answered_queries_only(self, tmp_path: Path) -> None:
        """`handlers` has only types of query that the engine answers."""
        engine = self.open_partition(tmp_path / "p")
        assert UnknownQuery not in engine.handlers
        assert all(issubclass(each, Query) for each in engine.handlers)
        engine.close()

    def test_readers_see_whole_epochs(self, tmp_path: Path) -> None:
        """While one thread applies, others never see half of an epoch, or its progress alone."""
        engine = self.open_partition(tmp_path / "p")
        names = [f"k{i:03}" for i in range(40)]
        engine.apply(progress(0), [batch([(name, 0) for name in names])])
        wrong: list[object] = []
        done = threading.Event()

        def read() -> None:
            while not done.is_set():
                view = engine.view
                counts = {n for _, n in self.rows_in(engine, view)}
                if counts != {view.progress.epoch}:
                    wrong.append((view.progress.epoch, counts))

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for epoch in range(1, 40):
            engine.apply(progress(epoch), [batch([(name, epoch) for name in names])])
        done.set()
        for reader in readers:
            reader.join()
        assert wrong == []
        engine.close()

    def test_keys_are_found_or_not(self, tmp_path: Path) -> None:
        """Test engines that answer `KeyQuery`, `FewKeysQuery` and `KeysQuery`."""
        engine = self._filled(tmp_path)
        view = engine.view
        if (one := engine.handlers.get(KeyQuery)) is not None:
            for n, key in enumerate(KEYS):
                assert one(view, KeyQuery(key=(key,))) == (n,)
            assert one(view, KeyQuery.with_key("missing")) is None
        if (few := engine.handlers.get(FewKeysQuery)) is not None:
            wanted = FewKeysQuery.with_keys([("b",), ("missing",), ("a",)])
            assert few(view, wanted) == [("b", 6), ("a", 2)]
        if KeysQuery in engine.handlers:
            several = KeysQuery.with_keys([("b",), ("missing",), ("a",)])
            assert stream_rows(engine, view, several) == [("a", 2), ("b", 6)]
        engine.close()

    def test_ranges_are_in_sql_order(self, tmp_path: Path) -> None:
        """Test engines that answer `RangeQuery`: order, ends, limit, columns."""
        engine = self._filled(tmp_path)
        if RangeQuery in engine.handlers:
            view, everything = engine.view, list(zip(KEYS, range(len(KEYS)), strict=True))

            def ask(query: RangeQuery) -> list[Row]:
                return stream_rows(engine, view, query)

            assert ask(RangeQuery()) == everything
            assert ask(RangeQuery(order=Order.DESCENDING)) == everything[::-1]
            assert ask(RangeQuery(limit=2)) == everything[:2]
            assert ask(RangeQuery(limit=0)) == []
            assert ask(RangeQuery.with_range(("a",), ("b",))) == everything[2:7]
            ends = Interval(
                lower=("a",), upper=("b",), lower_inclusive=False, upper_inclusive=False
            )
            assert ask(RangeQuery(interval=ends)) == everything[3:6]
            assert ask(RangeQuery.with_range(("z",), ("a",))) == []
            assert ask(RangeQuery(columns=("n",), limit=1)) == [(0,)]
        engine.close()

    def _filled(self, directory: Path) -> StorePartition:
        engine = self.open_partition(directory / "p")
        rows = list(zip(KEYS, range(len(KEYS)), strict=True))
        engine.apply(progress(0), [batch(rows[::-1])])
        return engine


def progress(epoch: int) -> Progress:
    """Return progress with every part set, so that the loss of one is noticed."""
    return Progress(
        epoch=epoch,
        position=Position.of({"events": {0: epoch * 10, 1: epoch}}),
        watermark_ms=epoch * 1000,
        committed_ms=1_767_225_600_000 + epoch,
    )


def batch(
    rows: Sequence[Row],
    *,
    deleted: Sequence[bool] | None = None,
    times_ms: Sequence[int] | None = None,
) -> pa.RecordBatch:
    """Return rows in the form in which a log passes them to an engine."""
    times = [None] * len(rows) if times_ms is None else [time * 1000 for time in times_ms]
    return pa.RecordBatch.from_arrays(
        [
            pa.array([k for k, _ in rows], pa.string()),
            pa.array([n for _, n in rows], pa.int64()),
            pa.array(times, pa.timestamp("us", tz="UTC")),
            pa.array([False] * len(rows) if deleted is None else deleted, pa.bool_()),
        ],
        names=["k", "n", "_timestamp", "_deleted"],
    )


def stream_rows(engine: StorePartition, view: View, query: RangeQuery | KeysQuery) -> list[Row]:
    """Return the rows of a query's stream."""
    batches: Iterator[pa.RecordBatch] = iter(engine.handlers[type(query)](view, query))
    return [tuple(row.values()) for each in batches for row in each.to_pylist()]
