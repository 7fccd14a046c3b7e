"""Transaction commands: how each is read, run and refused."""

from __future__ import annotations

import pytest

from stategate.planner.commands.transaction import (
    Begin,
    End,
    MakeSavepoint,
    Modes,
    ReleaseSavepoint,
    RollbackTo,
    SetTransaction,
    TransactionCommand,
    read_transaction,
    run_transaction,
)
from stategate.planner.errors import QueryError
from stategate.planner.syntax.parse import parse
from stategate.planner.values.session import SAVEPOINTS_MAX, Isolation, Session, TransactionStatus
from stategate.planner.values.statement import StatementKind

REPEATABLE = Modes(isolation=Isolation.REPEATABLE_READ)


@pytest.mark.parametrize(
    ("sql", "command"),
    [
        ("BEGIN", Begin(modes=Modes())),
        ("begin work", Begin(modes=Modes())),
        ("BEGIN READ WRITE", Begin(modes=Modes())),
        ("START TRANSACTION READ ONLY", Begin(modes=Modes(), kind=StatementKind.START)),
        ("BEGIN ISOLATION LEVEL REPEATABLE READ", Begin(modes=REPEATABLE)),
        (
            "BEGIN TRANSACTION ISOLATION LEVEL serializable READ ONLY, NOT DEFERRABLE",
            Begin(modes=Modes(isolation=Isolation.SERIALIZABLE, deferrable=False)),
        ),
        (
            "BEGIN DEFERRABLE, ISOLATION LEVEL READ UNCOMMITTED",
            Begin(modes=Modes(isolation=Isolation.READ_UNCOMMITTED, deferrable=True)),
        ),
        ("COMMIT", End(commit=True)),
        ("END TRANSACTION", End(commit=True)),
        ("COMMIT AND NO CHAIN", End(commit=True)),
        ("COMMIT WORK AND CHAIN", End(commit=True, chain=True)),
        ("ROLLBACK", End(commit=False)),
        ("ABORT AND CHAIN", End(commit=False, chain=True)),
        ("ROLLBACK TO a", RollbackTo(name="a")),
        ("ROLLBACK TRANSACTION TO SAVEPOINT A", RollbackTo(name="a")),
        ('SAVEPOINT "My point"', MakeSavepoint(name="My point")),
        ("RELEASE a", ReleaseSavepoint(name="a")),
        ("RELEASE SAVEPOINT a", ReleaseSavepoint(name="a")),
        ("RELEASE SAVEPOINT", ReleaseSavepoint(name="savepoint")),
        (
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            SetTransaction(modes=REPEATABLE, for_session=False),
        ),
        (
            "SET LOCAL TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            SetTransaction(modes=REPEATABLE, for_session=False),
        ),
        (
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            SetTransaction(modes=REPEATABLE, for_session=True),
        ),
        ("SET application_name = 'x'", None),
        ("SET transaction_isolation = 'serializable'", None),
        ("SELECT 1", None),
    ],
)
def test_commands_are_read(sql: str, command: TransactionCommand | None) -> None:
    assert read_transaction(parse(sql)) == command


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("BEGIN NOW", "NOW"),
        ("BEGIN ISOLATION LEVEL REPEATABLE WRITE", "REPEATABLE"),
        ("BEGIN READ", "READ"),
        ("START", None),
        ("COMMIT AND", None),
        ("COMMIT TO a", "TO"),
        ("ROLLBACK TO", None),
        ("ROLLBACK TO a b", "b"),
        ("SAVEPOINT 'a'", "'a'"),
        ("RELEASE", None),
        ("RELEASE table", "table"),
        ("SET TRANSACTION", None),
        ("SET SESSION CHARACTERISTICS AS", None),
    ],
)
def test_errors_point_at_the_word(sql: str, word: str | None) -> None:
    with pytest.raises(QueryError) as caught:
        read_transaction(parse(sql))
    at = len(sql) if word is None else sql.index(word, 1)
    assert (caught.value.sqlstate, caught.value.position) == ("42601", at + 1)


def do(session: Session, *texts: str) -> list[str]:
    notices: list[str] = []
    for text in texts:
        command = read_transaction(parse(text))
        assert command is not None
        notices += [n.message for n in run_transaction(command, session).notices]
    return notices


def test_a_savepoint_hides_another_of_its_name() -> None:
    session = Session()
    do(session, "BEGIN", "SAVEPOINT a")
    session.set("x", "1")
    do(session, "SAVEPOINT a")
    session.set("x", "2")
    do(session, "ROLLBACK TO a", "ROLLBACK TO a")
    assert session.settings == {"x": "1"}
    do(session, "RELEASE a", "ROLLBACK TO a")
    assert session.settings == {}
    do(session, "SAVEPOINT b", "RELEASE a")
    assert not session.in_subtransaction


def test_a_savepoint_is_older_than_cursors_declared_after_it() -> None:
    session = Session()
    do(session, "BEGIN", "SAVEPOINT a", "SAVEPOINT b")
    assert (session.savepoints_made, session.savepoint_number) == (2, 2)
    do(session, "RELEASE b", "SAVEPOINT c")
    assert (session.savepoints_made, session.savepoint_number) == (3, 3)
    do(session, "ROLLBACK TO a")
    assert session.savepoint_number == 1
    do(session, "COMMIT", "BEGIN")
    assert (session.savepoints_made, session.savepoint_number) == (0, 0)


def test_the_number_of_savepoints_is_limited() -> None:
    session = Session()
    do(session, "BEGIN", *["SAVEPOINT a"] * SAVEPOINTS_MAX)
    with pytest.raises(QueryError) as caught:
        do(session, "SAVEPOINT a")
    assert caught.value.sqlstate == "54000"


def test_a_chained_transaction_keeps_the_modes() -> None:
    session = Session()
    do(session, "BEGIN ISOLATION LEVEL SERIALIZABLE, DEFERRABLE", "SAVEPOINT a", "COMMIT AND CHAIN")
    assert session.transaction is TransactionStatus.ACTIVE
    assert (session.isolation, session.deferrable) == (Isolation.SERIALIZABLE, True)
    assert not session.in_subtransaction
    session.fail()
    command = read_transaction(parse("COMMIT AND CHAIN"))
    assert command is not None
    assert run_transaction(command, session).kind is StatementKind.ROLLBACK
    assert session.transaction is TransactionStatus.ACTIVE


def test_commands_without_effect_give_a_notice() -> None:
    session = Session()
    assert do(session, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "ROLLBACK") == [
        "SET TRANSACTION can only be used in transaction blocks",
        "there is no transaction in progress",
    ]
    assert do(session, "BEGIN", "BEGIN ISOLATION LEVEL SERIALIZABLE") == [
        "there is already a transaction in progress"
    ]
    assert session.isolation is Isolation.SERIALIZABLE


def test_the_current_modes_may_be_set_again() -> None:
    session = Session()
    do(session, "BEGIN ISOLATION LEVEL SERIALIZABLE")
    session.has_queried = True
    do(session, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY")
    with pytest.raises(QueryError, match="must be called before any query"):
        do(session, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED")


def test_a_setting_of_the_session_replaces_that_of_the_transaction() -> None:
    session = Session(settings={"x": "0"})
    do(session, "BEGIN")
    session.set("x", "1", local=True)
    session.set("y", "1", local=True)
    session.set("x", "2")
    do(session, "COMMIT")
    assert session.settings == {"x": "2"}
    do(session, "BEGIN")
    session.set("x", "3")
    session.reset("x")
    do(session, "ROLLBACK")
    assert session.settings == {"x": "2"}
