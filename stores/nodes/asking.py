"""Asks the holders of some partitions at once, and each of them the next holder until one answers.

There is one request for each node, with all partitions that it is asked for. A node that replies
too late is not waited for: the next holder is asked, too, and the first answer wins.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.nodes.failover import Unreadable
from stategate.stores.nodes.links import REAL_TIME, Inbox, Link, NodeError, Replied, Timing
from stategate.stores.nodes.messages import Answer, Ask, Opened, Release
from stategate.stores.nodes.remote import wait_s
from stategate.stores.nodes.reply_times import DELAY_MAX_S, ReplyTimes
from stategate.stores.nodes.sent_requests import (
    Sent,
    answers_of,
    failed,
    is_key,
    sent_target,
    success_of,
)
from stategate.stores.spec.result import Failure, QueryResult, Success
from stategate.stores.spec.scans import CountQuery
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import Stop, Store, Target

Holders: TypeAlias = Callable[[StoreSchema, int], Sequence[str]]
"""The names of the nodes to ask for a partition, in this order."""
OnOpened: TypeAlias = Callable[[Sent, Opened, Target], object]
"""Returns the rows of a stream that a request has opened, as a reader gets them. The target is that
at the epoch of the rows."""

ASK_S = 60.0
"""How long nodes may take in all."""
_ELSEWHERE = {FailureReason.STORE_EXCEPTION, *(r for r in FailureReason if r.retryable)}
"""Reasons for which another replica may still answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What one node uses to ask the others."""

    local: Store
    """The replicas on this node."""
    node: str
    """The name of this node."""
    links: Mapping[str, Link]
    """The other nodes by name, as of now."""
    holders: Holders
    times: ReplyTimes = field(default_factory=ReplyTimes)
    timing: Timing = REAL_TIME
    on_overdue: Callable[[str], object] = str
    """Gets the node of each reply that is overdue, so that another node is asked, too."""
    on_unreadable: Callable[[Unreadable], object] = repr
    """Gets each copy that could not be read."""
    homes: Holders | None = None
    """Those that are to hold a partition, and can: what is kept for long is kept there. None if
    nothing moves."""

    def note_unreadable(self, node: str, partition: int, why: str) -> None:
        """Report a copy that could not be read."""
        self.on_unreadable(Unreadable(node, self.local.schema.name, partition, why))

    def order(self, partition: int, *, is_lookup: bool = False) -> list[str]:
        """Return the nodes to ask, this one first, since it answers soonest.

        Nodes that are not said to hold the partition come last: while it moves, one of them may be
        the only one that has caught up. A slow node comes after a faster one.
        """
        schema = self.local.schema
        if not 0 <= partition < schema.partitions:
            return [self.node]
        links, holders = self.links, self.holders(schema, partition)
        there = [node for node in holders if node in links and node != self.node]
        ordered = self.times.in_order(there, is_lookup=is_lookup)
        return list(dict.fromkeys((self.node, *ordered, *holders, *links)))

    def first_other(self, partition: int, *, is_lookup: bool = True) -> str | None:
        """Return the other node that is asked first; None if there is none to ask.

        It looks at no more nodes than it must, because each lookup at another node calls it.
        """
        own, links, times = self.node, self.links, self.times
        first = None
        for node in self.holders(self.local.schema, partition):
            if node != own and node in links:
                if first is not None:
                    passes = times.passes_over(first, node, is_lookup=is_lookup)
                    return node if passes else first
                if node not in times.slow:
                    return node
                first = node
        return first or next((node for node in tuple(links) if node != own), None)


class Asking:
    """One question to the holders of some partitions.

    Args:
        around: this node and the others.
        targets: each partition, its query and how to ask it.
        on_opened: makes the rows of a stream.
        without: nodes that are not asked.
        stop: ends the wait.
    """

    def __init__(
        self,
        around: Around,
        targets: Sequence[Target],
        *,
        on_opened: OnOpened,
        without: Collection[str] = (),
        stop: Stop | None = None,
    ) -> None:
        self._stop = stop
        self._around, self._targets, self._on_opened = around, targets, on_opened
        self._left = [
            [n for n in around.order(number, is_lookup=is_key(query)) if n not in without]
            for number, query, _ in targets
        ]
        self._found: list[QueryResult[Any] | None] = [None] * len(targets)
        self._failures: list[Failure | None] = [None] * len(targets)
        self._unreadable: list[tuple[int, Failure]] = []
        self._waits = [0] * len(targets)
        """How many nodes have yet to answer for each target."""
        self._clock = around.timing.clock
        self._replies: Inbox[tuple[Sent, Replied | NodeError] | _Stopped] = around.timing.inbox()
        self._is_over = False

    def answers(self) -> list[QueryResult[Any]]:
        """Return the answer for each target, in their order.

        Raises:
            Exception: the error of `stop`. Streams that nodes have opened are released.
        """
        stop = self._stop
        forget = None if stop is None else stop.on_cancel(partial(self._replies.put, _STOPPED))
        try:
            self._wait()
        finally:
            if forget is not None:
                forget()
            self._is_over = True
            self._drain()
        self._report()
        return [
            found or failure or self._absence(number)
            for found, failure, (number, _, _) in zip(
                self._found, self._failures, self._targets, strict=True
            )
        ]

    def _wait(self) -> None:
        """Ask until there are all answers, or no more nodes or time."""
        stop, until_s = self._stop, self._clock() + ASK_S
        overdue: list[Sent] = self._ask_next(range(len(self._targets)))
        while self._is_waiting():
            if stop is not None:
                stop.check()
            late_s = min((sent.overdue_at for sent in overdue), default=until_s)
            arrived = self._replies.get(wait_s(min(late_s, until_s) - self._clock(), stop))
            if isinstance(arrived, tuple):
                overdue = [each for each in overdue if each is not arrived[0]]
                overdue += self._take(*arrived)
                continue
            now = self._clock()
            if now >= until_s:
                break
            late = [sent for sent in overdue if sent.overdue_at <= now]
            overdue = [sent for sent in overdue if sent.overdue_at > now]
            for sent in late:
                self._around.on_overdue(sent.node)
                self._note_time(sent)
                overdue += self._ask_next(sent.indexes)

    def _is_waiting(self) -> bool:
        """Whether a target has no answer, and a node that may give one."""
        waits = self._waits
        return any(waits[at] and found is None for at, found in enumerate(self._found))

    def _ask_next(self, indexes: Iterable[int]) -> list[Sent]:
        """Ask the next node for each target; return the requests that are sent."""
        sent: list[Sent] = []
        here: list[int] = []
        by_node: dict[str, list[int]] = {}
        for index in indexes:
            if self._found[index] is None and self._left[index]:
                node = self._left[index].pop(0)
                if node == self._around.node:
                    here.append(index)
                else:
                    by_node.setdefault(node, []).append(index)
        for index in here:
            number, query, config = self._targets[index]
            self._settle(index, self._around.local.query_partition(number, query, config))
        again = [index for index in here if self._found[index] is None]
        for node, asked in by_node.items():
            found = self._send(node, asked)
            if found is None:
                again += asked
            else:
                sent.append(found)
        return sent + self._ask_next(again) if again else sent

    def _send(self, node: str, indexes: list[int]) -> Sent | None:
        """Send one request; None if that cannot be, which is noted as the failure."""
        link = self._around.links.get(node)
        targets = [self._targets[index] for index in indexes]
        now = self._clock()
        is_lookup = all(is_key(query) for _, query, _ in targets)
        slow = any(isinstance(query, CountQuery) for _, query, _ in targets)
        overdue_s = self._around.times.overdue_s(node, is_lookup=is_lookup)
        delay_s = DELAY_MAX_S if slow else overdue_s
        try:
            if link is None:
                raise NodeError("it is not connected")
            request = Ask(
                self._around.local.schema.address,
                tuple(map(sent_target, targets)),
                None if self._stop is None else self._stop.trace,
            )
            sent = Sent(
                node=node,
                link=link,
                indexes=indexes,
                at=now,
                overdue_at=now + delay_s,
                is_lookup=is_lookup,
                connections=link.connections,
            )
            for index in indexes:
                self._waits[index] += 1
            link.begin(request, partial(self._on_reply, sent))
        except StoreError as error:
            failure = failed(node, f"node {node}: {error}", error)
            for index in indexes:
                self._settle(index, failure)
            return None
        return sent

    def _on_reply(self, sent: Sent, replied: Replied | NodeError) -> None:
        """Hand over to the thread that waits; in any thread."""
        self._replies.put((sent, replied))
        if self._is_over:
            self._drain()

    def _take(self, sent: Sent, replied: Replied | NodeError) -> list[Sent]:
        """Take a reply; return the requests that are sent because of it."""
        for index in sent.indexes:
            self._waits[index] -= 1
        answers = answers_of(sent, replied)
        if any(isinstance(each, Answer) for each in answers):  # refusals take no time
            self._note_time(sent)
        for index, answer in zip(sent.indexes, answers, strict=True):
            if isinstance(answer, Failure):
                self._settle(index, answer)
            else:
                self._settle(index, self._success(sent, index, answer))
        return self._ask_next(i for i in sent.indexes if self._found[i] is None)

    def _note_time(self, sent: Sent) -> None:
        seconds = self._clock() - sent.at
        self._around.times.note(sent.node, seconds, is_lookup=sent.is_lookup)

    def _settle(self, index: int, answer: QueryResult[Any]) -> None:
        """Take an answer, unless another node may have a better one."""
        if isinstance(answer, Success) or answer.reason not in _ELSEWHERE:
            if self._found[index] is None:
                self._found[index] = answer
            return
        if answer.reason is FailureReason.STORE_EXCEPTION:
            self._unreadable.append((index, answer))
        known = self._failures[index]
        self._failures[index] = answer if known is None else max(known, answer, key=_usefulness)

    def _report(self) -> None:
        """Report the copies that failed where another one has answered; who asks gets the others.

        A query that no copy can answer is more likely at fault itself.
        """
        around = self._around
        for index, failure in self._unreadable:
            if isinstance(self._found[index], Success):
                number, _, _ = self._targets[index]
                around.note_unreadable(failure.node or around.node, number, failure.message)

    def _success(self, sent: Sent, index: int, answer: Answer) -> QueryResult[Any]:
        value = answer.value
        if isinstance(value, Opened):
            if self._found[index] is not None:
                sent.link.tell(Release(streams=(value.stream,)))
            else:
                number, query, config = self._targets[index]
                at_epoch = number, query, replace(config, at_epoch=answer.epoch)
                value = self._on_opened(sent, value, at_epoch)
        return success_of(sent.node, answer, value)

    def _drain(self) -> None:
        """Release the streams that nodes have opened too late."""
        while (arrived := self._replies.get(0.0)) is not None:
            if isinstance(arrived, _Stopped):
                continue
            sent, replied = arrived
            answers = [a for a in answers_of(sent, replied) if isinstance(a, Answer)]
            if answers:
                self._note_time(sent)
            streams = tuple(a.value.stream for a in answers if isinstance(a.value, Opened))
            if streams:
                sent.link.tell(Release(streams=streams))

    def _absence(self, partition: int) -> Failure:
        return Failure(
            reason=FailureReason.NOT_PRESENT,
            message=f'partition {partition} of store "{self._around.local.schema.name}" is on no '
            "node",
        )


class _Stopped:
    """Wakes a thread whose reader waits no more."""


_STOPPED = _Stopped()


def _usefulness(failure: Failure) -> tuple[int, bool, int]:
    """Return how much a failure says: that of a replica more than that of a missing one."""
    order = (FailureReason.NOT_PRESENT, FailureReason.STORE_EXCEPTION)
    known = order.index(failure.reason) if failure.reason in order else len(order)
    # That this node does not hold the partition says less than why others that do cannot answer.
    return known, failure.node is not None, failure.epoch
