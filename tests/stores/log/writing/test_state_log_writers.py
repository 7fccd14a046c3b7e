"""Writers of one store: on odd file systems, one after another, and several at once."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs

from stategate.stores.errors import (
    EpochConflictError,
    FencedError,
    LogError,
    PositionBackError,
    TornRecordError,
)
from stategate.stores.log.checking.verification import verify
from stategate.stores.log.files.arrow import ArrowFiles
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.metadata.records import Commit, term_name
from stategate.stores.log.metadata.terms import read_term, remove_old_terms, terms
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.logs import (
    CLICKS,
    commit_path,
    contents,
    edit_record,
    empty_commit,
    rows,
    write_alone,
)

pytestmark = pytest.mark.usefixtures("any_files")


@pytest.fixture(autouse=True)
def unsynchronised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip fsync: no test here loses power."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def at(offset: int) -> Position:
    return Position.of({"orders": {0: offset}})


def chain(log: StoreLog) -> list[Commit]:
    """Return all commits that a reader follows from the beginning."""
    found: list[Commit] = []
    while commit := log.next_commit(found[-1].epoch if found else -1, list_now=True):
        found.append(commit)
    return found


# File systems


@dataclass(frozen=True, slots=True)
class OddDirectory(Directory):
    """A local directory with coarse timestamps and outdated listings.

    Args:
        tick_ns: the unit to which timestamps are rounded down.
        behind: how many of the newest names are missing from a listing.
    """

    tick_ns: int = 1
    behind: int = 0
    created: list[str] = field(default_factory=list)

    def create(self, relative: str, data: bytes) -> bool:
        done = Directory.create(self, relative, data)
        parent = os.path.dirname(self.join(relative))
        stamp_ns = os.stat(parent).st_mtime_ns // self.tick_ns * self.tick_ns
        os.utime(parent, ns=(stamp_ns, stamp_ns))
        self.created.append(relative.rpartition("/")[2])
        return done

    def names(self, relative: str = "") -> list[str]:
        unseen = self.created[len(self.created) - self.behind :]
        return [name for name in Directory.names(self, relative) if name not in unseen]


SECOND_NS = 10**9
ODD = [
    pytest.param({"tick_ns": SECOND_NS}, id="whole seconds"),
    pytest.param({"tick_ns": 2 * SECOND_NS}, id="FAT"),
    pytest.param({"tick_ns": 10**6 * SECOND_NS}, id="no time at all"),
    pytest.param({"behind": 1}, id="listings that are behind"),
    pytest.param({"behind": 5}, id="listings that are far behind"),
]


def odd(root: Path, options: dict[str, Any]) -> StoreLog:
    directory = OddDirectory(LocalFiles(), str(root / "clicks"), **options)
    return StoreLog(directory, "clicks")


@pytest.mark.parametrize("options", ODD)
@pytest.mark.parametrize("numbers", [None, range(6), (3, 4, 9, 10, 11, 30)])
def test_every_epoch_is_kept_and_seen_on_odd_file_systems(
    tmp_path: Path, options: dict[str, Any], numbers: tuple[int, ...] | None
) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    writer.log = odd(tmp_path, options)
    reader = StoreLog(writer.log.directory, "clicks")
    written: list[Commit] = []
    for turn in range(6):
        before = written[-1].epoch if written else -1
        assert reader.latest_epoch() == before
        epoch = None if numbers is None else numbers[turn]
        written.append(writer.write(rows(2, start=turn), position=at(turn), epoch=epoch))
        assert reader.latest_epoch() == written[-1].epoch
        assert reader.next_commit(before) == written[-1]
    assert [commit.previous for commit in written[1:]] == [c.epoch for c in written[:-1]]
    assert chain(StoreLog.open(tmp_path, "clicks")) == written


@pytest.mark.parametrize("options", ODD)
def test_a_new_writer_sees_every_epoch_on_odd_file_systems(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    shared = odd(tmp_path, options).directory
    for turn in range(5):
        writer = StoreWriter(tmp_path, CLICKS)
        writer.log = StoreLog(shared, "clicks")
        commit = writer.write(rows(2), position=at(turn))
        assert (commit.epoch, commit.term) == (turn, turn + 1)


def test_following_needs_no_listing(tmp_path: Path) -> None:
    """On an object store each listing costs money."""
    listed: list[str] = []

    class Counting(OddDirectory):
        def names(self, relative: str = "") -> list[str]:
            listed.append(relative)
            return Directory.names(self, relative)

    writer = StoreWriter(tmp_path, CLICKS)
    directory = Counting(LocalFiles(), str(tmp_path / "clicks"))
    writer.log = reader = StoreLog(directory, "clicks")
    writer.write(rows(2), position=at(0))
    assert reader.latest_epoch() == 0
    listed.clear()
    for turn in range(1, 4):
        writer.write(rows(2), position=at(turn))
        assert reader.latest_epoch() == turn
        assert reader.next_commit(turn - 1) is not None
    assert {name for name in listed if not name.startswith("data/")} == set()


# One after the other


def test_a_new_writer_fences_the_one_before(tmp_path: Path) -> None:
    old, new = StoreWriter(tmp_path, CLICKS), StoreWriter(tmp_path, CLICKS, writer="b")
    first = old.write(rows(), position=at(0))
    # A writer that has only opened the store has not taken it yet.
    second = old.write(rows(), position=at(1))
    third = new.write(rows(), position=at(2))
    assert (first.term, second.term, third.term, third.previous) == (1, 1, 2, 1)
    for epoch in (None, 2, 3, 9):
        with pytest.raises(
            FencedError, match=r'"clicks" has had another writer, b, .* UTC: .* Stop this'
        ):
            old.write(rows(), position=at(3), epoch=epoch)
    assert chain(new.log) == [first, second, third]
    assert sorted(os.listdir(tmp_path / "clicks" / "data")) == ["0", "1", "2"]
    again = StoreWriter(tmp_path, CLICKS).write(rows(), position=at(3))
    assert (again.epoch, again.term) == (3, 3)


def test_an_owner_fences_before_its_first_write(tmp_path: Path) -> None:
    old, new = StoreWriter(tmp_path, CLICKS), StoreWriter(tmp_path, CLICKS)
    old.write(rows(), position=at(0))
    assert new.take_ownership() == new.take_ownership()
    with pytest.raises(FencedError):
        old.write(rows(), position=at(1))
    assert new.write(rows(), position=at(1)).epoch == 1


def test_removed_terms_still_fence(tmp_path: Path) -> None:
    old, new = StoreWriter(tmp_path, CLICKS), StoreWriter(tmp_path, CLICKS)
    old.write(rows(), position=at(0))
    for writer in (StoreWriter(tmp_path, CLICKS), new):
        writer.take_ownership()
    remove_old_terms(new.log.directory, kept=1)
    assert terms(new.log.directory) == [3]
    with pytest.raises(FencedError):
        old.write(rows(), position=at(1))
    assert new.write(rows(), position=at(1)).term == 3
    # Even without any record, the next term is later than that of any commit.
    os.unlink(new.log.directory.join(term_name(3)))
    with pytest.raises(FencedError, match=r"lost the record of term 3.* start the writer again"):
        new.write(rows(), position=at(2))
    assert StoreWriter(tmp_path, CLICKS).write(rows(), position=at(2)).term == 4


@pytest.mark.parametrize("torn", [1, 2, 4])
def test_a_new_term_is_later_than_all_readable_ones(tmp_path: Path, torn: int) -> None:
    """This holds even if the records of terms are lost and the newest commits torn."""
    for offset in range(5):
        StoreWriter(tmp_path, CLICKS).write(rows(), position=at(offset))
    for epoch in range(5 - torn, 5):
        commit_path(tmp_path, epoch).write_bytes(b"torn")
    shutil.rmtree(tmp_path / "clicks" / "terms")
    assert StoreWriter(tmp_path, CLICKS).take_ownership().term == 6 - torn


@pytest.mark.parametrize("any_files", ["local"], indirect=True)
def test_a_directory_in_place_of_a_term_fences_too(tmp_path: Path) -> None:
    old, new = StoreWriter(tmp_path, CLICKS), StoreWriter(tmp_path, CLICKS)
    old.write(rows(), position=at(0))
    new.write(rows(), position=at(1))
    record = Path(new.log.directory.join(term_name(2)))
    record.unlink()
    record.mkdir()
    with pytest.raises(FencedError):
        old.write(rows(), position=at(2))


def test_two_writers_at_once_take_different_terms(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, CLICKS, writer="late")
    directory = odd(tmp_path, {"behind": 2}).directory
    writer.log = StoreLog(directory, "clicks")
    for _ in range(3):
        other = StoreWriter(tmp_path, CLICKS)
        other.log = StoreLog(directory, "clicks")
        other.take_ownership()
    taken = writer.take_ownership()
    assert taken.term == 4
    assert read_term(writer.log.directory, 4) == taken


def test_a_commit_of_an_older_term_is_passed_over(tmp_path: Path) -> None:
    """Its writer did not know yet that it had been replaced."""
    writer = StoreWriter(tmp_path, CLICKS)
    first = writer.write(rows(), position=at(0))
    log = StoreLog.open(tmp_path, "clicks")
    for late in (empty_commit(1, previous=0), empty_commit(5, previous=0)):
        write_alone(log, late)
        assert log.next_commit(0, list_now=True) is None
        assert log.latest_epoch() == StoreLog.open(tmp_path, "clicks").latest_epoch() == 0
        with pytest.raises(EpochConflictError, match="written by w after it had been replaced"):
            writer.write(rows(), position=at(1), epoch=late.epoch)
        commit_path(tmp_path, late.epoch).unlink()
    assert chain(log) == [first]
    # The log continues without it, so it does no harm. The next number is the one tried last.
    write_alone(log, empty_commit(9, previous=0))
    second = writer.write(rows(), position=at(1))
    assert second.epoch == 5
    assert chain(log) == [first, second]
    assert log.latest_epoch() == 5


def test_a_commit_during_a_takeover_counts(tmp_path: Path) -> None:
    """Readers follow it, so nothing needs repair, and the new writer goes on after it."""
    old, new = StoreWriter(tmp_path, CLICKS, writer="a"), StoreWriter(tmp_path, CLICKS, writer="b")
    old.write(rows(), position=at(0))
    create = old.log.write_commit

    def replaced(commit: Commit) -> None:
        # The old writer commits after the new one has looked for the newest epoch.
        new.take_ownership()
        new._look()
        create(commit)

    old.log.write_commit = replaced  # type: ignore[method-assign]
    with pytest.raises(FencedError):
        old.write(rows(), position=at(1))
    with pytest.raises(EpochConflictError, match=r"epoch 1 .* committed already, by a$"):
        new.write(rows(), position=at(1))
    assert verify(tmp_path, "clicks").damages == ()
    assert new.write(rows(), position=at(1)).epoch == 2
    assert [commit.writer for commit in chain(new.log)] == ["a", "a", "b"]


# At the same time


@dataclass(frozen=True, slots=True)
class PausedDirectory(Directory):
    """A directory that calls a function before its n-th step."""

    steps: list[int] = field(default_factory=lambda: [0])
    meanwhile: list[Callable[[], object]] = field(default_factory=list)

    def _step(self) -> None:
        self.steps[0] -= 1
        if self.steps[0] < 0 and self.meanwhile:
            self.meanwhile.pop()()

    def read(self, relative: str) -> bytes | None:
        self._step()
        return Directory.read(self, relative)

    def has(self, relative: str) -> bool:
        self._step()
        return Directory.has(self, relative)

    def names(self, relative: str = "") -> list[str]:
        self._step()
        return Directory.names(self, relative)

    def make(self, relative: str) -> None:
        self._step()
        Directory.make(self, relative)

    def create(self, relative: str, data: bytes) -> bool:
        self._step()
        return Directory.create(self, relative, data)


class Race:
    """A writer that pauses at one of its steps while others write, and a reader."""

    def __init__(self, root: Path, *, begun: bool) -> None:
        self.root = root
        self.told = [StoreWriter(root, CLICKS).write(rows(2), position=at(0))]
        self.seen = [*self.told]
        self.reader = StoreLog.open(root, "clicks")
        self.directory = PausedDirectory(LocalFiles(), str(root / "clicks"), [10**6])
        self.paused = StoreWriter(root, CLICKS, writer="paused")
        self.paused.log = StoreLog(self.directory, "clicks")
        if begun:
            self.told.append(self.paused.write(rows(2), position=at(1)))

    def run(self, moment: int, epoch: int) -> Commit | str:
        """Write an epoch with a pause before this step, and return its outcome."""
        self.directory.meanwhile.append(self._meanwhile)
        self.directory.steps[0] = moment
        try:
            return self.paused.write(rows(3), position=at(5), epoch=epoch)
        except (FencedError, EpochConflictError) as error:
            return type(error).__name__

    @property
    def was_paused(self) -> bool:
        return not self.directory.meanwhile

    def look(self) -> None:
        while commit := self.reader.next_commit(self.seen[-1].epoch, list_now=True):
            self.seen.append(commit)

    def _meanwhile(self) -> None:
        self.look()
        for _ in range(2):
            other = StoreWriter(self.root, CLICKS)
            self.told += [other.write(rows(2), position=at(5)) for _ in range(2)]
            self.look()


@pytest.mark.parametrize("gap", [0, 2], ids=["next", "gap"])
@pytest.mark.parametrize("begun", [True, False], ids=["wrote before", "new"])
def test_a_writer_that_is_paused_at_any_moment_breaks_nothing(
    tmp_path: Path, gap: int, begun: bool
) -> None:
    """Each commit that was returned to a writer is in the log, once, in one chain."""
    outcomes = set()
    for moment in range(60):
        race = Race(tmp_path / str(moment), begun=begun)
        outcome = race.run(moment, race.told[-1].epoch + 1 + gap)
        race.look()
        found = chain(StoreLog.open(race.root, "clicks"))
        assert found == race.seen
        assert all(commit in found for commit in race.told)
        assert isinstance(outcome, str) or outcome in found
        assert [c.term for c in found] == sorted(c.term for c in found)
        assert race.reader.latest_epoch() == found[-1].epoch
        assert all(len(contents(race.reader, c)) == c.rows > 0 for c in found)
        if not race.was_paused:
            break
        outcomes.add(outcome if isinstance(outcome, str) else "committed")
        if outcome == "FencedError":
            with pytest.raises(FencedError):
                race.paused.write(rows(2), position=at(9))
    else:
        pytest.fail("it has more steps than were tried")
    assert "FencedError" in outcomes


def test_many_restarting_writers_lose_nothing(tmp_path: Path) -> None:
    """Writers take over from each other."""
    StoreWriter(tmp_path, CLICKS).write(rows(1), position=at(0))
    told: list[Commit] = []
    refused: list[LogError] = []
    barrier = threading.Barrier(4)

    def write() -> None:
        barrier.wait(20)
        for _ in range(40):
            writer = StoreWriter(tmp_path, CLICKS)
            try:
                told.extend(writer.write(rows(1), position=at(0)) for _ in range(3))
            except (FencedError, EpochConflictError) as error:
                refused.append(error)
            else:
                return

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    found = chain(StoreLog.open(tmp_path, "clicks"))
    assert len({commit.epoch for commit in told}) == len(told) > 0
    assert all(commit in found for commit in told)
    assert verify(tmp_path, "clicks").damages == ()
    last = StoreWriter(tmp_path, CLICKS).write(rows(1), position=at(0))
    assert last.previous == found[-1].epoch


def test_writers_on_a_file_system_that_moves_files_into_place(tmp_path: Path) -> None:
    """As on an object store, each file appears in one step, and writers take turns."""
    system = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())

    def opened() -> StoreWriter:
        writer = StoreWriter(tmp_path, CLICKS)
        writer.log = StoreLog(Directory(ArrowFiles(system), "clicks"), "clicks")
        return writer

    old, new = opened(), opened()
    told = [old.write(rows(2), position=at(0)), old.write(rows(2), position=at(1), epoch=4)]
    told += [new.write(rows(2), position=at(2)), new.write(rows(2), position=at(3), epoch=9)]
    with pytest.raises(FencedError):
        old.write(rows(2), position=at(4))
    assert chain(new.log) == chain(StoreLog.open(tmp_path, "clicks")) == told
    assert [commit.epoch for commit in told] == [0, 4, 5, 9] == new.log.epochs()
    assert new.log.latest_epoch() == 9


# Positions


@pytest.mark.parametrize(
    ("after", "message"),
    [
        (Position.of({"orders": {0: 4}}), 'partition 0 of topic "orders" from 5 to 4'),
        (Position.of({"orders": {1: 9}}), 'partition 0 of topic "orders" from 5 to nothing'),
        (Position.of({"renamed": {0: 5}}), 'partition 0 of topic "orders" from 5 to nothing'),
        (Position(), 'partition 0 of topic "orders" from 5 to nothing'),
    ],
)
@pytest.mark.parametrize("restarted", [True, False])
def test_a_position_that_goes_back_is_refused(
    tmp_path: Path, after: Position, message: str, restarted: bool
) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    first = writer.write(rows(), position=at(5))
    if restarted:
        writer = StoreWriter(tmp_path, CLICKS)
    for replace in (False, True):
        with pytest.raises(PositionBackError, match=f"{message}.* build the store anew"):
            writer.write(rows(), position=after, replace=replace)
    assert os.listdir(tmp_path / "clicks" / "data") == ["0"]
    assert writer.write(rows(), position=at(5)).previous == first.epoch


# Numbers that are skipped


def test_a_skip_without_its_epoch_is_continued(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    first = writer.write(rows(), position=at(0))
    lost = writer.write(rows(), position=at(1), epoch=5)
    commit_path(tmp_path, 5).unlink()
    log = StoreLog.open(tmp_path, "clicks")
    assert (log.latest_epoch(), log.next_commit(0, list_now=True)) == (0, None)
    later = StoreWriter(tmp_path, CLICKS)
    with pytest.raises(EpochConflictError, match=r"epoch 3 .* was skipped: the next epoch is 5"):
        later.write(rows(), position=at(1), epoch=3)
    again = later.write(rows(), position=at(1), epoch=lost.epoch + 2)
    last = later.write(rows(), position=at(2))
    assert chain(log) == [first, again, last]
    assert log.epochs() == [0, 7, 8]
    log.remove_commit(0)
    log.remove_skips(before=7)
    assert sorted(os.listdir(tmp_path / "clicks" / "epochs")) == [
        f"{epoch:020d}.json" for epoch in (7, 8)
    ]


def test_a_torn_skip_is_named(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    writer.write(rows(), position=at(0))
    writer.write(rows(), position=at(1), epoch=5)
    path = commit_path(tmp_path, 1)
    path.write_bytes(path.read_bytes()[:-9])
    log = StoreLog.open(tmp_path, "clicks")
    with pytest.raises(TornRecordError, match=f"{1:020d}.json"):
        log.next_commit(0)
    edit_record(commit_path(tmp_path, 0), epoch=1)
    with pytest.raises(LogError, match="is the commit of epoch 1"):
        log.next_commit(-1)
