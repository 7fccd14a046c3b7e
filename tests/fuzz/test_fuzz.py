"""The short form of `make fuzz`: few cases of each part, always the same ones."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz import engines, histories, selects, sessions, web, wire
from tests.fuzz.open_differences import OPEN
from tests.fuzz.report import Budget, Report
from tests.support.postgres import PostgresMissingError

pytestmark = pytest.mark.server


@pytest.mark.timeout(300)
def test_selects_are_answered_as_postgres_answers_them(tmp_path: Path) -> None:
    report = Report(seed=11)
    try:
        with selects.servers(tmp_path) as found:
            selects.run(found, report, Budget(rounds=200), frozenset(OPEN))
    except PostgresMissingError as error:
        pytest.skip(str(error))
    assert not report.failures, report.verdict()
    assert report.counts["rows"] > 110


@pytest.mark.timeout(300)
def test_conversations_go_as_with_postgres(tmp_path: Path) -> None:
    report = Report(seed=11)
    try:
        with sessions.servers(tmp_path) as found:
            sessions.run(found, report, Budget(rounds=60))
    except PostgresMissingError as error:
        pytest.skip(str(error))
    assert not report.failures, report.verdict()
    assert report.counts["whole"] > 30


@pytest.mark.timeout(300)
def test_all_ways_to_run_a_statement_agree(tmp_path: Path) -> None:
    report = Report(seed=1)
    engines.run(tmp_path, report, Budget(rounds=10), frozenset(OPEN))
    assert not report.failures, report.verdict()
    assert report.cases == 10


def test_damaged_messages_leave_the_gateway_as_it_was(tmp_path: Path) -> None:
    report = Report(seed=1)
    wire.run(tmp_path, report, Budget(rounds=200))
    assert not report.failures, report.verdict()


def test_damaged_requests_leave_the_gateway_as_it_was(tmp_path: Path) -> None:
    report = Report(seed=1)
    web.run(tmp_path, report, Budget(rounds=150), frozenset(OPEN))
    assert not report.failures, report.verdict()


def test_the_history_checker_finds_planted_faults(tmp_path: Path) -> None:
    assert histories.planted_and_missed(tmp_path / "planted", random.Random(1)) == []
