"""What of its input an epoch reflects, read from the query's own offset log.

Spark writes `offsets/N` before it runs batch N, so inside the batch the file is always there, and
a batch that is run again finds the same. The log's first line is its version, the second a JSON
object with the watermark, and each line after it the *end* of one source, in the order of the plan.

| a source's line | its position |
|---|---|
| `{"orders": {"0": 10, "1": 7}}` (Kafka, and Python sources like it) | `orders`: 0 → 9, 1 → 6 |
| `{"logOffset": 3}` (files) | input's name: 0 → 3, the number of the last group of files |
| `8` (rate), `{"offset": 20, …}` (rate-micro-batch, sockets) | input's name: 0 → 7, 0 → 19 |
| `-` | nothing: the source has given no data yet |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from pyspark.sql import SparkSession

from stores.errors import TornRecordError
from stores.position import Position, merge_positions

_NAMED = re.compile(r"([^\W\d][\w.-]*):(.*)", re.DOTALL)
_VERSIONS = ("v1", "v2")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOffsets:
    """What the offset log says of one batch."""

    position: Position
    topics: frozenset[str]
    """The topics that are read, also those that have given nothing yet."""
    watermark_ms: int | None
    """The watermark by which Spark evicts state in this batch; None if there is none yet."""


def read_offsets(
    spark: SparkSession, checkpoint: str, batch: int, inputs: Sequence[str] | None
) -> BatchOffsets:
    """The offsets of a batch that is running or done.

    Args:
        spark: the session, whose file systems are used where the checkpoint is not local.
        checkpoint: the query's checkpoint directory.
        batch: the batch id.
        inputs: the names of the sources that have no topics, in plan order.

    Raises:
        TornRecordError: there is no such record, or it is of a version that we do not know.
    """
    path = f"{checkpoint.rstrip('/')}/offsets/{batch}"
    return parse_offsets(read_text(spark, path), path, inputs)


def query_id(spark: SparkSession, checkpoint: str) -> str:
    """The id of the query that a checkpoint belongs to: it outlives restarts.

    Raises:
        TornRecordError: the checkpoint does not say.
    """
    path = f"{checkpoint.rstrip('/')}/metadata"
    try:
        return str(orjson.loads(read_text(spark, path))["id"])
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise TornRecordError(f'checkpoint record "{path}" has no query id') from error


def parse_offsets(text: str, path: str, inputs: Sequence[str] | None) -> BatchOffsets:
    """Read the text of an offset log record; see the table above.

    Raises:
        TornRecordError: it is incomplete, or of a version that we do not know.
    """
    version, *lines = text.splitlines() or [""]
    if version not in _VERSIONS or not lines:
        raise TornRecordError(f'offset record "{path}" is not of version {" or ".join(_VERSIONS)}')
    try:
        watermark_ms = int(orjson.loads(lines[0])["batchWatermarkMs"])
        names = list(inputs or ())
        position = merge_positions(_source_positions(lines[1:], names))
        topics = frozenset(topic for line in lines[1:] for topic in _topics(line))
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise TornRecordError(f'offset record "{path}" cannot be read: {error}') from error
    topics |= {topic for topic, _ in position.components}
    return BatchOffsets(position=position, topics=topics, watermark_ms=watermark_ms or None)


def _source_positions(lines: Sequence[str], names: Sequence[str]) -> list[Position]:
    positions = []
    unnamed = 0
    for ordinal, line in enumerate(lines):
        end = _end(line)
        if isinstance(end, dict) and _has_topics(end):
            positions.append(_topic_position(end))
            continue
        named = _NAMED.fullmatch(line)
        default = named[1] if named else f"source-{ordinal}"
        # A source that has not begun shows no offset; one without topics holds its name's place.
        name = names[unnamed] if unnamed < len(names) else default
        unnamed += 1
        positions.append(_plain_position(name, end))
    return positions


def _end(line: str) -> Any:
    named = _NAMED.fullmatch(line)
    text = named[2] if named else line
    return None if text.strip() == "-" else orjson.loads(text)


def _topics(line: str) -> frozenset[str]:
    """The topics of a source that has some."""
    end = _end(line)
    return frozenset(end) if isinstance(end, dict) and _has_topics(end) else frozenset()


def _has_topics(end: dict[str, Any]) -> bool:
    return bool(end) and all(
        isinstance(offsets, dict)
        and all(partition.isdigit() and isinstance(o, int) for partition, o in offsets.items())
        for offsets in end.values()
    )


def _topic_position(end: dict[str, dict[str, int]]) -> Position:
    """Spark's end is the next offset to read; a partition whose next is 0 has given nothing."""
    return Position.of(
        {
            topic: {int(partition): o - 1 for partition, o in offsets.items() if o > 0}
            for topic, offsets in end.items()
        }
    )


def _plain_position(name: str, end: Any) -> Position:
    match end:
        case {"logOffset": int(group)}:
            last = group
        case {"offset": int(following)} | int(following):
            last = following - 1
        case _:
            # No data yet, or a source whose offsets are no numbers: it has no position.
            return Position()
    return Position.of({name: {0: last}}) if last >= 0 else Position()


def read_text(spark: SparkSession, path: str) -> str:
    """A small file of a checkpoint, from wherever Spark reaches it.

    Raises:
        TornRecordError: it is not there.
    """
    if path.startswith("/"):
        local = path
    elif path.startswith("file:"):
        local = "/" + path.removeprefix("file:").lstrip("/")
    else:
        return _read_hadoop(spark, path)
    try:
        return Path(local).read_text()
    except FileNotFoundError as error:
        raise TornRecordError(f'checkpoint record "{path}" is missing') from error


def _read_hadoop(spark: SparkSession, path: str) -> str:
    """The same by the JVM: a checkpoint may lie where only Hadoop's drivers reach."""
    jvm: Any = spark._jvm
    place = jvm.org.apache.hadoop.fs.Path(path)
    system = place.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    if not system.exists(place):
        raise TornRecordError(f'checkpoint record "{path}" is missing')
    stream = system.open(place)
    try:
        return str(jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
    finally:
        stream.close()
