"""A node whose disk is full serves its last good epoch, says so, and goes on once there is room."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.gateway.http.stores_document import reasons_not_ready
from stategate.stores.hosting.host import Host
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.store import in_store
from tests.support.hosts import running
from tests.support.stores import keyvalue
from tests.support.waiting import until

NOTES = keyvalue("notes", {"id": "text"}, {"n": "bigint", "text": "text"}, partitions=1)
ROWS = 20_000
"""Rows of an epoch: 80 MB, more than RocksDB keeps before it writes a file."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a file system of 16 MB."""
    place = tmp_path / "small"
    place.mkdir()
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("a small file system needs root, and the command mount")
    command = ["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(place)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("this system lets no one mount a file system, as in most containers")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def epoch_of(host: Host) -> int:
    """Return the number in the row of a key, which is that of its epoch."""
    result = host.query(in_store("notes").with_query(KeyQuery.with_key("k1")))
    found = result.only_partition_result()
    assert found is not None
    assert found.value is not None
    number = found.value[0]
    assert found.position == Position.of({"events": {0: number}})
    assert isinstance(number, int)
    return number


def has_ended(host: Host, number: int) -> bool:
    """Whether the replica has applied an epoch, or cannot."""
    return epoch_of(host) == number or host.statuses()["notes"][0].error is not None


def test_a_node_with_a_full_disk_serves_its_last_good_epoch(
    small_disk: Path, tmp_path: Path
) -> None:
    writer = StoreWriter(tmp_path / "log", NOTES)
    text = [random.randbytes(2_000).hex() for _ in range(ROWS)]

    def write(number: int, rows: int) -> None:
        table = pa.table(
            {"id": [f"k{n}" for n in range(rows)], "n": [number] * rows, "text": text[:rows]}
        )
        writer.write(table, position=Position.of({"events": {0: number}}))

    write(1, 10)
    with running(tmp_path / "log", small_disk / "data") as host:
        until(lambda: host.is_ready)
        assert epoch_of(host) == 1
        with suppress(OSError), (small_disk / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(bytes(1 << 16))
        last = 1
        while host.statuses()["notes"][0].error is None:
            last += 1
            assert last < 9, "the disk is never full"
            write(last, ROWS)
            until(partial(has_ended, host, last), timeout_s=60)
        good = epoch_of(host)
        assert good in (last - 1, last)
        assert any("No space left" in reason for reason in reasons_not_ready(host, None))
        write(last + 1, 10)
        assert epoch_of(host) == good
        subprocess.run(["mount", "-o", "remount,size=900m", str(small_disk)], check=True)
        until(lambda: epoch_of(host) == last + 1, timeout_s=60)
        until(lambda: not reasons_not_ready(host, None), timeout_s=60)
