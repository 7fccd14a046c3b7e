"""COPY, cursors, PREPARE and EXECUTE: how they are read, planned, and refused by HTTP."""

from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import (
    Argument,
    CloseCursor,
    CopyFormat,
    CopyOut,
    DeallocateStatement,
    DeclareCursor,
    Direction,
    ExecuteStatement,
    FetchCursor,
    PrepareStatement,
    RowCommand,
    StatementKind,
)
from stategate.stores.spec.schema import BIGINT, TEXT, DataType
from tests.planner.refusals import refusal
from tests.planner.sides import Sides, run


@pytest.mark.parametrize(
    ("sql", "command"),
    [
        ("FETCH c", FetchCursor(name="c")),
        ("fetch next", FetchCursor(name="next")),
        ("FETCH PRIOR FROM c", FetchCursor(name="c", direction=Direction.BACKWARD)),
        ("FETCH LAST IN c", FetchCursor(name="c", direction=Direction.ABSOLUTE, count=-1)),
        ("FETCH -3 c", FetchCursor(name="c", count=-3)),
        ("MOVE FORWARD ALL IN c", FetchCursor(name="c", count=None, move=True)),
        (
            'MOVE RELATIVE +2 FROM "C d"',
            FetchCursor(name="C d", direction=Direction.RELATIVE, count=2, move=True),
        ),
        ("CLOSE C", CloseCursor(name="c")),
        ("CLOSE ALL", CloseCursor(name=None)),
        ("DEALLOCATE PREPARE p", DeallocateStatement(name="p")),
        ("DEALLOCATE prepare", DeallocateStatement(name="prepare")),
        ("DEALLOCATE ALL", DeallocateStatement(name=None)),
        ("EXECUTE p", ExecuteStatement(name="p")),
        (
            "EXECUTE p (1, -2.5, 'a''b', NULL, true, 1 + 1, f(1, 2))",
            ExecuteStatement(
                name="p",
                arguments=(
                    Argument(sql="1", is_literal=True, literal="1"),
                    Argument(sql="-2.5"),
                    Argument(sql="'a''b'", is_literal=True, literal="a'b"),
                    Argument(sql="NULL", is_literal=True),
                    Argument(sql="true"),
                    Argument(sql="1 + 1"),
                    Argument(sql="f(1, 2)"),
                ),
            ),
        ),
    ],
)
def test_reading(sides: Sides, sql: str, command: RowCommand) -> None:
    statement = sides.engine.prepare(sql, Session())
    assert statement.row_command == command
    assert not statement.returns_rows


def test_the_query_is_planned_with_its_statement(sides: Sides) -> None:
    engine = sides.engine
    copy = engine.prepare(
        "COPY (SELECT name FROM people WHERE name = $1) TO STDOUT (HEADER)", Session()
    )
    assert copy.kind is StatementKind.COPY
    assert copy.row_command == CopyOut(header=True)
    assert copy.query is not None
    assert (copy.parameters, [c.name for c in copy.query.columns]) == ((TEXT,), ["name"])
    declare = engine.prepare(
        "DECLARE c BINARY INSENSITIVE SCROLL CURSOR WITH HOLD FOR SELECT $1::text", Session()
    )
    assert declare.row_command == DeclareCursor(name="c", binary=True, scroll=True, hold=True)
    assert declare.parameters == (TEXT,)
    prepare = engine.prepare("PREPARE p (bigint, unknown) AS SELECT $1, $2::text", Session())
    assert prepare.row_command == PrepareStatement(name="p", types=(BIGINT, None))
    assert prepare.parameters == ()
    assert prepare.query is not None
    assert prepare.query.parameters == (BIGINT, TEXT)


def test_types_of_prepare(sides: Sides) -> None:
    sql = "PREPARE p (varchar(10), double precision, int[], numeric(5,2)) AS SELECT $1, $2, $3, $4"
    command = sides.engine.prepare(sql, Session()).row_command
    assert isinstance(command, PrepareStatement)
    spelled = ("text", "double", "integer[]", "decimal(5,2)")
    assert command.types == tuple(map(DataType.parse, spelled))


