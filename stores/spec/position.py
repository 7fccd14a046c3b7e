"""Positions, the bounds that readers set on them, and the check of one against the other.

A position says which input a read reflects: topic → input partition → offset of the *last record
applied*, inclusive. Spark and Kafka give the *next* record, so their offsets are lowered by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import orjson

from stategate.stores.errors import CodecError
from stategate.stores.spec.arguments import is_name
from stategate.stores.spec.schema import InputTopic

Components: TypeAlias = Mapping[str, Mapping[int, int]]
"""Topic → input partition → offset of the last record applied."""

TOKEN_BYTES_MAX = 1 << 20
"""Longest position token that is read: some 50,000 components."""
_PARTITION_DIGITS_MAX = 10
"""Digits of an input partition's number, which is an int32 in Kafka."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far the input has been applied. Immutable; compared by value.

    Laws: `merge` is commutative, associative and idempotent; `a.merge(b).covers(a)`;
    `Position.from_token(p.token()) == p`.
    Source: KIP-796 `Position`, whose `withComponent` and `merge` change the receiver; ours do not.
    """

    components: tuple[tuple[str, tuple[tuple[int, int], ...]], ...] = ()
    """Sorted by topic, then by input partition; topics without a partition are left out."""

    @staticmethod
    def of(components: Components | None) -> Position:
        """Return the position with these components; the empty one for None.

        A negative offset says that no record has been applied. It is left out, since a missing
        component says the same.
        """
        topics = (
            (topic, tuple(sorted((int(p), int(o)) for p, o in offsets.items() if o >= 0)))
            for topic, offsets in (components or {}).items()
        )
        return Position(tuple(sorted(topic for topic in topics if topic[1])))

    def to_dict(self) -> dict[str, dict[int, int]]:
        """Return the components as a new mapping."""
        return {topic: dict(offsets) for topic, offsets in self.components}

    @property
    def is_empty(self) -> bool:
        """Whether no input has been applied."""
        return not self.components

    @property
    def is_sound(self) -> bool:
        """Whether a log can hold it: its topics are names, and its offsets fit a token."""
        try:
            shape = {topic: {str(p): o for p, o in parts} for topic, parts in self.components}
            return all(map(is_name, shape)) and Position.from_json(shape) == self
        except (CodecError, TypeError, ValueError):
            return False

    def offsets(self, topic: str) -> dict[int, int]:
        """Return input partition → offset of one topic; empty if the position lacks the topic."""
        return next((dict(offsets) for name, offsets in self.components if name == topic), {})

    def with_component(self, topic: str, partition: int, offset: int) -> Position:
        """Return a position with one component raised to `offset`; never lowered."""
        return self.merge(Position.of({topic: {partition: offset}}))

    def merge(self, other: Position | None) -> Position:
        """Return the position with the greater offset of each component."""
        if other is None or other is self or not other.components:
            return self
        if not self.components:
            return other
        if self.components == other.components:  # as of two stores that have read all input
            return self
        merged = self.to_dict()
        for topic, offsets in other.components:
            mine = merged.setdefault(topic, {})
            for partition, offset in offsets:
                mine[partition] = max(offset, mine.get(partition, offset))
        return Position.of(merged)

    def without(self, topics: Set[str]) -> Position:
        """Return the position without the components of these topics."""
        if not topics:
            return self
        return Position(tuple(each for each in self.components if each[0] not in topics))

    def covers(self, other: Position) -> bool:
        """Whether every component of `other` is reached here; a missing component is not."""
        mine = self.to_dict()
        return all(
            mine.get(topic, {}).get(partition, -1) >= offset
            for topic, offsets in other.components
            for partition, offset in offsets
        )

    def moved_back_from(self, before: Position) -> str | None:
        """Describe the first component that is missing or lower here; None without one."""
        for topic, offsets in before.components:
            reached = self.offsets(topic)
            for partition, offset in offsets:
                now = reached.get(partition)
                if now is None or now < offset:
                    to = "nothing" if now is None else str(now)
                    return f'partition {partition} of topic "{topic}" from {offset} to {to}'
        return None

    def token(self) -> str:
        """Return the JSON text that every answer carries and every bound accepts."""
        document = {t: {str(p): o for p, o in offsets} for t, offsets in self.components}
        return orjson.dumps(document).decode()

    @staticmethod
    def from_token(token: str) -> Position:
        """Read a token.

        Raises:
            CodecError: it is longer than TOKEN_BYTES_MAX, or not a position.
        """
        if len(token) > TOKEN_BYTES_MAX:
            raise CodecError(f"a position token cannot exceed {TOKEN_BYTES_MAX} bytes")
        try:
            return Position.from_json(orjson.loads(token))
        except orjson.JSONDecodeError as error:
            raise CodecError("a position token must be JSON") from error

    @staticmethod
    def from_json(document: object) -> Position:
        """Read the decoded JSON of a position: topic → partition number as text → offset.

        Raises:
            CodecError: it has another shape, or an offset outside 0 … 2**63 - 1.
        """
        shape = 'a position is an object like {"topic": {"0": 41}}'
        if not isinstance(document, dict):
            raise CodecError(shape)
        components: dict[str, dict[int, int]] = {}
        for topic, offsets in document.items():
            if not isinstance(offsets, dict):
                raise CodecError(shape)
            components[topic] = {}
            for partition, offset in offsets.items():
                if not _is_partition(partition):
                    raise CodecError(shape)
                if (
                    isinstance(offset, bool)
                    or not isinstance(offset, int)
                    or not 0 <= offset < 2**63
                ):
                    raise CodecError(shape)
                components[topic][int(partition)] = offset
        return Position.of(components)


def _is_partition(text: object) -> bool:
    return (
        isinstance(text, str)
        and text.isascii()
        and text.isdigit()
        and len(text) <= _PARTITION_DIGITS_MAX
        and (text == "0" or text[0] != "0")
    )


def merge_positions(positions: Iterable[Position | None]) -> Position:
    """Merge all positions; None counts as empty."""
    merged = Position()
    for position in positions:
        merged = merged.merge(position)
    return merged


EMPTY = Position()


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionBound:
    """The least that a reader accepts; a partition that has not reached it refuses.

    All parts that are set must hold. `PositionBound()` is unbounded. `latest` and `snapshot`
    concern all partitions: the store turns them into an epoch before it asks its partitions.
    Source: KIP-796 `PositionBound`, which has `position` only.
    """

    position: Position = EMPTY
    """Offsets that must have been applied."""
    epoch: int | None = None
    """The epoch that must have been applied."""
    lag_ms_max: int | None = None
    """The greatest age of the newest applied epoch, by the wall clock of its commit."""
    latest: bool = False
    """Everything committed when the store is asked must have been applied."""
    snapshot: bool = False
    """All asked partitions answer at one epoch."""
    committed_ms: int | None = None
    """The newest applied epoch must have been committed at this time or later, in epoch ms. Nodes
    ask each other so instead of by age, since their clocks may differ."""

    @staticmethod
    def unbounded() -> PositionBound:
        """Return the bound that accepts anything."""
        return UNBOUNDED

    @staticmethod
    def at(position: Position) -> PositionBound:
        """Return the bound that accepts partitions that have reached `position`."""
        return PositionBound(position=position)

    @staticmethod
    def at_latest() -> PositionBound:
        """Return the bound that asks for everything committed when the store is asked."""
        return PositionBound(latest=True)

    @staticmethod
    def at_snapshot() -> PositionBound:
        """Return the bound that asks for one epoch: the newest that all partitions have."""
        return PositionBound(snapshot=True)

    @staticmethod
    def within_lag(lag_ms_max: int) -> PositionBound:
        """Return the bound that accepts epochs committed no longer ago than this."""
        return PositionBound(lag_ms_max=lag_ms_max)

    @property
    def is_unbounded(self) -> bool:
        """Whether the bound accepts anything."""
        return self == UNBOUNDED

    def merge(self, other: PositionBound) -> PositionBound:
        """Return the bound that is met exactly when both are."""
        return PositionBound(
            position=self.position.merge(other.position),
            epoch=max((e for e in (self.epoch, other.epoch) if e is not None), default=None),
            lag_ms_max=min(
                (lag for lag in (self.lag_ms_max, other.lag_ms_max) if lag is not None),
                default=None,
            ),
            latest=self.latest or other.latest,
            snapshot=self.snapshot or other.snapshot,
            committed_ms=max(
                (ms for ms in (self.committed_ms, other.committed_ms) if ms is not None),
                default=None,
            ),
        )


UNBOUNDED = PositionBound()


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far one replica has applied its log; bounds are checked against it."""

    epoch: int = -1
    """The newest applied epoch; -1 before the first."""
    position: Position = EMPTY
    watermark_ms: int | None = None
    """The pipeline's event-time watermark in that epoch."""
    committed_ms: int = 0
    """Wall clock, epoch milliseconds, at which the writer committed that epoch."""


