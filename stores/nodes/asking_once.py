"""Asks the first other holder of some partitions, without waiting: what an event loop can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from stategate.stores.nodes.asking import Around
from stategate.stores.nodes.links import Link, NodeError, OnKeyAnswer, Replied
from stategate.stores.nodes.messages import Answer, Answers, Ask, Reply
from stategate.stores.nodes.sent_requests import Sent, answers_of, is_key, sent_target, success_of
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Failure, QueryResult, Success
from stategate.stores.spec.schema import Key
from stategate.stores.spec.store import Target
from stategate.stores.spec.traces import Trace

Answered: TypeAlias = Sequence[QueryResult[Any]]


def begin_once(
    around: Around,
    targets: Sequence[Target],
    on_answers: Callable[[Answered | None], object],
    trace: Trace | None = None,
) -> float:
    """Ask the first other holder of each partition, without waiting, and no second one.

    Args:
        around: this node and the others.
        targets: what to ask; queries without streams.
        on_answers: gets the answers in the order of the targets; None if one of them failed. It is
            called in the thread in which replies arrive.
        trace: the trace that the answers belong to.

    Returns:
        After how many seconds the answers are overdue.
    """
    by_node: dict[str, list[int]] = {}
    for index, (number, query, _) in enumerate(targets):
        node = around.first_other(number, is_lookup=is_key(query))
        if node is None:
            on_answers(None)
            return 0.0
        by_node.setdefault(node, []).append(index)
    found: dict[int, QueryResult[Any]] = {}
    times, clock = around.times, around.timing.clock
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
        times.note(sent.node, clock() - sent.at, is_lookup=sent.is_lookup)
        if len(found) == len(targets):
            on_answers([found[index] for index in range(len(targets))])

    of_keys = {
        node: all(is_key(targets[index][1]) for index in indexes)
        for node, indexes in by_node.items()
    }
    overdue_s = max(times.overdue_s(node, is_lookup=each) for node, each in of_keys.items())
    for node, indexes in by_node.items():
        link = around.links[node]
        sent = Sent(
            node=node,
            link=link,
            indexes=indexes,
            at=now,
            overdue_at=now + overdue_s,
            is_lookup=of_keys[node],
        )
        asked = tuple(sent_target(targets[index]) for index in indexes)
        link.begin(Ask(around.local.schema.address, asked, trace), partial(on_reply, sent))
    return overdue_s


def begin_key(
    around: Around,
    partition: int,
    key: Key,
    on_answer: Callable[[Success[Any] | None], object],
    trace: Trace | None = None,
) -> float:
    """Ask the first other holder of a partition for a key, without waiting, and no second one.

    It does what `begin_once` does, with fewer steps: lookups are what nodes ask each other most.

    Args:
        around: this node and the others.
        partition: the partition of the key.
        key: the key.
        on_answer: gets the answer, or None without one. It is called in the thread in which
            replies arrive, or before this returns.
        trace: the trace that the answer belongs to.

    Returns:
        After how many seconds the answer is overdue.
    """
    node = around.first_other(partition)
    link = None if node is None else around.links.get(node)
    if node is None or link is None:
        on_answer(None)
        return 0.0
    times, clock = around.times, around.timing.clock
    began_s = clock()

    def take(answer: Answer | None) -> None:
        if answer is None:
            on_answer(None)
            return
        times.note(node, clock() - began_s)
        on_answer(success_of(node, answer, answer.value))

    if trace is None:
        link.begin_key(around.local.schema.address, partition, key, take)
    else:
        begin_key_as_ask(link, around.local.schema.address, partition, key, take, trace=trace)
    return times.overdue_s(node)


def begin_key_as_ask(
    link: Link,
    store: str,
    partition: int,
    key: Key,
    on_answer: OnKeyAnswer,
    *,
    trace: Trace | None = None,
) -> None:
    """Look up a key by a request of the general kind; see `Link.begin_key`."""

    def on_reply(replied: Replied | NodeError) -> None:
        on_answer(None if isinstance(replied, NodeError) else _key_answer(replied[0]))

    link.begin(Ask(store, ((partition, KeyQuery(key=key), None),), trace), on_reply)


def _key_answer(reply: Reply) -> Answer | None:
    if not isinstance(reply, Answers) or len(reply.answers) != 1:
        return None
    (answer,) = reply.answers
    return answer if answer.failed is None else None
