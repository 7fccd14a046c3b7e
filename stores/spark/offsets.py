"""Reads the position of a batch from the query's offset log.

Spark writes `offsets/N` before it runs batch N. So the file always exists inside of the batch, and
a batch that runs again finds the same file. Its first line is the version, the second a JSON object
with the watermark, and each further line the *end* of one source, in the order of the plan.

| a source's line | its position |
|---|---|
| `{"orders": {"0": 10, "1": 7}}` (Kafka, and Python sources like it) | `orders`: 0 → 9, 1 → 6 |
| `{"logOffset": 3}` (files) | input's name: 0 → 3, the number of the last group of files |
| `8` (rate), `{"offset": 20, …}` (rate-micro-batch, sockets) | input's name: 0 → 7, 0 → 19 |
| `-`, `{}` | none: the source has given no data yet |

If several sources read a topic, its position is that of the source furthest behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import orjson

from stategate.stores.errors import SchemaError, TornRecordError
from stategate.stores.spark.plans import Source
from stategate.stores.spec.position import Position

_NAMED = re.compile(r"(\d+|[^\W\d][\w.-]*):(.*)", re.DOTALL)
"""A line of version 2; a source without a name has its ordinal for one."""
_VERSIONS = ("v1", "v2")
_UNKNOWN = Source(name="unknown", has_topics=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOffsets:
    """The record of one batch in the offset log."""

    position: Position
    topics: frozenset[str]
    """The topics that the query reads, also those without data yet."""
    watermark_ms: int | None
    """The watermark by which Spark evicts state in this batch; None before the first one."""
    digest: str
    """SHA-256 of the record, in hexadecimal. Spark writes a record once and repeats the batch from
    it. So a batch with another digest has other input, even with the same offsets: for files they
    are only counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """The line of one source in a record."""

    default: str
    """Its name if the user gives none."""
    source: Source
    end: Any
    """The decoded offset; None without data yet."""

    @property
    def has_topics(self) -> bool | None:
        """Whether its offsets are of topics; None if that is unknown yet."""
        if self.source.has_topics is not None or self.end in (None, {}):
            return self.source.has_topics
        return _shows_topics(self.end)

    @property
    def topics(self) -> dict[str, dict[str, int]]:
        """Topic → partition → next offset to read; empty without topics."""
        return self.end if self.has_topics and isinstance(self.end, dict) else {}


def parse_offsets(
    text: str, path: str, *, inputs: Sequence[str] = (), sources: Sequence[Source] = ()
) -> BatchOffsets:
    """Read the text of an offset log record; see the table above.

    Args:
        text: the record.
        path: its path, for the message.
        inputs: the names of the sources without topics, in plan order; by default `source-0`, … .
        sources: the sources, as the plan shows them.

    Raises:
        TornRecordError: it is incomplete, or of an unknown version.
        SchemaError: the names do not fit the sources.
    """
    version, *lines = text.splitlines() or [""]
    if version not in _VERSIONS or not lines:
        raise TornRecordError(f'offset record "{path}" is not of version {" or ".join(_VERSIONS)}')
    try:
        watermark_ms = int(orjson.loads(lines[0])["batchWatermarkMs"])
        found = _lines(lines[1:], sources)
        components = _topic_components(found)
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise TornRecordError(f'offset record "{path}" cannot be read: {error}') from error
    topics = {topic for line in found for topic in (*line.topics, *line.source.topics)}
    for name, line in _names(found, inputs).items():
        if name in topics:
            raise SchemaError(f'inputs= names a source "{name}", which is the name of a topic')
        components[name] = {0: _last_of(line.end)}
    position = Position.of(components)
    return BatchOffsets(
        position=position,
        topics=frozenset(topics) | {topic for topic, _ in position.components},
        watermark_ms=watermark_ms or None,
        digest=sha256(text.encode()).hexdigest(),
    )


def _lines(lines: Sequence[str], sources: Sequence[Source]) -> list[_Line]:
    if all(re.match(r"\d+:", line) for line in lines):
        # They may come in the order of their texts.
        lines = sorted(lines, key=lambda line: int(line.partition(":")[0]))
    known = sources if len(sources) == len(lines) else [_UNKNOWN] * len(lines)
    found = []
    for ordinal, (line, source) in enumerate(zip(lines, known, strict=True)):
        named = _NAMED.fullmatch(line)
        text = named[2] if named else line
        end = None if text.strip() == "-" else orjson.loads(text)
        name = named[1] if named else ""
        default = f"source-{ordinal}" if not name or name.isdecimal() else name
        found.append(_Line(default=default, source=source, end=end))
    return found


def _shows_topics(end: object) -> bool:
    return isinstance(end, dict) and all(
        isinstance(offsets, dict)
        and all(partition.isdigit() and isinstance(o, int) for partition, o in offsets.items())
        for offsets in end.values()
    )


def _names(lines: Sequence[_Line], inputs: Sequence[str]) -> dict[str, _Line]:
    """Return the sources without topics by their names.

    A source without data may have topics or not. The number of names, one for each source without
    topics, decides it if all sources without data are of one sort. Otherwise the sources after the
    first undecided one have no name yet, and so no position, until more data comes.
    """
    if not inputs:
        return {line.default: line for line in lines if not line.has_topics}
    plain = [line for line in lines if line.has_topics is False]
    possible = [line for line in lines if not line.has_topics]
    if not len(plain) <= len(inputs) <= len(possible):
        raise SchemaError(
            f"inputs= has {len(inputs)} names, but {len(plain)} of {len(lines)} sources have no "
            "topics: give each of these a name, and no other"
        )
    if len(inputs) == len(plain):
        possible = plain
    elif len(inputs) < len(possible):
        possible = possible[: next(i for i, each in enumerate(possible) if each not in plain)]
    return dict(zip(inputs, possible, strict=False))


def _topic_components(lines: Sequence[_Line]) -> dict[str, dict[int, int]]:
    """Return topic → partition → offset of the last record that all its sources have applied.

    Spark's end is the next offset to read; a partition whose next offset is 0 has no data yet.
    """
    shown = {topic for line in lines for topic in line.topics}
    return {topic: _topic_offsets(topic, lines) for topic in shown}


def _topic_offsets(topic: str, lines: Sequence[_Line]) -> dict[int, int]:
    readers = [line for line in lines if topic in line.topics or topic in line.source.topics]
    ends = [line.topics.get(topic, {}) for line in readers]
    partitions: Iterable[str] = {partition for end in ends for partition in end}
    if not any(line.source.assigned for line in readers):
        # A partition that one source has not found yet does not count.
        partitions = [partition for partition in partitions if all(partition in e for e in ends)]
    return {int(p): min(end[p] for end in ends if p in end) - 1 for p in partitions}


def _last_of(end: object) -> int:
    """Return the number of the last record of a source without topics; -1 without one."""
    match end:
        case {"logOffset": int(group)}:
            return group
        case {"offset": int(following)} | int(following):
            return following - 1
        case _:
            # No data yet, or offsets that are not numbers: the source has no position.
            return -1