def later_watermark(first_ms: int | None, second_ms: int | None) -> int | None:
    """Return the later of two watermarks, since they never go back; None is the earliest."""
    return max((mark for mark in (first_ms, second_ms) if mark is not None), default=None)


Measure: TypeAlias = str | tuple[str, int]
"""The measure of one part of a bound: one of those below, or an input topic and partition."""

EPOCH, AGE, COMMITTED, LATEST = "epoch", "age", "committed", "latest"
_NO_EPOCH = "no epoch has been applied yet"


class Unmet(NamedTuple):
    """The first part of a bound that is not met."""

    measure: Measure
    least: int
    """The least value of `measured` that meets this part."""
    message: str


def unmet_part(
    bound: PositionBound,
    progress: Progress,
    *,
    inputs: Iterable[InputTopic],
    partition: int,
    now_ms: int,
) -> Unmet | None:
    """Return the first part of the bound that a store partition has not reached; None if it is met.

    Topics that do not feed the store are ignored: KIP-796 says so, though Kafka's code makes such a
    bound unreachable. Before an input is declared and an epoch applied, any topic may turn out to
    feed the store, so none counts as reached. After a shuffle every input partition feeds every
    store partition, so all components count. An aligned input counts only by the component with the
    partition's own number.
    """
    if bound.latest:
        # Only the store knows its latest epoch, so a partition alone refuses.
        return Unmet(LATEST, 0, "the store has not said which epoch is the latest")
    if bound.epoch is not None and progress.epoch < bound.epoch:
        message = f"epoch {progress.epoch} is behind epoch {bound.epoch}"
        return Unmet(EPOCH, bound.epoch, message)
    unmet = _unmet_time(bound, progress, now_ms)
    if unmet is not None or not bound.position.components:
        return unmet
    return _unmet_position(bound.position, progress, inputs, partition)


