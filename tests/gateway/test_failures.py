"""Unexpected exceptions: the error that clients get, and the log entry."""

from __future__ import annotations

import pytest

from stategate.gateway.errors import error_document
from stategate.gateway.failures import RequestContext, to_query_error
from stategate.planner.errors import InternalError, InvalidValueError, QueryError

ASKED = RequestContext(
    client="192.0.2.1:5000", user="joe", sql="SELECT v\nFROM kv WHERE k = 'secret' -- x"
)


def test_an_unexpected_error_is_logged_but_not_sent(caplog: pytest.LogCaptureFixture) -> None:
    told = to_query_error(ZeroDivisionError("by nothing"), ASKED)
    assert isinstance(told, InternalError)
    assert "nothing" not in str(error_document(told))
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.getMessage() == (
        "internal error statement='SELECT v FROM kv WHERE k = ?' user='joe' client=192.0.2.1:5000"
    )


def test_short_memory_is_told_as_such(caplog: pytest.LogCaptureFixture) -> None:
    assert to_query_error(MemoryError(), ASKED).sqlstate == "53200"
    assert "k = ?" in caplog.text


def test_a_raised_internal_error_is_logged_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found = InternalError("it cannot be")
    assert to_query_error(found, ASKED) is found
    assert "k = ?" in caplog.text


def test_an_expected_error_is_sent_but_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    planned = InvalidValueError("x")
    assert to_query_error(planned, ASKED) is planned
    assert not caplog.records


def test_a_token_given_as_a_user_name_is_not_logged() -> None:
    assert "sgt_abc" not in str(RequestContext(client="x", user="sgt_abc"))
    assert str(RequestContext(client="x")) == "statement=None user=None client=x"


def test_the_default_error_is_internal() -> None:
    assert QueryError("x").sqlstate == InternalError.sqlstate
