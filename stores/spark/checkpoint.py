"""Reads a query's checkpoint: the id of the query, and the offsets of its batches."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from pyspark.sql import SparkSession

from stategate.stores.errors import TornRecordError
from stategate.stores.spark.offsets import BatchOffsets, parse_offsets
from stategate.stores.spark.plans import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The checkpoint directory of one query."""

    spark: SparkSession
    """The session whose file systems read a checkpoint that is not on a local disk."""
    path: str
    inputs: Sequence[str] = ()
    """The names of the sources without topics, in the order of the plan."""
    sources: Sequence[Source] = ()
    """The sources, as the plan shows them."""

    def query_id(self) -> str | None:
        """Return the id of the query, which stays the same after restarts; None if it is new.

        Raises:
            TornRecordError: the record has no id.
        """
        text = self._read("metadata")
        try:
            return None if text is None else str(orjson.loads(text)["id"])
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            path = self._at("metadata")
            raise TornRecordError(f'checkpoint record "{path}" has no query id') from error

    def newest_batch(self) -> int:
        """Return the newest planned batch; -1 before the first."""
        return max((int(name) for name in self._names("offsets") if name.isdigit()), default=-1)

    def newest_done(self) -> int:
        """Return the newest batch that Spark holds for done; -1 before the first."""
        return max((int(name) for name in self._names("commits") if name.isdigit()), default=-1)

    def offsets(self, batch: int) -> BatchOffsets | None:
        """Return the offsets of a planned, running or done batch; None if its record is missing.

        Raises:
            TornRecordError: the record is incomplete, or of an unknown version.
            SchemaError: the names do not fit the sources.
        """
        text = self._read(f"offsets/{batch}")
        if text is None:
            return None
        path = self._at(f"offsets/{batch}")
        return parse_offsets(text, path, inputs=self.inputs, sources=self.sources)

    def running(self, batch: int) -> BatchOffsets:
        """Return the offsets of a running batch, which Spark has written before.

        Raises:
            TornRecordError: as `offsets`, or the record is missing.
        """
        found = self.offsets(batch)
        if found is None:
            raise TornRecordError(f'checkpoint record "{self._at(f"offsets/{batch}")}" is missing')
        return found

    def _at(self, relative: str) -> str:
        return f"{self.path.rstrip('/')}/{relative}"

    def _local(self, relative: str) -> Path | None:
        """Return the path of a local file; None on file systems that only Hadoop reads."""
        path = self._at(relative)
        if path.startswith("file:"):
            path = "/" + path.removeprefix("file:").lstrip("/")
        return Path(path) if path.startswith("/") else None

    def _read(self, relative: str) -> str | None:
        """Read a small file; None if it is missing."""
        local = self._local(relative)
        if local is None:
            return self._read_hadoop(relative)
        try:
            return local.read_text()
        except FileNotFoundError:
            return None

    def _names(self, relative: str) -> list[str]:
        """List the names in a directory; empty if it is missing."""
        local = self._local(relative)
        if local is not None:
            return os.listdir(local) if local.is_dir() else []
        system, place = self._hadoop(relative)
        if not system.exists(place):
            return []
        return [str(status.getPath().getName()) for status in system.listStatus(place)]

    def _read_hadoop(self, relative: str) -> str | None:
        system, place = self._hadoop(relative)
        if not system.exists(place):
            return None
        stream = system.open(place)
        try:
            jvm: Any = self.spark._jvm
            return str(jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def _hadoop(self, relative: str) -> tuple[Any, Any]:
        """Return a file system of the JVM, and a path on it."""
        jvm: Any = self.spark._jvm
        place = jvm.org.apache.hadoop.fs.Path(self._at(relative))
        conf = self.spark._jsparkSession.sessionState().newHadoopConf()
        return place.getFileSystem(conf), place
