"""Law: composing processes read a column of texts as the records of types read one text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.sqltypes import SPELLED
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import DataType, Kind
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

DIGITS = "08002B0102030A0b0c0d0e0f10111213"
TEXTS = [
    *("", " ", "x", "NULL", "{}", "{", "0", "-", ":", "\u212a", "\u0660" * 12),
    *(
        DIGITS,
        DIGITS[:12],
        DIGITS[:11],
        f"{{{DIGITS}}}",
        f"{{{DIGITS}",
        f"{DIGITS}\n",
        f" {DIGITS}",
    ),
    *(separator.join(DIGITS[at : at + 2] for at in range(0, 12, 2)) for separator in ":-. "),
    *(separator.join(DIGITS[at : at + 4] for at in range(0, 12, 4)) for separator in ":-."),
    *(separator.join(DIGITS[at : at + 6] for at in range(0, 12, 6)) for separator in ":-."),
    *("-".join(DIGITS[at : at + 4] for at in range(0, 32, 4)), f"{DIGITS[:8]}-{DIGITS[8:]}"),
    *(
        "8:0:2b:1:2:3",
        "8-0-2B-1-2-3",
        " 8:0:2b:1:2:3\t\n",
        "8:0:2b:1:2",
        "108:0:2b:1:2:3",
        "8.0.2.1",
    ),
]


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    texts = open_store(keyvalue("texts", {"n": "bigint"}, {"t": "text"}))
    fill(texts, list(enumerate(TEXTS)))
    made = SqlEngine(FixedCatalog(texts))
    yield made
    made.close()


@pytest.mark.parametrize("kind", sorted(SPELLED, key=str))
@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_columns_of_texts_are_read_as_texts_are(engine: SqlEngine, kind: Kind, number: int) -> None:
    name = kind.record.postgres
    sql = f"SELECT t::{name}, ARRAY[t, NULL]::{name}[] FROM texts WHERE n = {number}"
    value = wrong = None
    try:
        value = parse_value(TEXTS[number], DataType(kind=kind))
    except QueryError as error:
        wrong = (error.sqlstate, error.message)
    if wrong is None:
        assert rows_of(run(engine, sql)) == [(value, [value, None])]
    else:
        with pytest.raises(QueryError) as caught:
            rows_of(run(engine, sql))
        assert (caught.value.sqlstate, caught.value.message) == wrong
