"""Reads the rows of a file, or of a pipe, as Arrow batches of bounded size.

pyarrow reads CSV, TSV, Parquet and Arrow; orjson reads NDJSON, whose numbers of rows pyarrow does
not report. Rows are numbered from 1, without a header.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from enum import Enum
from pathlib import PurePath
from typing import Any, BinaryIO, TypeAlias

import orjson
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from stategate.stores.errors import ArgumentError, SchemaError
from stategate.stores.loading.text_columns import column_of_texts, guessed_type, unescaped
from stategate.stores.spec.arguments import same_name, shown
from stategate.stores.spec.datatypes import TEXT, DataType
from stategate.stores.types.kinds import Kind

Types: TypeAlias = MutableMapping[str, DataType]
"""Types of columns by name. A reader takes these, and adds those of all other columns."""
_Batches: TypeAlias = Iterator[pa.RecordBatch]

BLOCK_BYTES = 4 << 20
"""Bytes of text that are read at a time; a row must be shorter."""
BLOCK_ROWS = 65_536
_LINES = 16_384
_HEADER_BYTES = 1 << 20
_NESTED = frozenset({Kind.ARRAY, Kind.STRUCT, Kind.MAP})


class Format(Enum):
    """How the rows are written."""

    CSV = "csv"
    """With a header; an empty field without quotes is NULL."""
    TSV = "tsv"
    """PostgreSQL's text format with a header, as `stategate sql` writes it in a pipe."""
    NDJSON = "ndjson"
    """One JSON object a line; a missing field is NULL."""
    PARQUET = "parquet"
    ARROW = "arrow"
    """A stream or a file of Arrow batches."""


_SUFFIXES = {
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".ndjson": Format.NDJSON,
    ".jsonl": Format.NDJSON,
    ".parquet": Format.PARQUET,
    ".arrow": Format.ARROW,
    ".arrows": Format.ARROW,
    ".feather": Format.ARROW,
}


def format_of(path: str) -> Format:
    """Return the format that the end of a path names.

    Raises:
        ArgumentError: it names none.
    """
    found = _SUFFIXES.get(PurePath(path).suffix.lower())
    if found is None:
        known = ", ".join(each.value for each in Format)
        raise ArgumentError(f"the format of {shown(path)} is not known: name one of {known}")
    return found


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading.

    Raises:
        ArgumentError: it cannot be opened.
    """
    try:
        stream = open(path, "rb")  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{shown(path)} cannot be read: {error}") from error
    with stream:
        yield stream


def rows_of(stream: BinaryIO, form: Format, types: Types) -> _Batches:
    """Yield the rows of a stream. Columns of known types are of them, as far as text has no types.

    Args:
        stream: the bytes, read once from start to end.
        form: their format.
        types: types of columns. With the first batch those of all other columns are added, which
            text formats guess from its rows.

    Raises:
        SchemaError: a row cannot be read, or a text is not a value of its type.
        ArgumentError: the stream cannot be read.
    """
    try:
        for batch in _READERS[form](stream, types):
            if (wrong := same_name(batch.schema.names)) is not None:
                raise SchemaError(f"the rows have columns {wrong}")
            yield batch
    except pa.ArrowException as error:
        raise SchemaError(f"the input is not {form.value}: {_located(str(error))}") from error
    except OSError as error:
        raise ArgumentError(f"the input cannot be read: {error}") from error


def _located(message: str) -> str:
    """Return pyarrow's message with the number of the row as we count it, in one line."""
    line = " ".join(message.split())
    return re.sub(r"Row #(\d+)", lambda found: f"row {int(found[1]) - 1}", line)


def _csv(stream: BinaryIO, types: Types) -> _Batches:
    return _texts(stream, types, pa.csv.ParseOptions(newlines_in_values=True), null="")


def _tsv(stream: BinaryIO, types: Types) -> _Batches:
    options = pa.csv.ParseOptions(delimiter="\t", quote_char=False)
    return _texts(stream, types, options, null="\\N", decode=unescaped)


def _texts(
    stream: BinaryIO,
    types: Types,
    options: pa.csv.ParseOptions,
    *,
    null: str,
    decode: Callable[[Any], Any] = lambda column: column,
) -> _Batches:
    """Yield rows of text with a header, a block at a time."""
    with _native(stream) as file:
        yield from _texts_of(file, types, options, null=null, decode=decode)


