"""The error for failed partitions: its SQLSTATE, and whether a retry can help."""

from __future__ import annotations

from stategate.planner.errors import (
    QueryError,
    StoreFailedError,
    UnavailableError,
)
from stategate.planner.values.partition_failures import (
    SQLSTATE_BY_REASON,
    partitions_failed,
    read_failed,
)
from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.nodes.links import NodeError


def test_every_reason_has_a_code_a_hint_and_a_severity() -> None:
    assert set(SQLSTATE_BY_REASON) == set(FailureReason)
    for reason in FailureReason:
        error = partitions_failed([("s", 1, reason, "said")])
        assert error.sqlstate == SQLSTATE_BY_REASON[reason]
        assert error.retryable is reason.retryable
        assert error.hint is not None
        assert error.message == 'partition 1 of store "s" did not answer: said'


def test_worst_failure_determines_the_error() -> None:
    error = partitions_failed(
        [
            ("s", 0, FailureReason.NOT_UP_TO_BOUND, "behind"),
            ("s", 1, FailureReason.STORE_EXCEPTION, "broken"),
            ("t", 0, FailureReason.NOT_PRESENT, "elsewhere"),
        ]
    )
    assert isinstance(error, StoreFailedError)
    assert error.message == 'partition 1 of store "s" (and 2 more) did not answer: broken'
    assert error.detail == (
        "s[0] NOT_UP_TO_BOUND: behind; s[1] STORE_EXCEPTION: broken; t[0] NOT_PRESENT: elsewhere"
    )


def test_error_is_retryable_only_if_all_reasons_are() -> None:
    both = [
        ("s", 0, FailureReason.NOT_UP_TO_BOUND, "behind"),
        ("s", 1, FailureReason.DOES_NOT_EXIST, "never"),
    ]
    assert not partitions_failed(both).retryable
    assert isinstance(partitions_failed(both[:1]), UnavailableError)


def test_instances_can_have_their_own_code() -> None:
    assert QueryError("x").sqlstate == "XX000"
    assert QueryError("x", sqlstate="22P02").sqlstate == "22P02"
    assert QueryError.sqlstate == "XX000"


def test_rows_that_end_with_a_lost_node_can_be_read_again() -> None:
    lost = read_failed("s", 1, NodeError("node b was lost"))
    assert (lost.sqlstate, lost.retryable) == ("55S03", True)
    for error in (StoreError("the file is damaged"), OSError("no space")):
        broken = read_failed("s", 1, error)
        assert (broken.sqlstate, broken.retryable) == ("58030", False)
        assert broken.message == f'partition 1 of store "s" failed while it was read: {error}'
