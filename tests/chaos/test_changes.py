"""What a fault explains ends some time after the fault."""

from __future__ import annotations

import pytest

from tests.chaos import changes as module
from tests.chaos.changes import LAG_S, Changes


@pytest.fixture
def now_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr(module, "now_s", lambda: now[0])
    return now


def test_a_change_concerns_what_is_read_during_it_and_for_a_while_after_it(
    now_s: list[float],
) -> None:
    changes = Changes()
    assert not changes.concern("totals", now_s[0])
    changes.begin("totals")
    assert changes.concern("totals", now_s[0] + 1_000)
    changes.end("totals")
    assert changes.concern("totals", now_s[0] + LAG_S)
    assert not changes.concern("totals", now_s[0] + LAG_S + 1)
    assert not changes.concern("latest", now_s[0])
    assert not changes.is_being_made("totals", now_s[0]), "its definition has changed, no more"


def test_a_store_is_being_made_until_nodes_have_it(now_s: list[float]) -> None:
    changes = Changes()
    changes.begin("totals")
    changes.make_anew("totals")
    assert changes.made_anew("totals") == 1
    assert changes.is_being_made("totals", now_s[0] + 1_000)
    now_s[0] += 10
    changes.end("totals")
    assert changes.is_being_made("totals", now_s[0])
    assert not changes.is_being_made("totals", now_s[0] + LAG_S + 1)


def test_a_lost_gateway_explains_what_was_held_then(now_s: list[float]) -> None:
    changes = Changes()
    assert not changes.lost_since(now_s[0])
    changes.lose()
    assert changes.lost_since(now_s[0])
    assert not changes.lost_since(now_s[0] + LAG_S + 1)
