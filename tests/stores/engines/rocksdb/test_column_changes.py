"""The log of changes that are not yet merged into kept columns."""

from __future__ import annotations

from stategate.stores.engines.rocksdb.column_changes import Change, ChangeLog


def changed(epoch: int, *keys: bytes) -> Change:
    return Change(epoch=epoch, keys=list(keys), rows=[b"row"] * len(keys))


def test_changes_are_found_and_dropped_by_epoch() -> None:
    log = ChangeLog()
    first, second = changed(1, b"a", b"b"), changed(3, b"c")
    log.add(first)
    log.add(second)
    assert (log.up_to(0), log.up_to(2), log.up_to(3)) == ([], [first], [first, second])
    assert log.rows == 3
    log.drop_up_to(2)
    assert (log.up_to(3), log.rows) == ([second], 1)


def test_epochs_that_change_no_row_take_no_memory() -> None:
    """A pipeline commits for all partitions; most epochs of a small one may be empty."""
    log = ChangeLog()
    for epoch in range(1000):
        log.add(changed(epoch))
    assert log.up_to(1000) == []
