"""Checks that a checkpoint and a store belong together.

They no longer do when one of them is restored from a copy, when a loss of power removes the newest
files of one, or when a topic is deleted and created again. Then nothing is written: rows would be
missing or counted twice, and the position would hide it.
"""

from __future__ import annotations

from stategate.stores.errors import (
    EpochConflictError,
    PositionBackError,
    SchemaError,
    TornRecordError,
)
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark.checkpoint import Checkpoint
from stategate.stores.spec.position import Position

_BUILD_ANEW = "remove both the store and the checkpoint to build it anew"


def check_start(log: StoreLog, checkpoint: Checkpoint) -> None:
    """Make sure, before a query starts, that it continues its store.

    Raises:
        EpochConflictError: the newest epochs are not this query's, or were made from other batches
            than those of the checkpoint; or the store lacks those that the checkpoint has done.
        SchemaError: the inputs have other names than before.
        LogError: the log or the checkpoint cannot be read.
    """
    newest = log.latest_epoch() if log.defined() else -1
    if newest < 0:
        if (done := checkpoint.newest_done()) >= 0:
            raise EpochConflictError(
                f'store "{log.name}" has no epoch, and the checkpoint has done batch {done}, whose '
                "rows it will not send again: use a new checkpoint"
            )
        return
    commit = readable_commit(log, newest)
    if commit is not None:
        require_own(log, commit, writer_name(checkpoint))
    require_same_input(log, checkpoint)
    offsets = checkpoint.offsets(newest)
    if commit is None or offsets is None or commit.position.covers(offsets.position):
        return
    raise SchemaError(
        f'store "{log.name}" has the position {commit.position.token()} at epoch {newest}, which '
        f"would be {offsets.position.token()} now: leave inputs= and the order of the sources as "
        f"they were, or {_BUILD_ANEW}"
    )


def require_own(log: StoreLog, commit: Commit, writer: str | None) -> None:
    """Make sure that a query has written an epoch: another checkpoint would count from 0 again.

    Raises:
        EpochConflictError: another writer has committed it.
    """
    if commit.writer != writer:
        raise EpochConflictError(
            f'epoch {commit.epoch} of store "{log.name}" was committed by {commit.writer}, not by '
            "this query: use its checkpoint, or remove the store"
        )


def writer_name(checkpoint: Checkpoint) -> str | None:
    """Return the name of a checkpoint's query in its commits; None before its first run."""
    query_id = checkpoint.query_id()
    return None if query_id is None else f"spark:{query_id}"


def readable_commit(log: StoreLog, epoch: int) -> Commit | None:
    """Return the commit of an epoch; None if it is missing or torn.

    Readers are stuck at a torn commit until it is repaired, but a pipeline may go on writing.
    """
    try:
        return log.commit(epoch) if epoch >= 0 else None
    except TornRecordError:
        return None


def require_same_input(log: StoreLog, checkpoint: Checkpoint, *, but: int | None = None) -> None:
    """Make sure that the newest epochs were made from the batches of the checkpoint.

    Args:
        log: the log of the store.
        checkpoint: the checkpoint of the query that wrote them.
        but: an epoch that is known to differ.

    Raises:
        EpochConflictError: epochs were made from other input; the message names them.
    """
    different = sorted({*different_epochs(log, checkpoint), *(() if but is None else (but,))})
    if not different:
        return
    first, last = different[0], different[-1]
    epochs = f"epoch {first}" if first == last else f"epochs {first} to {last}"
    raise EpochConflictError(
        f'{epochs} of store "{log.name}" were made from other input than checkpoint '
        f'"{checkpoint.path}" has for the same batches: it was restored from a copy, or has lost '
        f"files. Put back the checkpoint that the store was written with, or {_BUILD_ANEW}"
    )


def different_epochs(log: StoreLog, checkpoint: Checkpoint) -> list[int]:
    """Return the newest epochs whose batches the checkpoint lacks, or has with other input.

    All epochs before one that agrees agree, so the search begins with the newest and usually ends
    there. An epoch without a digest counts as one that agrees, and so does one whose batch Spark
    has removed because of its age.
    """
    planned = checkpoint.newest_batch()
    different: list[int] = []
    for epoch in reversed(log.epochs()):
        commit = readable_commit(log, epoch)
        if commit is None:
            continue
        if commit.input_digest is None:
            break
        if epoch <= planned:
            offsets = checkpoint.offsets(epoch)
            if offsets is None or offsets.digest == commit.input_digest:
                break
        different.append(epoch)
    return different[::-1]


def require_forward(log: StoreLog, before: Position, after: Position) -> None:
    """Make sure that no input goes back from one batch to the next.

    Raises:
        PositionBackError: one does; the message says where from and to.
    """
    for topic, offsets in after.components:
        known = before.offsets(topic)
        for partition, offset in offsets:
            if offset < known.get(partition, -1):
                raise PositionBackError(
                    f'{topic}[{partition}], which feeds store "{log.name}", went back from offset '
                    f"{known[partition]} to {offset}: it was deleted and created again. The "
                    f"store was made from the old records: {_BUILD_ANEW}"
                )
