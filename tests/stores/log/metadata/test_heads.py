"""Heads of a log: what writers announce, and which heads a reader sees change."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import fs

from stategate.stores.log.files.arrow import ArrowFiles
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.heads import LIST_S, Heads, HeadWatch
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.stores import keyvalue

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
ROWS = pa.table({"usr": ["ann"], "n": [1]})


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_a_definition_and_each_epoch_are_announced(tmp_path: Path) -> None:
    heads = Heads(Directory.at(tmp_path))
    assert heads.epoch("clicks") is None
    writer = StoreWriter(tmp_path, CLICKS)
    assert heads.epoch("clicks") == -1
    for epoch in (0, 1, 7):
        writer.write(ROWS, position=Position.of({"events": {0: epoch}}), epoch=epoch)
        assert heads.epoch("clicks") == writer.log.announced() == epoch


def test_an_epoch_is_announced_before_it_is_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that is killed between the two leaves readers looking for an epoch to come."""
    writer = StoreWriter(tmp_path, CLICKS)
    seen: list[tuple[int | None, Commit | None]] = []
    create = Directory.create

    def watched(directory: Directory, relative: str, data: bytes) -> bool:
        if relative.startswith("epochs/"):
            seen.append((writer.log.announced(), writer.log.commit(0)))
        return create(directory, relative, data)

    monkeypatch.setattr(Directory, "create", watched)
    writer.write(ROWS, position=Position.of({"events": {0: 1}}))
    assert seen == [(0, None)]


@pytest.mark.parametrize("content", [b"", b"{", b'{"format": 2, "epoch": 3}', b"\xff" * 300])
def test_a_damaged_head_says_nothing(tmp_path: Path, content: bytes) -> None:
    StoreWriter(tmp_path, CLICKS)
    (tmp_path / "_heads" / "clicks").write_bytes(content)
    assert Heads(Directory.at(tmp_path)).epoch("clicks") is None


def test_a_head_that_cannot_be_written_does_not_stop_the_writer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "_heads").write_text("a file in place of the directory")
    writer = StoreWriter(tmp_path, CLICKS)
    with caplog.at_level(logging.WARNING):
        for offset in range(3):
            writer.write(ROWS, position=Position.of({"events": {0: offset}}))
    assert StoreLog.open(tmp_path, "clicks").epochs() == [0, 1, 2]
    assert [r.message.split(" store=")[0] for r in caplog.records] == ["head not written"]


NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(st.one_of(NAMES, st.floats(0.0, 3.0), st.just("look")), max_size=30)


@settings(deadline=None)
@given(steps=STEPS, is_local=st.booleans(), is_coarse=st.booleans())
def test_every_change_is_seen_in_the_end(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[str | float],
    *,
    is_local: bool,
    is_coarse: bool,
) -> None:
    """Also where the file system keeps whole seconds, so that two changes look the same."""
    root = tmp_path_factory.mktemp("log")
    local = Directory.at(root)
    other = Directory(ArrowFiles(fs.SubTreeFileSystem(str(root), fs.LocalFileSystem())), "")
    heads, clock = Heads(local), Clock()
    watch = HeadWatch(Heads(local if is_local else other), clock=clock)
    unseen: set[str] = set()
    announced: dict[str, int] = {}

    def set_times() -> None:
        if not is_coarse:
            return
        at_ns = int(clock.now_s) * 1_000_000_000
        for path in [*(root / "_heads").iterdir(), root / "_heads"]:
            os.utime(path, ns=(at_ns, at_ns))

    for step in steps:
        if step == "look":
            unseen -= watch.changed()
        elif isinstance(step, float):
            clock.now_s += step
        else:
            announced[step] = announced.get(step, -1) + 1
            heads.announce(step, announced[step])
            set_times()
            unseen.add(step)
    for _ in range(8):
        clock.now_s += LIST_S
        unseen -= watch.changed()
    assert unseen == set()
    assert all(name in watch for name in announced)
    clock.now_s += 60.0
    watch.changed()
    clock.now_s += 60.0
    assert watch.changed() == set()
