"""The state of a session between statements."""

from __future__ import annotations

from stategate.planner.values.session import Session, TransactionStatus
from stategate.stores.spec.position import EMPTY, Position


def test_positions_merge() -> None:
    session = Session()
    assert session.seen is EMPTY
    first = Position.of({"a": {0: 5}})
    for position in (first, Position.of({"a": {0: 3, 1: 7}}), first):
        session.note(position)
    assert session.seen == Position.of({"a": {0: 5, 1: 7}})


def test_settings_return_to_their_initial_values() -> None:
    session = Session(settings={"a": "1"}, user="ann")
    session.set("a", "2")
    session.set("b", "3")
    assert session.settings == {"a": "2", "b": "3"}
    session.reset("b")
    session.reset("never set")
    assert session.settings == {"a": "2"}
    session.reset(None)
    assert (session.settings, session.user) == ({"a": "1"}, "ann")


def test_only_an_open_transaction_fails() -> None:
    session = Session()
    session.fail()
    assert session.transaction is TransactionStatus.IDLE
    session.transaction = TransactionStatus.ACTIVE
    session.fail()
    session.fail()
    assert session.transaction is TransactionStatus.FAILED
