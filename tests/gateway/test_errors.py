"""SQLSTATE to HTTP status, and the one shape of every error."""

from __future__ import annotations

import pytest

from stategate.gateway.errors import (
    HttpRequestError,
    error_document,
    response_headers,
    response_status,
    status_of,
)
from stategate.planner.errors import QueryError, UnavailableError


@pytest.mark.parametrize(
    ("sqlstate", "status"),
    [
        ("42601", 400),
        ("42P01", 400),
        ("42501", 403),
        ("22P02", 400),
        ("08P01", 400),
        ("54000", 400),
        ("0A000", 501),
        ("25006", 501),
        ("25P02", 400),
        ("28P01", 401),
        ("53300", 503),
        ("53200", 503),
        ("55S01", 503),
        ("55000", 503),
        ("57014", 504),
        ("57P01", 503),
        ("58030", 500),
        ("XX000", 500),
        ("XX001", 500),
        ("ZZ999", 500),
    ],
)
def test_a_code_has_its_status(sqlstate: str, status: int) -> None:
    assert status_of(sqlstate) == status
    error = QueryError("x", sqlstate=sqlstate)
    assert ("Retry-After" in response_headers(error)) == (status == 503)
    assert error_document(error)["retryable"] == (status == 503)


def test_a_request_error_has_its_own_status_and_headers() -> None:
    error = HttpRequestError("x", status=405, headers={"Allow": "POST"})
    assert response_status(error) == 405
    assert response_headers(error) == {"Allow": "POST"}


def test_the_document_always_has_all_members() -> None:
    members = ["message", "sqlstate", "detail", "hint", "position", "retryable"]
    assert list(error_document(QueryError("x"))) == members
    full = UnavailableError("x", detail="D.", hint="H.", position=3, sqlstate="55S01")
    assert list(error_document(full).values()) == ["x", "55S01", "D.", "H.", 3, True]
