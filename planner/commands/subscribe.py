"""Read SUBSCRIBE, and the columns of its rows.

    SUBSCRIBE [TO] { relation | ( query ) } [ WITH ( option [, option] … ) ]
    option:  SNAPSHOT [ = boolean ] | AFTER = 'token'

The syntax is Materialize's; its `AS OF` is a token here, and progress is always told.
"""

from __future__ import annotations

from stategate.planner.errors import InvalidSyntaxError
from stategate.planner.syntax.token_reader import Words
from stategate.planner.values.statement import Subscribe
from stategate.stores.spec.schema import BIGINT, JSON, TEXT, Column

CHANGE_COLUMNS = (
    Column(name="_change", type=TEXT),
    Column(name="_epoch", type=BIGINT),
    Column(name="_token", type=TEXT),
    Column(name="_position", type=JSON),
)
"""The columns before those of the query; the last two are NULL but in progress rows."""
_FLAGS = {"TRUE": True, "ON": True, "1": True, "FALSE": False, "OFF": False, "0": False}


def read_subscribe(words: Words) -> tuple[Subscribe, str, int | None]:
    """Read a SUBSCRIBE.

    Returns:
        The command; its query; and where the query begins in the text, None if it was made from
        the name of a relation.

    Raises:
        InvalidSyntaxError: it is malformed.
    """
    words.expect("SUBSCRIBE")
    words.take("TO")
    offset: int | None = None
    if words.peek() == "(":
        offset, end = words.parenthesised()
        query = words.sql[offset:end]
    else:
        query = f"SELECT * FROM {_relation(words)}"
    command = _options(words) if words.take("WITH") else Subscribe()
    words.finish()
    return command, query, offset


def _relation(words: Words) -> str:
    start = words.start
    words.name()
    while words.take("."):
        words.name()
    return words.sql[start : words.end]


def _options(words: Words) -> Subscribe:
    words.expect("(")
    snapshot, token = True, None
    seen: set[str] = set()
    while True:
        option = words.peek()
        if option in seen:
            raise InvalidSyntaxError("conflicting or redundant options", position=words.start + 1)
        seen.add(option)
        if words.take("SNAPSHOT"):
            snapshot = _flag(words)
        elif words.take("AFTER"):
            words.take("=")
            token = words.string()
        else:
            raise words.problem()
        if not words.take(","):
            break
    words.expect(")")
    return Subscribe(token=token, snapshot=snapshot)


def _flag(words: Words) -> bool:
    """Read the value of an option; without one it is on."""
    if not words.take("=") and words.peek() not in _FLAGS:
        return True
    if (found := _FLAGS.get(words.peek())) is None:
        raise words.problem()
    words.skip()
    return found
