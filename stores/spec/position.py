"""Positions, the bounds that readers set on them, and the check of one against the other.

A position says which input a read reflects: topic → input partition → offset of the *last record
applied*, inclusive. Spark and Kafka count the *next* record; whoever converts subtracts one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import orjson

from stores.errors import CodecError
from stores.spec.arguments import is_name
from stores.spec.schema import InputTopic

Components: TypeAlias = Mapping[str, Mapping[int, int]]
"""Topic → input partition → offset of the last record applied."""

TOKEN_BYTES_MAX = 1 << 20
"""Longest position token that is read: some 50,000 components."""
_PARTITION_DIGITS_MAX = 10
"""Of an input partition's number, which is an int32 wherever there are partitions."""


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
        """The position with these components; the empty one for None.

        A negative offset says that no record has been applied, as a missing component does: it is
        left out.
        """
        topics = (
            (topic, tuple(sorted((int(p), int(o)) for p, o in offsets.items() if o >= 0)))
            for topic, offsets in (components or {}).items()
        )
        return Position(tuple(sorted(topic for topic in topics if topic[1])))

    def to_dict(self) -> dict[str, dict[int, int]]:
        """A fresh mapping of the components."""
        return {topic: dict(offsets) for topic, offsets in self.components}

    @property
    def is_empty(self) -> bool:
        """Whether no input has been applied."""
        return not self.components

    @property
    def is_sound(self) -> bool:
        """Whether a log can keep it: topics that are names, and offsets that a token can have."""
        try:
            shape = {topic: {str(p): o for p, o in parts} for topic, parts in self.components}
            return all(map(is_name, shape)) and Position.from_json(shape) == self
        except (CodecError, TypeError, ValueError):
            return False

    def offsets(self, topic: str) -> dict[int, int]:
        """Input partition → offset of one topic; empty if the topic is not in the position."""
        return next((dict(offsets) for name, offsets in self.components if name == topic), {})

    def with_component(self, topic: str, partition: int, offset: int) -> Position:
        """This position with one component raised to `offset`; a smaller one changes nothing."""
        return self.merge(Position.of({topic: {partition: offset}}))

    def merge(self, other: Position | None) -> Position:
        """The greater offset of each component."""
        if other is None or other is self or not other.components:
            return self
        if not self.components:
            return other
        merged = self.to_dict()
        for topic, offsets in other.components:
            mine = merged.setdefault(topic, {})
            for partition, offset in offsets:
                mine[partition] = max(offset, mine.get(partition, offset))
        return Position.of(merged)

    def without(self, topics: Set[str]) -> Position:
        """This position without the components of these topics."""
        if not topics:
            return self
        return Position(tuple(each for each in self.components if each[0] not in topics))

    def covers(self, other: Position) -> bool:
        """Whether every component of `other` has been reached; a missing one has not."""
        mine = self.to_dict()
        return all(
            mine.get(topic, {}).get(partition, -1) >= offset
            for topic, offsets in other.components
            for partition, offset in offsets
        )

    def token(self) -> str:
        """The JSON text that every answer carries and every bound accepts."""
        document = {t: {str(p): o for p, o in offsets} for t, offsets in self.components}
        return orjson.dumps(document).decode()

    @staticmethod
    def from_token(token: str) -> Position:
        """Read a token.

        Raises:
            CodecError: it is longer than TOKEN_BYTES_MAX or no position.
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
    """All positions merged; None counts as empty."""
    merged = Position()
    for position in positions:
        merged = merged.merge(position)
    return merged


EMPTY = Position()


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionBound:
    """The least that a reader accepts; a partition that has not reached it refuses.

    All parts that are set must hold. `PositionBound()` is unbounded. `latest` and `snapshot` are
    about more than one partition: the store that is asked makes an epoch of them before it asks
    its partitions.
    Source: KIP-796 `PositionBound`; all but `position` is ours.
    """

    position: Position = EMPTY
    """Offsets that must have been applied."""
    epoch: int | None = None
    """The epoch that must have been applied."""
    lag_ms_max: int | None = None
    """The greatest age of the newest applied epoch, by the wall clock of its commit."""
    latest: bool = False
    """All that is committed when the store is asked must have been applied."""
    snapshot: bool = False
    """All partitions that are asked answer at one epoch."""

    @staticmethod
    def unbounded() -> PositionBound:
        """Accepts anything."""
        return UNBOUNDED

    @staticmethod
    def at(position: Position) -> PositionBound:
        """Accepts what has reached `position`."""
        return PositionBound(position=position)

    @staticmethod
    def at_latest() -> PositionBound:
        """Accepts what has applied everything that is committed when the store is asked."""
        return PositionBound(latest=True)

    @staticmethod
    def at_snapshot() -> PositionBound:
        """Accepts answers of one epoch only: the newest that all partitions can give."""
        return PositionBound(snapshot=True)

    @staticmethod
    def within_lag(lag_ms_max: int) -> PositionBound:
        """Accepts what was committed not longer ago than this."""
        return PositionBound(lag_ms_max=lag_ms_max)

    @property
    def is_unbounded(self) -> bool:
        """Whether the bound accepts anything."""
        return self == UNBOUNDED

    def merge(self, other: PositionBound) -> PositionBound:
        """The bound that is met exactly when both are."""
        return PositionBound(
            position=self.position.merge(other.position),
            epoch=max((e for e in (self.epoch, other.epoch) if e is not None), default=None),
            lag_ms_max=min(
                (lag for lag in (self.lag_ms_max, other.lag_ms_max) if lag is not None),
                default=None,
            ),
            latest=self.latest or other.latest,
            snapshot=self.snapshot or other.snapshot,
        )


UNBOUNDED = PositionBound()


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far one replica has applied its log: what a bound is checked against."""

    epoch: int = -1
    """The newest applied epoch; -1 before the first."""
    position: Position = EMPTY
    watermark_ms: int | None = None
    """The pipeline's event-time watermark in that epoch."""
    committed_ms: int = 0
    """Wall clock, epoch milliseconds, at which the writer committed that epoch."""


