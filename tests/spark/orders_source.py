"""A source of Spark whose offsets look like Kafka's.

Spark imports this module in several processes of each query, so it imports little.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType


class Slice(InputPartition):
    def __init__(self, partition: int, start: int, end: int) -> None:
        super().__init__(partition)
        self.partition, self.start, self.end = partition, start, end


class OrdersReader(DataSourceStreamReader):
    """Reads the lines of `<directory>/<partition>.jsonl`; an offset is a line's number."""

    def __init__(self, directory: str) -> None:
        self.directory = Path(directory)

    def initialOffset(self) -> dict[str, Any]:
        return {"orders": {path.stem: 0 for path in self._paths()}}

    def latestOffset(self) -> dict[str, Any]:  # type: ignore[override] # the older form
        return {"orders": {p.stem: len(p.read_text().splitlines()) for p in self._paths()}}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        begun = start["orders"]
        return [Slice(int(p), begun.get(p, 0), to) for p, to in end["orders"].items()]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        assert isinstance(partition, Slice)
        lines = (self.directory / f"{partition.partition}.jsonl").read_text().splitlines()
        return iter([tuple(json.loads(line)) for line in lines[partition.start : partition.end]])

    def _paths(self) -> list[Path]:
        return sorted(self.directory.glob("*.jsonl"))


class OrdersSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return "orders"

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        del schema
        return OrdersReader(self.options["directory"])
