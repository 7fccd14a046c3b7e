"""Statements of real clients run, and answers that once equalled PostgreSQL's still do."""

from __future__ import annotations

import pytest

from stategate.planner.pg_catalog import PgCatalog
from tests.planner.pg_catalog.answers import Answer, Side, ask_catalog
from tests.planner.pg_catalog.replay import (
    DATA,
    SERVER_VERSION,
    Captured,
    captured,
    parse,
)
from tests.planner.pg_catalog.stores import SCHEMAS, defined_stores

CATALOG = PgCatalog(defined_stores(*SCHEMAS), server_version=SERVER_VERSION)
SIDE = Side(lambda statement: ask_catalog(CATALOG, statement))
IDENTICAL = dict(
    line.split("\t") for line in (DATA / "identical.tsv").read_text().strip().splitlines()
)
"""Number → digest of an answer that equalled PostgreSQL's. The list only grows."""


@pytest.mark.parametrize(
    "statement", captured(), ids=lambda each: f"{each.number}-{each.client.split('+')[0]}"
)
def test_captured_statement(statement: Captured) -> None:
    assert CATALOG.accepts(parse(statement.with_oids(lambda _: 16384).sql))
    answer = SIDE.answer(statement)
    assert isinstance(answer, Answer), answer
    if (digest := IDENTICAL.get(str(statement.number))) is not None:
        assert answer.digest == digest


def test_the_list_of_equal_answers_does_not_shrink() -> None:
    assert len(IDENTICAL) >= 256
    assert len(IDENTICAL) / len(captured()) > 0.85
