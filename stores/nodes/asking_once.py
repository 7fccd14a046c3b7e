"""Asks the first other holder of some partitions, without waiting: what an event loop can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from stores.nodes.asking import Around
from stores.nodes.links import NodeError, Replied
from stores.nodes.messages import Ask
from stores.nodes.sent_requests import Sent, answers_of, sent_target, success_of
from stores.spec.result import Failure, QueryResult
from stores.spec.store import Target

Answered: TypeAlias = Sequence[QueryResult[Any]]

_ONLY = [0]


def begin_once(
    around: Around, targets: Sequence[Target], on_answers: Callable[[Answered | None], object]
) -> float:
    """Ask the first other holder of each partition, without waiting, and no second one.

    Args:
        around: this node and the others.
        targets: what to ask; queries without streams.
        on_answers: gets the answers in the order of the targets; None if one of them failed. It is
            called in the thread in which replies arrive.

    Returns:
        After how many seconds the answers are overdue.
    """
    by_node: dict[str, list[int]] = {}
    for index, (number, _, _) in enumerate(targets):
        node = around.first_other(number)
        if node is None:
            on_answers(None)
            return 0.0
        by_node.setdefault(node, []).append(index)
    if len(targets) == 1:
        (first,) = by_node
        return _begin_one(around, first, targets[0], on_answers)
    found: dict[int, QueryResult[Any]] = {}
    clock = around.timing.clock
    now = clock()

    def on_reply(sent: Sent, replied: Replied | NodeError) -> None:
        if len(found) == len(targets):
            return  # it has failed before
        for index, answer in zip(sent.indexes, answers_of(sent, replied), strict=True):
            if isinstance(answer, Failure):
                found.update(dict.fromkeys(range(len(targets)), answer))
                on_answers(None)
                return
            found[index] = success_of(sent.node, answer, answer.value)
        around.times.note(sent.node, clock() - sent.at)
        if len(found) == len(targets):
            on_answers([found[index] for index in range(len(targets))])

    overdue_s = max(map(around.times.overdue_s, by_node))
    for node, indexes in by_node.items():
        link = around.links[node]
        sent = Sent(node=node, link=link, indexes=indexes, at=now, overdue_at=now + overdue_s)
        asked = tuple(sent_target(targets[index]) for index in indexes)
        link.begin(Ask(around.local.address, asked), partial(on_reply, sent))
    return overdue_s


def _begin_one(
    around: Around,
    node: str,
    target: Target,
    on_answers: Callable[[Answered | None], object],
) -> float:
    """Ask one partition at a node; what `begin_once` does with fewer steps."""
    link, times, clock = around.links[node], around.times, around.timing.clock
    overdue_s, now = times.overdue_s(node), clock()
    sent = Sent(node=node, link=link, indexes=_ONLY, at=now, overdue_at=now + overdue_s)

    def on_reply(replied: Replied | NodeError) -> None:
        (answer,) = answers_of(sent, replied)
        if isinstance(answer, Failure):
            on_answers(None)
            return
        times.note(node, clock() - now)
        on_answers((success_of(node, answer, answer.value),))

    link.begin(Ask(around.local.address, (sent_target(target),)), on_reply)
    return overdue_s
