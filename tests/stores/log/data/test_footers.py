"""The footers of Parquet files, read here as pyarrow reads them."""

from __future__ import annotations

import contextlib
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.log.data.footers import Chunk, chunks

ROWS = pa.table(
    {
        "text": ["a", "b", None] * 100,
        "number": list(range(300)),
        "flag": [True, None, False] * 100,
        "list": [["x", "y"], [], None] * 100,
        "map": pa.array([[("k", 1)], [], None] * 100, pa.map_(pa.string(), pa.int64())),
        "struct": [{"a": {"b": "text"}}, {"a": None}, None] * 100,
        "nothing": pa.nulls(300, pa.float64()),
    }
)


def written(**how: object) -> bytes:
    stream = io.BytesIO()
    pq.write_table(ROWS, stream, **how)
    return stream.getvalue()


def read(data: bytes) -> list[Chunk]:
    return chunks(pa.BufferReader(data), len(data))


@pytest.mark.parametrize("row_group_size", [300, 7])
@pytest.mark.parametrize("use_dictionary", [True, False, ["text"]])
@pytest.mark.parametrize("write_statistics", [True, False])
def test_chunks_are_those_of_pyarrow(
    row_group_size: int, use_dictionary: object, *, write_statistics: bool
) -> None:
    data = written(
        row_group_size=row_group_size,
        use_dictionary=use_dictionary,
        write_statistics=write_statistics,
        write_page_index=write_statistics,
        column_encoding=None,
    )
    metadata = pq.read_metadata(io.BytesIO(data))
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    assert read(data) == [
        Chunk(
            path=column.path_in_schema,
            values=column.num_values,
            size_bytes=column.total_uncompressed_size,
            is_packed=column.has_dictionary_page and column.physical_type == "BYTE_ARRAY",
        )
        for group in groups
        for column in (group.column(number) for number in range(group.num_columns))
    ]


WRITTEN = written(row_group_size=100)
FOOTER = len(WRITTEN) - 8 - int.from_bytes(WRITTEN[-8:-4], "little")


@given(st.lists(st.tuples(st.integers(FOOTER, len(WRITTEN) - 1), st.integers(1, 255)), max_size=8))
def test_a_damaged_footer_is_an_error_or_read(changes: list[tuple[int, int]]) -> None:
    data = bytearray(WRITTEN)
    for place, change in changes:
        data[place] ^= change
    with contextlib.suppress(ValueError):
        read(bytes(data))


@pytest.mark.parametrize("kept", [0, 7, 8, 100, FOOTER + 40, len(WRITTEN) - 1])
def test_a_cut_file_has_no_footer(kept: int) -> None:
    with pytest.raises(ValueError, match="footer"):
        read(WRITTEN[:kept])
