"""One error for all failed partitions; codes and what they say of a retry."""

from __future__ import annotations

from planner.errors import (
    QueryError,
    StoreFailedError,
    UnavailableError,
)
from planner.values.partition_failures import SQLSTATE_BY_REASON, partitions_failed
from stores.errors import FailureReason


def test_every_reason_has_a_code_a_hint_and_a_place_in_the_order() -> None:
    assert set(SQLSTATE_BY_REASON) == set(FailureReason)
    for reason in FailureReason:
        error = partitions_failed([("s", 1, reason, "said")])
        assert error.sqlstate == SQLSTATE_BY_REASON[reason]
        assert error.retryable is reason.retryable
        assert error.hint is not None
        assert error.message == 'partition 1 of store "s" did not answer: said'


def test_the_worst_failure_names_the_error() -> None:
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


def test_a_retry_can_help_only_if_it_can_help_with_every_reason() -> None:
    both = [
        ("s", 0, FailureReason.NOT_UP_TO_BOUND, "behind"),
        ("s", 1, FailureReason.DOES_NOT_EXIST, "never"),
    ]
    assert not partitions_failed(both).retryable
    assert isinstance(partitions_failed(both[:1]), UnavailableError)


def test_an_instance_can_have_a_code_of_its_own() -> None:
    assert QueryError("x").sqlstate == "XX000"
    assert QueryError("x", sqlstate="22P02").sqlstate == "22P02"
    assert QueryError.sqlstate == "XX000"
