"""The rows of streams that a question has opened, as its reader gets them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any
from weakref import ReferenceType, ref

from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.nodes.asking import Around, Asking
from stategate.stores.nodes.failover import Copy, Lost, RowsHere
from stategate.stores.nodes.holds import EpochHolds
from stategate.stores.nodes.links import NodeError
from stategate.stores.nodes.messages import Opened
from stategate.stores.nodes.remote import RemoteRows, read_in_turn
from stategate.stores.nodes.sent_requests import Sent
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.query import BatchStream
from stategate.stores.spec.result import Failure, QueryResult, Success
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import Stop, Target

_CATCH_UP_S = 5.0
"""How long to wait for a copy that is behind the node that was lost."""


class OpenedRows:
    """The rows of one question. They go on at another node if one is lost, or cannot read them.

    Args:
        around: this node and the others.
        holds: keeps their epochs at other nodes meanwhile.
        wait: waits until a node has the epoch of a target, other than some nodes, and at most so
            many seconds.
        stop: ends the waits.
    """

    def __init__(
        self,
        around: Around,
        holds: EpochHolds,
        wait: Callable[[Target, Iterable[str], float], object],
        stop: Stop | None,
    ) -> None:
        self._around, self._holds, self._wait, self._stop = around, holds, wait, stop
        # They refer to this, and are to be released with the answers that hold them.
        self._opened: list[tuple[int, ReferenceType[RemoteRows]]] = []
        self._here: list[ReferenceType[RowsHere]] = []

    def there(self, sent: Sent, opened: Opened, target: Target) -> BatchStream:
        """Return the rows of a stream that another node has opened; see `OnOpened`."""
        number, _, config = target
        rows = RemoteRows(
            sent.node,
            sent.link,
            opened.stream,
            connections=sent.connections,
            reopen=partial(self._reopened, target),
            on_long=self._keep_all,
            on_unreadable=partial(self._around.note_unreadable, sent.node, number),
            stop=self._stop,
            spare=self._holds.spare(number, config.at_epoch, sent.node),
            timing=self._around.timing,
        )
        self._opened.append((number, ref(rows)))
        as_tuples = partial(self._tuples, rows) if opened.has_rows else None
        return BatchStream(
            rows.read, as_tuples, rows_in_memory=opened.rows_in_memory, elsewhere=rows
        )

    def here(self, target: Target, answer: QueryResult[Any]) -> QueryResult[Any]:
        """Return an answer of this node with rows that go on at another one, if there is any."""
        stream = answer.value if isinstance(answer, Success) else None
        if (
            type(stream) is not BatchStream
            or stream.elsewhere is not None
            or stream.rows_in_memory is not None
            or not self._around.links
        ):
            return answer
        rows = self._rows_here(target, stream, answer.epoch)
        # Its own `rows` count what is read, as its batches do.
        return answer.swap(BatchStream(rows.read, stream.rows if stream.has_rows else None))

    def read_in_turn(self) -> None:
        """Let the streams of other nodes read ahead for those after them."""
        opened = [found() for _, found in sorted(self._opened, key=itemgetter(0))]
        read_in_turn([rows for rows in opened if rows is not None])

    def _rows_here(self, target: Target, stream: BatchStream, epoch: int) -> RowsHere:
        around, (number, query, config) = self._around, target
        at_epoch = number, query, replace(config, at_epoch=epoch)
        rows = RowsHere(
            around.node,
            stream,
            reopen=partial(self._reopened, at_epoch),
            keep=partial(self._holds.spare, number, epoch, around.node),
            on_long=self._keep_all,
            on_unreadable=partial(around.note_unreadable, around.node, number),
        )
        self._here.append(ref(rows))
        return rows

    def _keep_all(self) -> None:
        """Keep the epochs of all rows of this node at other nodes; the others' are kept already."""
        here, self._here = self._here, []
        for found in here:
            if (rows := found()) is not None:
                rows.keep()

    def _tuples(self, rows: RemoteRows, first_rows: int) -> Iterator[list[Row]]:
        """Yield rows as tuples of physical values, as `BatchStream.rows` does."""
        del first_rows  # they come in replies of one size
        columns = self._around.local.schema.column_by_name
        for batch in rows.read():
            listed = [
                physical_list(batch.column(at), columns[name].type)
                for at, name in enumerate(batch.schema.names)
            ]
            yield list(zip(*listed, strict=True)) if listed else [()] * batch.num_rows

    def _reopened(self, target: Target, lost: Mapping[str, Lost]) -> Copy:
        """Return the same rows as another node has them.

        Raises:
            NodeError: none of them has the epoch now.
            StoreError: those that have it cannot read it.
        """
        answer = self._asked_again(target, lost)
        if isinstance(answer, Failure) and answer.reason is FailureReason.NOT_UP_TO_BOUND:
            # The copies may be behind the one that was lost, which was asked because it was ahead.
            # That one may still be there, and only unable to read: it must not end the wait.
            self._wait(target, lost, _CATCH_UP_S)
            answer = self._asked_again(target, lost)
        if isinstance(answer, Success):
            stream: BatchStream = answer.value
            there = stream.elsewhere
            if isinstance(there, RemoteRows):
                return there
            return self._rows_here(target, stream, answer.epoch)
        node, (why, _) = next(iter(lost.items()))
        kind = NodeError if any(each.retryable for each in lost.values()) else StoreError
        raise kind(f"node {node} {why}. No other node has them: {answer.message}")

    def _asked_again(self, target: Target, lost: Mapping[str, Lost]) -> QueryResult[Any]:
        others = OpenedRows(self._around, self._holds, self._wait, self._stop)
        asking = Asking(
            self._around, [target], on_opened=others.there, without=lost, stop=self._stop
        )
        return asking.answers()[0]
