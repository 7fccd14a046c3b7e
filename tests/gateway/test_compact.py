"""`stategate compact` as cron runs it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.command_line import Ended, stategate
from tests.support.stores import keyvalue

pytestmark = pytest.mark.server
NAMES = ("clicks", "views")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a log with two stores of four epochs each."""
    for name in NAMES:
        writer = StoreWriter(tmp_path, keyvalue(name, {"usr": "text"}, {"n": "bigint"}))
        for epoch in range(4):
            rows = pa.table({"usr": ["ann", "bob"], "n": [epoch, epoch]})
            writer.write(rows, position=Position.of({"events": {0: epoch}}))
    return tmp_path


def run(*arguments: str) -> Ended:
    return stategate("compact", *arguments)


def epochs(root: Path) -> dict[str, list[int]]:
    return {name: StoreLog.open(root, name).epochs() for name in NAMES}


def test_all_stores_are_compacted_and_a_week_is_kept(root: Path) -> None:
    done = run("--root", str(root))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{name}: wrote snapshot 3; removed 0 epochs, 0 snapshots, 0 orphans" for name in NAMES
    ]
    assert epochs(root) == {name: [0, 1, 2, 3] for name in NAMES}


def test_one_store_and_a_number_of_epochs(root: Path) -> None:
    done = run("--root", str(root), "--store", "views", "--keep-epochs", "2", "--every", "3")
    assert done.stdout == "views: wrote snapshot 3; removed 2 epochs, 0 snapshots, 0 orphans\n"
    assert epochs(root) == {"clicks": [0, 1, 2, 3], "views": [2, 3]}
    done = run("--root", str(root), "--keep", "0s", "--every", "3")
    assert done.stdout.splitlines() == [
        "clicks: wrote snapshot 3; removed 3 epochs, 0 snapshots, 0 orphans",
        "views: kept snapshot 3; removed 1 epoch, 0 snapshots, 0 orphans",
    ]


def test_a_store_that_cannot_be_compacted_does_not_stop_the_others(root: Path) -> None:
    (root / "clicks" / "epochs" / f"{2:020d}.json").write_bytes(b"{")
    done = run("--root", str(root))
    assert done.returncode == 1
    assert done.stdout.startswith("views: wrote snapshot 3;")
    last = done.stderr.splitlines()[-1]
    assert last.startswith('stategate: store "clicks" cannot be compacted: ')
    assert "Traceback" not in done.stderr
    assert epochs(root)["clicks"] == [0, 1, 2, 3]


@pytest.mark.parametrize("age", ["7", "d", "-1d", "7x", "", "1.5d", "٣d", "9999999999d"])
def test_a_malformed_age_is_refused(tmp_path: Path, age: str) -> None:
    done = run("--root", str(tmp_path), "--keep", age)
    assert done.returncode == 2
    assert done.stderr == (
        f'stategate: "{age}" is not an age. Write a number and s, m, h, d or w, such as 7d.\n'
    )


def test_a_missing_log_is_one_sentence(tmp_path: Path) -> None:
    done = run("--root", str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert "cannot compact: there is no directory" in done.stderr
