"""`stategate log show`, `verify` and `repair` as an operator runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.log.checking.listing import list_log
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.records import Commit, commit_name, encode_commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.compaction import write_snapshot
from tests.support.command_line import Ended, stategate
from tests.support.logs import empty_commit, write_alone
from tests.support.stores import keyvalue

pytestmark = pytest.mark.server


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("clicks", "views"):
        writer = StoreWriter(tmp_path, keyvalue(name, {"usr": "text"}, {"n": "bigint"}))
        for epoch in range(3):
            rows = pa.table({"usr": ["ann", "bob"], "n": [epoch, epoch]})
            writer.write(rows, position=Position.of({"events": {0: epoch}}))
    return tmp_path


def run(*arguments: str) -> Ended:
    return stategate("log", *arguments)


def test_a_damaged_log_is_reported_and_repaired(root: Path) -> None:
    done = run("verify", "--root", str(root))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{name}: 3 epochs, 6 rows, 0 damaged" for name in ("clicks", "views")
    ]
    # One is damage by a replaced writer, and one cannot be repaired.
    late = root / "clicks" / "epochs" / f"{3:020d}.json"
    write_alone(StoreLog.open(root, "clicks"), empty_commit(3, previous=2))
    torn = root / "views" / "epochs" / f"{1:020d}.json"
    torn.write_bytes(b"{")
    done = run("verify", "--root", str(root), "--store", "clicks")
    assert done.returncode == 1
    assert done.stderr == f'clicks: record "{late}" is of a writer that had been replaced\n'
    done = run("repair", "--root", str(root))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "clicks: set aside epoch 3, of a writer that was replaced",
        "clicks: 1 repair, 0 damaged",
        "views: 0 repairs, 2 damaged",
    ]
    assert str(torn) in done.stderr
    assert "Traceback" not in done.stderr
    assert run("repair", "--root", str(root), "--store", "clicks").returncode == 0


def test_the_newest_epochs_are_listed(root: Path) -> None:
    done = run("show", "--root", str(root), "--store", "clicks", "--epochs", "2")
    assert (done.returncode, done.stderr) == (0, "")
    heading, names, _, *rows = done.stdout.splitlines()
    assert heading.startswith(
        "clicks: keyvalue; key usr; 3 partitions; 3 records from epoch 0; head 2; term 1 since 20"
    )
    assert names.split() == [
        *("epoch", "committed", "rows", "bytes", "files", "replace", "position"),
        *("watermark", "writer", "term", "state"),
    ]
    assert [row.split()[0] for row in rows] == ["2", "1"]
    assert '{"events":{"0":2}}' in rows[0]
    assert rows[0].split()[-3:] == ["python", "1", "committed"]


def test_a_listing_for_programs_is_a_line_of_json_for_each_store(root: Path) -> None:
    write_snapshot(root, "clicks")
    rows = pa.table({"usr": ["cid"], "n": [9]})
    writer = StoreWriter(root, keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}), writer="late")
    at = Position.of({"events": {0: 9}})
    writer.write(rows, position=at, epoch=6, watermark_ms=5, replace=True)
    done = run("show", "--root", str(root), "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    clicks, views = map(json.loads, done.stdout.splitlines())
    assert (clicks["store"], views["store"]) == ("clicks", "views")
    assert (clicks["head"], clicks["term"], clicks["writer"]) == (6, 2, "late")
    assert [(s["epoch"], s["rows"]) for s in clicks["snapshots"]] == [(2, 2)]
    newest, skip, before, *_ = clicks["epochs"]
    assert newest["size_bytes"] > 0
    assert newest["position"] == {"events": {"0": 9}}
    assert [newest[name] for name in ("epoch", "previous", "rows", "files", "replace")] == [
        *(6, 2, 1, 1, True)
    ]
    assert newest["watermark_ms"] == 5
    assert (skip["epoch"], skip["state"], skip["next_epoch"]) == (3, "skip", 6)
    assert (before["epoch"], before["state"]) == (2, "committed")


def test_damaged_records_are_listed_as_such(root: Path) -> None:
    epochs = root / "clicks" / "epochs"
    torn = epochs / f"{1:020d}.json"
    torn.write_bytes(b"{")
    (root / "views" / "epochs" / f"{1:020d}.json").unlink()
    done = run("show", "--root", str(root), "--format", "json")
    assert done.returncode == 1
    clicks, views = map(json.loads, done.stdout.splitlines())
    assert [each["state"] for each in clicks["epochs"]] == ["committed", "damaged", "committed"]
    assert str(torn) in clicks["epochs"][1]["damage"]
    assert [each["state"] for each in views["epochs"]] == ["damaged", "committed"]
    assert views["epochs"][0]["damage"].endswith("follows epoch 1, and not epoch 0")
    done = run("show", "--root", str(root), "--store", "clicks")
    assert done.returncode == 1
    assert str(torn) in done.stderr
    assert "damaged" in done.stdout


def test_a_long_log_is_listed_by_its_newest_records(tmp_path: Path) -> None:
    log = long_log(tmp_path, 500)
    read: list[str] = []

    def counted(self: Directory, relative: str) -> bytes | None:
        read.append(relative)
        return plain(self, relative)

    plain = Directory.read
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Directory, "read", counted)
        found = list_log(tmp_path, log.name, newest=5)
    assert (found.records, [entry.number for entry in found.entries]) == (
        500,
        [*range(499, 494, -1)],
    )
    assert not found.is_damaged
    assert len(read) < 60


def long_log(root: Path, epochs: int) -> StoreLog:
    """Return a log of one store whose epochs have no rows, written record by record."""
    log = StoreLog.open(root, "long")
    log.define(keyvalue("long", {"usr": "text"}, {"n": "bigint"}))
    for epoch in range(epochs):
        commit = Commit(
            epoch=epoch,
            previous=epoch - 1,
            position=Position(),
            watermark_ms=None,
            committed_ms=epoch,
            writer="python",
            files=(),
        )
        log.directory.create(commit_name(epoch), encode_commit(commit))
    return log


def test_a_missing_log_is_one_sentence(tmp_path: Path) -> None:
    for arguments in (["show"], ["verify"], ["repair", "--store", "clicks"]):
        done = run(*arguments, "--root", str(tmp_path / "nowhere"))
        assert done.returncode == 2
        assert done.stderr.startswith("stategate: ")
        assert "there is no directory" in done.stderr


def test_a_store_without_its_definition_is_named(root: Path) -> None:
    """Gateways take such a store for a removed one."""
    lost = root / "views" / "store.json"
    lost.unlink()
    for command in ("verify", "repair"):
        done = run(command, "--root", str(root))
        assert done.returncode == 1
        assert done.stderr == f'views: there is no store definition "{lost}"\n'
        assert "clicks: " in done.stdout
