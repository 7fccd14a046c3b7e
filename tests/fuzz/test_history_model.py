"""Rules of histories: the answers that are allowed, and the verdict on others."""

from __future__ import annotations

import pytest

from tests.fuzz.history_model import CELLS, MARKS, History, Mode, Row, Seen, is_set


def history_of(*stamps: int) -> History:
    """Return a history with keys in two partitions; epoch n has the nth stamp."""
    history = History(place=lambda key: key % 2)
    for epoch, stamp in enumerate(stamps):
        history.acknowledge("s", epoch=epoch, stamp=stamp)
    return history


def rows(even: int, odd: int | None = None, epoch: int | None = None) -> list[Row]:
    """Return all cells and flags: even keys at one stamp, odd keys at another."""
    at = (even, even if odd is None else odd)
    return [
        (key, at[key % 2], key % 2, epoch)
        for key in range(MARKS)
        if key < CELLS or is_set(key, at[key % 2])
    ]


def kinds(history: History) -> list[str]:
    return [violation.kind for violation in history.violations]


def test_allowed_answers_are_not_reported() -> None:
    history, seen = history_of(1, 2), Seen()
    history.answered("s", Mode.EVENTUAL, rows(1, 2))
    history.answered("s", Mode.LATEST, rows(2, 3), least=2)
    history.answered("s", Mode.SNAPSHOT, rows(1, 1))
    history.answered("s", Mode.MONOTONIC, rows(1, 2), seen=seen, claimed=2)
    history.answered("s", Mode.MONOTONIC, rows(2, 2), seen=seen, claimed=2)
    history.answered("s", Mode.EVENTUAL, [], keys=[CELLS])
    history.answered("s", Mode.EVENTUAL, [(0, 2, 0, 1)], keys=[0, CELLS + 1], claimed=3)
    assert history.violations == []
    assert history.answers == 7


@pytest.mark.parametrize("mode", [Mode.SNAPSHOT, Mode.LATEST_SNAPSHOT])
def test_a_torn_snapshot(mode: Mode) -> None:
    history = history_of()
    history.answered("s", mode, rows(1, 2))
    assert kinds(history) == ["a snapshot is of two epochs"]


def test_a_partition_that_shows_two_epochs() -> None:
    history = history_of()
    history.answered("s", Mode.EVENTUAL, [(k, 1 + k // 8, 0, None) for k in range(CELLS)], keys=[0])
    assert kinds(history) == ["a partition is of two epochs"]


def test_an_answer_older_than_its_bound() -> None:
    history = history_of()
    history.answered("s", Mode.BOUND, rows(4, 5), least=5)
    assert kinds(history) == ["older than its bound"]


def test_a_position_beyond_the_rows_that_were_read() -> None:
    history = history_of()
    history.answered("s", Mode.MONOTONIC, rows(4, 5), claimed=6)
    history.answered("s", Mode.MONOTONIC, [(3, 4, 1, None)], keys=[3], claimed=5)
    assert kinds(history) == ["a position is ahead of its rows"] * 2


def test_a_position_may_come_from_a_partition_without_a_row() -> None:
    history = history_of()
    history.answered("s", Mode.MONOTONIC, [(3, 4, 1, None)], keys=[3], claimed=5, everywhere=True)
    assert kinds(history) == []


def test_a_session_that_goes_back() -> None:
    history, seen = history_of(), Seen()
    history.answered("s", Mode.MONOTONIC, rows(5, 5), seen=seen)
    history.answered("s", Mode.MONOTONIC, rows(5, 4), seen=seen)
    assert kinds(history) == ["a session went back"]


def test_rows_that_are_missing() -> None:
    history = history_of()
    history.answered("s", Mode.EVENTUAL, rows(1)[1:])
    history.answered("s", Mode.EVENTUAL, [], keys=[3])
    history.answered("s", Mode.EVENTUAL, [row for row in rows(1) if row[0] != CELLS])
    assert kinds(history) == ["rows are missing"] * 3


def test_rows_that_were_deleted() -> None:
    history = history_of(111, 112)
    history.acknowledge("s", epoch=2, stamp=114, deleted=[111])
    flag = (CELLS, 2, 0, None)
    history.answered("s", Mode.EVENTUAL, [*rows(2), flag])
    history.answered("s", Mode.EVENTUAL, [flag], keys=[CELLS])
    history.answered("s", Mode.EVENTUAL, [*rows(114, 112), *marks(111, 112, 114)], keys=None)
    assert kinds(history) == ["a deleted row is still there"] * 2
    history.answered("s", Mode.EVENTUAL, [*rows(114), *marks(111, 112, 114)], keys=None)
    assert kinds(history) == ["a deleted row is still there"] * 3


def test_an_epoch_with_another_stamp() -> None:
    history = history_of(9, 10)
    history.answered("s", Mode.EVENTUAL, rows(11, epoch=1))
    assert set(kinds(history)) == {"an epoch is not what was written"}


def test_two_writes_acknowledged_as_one_epoch() -> None:
    history = history_of(10)
    history.acknowledge("s", epoch=0, stamp=11)
    assert "two writes are one epoch" in kinds(history)


def test_a_write_that_is_lost() -> None:
    history = history_of(100, 102, 104, 105)
    history.answered("s", Mode.EVENTUAL, [*rows(102, 104), *marks(100, 102)], keys=None)
    assert history.violations == [], "104 has not come yet, and 105 may have been deleted"
    history.answered("s", Mode.EVENTUAL, [*rows(105), *marks(100, 104, 105)], keys=None)
    assert kinds(history) == ["acknowledged writes are lost"]


def test_marks_that_expire() -> None:
    history = History(place=lambda key: 0, is_live=lambda _, mark, stamp: mark + 10 > stamp)
    for epoch, stamp in enumerate((100, 108, 110)):
        history.acknowledge("s", epoch=epoch, stamp=stamp)
    at = [(key, stamp, 0, epoch) for key, stamp, _, epoch in rows(110)]
    history.answered("s", Mode.EVENTUAL, [*at, *marks(108, 110)], keys=None)
    assert history.violations == []
    history.answered("s", Mode.EVENTUAL, [*at, *marks(100, 108, 110)], keys=None)
    history.answered("s", Mode.EVENTUAL, [*at, *marks(110)], keys=None)
    assert kinds(history) == ["an expired row is there", "acknowledged writes are lost"]


def marks(*stamps: int) -> list[Row]:
    """Return the marks of epochs."""
    return [(stamp, stamp, stamp % 2, None) for stamp in stamps]
