"""Requests to nodes that were sent, and the answers in their replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.nodes.links import Link, NodeError, Replied
from stategate.stores.nodes.messages import Answer, Answers, Refused
from stategate.stores.nodes.remote import sent_query
from stategate.stores.spec.query import KeyQuery, Query
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.store import DEFAULT_CONFIG, Target


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sent:
    """A request to one node."""

    node: str
    link: Link
    indexes: list[int]
    """The targets that it is for."""
    at: float
    overdue_at: float
    is_lookup: bool = True
    """Whether it is only for keys, which take every node about as long."""
    connections: int = 0
    """How often the link was connected before, for a request that may open streams. They end with
    that connection, or with a later one."""


def is_key(query: Query[Any]) -> bool:
    """Whether it looks up one key, which takes every node about as long."""
    return type(query) is KeyQuery


def sent_target(target: Target) -> tuple[int, Any, Any]:
    """Return what to ask as it travels."""
    number, query, config = target
    return number, sent_query(query), None if config is DEFAULT_CONFIG else config


def answers_of(sent: Sent, replied: Replied | NodeError) -> Sequence[Answer | Failure]:
    """Return what a node has answered for each target."""
    node = sent.node
    if isinstance(replied, NodeError):
        failure = failed(node, f"node {node}: {replied}", replied)
    else:
        reply = replied[0]
        if isinstance(reply, Answers) and len(reply.answers) == len(sent.indexes):
            return [a if a.failed is None else _failure(node, a) for a in reply.answers]
        why = reply.message if isinstance(reply, Refused) else "unexpected reply"
        failure = failed(node, f"node {node} did not answer: {why}")
    return [failure] * len(sent.indexes)


def success_of(node: str, answer: Answer, value: object) -> Success[Any]:
    """Return an answer of a node, with its value as readers get it."""
    return Success(
        value=value, position=answer.position, epoch=answer.epoch, info=answer.info, node=node
    )


def _failure(node: str, answer: Answer) -> Failure:
    assert answer.failed is not None
    reason, message, restoring = answer.failed
    try:
        known = FailureReason(reason)
    except ValueError:  # a newer node has a reason of its own: another one may answer
        known = FailureReason.STORE_EXCEPTION
    return Failure(
        reason=known,
        message=message,
        position=answer.position,
        epoch=answer.epoch,
        info=answer.info,
        restoring=restoring,
        node=node,
    )


def failed(node: str, message: str, error: StoreError | None = None) -> Failure:
    """Return the failure of a node that did not answer, or could not be asked."""
    is_gone = error is None or isinstance(error, NodeError)
    reason = FailureReason.NOT_PRESENT if is_gone else FailureReason.STORE_EXCEPTION
    return Failure(reason=reason, message=message, node=node)