def test_copy_of_a_store(sides: Sides) -> None:
    for sql, names in (
        ("COPY people TO STDOUT", None),
        ('COPY public.people (age, "name") TO STDOUT CSV', ["age", "name"]),
    ):
        query = sides.engine.prepare(sql, Session()).query
        every = sides.engine.prepare("SELECT * FROM people", Session()).columns
        assert query is not None
        assert [c.name for c in query.columns] == (names or [c.name for c in every])
    command = sides.engine.prepare("COPY BINARY people TO STDOUT", Session()).row_command
    assert command == CopyOut(format=CopyFormat.BINARY)


@pytest.mark.parametrize(
    ("sql", "sqlstate", "position"),
    [
        ("COPY nope TO STDOUT", "42P01", None),
        ("COPY (SELECT * FROM nope) TO STDOUT", "42P01", 21),
        ("COPY people (nope) TO STDOUT", "42703", None),
        ("COPY people FROM STDIN", "25006", 13),
        ("COPY people TO 'x.csv'", "42501", 16),
        ("COPY (DELETE FROM people) TO STDOUT", "25006", 7),
        ("COPY (SHOW ALL) TO STDOUT", "42601", None),
        ("COPY people TO STDOUT (FORMAT csv, FORCE_QUOTE (nope))", "42703", None),
        ("DECLARE c SCROLL NO SCROLL CURSOR FOR SELECT 1", "42P11", None),
        ("DECLARE c CURSOR FOR SELECT nope FROM people", "42703", 29),
        ("DECLARE c CURSOR FOR", "42601", None),
        ("DECLARE c FOR SELECT 1", "42601", 11),
        ("FETCH", "42601", 6),
        ("FETCH 1.5 FROM c", "42601", 7),
        ("FETCH ABSOLUTE FROM c", "42601", 16),
        ("FETCH FORWARD 1 FROM c d", "42601", 24),
        ("FETCH 99999999999999999999 FROM c", "42601", 7),
        ("EXECUTE p ()", "42601", 12),
        ("EXPLAIN EXECUTE p ()", "42601", 20),
        ("EXECUTE p (1", "42601", 13),
        ("EXECUTE p (1,)", "42601", 14),
        ("PREPARE p (nonsense) AS SELECT 1", "42704", 12),
        ("PREPARE p (nonsense[]) AS SELECT 1", "42704", 12),
        ("PREPARE p (integer, jsonpath) AS SELECT 1", "0A000", 21),
        ("PREPARE p (cidr[]) AS SELECT 1", "0A000", 12),
        ("PREPARE p AS INSERT INTO people VALUES (1)", "25006", 14),
        ("CLOSE", "42601", 6),
        ("DEALLOCATE a b", "42601", 14),
        ("NOTIFY c", "0A000", 1),
        ("NOTIFY c, 'x'", "0A000", 1),
        ("DO $$ BEGIN END $$", "0A000", 1),
    ],
)
def test_refusals(sides: Sides, sql: str, sqlstate: str, position: int | None) -> None:
    error = refusal(sides.engine, sql)
    assert (error.sqlstate, error.position) == (sqlstate, position)


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("COPY people TO STDOUT", "0A000"),
        ("DECLARE c CURSOR FOR SELECT 1", "0A000"),
        ("PREPARE p AS SELECT 1", "0A000"),
        ("FETCH c", "34000"),
        ("CLOSE c", "34000"),
        ("EXECUTE p", "0A000"),
        ("DEALLOCATE p", "26000"),
    ],
)
def test_clients_without_cursors_and_copy_get_an_error(
    sides: Sides, sql: str, sqlstate: str
) -> None:
    statement = sides.engine.prepare(sql, Session())
    with pytest.raises(QueryError) as caught:
        sides.engine.execute(statement, (), Session(), cancellation=Cancellation())
    assert caught.value.sqlstate == sqlstate


def test_close_all_and_deallocate_all_do_nothing_without_names(sides: Sides) -> None:
    for sql in ("CLOSE ALL", "DEALLOCATE ALL"):
        run(sides.engine, sql, session=Session()).close()
