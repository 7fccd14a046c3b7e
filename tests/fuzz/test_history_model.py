"""The rules of histories: what an answer may be, and what is said of one that may not."""

from __future__ import annotations

import pytest

from tests.fuzz.history_model import CELLS, History, Mode, Row, Seen


def rows(*stamps: int, epochs: tuple[int, ...] = ()) -> list[Row]:
    """All cells, in as many partitions as stamps are given, each at its stamp."""
    at = epochs or stamps
    count = len(stamps)
    return [(key, stamps[key % count], key % count, at[key % count]) for key in range(CELLS)]


def kinds(history: History) -> list[str]:
    return [violation.kind for violation in history.violations]


def test_what_is_allowed_is_not_told() -> None:
    history, seen = History(), Seen()
    history.acknowledge("s", epoch=1, stamp=1)
    history.acknowledge("s", epoch=2, stamp=2)
    history.answered("s", Mode.EVENTUAL, rows(1, 2))
    history.answered("s", Mode.LATEST, rows(2, 3), least=2)
    history.answered("s", Mode.SNAPSHOT, rows(1, 1))
    history.answered("s", Mode.MONOTONIC, rows(1, 2), seen=seen)
    history.answered("s", Mode.MONOTONIC, rows(2, 2), seen=seen)
    history.finished("s", [1, 2, 3])
    assert history.violations == []
    assert history.answers == 5


@pytest.mark.parametrize("mode", [Mode.SNAPSHOT, Mode.LATEST_SNAPSHOT])
def test_a_torn_snapshot(mode: Mode) -> None:
    history = History()
    history.answered("s", mode, rows(1, 2))
    assert kinds(history) == ["a snapshot is of two epochs"]


def test_a_partition_of_two_epochs() -> None:
    history = History()
    history.answered("s", Mode.EVENTUAL, [(k, s, 0, e) for k, s, _, e in rows(1, 2)])
    assert kinds(history) == ["a partition is of two epochs"]


def test_an_answer_older_than_its_bound() -> None:
    history = History()
    history.answered("s", Mode.BOUND, rows(4, 5), least=5)
    assert kinds(history) == ["older than its bound"]


def test_a_session_that_goes_back() -> None:
    history, seen = History(), Seen()
    history.answered("s", Mode.MONOTONIC, rows(5, 5), seen=seen)
    history.answered("s", Mode.MONOTONIC, rows(5, 4), seen=seen)
    assert kinds(history) == ["a session went back"]


def test_rows_that_are_missing() -> None:
    history = History()
    history.answered("s", Mode.EVENTUAL, rows(1)[1:])
    history.answered("s", Mode.EVENTUAL, [], keys=[3])
    assert kinds(history) == ["rows are missing", "rows are missing"]


def test_an_epoch_that_is_not_what_was_written() -> None:
    history = History()
    history.acknowledge("s", epoch=1, stamp=10)
    history.answered("s", Mode.EVENTUAL, rows(11, epochs=(1,)))
    assert set(kinds(history)) == {"an epoch is not what was written"}


def test_two_writes_that_are_one_epoch() -> None:
    history = History()
    history.acknowledge("s", epoch=1, stamp=10)
    history.acknowledge("s", epoch=1, stamp=11)
    assert "two writes are one epoch" in kinds(history)


def test_a_write_that_is_lost() -> None:
    history = History()
    for epoch in range(3):
        history.acknowledge("s", epoch=epoch, stamp=10 + epoch)
    history.finished("s", [10, 12])
    assert kinds(history) == ["acknowledged writes are lost"]