Measure: TypeAlias = str | tuple[str, int]
"""What a part of a bound is held against: EPOCH, AGE, LATEST, or an input topic and partition."""

EPOCH, AGE, LATEST = "epoch", "age", "latest"


class Unmet(NamedTuple):
    """The first part of a bound that is not met."""

    measure: Measure
    least: int
    """The value of `measured` from which on this part is met."""
    message: str


def unmet_part(
    bound: PositionBound,
    progress: Progress,
    *,
    inputs: Iterable[InputTopic],
    partition: int,
    now_ms: int,
) -> Unmet | None:
    """The first part of the bound that a store partition has not reached; None if it is met.

    Topics that are no input of the store are ignored: KIP-796 says so, though Kafka's code makes
    such a bound unreachable. As long as no input is declared and no epoch applied, any topic may
    turn out to be one, so none has been reached. After a shuffle every input partition feeds every
    store partition, so all components count; of an aligned input only that of the same number does.
    """
    if bound.latest:
        # The safe answer to who asks a partition what only its store can know.
        return Unmet(LATEST, 0, "the store has not said which epoch is the latest")
    if bound.epoch is not None and progress.epoch < bound.epoch:
        message = f"epoch {progress.epoch} is behind epoch {bound.epoch}"
        return Unmet(EPOCH, bound.epoch, message)
    if bound.lag_ms_max is not None:
        if progress.epoch < 0:
            return Unmet(AGE, -bound.lag_ms_max, "no epoch has been applied yet")
        lag_ms = now_ms - progress.committed_ms
        if lag_ms > bound.lag_ms_max:
            message = f"the newest epoch is {lag_ms} ms old, more than {bound.lag_ms_max} ms"
            return Unmet(AGE, -bound.lag_ms_max, message)
    if not bound.position.components:
        return None
    return _unmet_position(bound.position, progress, inputs, partition)


def unmet_bound(
    bound: PositionBound,
    progress: Progress,
    *,
    inputs: Iterable[InputTopic],
    partition: int,
    now_ms: int,
) -> str | None:
    """What of the bound a store partition has not reached, in words; None if it is met."""
    unmet = unmet_part(bound, progress, inputs=inputs, partition=partition, now_ms=now_ms)
    return None if unmet is None else unmet.message


def measured(measure: Measure, progress: Progress, now_ms: int) -> int | None:
    """How far a measure has come; it meets a part of a bound from `Unmet.least` on.

    None if it has not begun. The age counts backwards, so that more is better for all of them.
    """
    if measure == EPOCH:
        return progress.epoch
    if measure == AGE:
        return None if progress.epoch < 0 else progress.committed_ms - now_ms
    if isinstance(measure, tuple):
        return progress.position.offsets(measure[0]).get(measure[1])
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
