"""Positions: how far the input is applied in the rows of an answer, and bounds for later reads.

A position holds the offset of the last record by topic and partition of the input. An answer has
one; given as a bound, it is the least one that the next answer may have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeAlias, runtime_checkable

from stategate.errors import InterfaceError

Components: TypeAlias = Mapping[str, Mapping[int, int]]
"""Topic → partition → offset of the last record."""


@dataclass(frozen=True, slots=True)
class Position:
    """Offsets by topic and partition. Immutable; compared by value.

    Laws: `merge` is commutative, associative and idempotent; `(a | b).covers(a)`;
    `Position.from_token(p.token) == p`.
    """

    components: tuple[tuple[str, tuple[tuple[int, int], ...]], ...] = ()
    """Sorted by topic, then by partition; topics without a partition are left out."""

    @staticmethod
    def of(components: Components) -> Position:
        """Return the position with these components.

        Raises:
            InterfaceError: a topic is not a text, or a partition or an offset is not a number from
                0 on.
        """
        topics = []
        for topic, offsets in components.items():
            for part in (*offsets, *offsets.values()):
                if type(part) is not int or part < 0:
                    raise InterfaceError(f"{part!r} is not a partition or an offset")
            if not isinstance(topic, str) or not topic:
                raise InterfaceError(f"{topic!r} is not a topic")
            if offsets:
                topics.append((topic, tuple(sorted(offsets.items()))))
        return Position(tuple(sorted(topics)))

    @staticmethod
    def from_token(token: str) -> Position:
        """Read a token.

        Raises:
            InterfaceError: it is not the token of a position.
        """
        try:
            return Position.from_json(json.loads(token))
        except (ValueError, TypeError, AttributeError) as error:
            raise InterfaceError(f"{token[:100]!r} is not the token of a position") from error

    @staticmethod
    def from_json(document: Mapping[str, Mapping[str, int]]) -> Position:
        """Return the position of an answer: topic → partition as a text → offset."""
        return Position.of({t: {int(p): o for p, o in at.items()} for t, at in document.items()})

    @property
    def token(self) -> str:
        """The JSON text that gateways take as a bound: for a log, a cookie, another program."""
        return _token(self)

    def to_dict(self) -> dict[str, dict[int, int]]:
        """Return the components as a new mapping."""
        return {topic: dict(offsets) for topic, offsets in self.components}

    def merge(self, other: Position) -> Position:
        """Return the position with the greater offset of each component; also as `a | b`."""
        if not other.components or self == other:
            return self
        if not self.components:
            return other
        merged = self.to_dict()
        for topic, offsets in other.components:
            mine = merged.setdefault(topic, {})
            for partition, offset in offsets:
                mine[partition] = max(offset, mine.get(partition, offset))
        return Position.of(merged)

    def covers(self, other: Position) -> bool:
        """Whether every component of `other` is reached here; a missing one is not."""
        mine = self.to_dict()
        return all(
            mine.get(topic, {}).get(partition, -1) >= offset
            for topic, offsets in other.components
            for partition, offset in offsets
        )

    def __or__(self, other: Position) -> Position:
        """Return the position with the greater offset of each component."""
        return self.merge(other)

    def __bool__(self) -> bool:
        """Whether it has a component."""
        return bool(self.components)


@lru_cache(maxsize=64)  # a connection sends the same one with each request
def _token(position: Position) -> str:
    return json.dumps({t: {str(p): o for p, o in at} for t, at in position.components})


EMPTY = Position()


def at_least(topic: str, partition: int, offset: int) -> Position:
    """Return the bound that one record of the input must be applied; join several by `|`."""
    return Position.of({topic: {partition: offset}})


@runtime_checkable
class Record(Protocol):
    """The metadata of a record that was written, as Kafka's clients return it.

    They are attributes in kafka-python's `RecordMetadata` and aiokafka's, and methods in
    confluent-kafka's `Message`.
    """

    @property
    def topic(self) -> Any:
        """The topic, or a method that returns it."""

    @property
    def partition(self) -> Any:
        """The partition, or a method that returns it."""

    @property
    def offset(self) -> Any:
        """The offset, or a method that returns it."""


Records: TypeAlias = Record | Iterable[Record]


def after_records(records: Records) -> Position:
    """Return the bound that these records must be applied.

    Raises:
        InterfaceError: one is not the metadata of a record that was written.
    """
    if isinstance(records, Record):
        return _after_record(records)
    if not isinstance(records, Iterable):
        raise InterfaceError(
            f"{type(records).__name__} has no topic, partition and offset",
            hint="Give what the producer returns for a record: RecordMetadata or Message.",
        )
    position = EMPTY
    for each in records:
        if not isinstance(each, Record):
            raise InterfaceError(f"{type(each).__name__} has no topic, partition and offset")
        position |= _after_record(each)
    return position


def _after_record(record: Record) -> Position:
    topic, partition, offset = (
        part() if callable(part) else part
        for part in (record.topic, record.partition, record.offset)
    )
    if offset is None or (isinstance(offset, int) and offset < 0):
        raise InterfaceError(
            "the record has no offset yet",
            hint="Wait for the producer's delivery report, with acknowledgements on.",
        )
    return at_least(topic, partition, offset)
