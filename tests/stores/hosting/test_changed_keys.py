"""The keys that epochs change are recorded while someone holds the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from stategate.stores.hosting import changed_keys
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.schema import Key, Row
from tests.support.stores import batch, fill, keyvalue, open_store, progress, window

CLICKS = keyvalue("clicks", {"usr": "text", "day": "date"}, {"n": "bigint"}, partitions=1)


@pytest.fixture(params=["memory", "rocksdb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> LocalStore:
    made = open_store(CLICKS, directory=tmp_path if request.param == "rocksdb" else None)
    fill(made, [("ann", 1, 1)], epoch=0)
    return made


def put(store: LocalStore, epoch: int, *rows: Row, replace: bool = False) -> None:
    store.replicas[0].apply(progress(epoch), [batch(CLICKS, rows)], replace=replace)


def test_keys_of_several_epochs_each_once(store: LocalStore) -> None:
    log = store.follow_keys(0)
    assert log is not None
    assert log.changed(0, 0) == []
    put(store, 1, ("ann", 1, 2), ("bob", 2, 2))
    put(store, 2)
    put(store, 3, (None, None, 3), ("ann", 1, 3))
    assert log.changed(0, 1) == [("ann", 1), ("bob", 2)]
    assert log.changed(1, 2) == []
    assert log.changed(0, 3) == [("ann", 1), ("bob", 2), (None, None)]
    assert store.follow_keys(0) is log, "readers share it"
    store.close()


def test_what_was_not_recorded_is_not_known(store: LocalStore) -> None:
    put(store, 1, ("ann", 1, 2))
    log = store.follow_keys(0)
    assert log is not None
    put(store, 2, ("bob", 1, 2))
    assert log.changed(1, 2) == [("bob", 1)]
    assert log.changed(0, 2) is None
    assert log.changed(2, 3) is None
    put(store, 3, ("cid", 1, 2), replace=True)
    assert log.changed(2, 3) is None, "all rows were replaced"
    for epoch in range(4, 4 + changed_keys.EPOCHS_MAX):
        put(store, epoch, ("ann", 1, epoch))
    assert log.changed(2, 5) is None, "it is too long ago"
    del log
    again = store.follow_keys(0)
    assert again is not None
    assert again.changed(epoch - 1, epoch) is None, "no one held the log"
    assert store.follow_keys(7) is None
    store.close()


def test_many_keys_are_not_kept(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changed_keys, "KEYS_MAX", 2)
    log = store.follow_keys(0)
    assert log is not None
    put(store, 1, ("ann", 1, 2), ("bob", 2, 2), ("cid", 2, 2))
    put(store, 2, ("ann", 1, 2), ("bob", 2, 2))
    known: list[Key] | None = log.changed(1, 2)
    assert known == [("ann", 1), ("bob", 2)]
    assert log.changed(0, 1) is None
    assert log.changed(0, 2) is None
    store.close()


def test_an_epoch_that_fails_is_not_recorded(store: LocalStore) -> None:
    log = store.follow_keys(0)
    assert log is not None
    with pytest.raises(KeyError):
        store.replicas[0].apply(progress(1), [batch(CLICKS, [("bob", 1, 1)]).select(["usr"])])
    put(store, 1, ("ann", 1, 2))
    assert log.changed(0, 1) == [("ann", 1)]
    store.close()


def test_keys_of_windows_have_their_starts() -> None:
    schema = window("hourly", {"usr": "text"}, {"n": "bigint"}, partitions=1, size_ms=1_000)
    store = open_store(schema)
    log = store.follow_keys(0)
    assert log is not None
    rows: list[Row] = [("ann", 0, 1_000_000, 1), ("ann", 1_000_000, 2_000_000, 1)]
    store.replicas[0].apply(progress(0), [batch(schema, rows)])
    assert log.changed(-1, 0) == [("ann", 0), ("ann", 1_000_000)]
    store.close()
