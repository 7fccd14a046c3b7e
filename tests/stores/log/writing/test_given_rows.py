"""Rows of any library that hands out Arrow data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from stategate.stores.errors import ArgumentError, SchemaError
from stategate.stores.log.writing.given_rows import ArrowStream
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.stores import keyvalue

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"})
TABLE = pa.table({"usr": ["ann", "bob"], "n": [1, 2]})


class Foreign:
    """A frame of a library that we have never heard of."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        capsule: object = TABLE.__arrow_c_stream__(requested_schema)
        return capsule


GIVEN: dict[str, Any] = {
    "table": lambda: TABLE,
    "batch": lambda: TABLE.to_batches()[0],
    "reader": TABLE.to_reader,
    "pandas": lambda: pd.DataFrame({"usr": ["ann", "bob"], "n": [1, 2]}),
    "views": lambda: TABLE.set_column(0, "usr", TABLE["usr"].cast(pa.string_view())),
    "duckdb": lambda: duckdb.connect().sql("FROM (VALUES ('ann', 1), ('bob', 2)) t(usr, n)"),
    "foreign": Foreign,
}


@pytest.mark.parametrize("name", GIVEN)
def test_any_arrow_data_are_rows(tmp_path: Path, name: str) -> None:
    rows: ArrowStream = GIVEN[name]()
    writer = StoreWriter(tmp_path, CLICKS)
    commit = writer.write(rows, position=Position(), epoch=0)
    assert commit.rows == 2
    assert writer.write(TABLE, position=Position(), epoch=0) == commit  # the same rows


@pytest.mark.parametrize("rows", [3, None, [{"usr": "ann", "n": 1}], "usr", TABLE.schema])
def test_anything_else_is_refused(tmp_path: Path, rows: Any) -> None:
    with pytest.raises((ArgumentError, SchemaError), match="rows "):
        StoreWriter(tmp_path, CLICKS).write(rows, position=Position())


def test_a_column_alone_is_refused(tmp_path: Path) -> None:
    column: Any = pa.chunked_array([["ann"]])
    with pytest.raises(SchemaError, match="cannot be read as a table"):
        StoreWriter(tmp_path, CLICKS).write(column, position=Position())
