"""Removes the logs of a store before its rebuilds; see `stategate.stores.log.metadata.moves`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stategate.stores.errors import TornRecordError
from stategate.stores.log.metadata.moves import REBUILT, Move
from stategate.stores.log.state_log import StoreLog

_CONTENT = ("snapshots", "data", "terms", "aside")


def remove_old_logs(
    log: StoreLog, is_old: Callable[[int], bool], *, orphans_before_ms: int
) -> tuple[int, int]:
    """Remove old logs, and those of rebuilds that died before they moved the store.

    Args:
        log: the log in which the store goes on now.
        is_old: takes the time of a move, in epoch milliseconds; whether the log that it ends may
            go.
        orphans_before_ms: logs to which no move leads are removed if they are older, in epoch
            milliseconds.

    Returns:
        The numbers of old logs and of dead rebuilds that were removed.

    Raises:
        LogError: the log cannot be read or written.
    """
    logs = orphans = 0
    for other in _others(log):
        move = _end(other)
        if move is not None:
            if is_old(move.moved_ms):
                _remove(other)
                logs += 1
        elif other.place:
            changed_ms = other.directory.changed_ms("")
            if changed_ms is not None and changed_ms < orphans_before_ms:
                other.abandon()
                orphans += 1
    return logs, orphans


def _others(log: StoreLog) -> Iterator[StoreLog]:
    first = log.at_place("")
    if log.place:
        yield first
    for name in first.directory.names(REBUILT):
        place = f"{REBUILT}/{name}"
        if place != log.place:
            yield log.at_place(place)


def _end(log: StoreLog) -> Move | None:
    """Return the move that ends a log; None without one."""
    numbers = log.numbers()
    try:
        found = log.record(numbers[-1]) if numbers else None
    except TornRecordError:
        return None
    return found if isinstance(found, Move) else None


def _remove(log: StoreLog) -> None:
    """Remove a log, its move last: until then the next run can tell that it is an old one."""
    for number in log.numbers()[:-1]:
        log.remove_commit(number)
    for name in _CONTENT:
        log.directory.remove(name)
    if log.place:
        log.abandon()
    else:
        # The definition stays: it shows that there is a store.
        log.directory.remove("epochs")
