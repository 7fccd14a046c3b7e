"""Errors of values that are raised when rows are computed."""

from __future__ import annotations

import contextlib

from stategate.planner.sql import SqlEngine
from tests.planner.refusals import refusal
from tests.support.stores import FixedCatalog


def test_a_late_error_keeps_its_hint() -> None:
    with contextlib.closing(SqlEngine(FixedCatalog())) as engine:
        error = refusal(engine, "SELECT json_build_object('a', 1, 'b')")
    assert (error.sqlstate, error.message) == (
        "22023",
        "argument list must have even number of elements",
    )
    assert error.hint == (
        "The arguments of json_build_object() must consist of alternating keys and values."
    )
