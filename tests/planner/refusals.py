"""The errors with which statements are refused."""

from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import Row
from tests.planner.sides import rows_of, run


def refusal(
    engine: SqlEngine, sql: str, parameters: Row = (), session: Session | None = None
) -> QueryError:
    """Return the error of a statement that must fail when it is planned, run or read."""
    with pytest.raises(QueryError) as caught:
        rows_of(run(engine, sql, parameters, session))
    return caught.value
