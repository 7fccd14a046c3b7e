"""`stategate load` as an operator runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stategate.gateway.cli import load_command
from stategate.stores.hosting.held_epochs import held_snapshot
from stategate.stores.hosting.host import Host
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.store import in_store
from tests.support.command_line import Ended, stategate

pytestmark = pytest.mark.server

TEXT = b"usr,n\nann,3\nbob,5\n"


def run(*arguments: str, data: bytes = b"") -> Ended:
    return stategate("load", *arguments, given=data)


def test_a_file_fills_a_store_once(tmp_path: Path) -> None:
    file = tmp_path / "clicks.csv"
    file.write_bytes(TEXT)
    root = str(tmp_path / "state")
    arguments = (
        *(str(file), "--root", root, "--store", "clicks", "--key", "usr", "--column", "n:integer"),
        *("--partitions", "2", "--position", "events[0]=41", "--epoch", "0"),
    )
    for _ in range(2):
        done = run(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == 'clicks: 2 rows in epoch 0, position {"events":{"0":41}}\n'
    done = run("-", "--root", root, "--store", "clicks", "--format", "csv", data=b"usr,n\nann,4\n")
    assert done.stdout == 'clicks: 1 row in epoch 1, position {"events":{"0":41}}\n'
    host = Host(root)
    host.start()
    request = in_store("clicks").with_query(KeyQuery.with_key("ann"))
    bound = request.with_position_bound(PositionBound(epoch=1))
    assert host.wait(bound, timeout_s=10)
    answer = host.query(bound).only_partition_result()
    assert answer is not None
    assert answer.value == (4,)
    host.close()


def test_a_row_with_null_in_a_column_that_is_not_null_is_named(tmp_path: Path) -> None:
    where = ("-", "--root", str(tmp_path / "state"), "--store", "clicks", "--format", "csv")
    new = ("--key", "usr", "--not-null", "usr", "--not-null", "n")
    assert run(*where, *new, data=TEXT).returncode == 0
    done = run(*where, data=TEXT + b"cid,\n")
    assert done.returncode == 2
    assert 'row 3: null value in column "n" of store "clicks" at usr = \'cid\'' in done.stderr


@pytest.mark.parametrize(
    ("options", "together"),
    [
        ({}, {"clicks": 0, "users": 5}),
        ({"writer": "nightly"}, {"clicks": None, "users": None}),
    ],
)
def test_loaded_stores_are_of_one_pipeline_if_their_writers_were_named(
    tmp_path: Path, options: dict[str, Any], together: dict[str, int | None]
) -> None:
    """Each load counts its own epochs, and replicas keep the latest four."""
    file, root = tmp_path / "rows.csv", str(tmp_path / "state")
    for name, rows in (("clicks", 1), ("users", 6)):
        file.write_text("usr,n\n" + "ann,1\n" * rows)
        new = {"store": name, "key": ["usr"], "partitions": 1, "epoch_rows": 1, **options}
        load_command.load(file=str(file), root=root, **new)
    host = Host(root)
    host.start()
    for name, epoch in (("clicks", 0), ("users", 5)):
        whole = in_store(name).with_query(KeyQuery.with_key("ann"))
        assert host.wait(whole.with_position_bound(PositionBound(epoch=epoch)), timeout_s=10)
    with held_snapshot([host.stores[name] for name in ("clicks", "users")]) as epochs:
        assert epochs == together
    host.close()


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        (["-", "--format", "csv"], b"usr,n\nann,x\nann,1,2\n", "row 2: Expected 2 columns, got 3"),
        (["-", "--format", "parquet"], TEXT, "the input is not parquet"),
        (["-"], TEXT, "the format of a pipe is not known"),
        (["nowhere.csv"], TEXT, '"nowhere.csv" cannot be read'),
        (["x.xls"], TEXT, 'the format of "x.xls" is not known'),
        (["-", "--format", "xml"], TEXT, 'format "xml" is not known'),
        (["-", "--format", "csv", "--position", "41"], TEXT, '"41" is not a position'),
        (["-", "--format", "csv", "--column", "n"], TEXT, '"n" is not a column'),
        (["-", "--format", "csv", "--kind", "queue"], TEXT, 'kind "queue" is not known'),
    ],
)
def test_what_cannot_be_loaded_is_one_sentence(
    tmp_path: Path, arguments: list[str], data: bytes, message: str
) -> None:
    done = run(*arguments, "--root", str(tmp_path), "--store", "new", "--key", "usr", data=data)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("stategate: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "new").exists()