def _texts_of(
    file: pa.NativeFile,
    types: Types,
    options: pa.csv.ParseOptions,
    *,
    null: str,
    decode: Callable[[Any], Any],
) -> _Batches:
    names = _header(file, options)
    reader = pa.csv.open_csv(
        file,
        # Only one thread counts the rows, for errors.
        read_options=pa.csv.ReadOptions(block_size=BLOCK_BYTES, use_threads=False),
        parse_options=options,
        convert_options=pa.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[null],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    row = 1
    for batch in reader:
        columns = []
        for name, texts in zip(names, map(decode, batch.columns), strict=True):
            if name not in types:
                types[name] = guessed_type(texts)
            columns.append(column_of_texts(texts, types[name], name=name, row=row))
        yield pa.RecordBatch.from_arrays(columns, names=names)
        row += batch.num_rows
    if row == 1:
        for name in names:
            types.setdefault(name, TEXT)
        fields = [(name, types[name].arrow) for name in names]
        yield pa.RecordBatch.from_pylist([], schema=pa.schema(fields))


def _header(file: pa.NativeFile, options: pa.csv.ParseOptions) -> list[str]:
    """Return the names of the columns, and rewind the file."""
    line = file.read(_HEADER_BYTES).split(b"\n", 1)[0]
    file.seek(0)
    found: list[str] = pa.csv.open_csv(
        pa.BufferReader(line + b"\n"), parse_options=options
    ).schema.names
    if (wrong := same_name(found)) is not None:
        raise SchemaError(f"the header has columns {wrong}")
    return found


def _ndjson(stream: BinaryIO, types: Types) -> _Batches:
    names: list[str] = []
    row = 1
    while lines := list(itertools.islice(stream, _LINES)):
        rows = [_object(line, n) for n, line in enumerate(filter(bytes.strip, lines), row)]
        fresh = [name for name in dict.fromkeys(itertools.chain(*rows)) if name not in names]
        for name in fresh:
            if name not in types:
                types[name] = _json_type(name, [each.get(name) for each in rows])
        names += fresh
        columns = [
            _json_column([each.get(name) for each in rows], types[name], name=name, row=row)
            for name in names
        ]
        yield pa.RecordBatch.from_arrays(columns, names=names)
        row += len(rows)


def _object(line: bytes, row: int) -> dict[str, Any]:
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise SchemaError(f"row {row}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise SchemaError(f"row {row}: {shown(line.decode().strip())} is not a JSON object")
    return found


def _json_type(name: str, values: list[Any]) -> DataType:
    try:
        found = DataType.from_arrow(pa.array(values).type)
    except (pa.ArrowException, SchemaError, OverflowError) as error:
        raise SchemaError(f'column "{name}": name its type, its values differ: {error}') from error
    return TEXT if found.kind is Kind.NULL else found


def _json_column(values: list[Any], data_type: DataType, *, name: str, row: int) -> Any:
    if data_type.kind not in _NESTED:
        as_json = data_type.kind is Kind.JSON
        texts = [None if v is None else _json_text(v, as_json=as_json) for v in values]
        return column_of_texts(pa.array(texts, pa.string()), data_type, name=name, row=row)
    try:
        return pa.array(values, data_type.arrow)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        pass
    for number, value in enumerate(values, row):
        try:
            pa.array([value], data_type.arrow)
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            raise SchemaError(
                f'row {number}: column "{name}": {shown(value)} is not a value of type {data_type}'
            ) from error
    raise AssertionError("a column that Arrow refuses has a value that it refuses")


def _json_text(value: Any, *, as_json: bool) -> str:
    if isinstance(value, str) and not as_json:
        return value
    return repr(value) if isinstance(value, float) else orjson.dumps(value).decode()


def _parquet(stream: BinaryIO, types: Types) -> _Batches:
    with _native(stream) as native:
        file = pq.ParquetFile(native, pre_buffer=False)
        yield from _typed(file.schema_arrow, file.iter_batches(BLOCK_ROWS), types)


def _arrow(stream: BinaryIO, types: Types) -> _Batches:
    with _native(stream) as native:
        is_file = native.read(6) == b"ARROW1"
        native.seek(0)
        if is_file:
            file = pa.ipc.open_file(native)
            batches = (file.get_batch(number) for number in range(file.num_record_batches))
            yield from _typed(file.schema, batches, types)
        else:
            reader = pa.ipc.open_stream(native)
            yield from _typed(reader.schema, reader, types)


@contextmanager
def _native(stream: BinaryIO) -> Iterator[pa.NativeFile]:
    """Open the bytes of a stream as a file of pyarrow; those of a pipe are copied to a file first.

    pyarrow's threads read ahead. One that calls a Python stream while the interpreter ends, as
    after an error, aborts the process.
    """
    name = getattr(stream, "name", None)
    if isinstance(name, str) and os.path.isfile(name):
        with pa.OSFile(name) as file:
            yield file
        return
    with tempfile.NamedTemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.flush()
        with pa.OSFile(copy.name) as file:
            yield file


def _typed(schema: pa.Schema, batches: Any, types: Types) -> _Batches:
    for field in schema:
        if field.name not in types:
            types[field.name] = DataType.from_arrow(field.type)
    is_empty = True
    for batch in batches:
        is_empty = False
        yield from (batch.slice(at, BLOCK_ROWS) for at in range(0, batch.num_rows, BLOCK_ROWS))
    if is_empty:
        yield pa.RecordBatch.from_pylist([], schema=schema)


_READERS: dict[Format, Callable[[BinaryIO, Types], _Batches]] = {
    Format.CSV: _csv,
    Format.TSV: _tsv,
    Format.NDJSON: _ndjson,
    Format.PARQUET: _parquet,
    Format.ARROW: _arrow,
}
