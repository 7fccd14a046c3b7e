"""Records of functions: how a line is read, and what they say beside PostgreSQL's pg_proc."""

from __future__ import annotations

import duckdb
import pytest

from stategate.planner.composing.functions.macros import MACROS
from stategate.planner.composing.functions.python_functions import PYTHON_FUNCTIONS
from stategate.planner.pg_catalog.builtin_rows import proc_lines
from stategate.planner.postgres.expressions import calls
from stategate.planner.records.duckdb_functions import AGGREGATES_OF_DUCKDB, DUCKDB_FUNCTIONS
from stategate.planner.records.functions import RECORDS
from stategate.planner.records.record import (
    ByArguments,
    FunctionRecord,
    OfParameter,
    Volatility,
    records,
)
from stategate.stores.spec.schema import BIGINT, INTEGER, TEXT, decimal_type

ONE_MOMENT = {"clock_timestamp"}
"""Functions that are stable here and volatile in PostgreSQL."""


def read(line: str) -> FunctionRecord:
    (found,) = records(f"\n    {line}\n").values()
    return found


def test_parameters_that_may_be_left_out_make_signatures() -> None:
    found = read("lpad: (text, integer, text?) -> text")
    assert found.signatures == [(TEXT, INTEGER), (TEXT, INTEGER, TEXT)]
    assert found.result == TEXT
    assert [count for count in range(6) if found.allows(count)] == [2, 3]


def test_any_number_of_arguments_may_follow() -> None:
    found = read("format: (text) (text, any...) -> text; stable, takes NULL")
    assert found.signatures == [(TEXT,), (TEXT,)]
    assert [count for count in range(4) if found.allows(count)] == [1, 2, 3]
    assert found.forms[0].volatility is Volatility.STABLE
    assert found.forms[0].takes_null


def test_arguments_of_any_type_are_counted_and_not_resolved() -> None:
    found = read("count: (any?) -> bigint")
    assert not found.signatures
    assert found.counts == {0, 1}
    assert found.result == BIGINT


def test_lines_of_one_name_are_joined() -> None:
    found = records(
        """
    age: (timestamp) -> interval; stable
    age: (timestamp, timestamp)
      -> interval
"""
    )["age"]
    assert [form.volatility for form in found.forms] == [Volatility.STABLE, Volatility.IMMUTABLE]
    assert found.counts == {1, 2}


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("a: (text) -> first", ByArguments.FIRST),
        ("a: (numeric) -> number", ByArguments.NUMBER),
        ("a: (text, text) -> $2", OfParameter(1)),
        ("a: (text) -> decimal(38,0)", decimal_type(38, 0)),
        ("a: (text)", None),
    ],
)
def test_results(line: str, result: object) -> None:
    assert read(line).result == result


@pytest.mark.parametrize("line", ["a: (texts)", "a: (text) -> txt", "a; immutible", "a -> b -> c"])
def test_what_is_not_a_record_is_refused(line: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        read(line)


def test_volatility_nulls_and_rows_are_those_of_pg_proc() -> None:
    """A form's facts are PostgreSQL's for a function of this name and number of arguments."""
    theirs: dict[tuple[str, int], set[tuple[str, bool, bool]]] = {}
    for line in proc_lines():
        name, kind, rows, volatility, strict, count = *line[1:6], int(line[6])
        if kind == "f":
            facts = volatility, strict != "t", rows == "t"
            theirs.setdefault((name, count), set()).add(facts)
    compared = 0
    for name, record in RECORDS.items():
        for form in record.forms:
            for signature in form.signatures:
                known = theirs.get((name, len(signature)))
                if known is None or form.is_variadic or name in ONE_MOMENT:
                    continue
                volatility = form.volatility.name.lower()[0]
                mine = volatility, form.takes_null, form.returns_rows
                assert mine in known, (name, signature)
                compared += 1
    assert compared > 80


def test_a_function_is_written_by_its_record_or_by_a_rule() -> None:
    modules = ("text_calls", "patterns", "time_calls", "interval_calls", "number_calls")
    tables = [
        getattr(calls, each).CALLS
        for each in (*modules, "arithmetic", "arrays", "json_rules", "json_makers")
    ]
    for name, record in RECORDS.items():
        if record.duckdb_name is not None:
            assert not any(name in table for table in tables), name


def test_names_of_duckdb_are_functions_that_there_are() -> None:
    macros = {macro.partition("(")[0] for macro in MACROS} | set(PYTHON_FUNCTIONS)
    names = {record.duckdb_name for record in RECORDS.values() if record.duckdb_name}
    assert {name for name in names if name.startswith("pg_sg_")} <= macros


def test_a_name_is_postgresqls_or_duckdbs() -> None:
    assert not RECORDS.keys() & DUCKDB_FUNCTIONS


def test_aggregates_of_duckdb_are_those_that_it_lists_and_macros_of_them() -> None:
    listed = (
        duckdb.connect()
        .sql(
            "SELECT DISTINCT function_name, function_type, coalesce(macro_definition, '') "
            "FROM duckdb_functions()"
        )
        .fetchall()
    )
    plain = {name for name, kind, _ in listed if kind == "aggregate"}
    macros = {
        name
        for name, kind, text in listed
        if kind == "macro" and any(f"{each}(" in text for each in ("sum", "avg", "geomean"))
    }
    assert set(AGGREGATES_OF_DUCKDB) == DUCKDB_FUNCTIONS & (plain | macros) - RECORDS.keys()
