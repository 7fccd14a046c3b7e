"""The tally of a statement has one answer for each partition, which shows every failure."""

from __future__ import annotations

from itertools import permutations

from stategate.planner.running.consistency import Reading
from stategate.planner.running.gathering import Tally
from stategate.planner.syntax.options import ReadOptions
from stategate.stores.errors import FailureReason
from stategate.stores.spec.position import EMPTY
from stategate.stores.spec.result import Failure, QueryResult, Success


def test_a_partition_that_has_failed_once_stays_failed() -> None:
    answers: list[QueryResult[None]] = [
        Success(value=None, position=EMPTY, epoch=3),
        Success(value=None, position=EMPTY, epoch=3, info=("read",)),
        Failure(reason=FailureReason.NOT_ACTIVE, message="a standby", info=("refused",)),
    ]
    for order in permutations(answers):
        tally = Tally(reading=Reading(options=ReadOptions()), node="here")
        for answer in order:
            tally.note("clicks", 0, answer)
        [noted] = tally.answers
        assert (noted.status, noted.reason, noted.message) == ("failed", "NOT_ACTIVE", "a standby")
        assert set(noted.info) == {"read", "refused"}