def unmet_bound(
    bound: PositionBound,
    progress: Progress,
    *,
    inputs: Iterable[InputTopic],
    partition: int,
    now_ms: int,
) -> str | None:
    """Describe the part of the bound that a store partition has not reached; None if it is met."""
    unmet = unmet_part(bound, progress, inputs=inputs, partition=partition, now_ms=now_ms)
    return None if unmet is None else unmet.message


def measured(measure: Measure, progress: Progress, now_ms: int) -> int | None:
    """Return how far a measure has come: a part of a bound is met from `Unmet.least` on.

    None before the first epoch. The age is negative, so that more is better for every measure.
    """
    if measure == EPOCH:
        return progress.epoch
    if measure == AGE:
        return None if progress.epoch < 0 else progress.committed_ms - now_ms
    if measure == COMMITTED:
        return None if progress.epoch < 0 else progress.committed_ms
    if isinstance(measure, tuple):
        return progress.position.offsets(measure[0]).get(measure[1])
    return None


def _unmet_time(bound: PositionBound, progress: Progress, now_ms: int) -> Unmet | None:
    """Return the part of a bound that the time of the last commit does not meet."""
    is_empty = progress.epoch < 0
    if bound.lag_ms_max is not None:
        lag_ms = now_ms - progress.committed_ms
        if is_empty or lag_ms > bound.lag_ms_max:
            message = f"the newest epoch is {lag_ms} ms old, more than {bound.lag_ms_max} ms"
            return Unmet(AGE, -bound.lag_ms_max, _NO_EPOCH if is_empty else message)
    if bound.committed_ms is not None:
        late_ms = bound.committed_ms - progress.committed_ms
        if is_empty or late_ms > 0:
            message = f"the newest epoch is {late_ms} ms too old"
            return Unmet(COMMITTED, bound.committed_ms, _NO_EPOCH if is_empty else message)
    return None


def _unmet_position(
    wanted: Position, progress: Progress, inputs: Iterable[InputTopic], partition: int
) -> Unmet | None:
    applied = progress.position.to_dict()
    aligned = {topic.topic: topic.aligned for topic in inputs}
    if not aligned and progress.epoch < 0:
        return Unmet(EPOCH, 0, "no epoch has been applied yet, and no input is declared")
    for topic, offsets in wanted.components:
        if topic not in aligned and topic not in applied:
            continue
        for input_partition, offset in offsets:
            if aligned.get(topic, False) and input_partition != partition:
                continue
            reached = applied.get(topic, {}).get(input_partition, -1)
            if reached < offset:
                at = f"at offset {reached}" if reached >= 0 else "at no offset yet"
                message = f"{topic}[{input_partition}] is {at}, behind {offset}"
                return Unmet((topic, input_partition), offset, message)
    return None
