"""The values that a caller gives for an epoch besides its rows, checked before any write."""

from __future__ import annotations

from dataclasses import dataclass

from stategate.stores.errors import ArgumentError
from stategate.stores.log.metadata.records import Commit
from stategate.stores.spec.arguments import require_integer, require_name, shown
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import SPAN_MS_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenEpoch:
    """The caller's data of an epoch, besides its rows.

    Raises:
        ArgumentError: an argument has the wrong type or is out of range, so that no reader of the
            commit could decode it.
    """

    epoch: int | None
    position: Position
    watermark_ms: int | None
    committed_ms: int | None
    replace: bool
    input_digest: str | None

    def __post_init__(self) -> None:
        position = self.position
        if not isinstance(position, Position) or not position.is_sound:
            raise ArgumentError(
                f"position must be a Position of offsets by topic, not {shown(position)}"
            )
        if self.epoch is not None:
            require_integer("epoch", self.epoch)
        if self.watermark_ms is not None:
            require_integer("watermark_ms", self.watermark_ms, least=-SPAN_MS_MAX, most=SPAN_MS_MAX)
        if self.committed_ms is not None:
            require_integer("committed_ms", self.committed_ms, most=SPAN_MS_MAX)
        if not isinstance(self.replace, bool):
            raise ArgumentError(f"replace must be a bool, not {shown(self.replace)}")
        if self.input_digest is not None:
            require_name("input_digest", self.input_digest)

    def is_met_by(self, commit: Commit) -> bool:
        """Whether a commit has this content; its watermark may be that of an earlier epoch."""
        reached_ms, wanted_ms = commit.watermark_ms, self.watermark_ms
        return (
            (commit.position, commit.replace) == (self.position, self.replace)
            and (wanted_ms is None or (reached_ms is not None and reached_ms >= wanted_ms))
            and commit.input_digest in (None, self.input_digest)
        )
