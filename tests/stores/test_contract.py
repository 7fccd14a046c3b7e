"""Our engines pass the contract for engines, and the contract catches wrong engines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.contract import StoreContract
from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.spec.position import Progress
from stategate.stores.spec.store import StorePartition


class TestMemory(StoreContract):
    keeps = False

    def open_partition(self, directory: Path) -> StorePartition:
        return MemoryPartition(self.schema, 0)


class TestRocks(StoreContract):
    def open_partition(self, directory: Path) -> StorePartition:
        return RocksPartition(directory, schema=self.schema, partition=0)


class Hasty(MemoryPartition):
    """An engine that applies each batch at once, so that half an epoch can be seen."""

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        for each in batches:
            super().apply(progress, [each], replace=replace)


class HastyContract(StoreContract):
    keeps = False

    def open_partition(self, directory: Path) -> StorePartition:
        return Hasty(self.schema, 0)


def test_half_an_epoch_is_caught(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        HastyContract().test_an_epoch_that_fails_leaves_nothing(tmp_path)


def test_an_epoch_without_rows_is_caught(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        HastyContract().test_an_epoch_without_rows_advances(tmp_path)


def test_a_subclass_has_to_define_how_to_open_a_partition() -> None:
    with pytest.raises(NotImplementedError, match="how its engine is opened"):
        StoreContract().open_partition(Path())
