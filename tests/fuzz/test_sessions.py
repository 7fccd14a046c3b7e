"""What counts as a difference between two answers in a conversation."""

from __future__ import annotations

import pytest

from tests.fuzz.comparison import Reply
from tests.fuzz.grammar.conversations import Step
from tests.fuzz.sessions import Heard, compared

_ROWS = Reply(names=("x0",), types=(23,), rows=((1,),))
_JOIN = "SELECT * FROM (SELECT 1 FROM a FULL JOIN b ON true OR a.x > b.x) AS q (x0) ORDER BY 1"


def failed(sqlstate: str) -> Reply:
    return Reply(sqlstate=sqlstate, message="no")


@pytest.mark.parametrize(
    ("sql", "ours", "theirs", "is_wrong"),
    [
        (_JOIN, _ROWS, _ROWS, False),
        (_JOIN, _ROWS, failed("0A000"), False),
        (_JOIN, failed("0A000"), _ROWS, False),
        (_JOIN, _ROWS, failed("42601"), True),
        (_JOIN, failed("42601"), _ROWS, True),
        # A command whose rows are no query's cannot be supported by us alone.
        ("SHOW a", _ROWS, failed("0A000"), True),
    ],
)
def test_an_answer_that_postgresql_does_not_support_is_no_difference(
    sql: str, ours: Reply, theirs: Reply, *, is_wrong: bool
) -> None:
    heard = Heard(replies=[ours]), Heard(replies=[theirs])
    _, difference = compared(*heard, Step(sql=sql))
    assert (difference is not None) is is_wrong
