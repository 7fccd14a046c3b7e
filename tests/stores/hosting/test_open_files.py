"""A host keeps within its number of open files, and answers for all of its partitions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from stategate.stores.engines.rocksdb.open_files import FILES_MIN
from stategate.stores.hosting.host import Host
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.store import in_store
from tests.support.hosts import CLICKS, write
from tests.support.values import rows_of
from tests.support.waiting import until

STORES = [replace(CLICKS, name=f"clicks{n}", partitions=4) for n in range(6)]
FILES = 48
"""Files for 6 databases of 24."""
MOST = FILES + FILES_MIN
"""A database never rests while it is read ahead in the background, so one may be too many."""


@contextmanager
def ready(root: Path, data: Path) -> Iterator[Host]:
    host = Host(root, data, poll_ms=2, open_files=FILES)
    host.start()
    try:
        until(lambda: host.is_ready)
        yield host
    finally:
        host.close()
        assert (host.open_databases, host.open_files) == (0, 0)


def numbers(host: Host, name: str) -> set[int]:
    """Return the number that all rows of a store have, after checking that all are there."""
    result = host.query(in_store(name).with_query(RangeQuery()))
    rows = []
    for part in result.partitions.values():
        assert isinstance(part, Success), part
        rows += rows_of(part.value)
    assert len(rows) == 10
    return {n for _, n in rows}


def test_a_host_keeps_within_its_open_files(tmp_path: Path) -> None:
    for schema in STORES:
        write(tmp_path / "log", n=1, schema=schema)
    with ready(tmp_path / "log", tmp_path / "data") as host:
        assert FILES // 2 <= host.open_files <= MOST
        for schema in STORES:
            assert numbers(host, schema.name) == {1}
            assert host.open_files <= MOST
        for schema in STORES:
            write(tmp_path / "log", n=2, schema=schema)
        until(lambda: all(numbers(host, schema.name) == {2} for schema in STORES))
    with ready(tmp_path / "log", tmp_path / "data") as host:
        assert host.open_files <= FILES // 2 + 8, "the start opens half of what may be open"
        for schema in STORES:
            assert numbers(host, schema.name) == {2}
            assert host.open_files <= MOST


def test_by_default_databases_may_use_half_of_the_files_of_the_process() -> None:
    program = (
        "import resource; from stategate.stores.engines.rocksdb.open_files import files_of_process;"
        "from stategate.gateway.process_setup import allow_more_files;"
        "most = resource.getrlimit(resource.RLIMIT_NOFILE)[1];"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, most));"
        "assert files_of_process() == 256;"
        "from stategate.stores import Host; assert Host('nowhere')._files.capacity == 128;"
        "allow_more_files(); assert files_of_process() == most"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
