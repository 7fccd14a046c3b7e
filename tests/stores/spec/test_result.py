"""Results: failures cannot be overlooked, and the positions of all partitions count."""

from __future__ import annotations

import pytest

from stategate.stores.errors import FailureReason
from stategate.stores.spec.position import EMPTY, Position
from stategate.stores.spec.result import (
    Failure,
    QueryResult,
    ResultError,
    StateQueryResult,
    Success,
    add_info,
)


def success(value: str | None, offset: int = 0) -> Success[str | None]:
    return Success(value=value, position=Position.of({"t": {0: offset}}), epoch=offset)


LOST = Failure(reason=FailureReason.NOT_PRESENT, message="it is elsewhere")
BEHIND = Failure(
    reason=FailureReason.NOT_UP_TO_BOUND, message="late", position=Position.of({"u": {1: 2}})
)


@pytest.mark.parametrize(
    ("partitions", "value"),
    [
        ({}, None),
        ({0: success(None)}, None),
        ({0: success(None), 1: success(None)}, None),
        ({0: success("Foo")}, "Foo"),
        ({0: success("Foo"), 1: success(None)}, "Foo"),
        ({0: success(None), 1: success("")}, ""),
    ],
)
def test_the_only_result(partitions: dict[int, QueryResult[str | None]], value: str | None) -> None:
    only = StateQueryResult(partitions=partitions).only_partition_result()
    assert (None if only is None else only.value) == value


@pytest.mark.parametrize(
    ("partitions", "message"),
    [
        ({0: success("Foo"), 1: success("Foo")}, "2 partitions hold a value"),
        ({0: LOST}, "partition 0 failed: NOT_PRESENT: it is elsewhere"),
        ({0: success("Foo"), 1: BEHIND}, "partition 1 failed: NOT_UP_TO_BOUND: late"),
        ({0: LOST, 1: BEHIND}, "partition 0 failed"),
    ],
)
def test_the_only_result_hides_no_failure_and_no_second_value(
    partitions: dict[int, QueryResult[str | None]], message: str
) -> None:
    with pytest.raises(ResultError, match=message):
        StateQueryResult(partitions=partitions).only_partition_result()


def test_positions_of_failures_are_merged_too() -> None:
    partitions: dict[int, QueryResult[str | None]]
    partitions = {0: success("a", 3), 1: BEHIND, 2: success(None, 5)}
    result = StateQueryResult(partitions=partitions)
    assert result.position == Position.of({"t": {0: 5}, "u": {1: 2}})
    assert result.failures == {1: BEHIND}
    empty: StateQueryResult[str] = StateQueryResult(partitions={})
    assert empty.position == EMPTY


def test_a_failure_has_no_value() -> None:
    with pytest.raises(ResultError, match="NOT_PRESENT: it is elsewhere"):
        _ = LOST.value
    with pytest.raises(ValueError, match="no value"):
        _ = LOST.value


def test_layers_add_a_line_of_info() -> None:
    found = add_info(add_info(success("a", 4), "inner"), "outer")
    assert found.info == ("inner", "outer")
    swapped = found.swap(1)
    assert (swapped.value, swapped.position, swapped.epoch, swapped.info) == (
        1,
        found.position,
        4,
        ("inner", "outer"),
    )
    assert add_info(LOST, "inner").swap(1).info == ("inner",)


@pytest.mark.parametrize("reason", FailureReason)
def test_which_failures_can_be_retried(reason: FailureReason) -> None:
    lasting = {
        FailureReason.UNKNOWN_QUERY_TYPE,
        FailureReason.DOES_NOT_EXIST,
        FailureReason.STORE_EXCEPTION,
    }
    assert reason.retryable == (reason not in lasting)


def test_results_can_be_created_with_their_type() -> None:
    made = Success[int](value=1, position=EMPTY, epoch=0)
    assert made == Success(value=1, position=EMPTY, epoch=0)
    assert StateQueryResult[int](partitions={0: made}).partitions == {0: made}
    for frozen in (made, StateQueryResult(partitions={0: made})):
        with pytest.raises(AttributeError, match="immutable"):
            frozen.position = EMPTY  # type: ignore[misc]
        with pytest.raises(AttributeError):
            del frozen.position


def test_a_success_has_no_reason() -> None:
    with pytest.raises(ResultError, match="no reason"):
        _ = success("a").reason
    assert (success("a").is_success, LOST.is_success) == (True, False)


def test_only_a_global_store_has_a_global_result() -> None:
    found = StateQueryResult(partitions={0: success("a")}, is_global=True)
    assert found.global_result == success("a")
    assert StateQueryResult(partitions={0: success("a")}).global_result is None
    nothing: StateQueryResult[str] = StateQueryResult(partitions={}, is_global=True)
    assert nothing.global_result is None
