"""Files of every format become rows of a store, all of them or none."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stategate.stores.errors import ArgumentError, EpochConflictError, SchemaError, StoreError
from stategate.stores.loading import sources
from stategate.stores.loading.loading import Loading, Writing, load
from stategate.stores.loading.sources import Format
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.datatypes import DataType
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import StoreKind

CLICKS = Loading(store="clicks", key=("usr",))
AT = Position.of({"events": {0: 41}})


def loaded(
    root: Path,
    data: bytes,
    form: Format = Format.CSV,
    loading: Loading = CLICKS,
    writing: Writing = Writing(),  # noqa: B008 - frozen
) -> list[Commit]:
    return load(root, loading, writing, io.BytesIO(data), form)


def rows(root: Path, commits: list[Commit], store: str = "clicks") -> list[dict[str, Any]]:
    """Return the rows of epochs by their first column, without the marks that are not set."""
    log = StoreLog.open(root, store)
    found = [
        {name: value for name, value in row.items() if name[0] != "_" or value}
        for commit in commits
        for file in commit.files
        for batch in log.read_file(file)
        for row in batch.to_pylist()
    ]
    return sorted(found, key=lambda row: str(next(iter(row.values()))))


def types(root: Path, store: str = "clicks") -> dict[str, str]:
    schema = StoreLog.open(root, store).schema()
    return {column.name: str(column.type) for column in (*schema.key, *schema.value)}


def test_csv_gives_types_and_nulls(tmp_path: Path) -> None:
    text = (
        b"usr,n,zip,x,seen,ok,day\n"
        b"ann,3,007,1.5,2020-01-01 10:00:00Z,true,2020-01-01\n"
        b'bob,,"",2,,,\n'
    )
    commits = loaded(tmp_path, text)
    assert types(tmp_path) == {
        "usr": "text",
        "n": "bigint",
        "zip": "text",
        "x": "double",
        "seen": "timestamptz",
        "ok": "boolean",
        "day": "date",
    }
    ann, bob = rows(tmp_path, commits)
    assert [ann[name] for name in ("n", "zip", "x", "ok")] == [3, "007", 1.5, True]
    assert [bob[name] for name in ("n", "zip", "x", "seen")] == [None, "", 2.0, None]


def test_texts_are_read_as_postgresql_reads_them(tmp_path: Path) -> None:
    kinds = {"usr": "uuid", "b": "boolean", "d": "decimal(6,2)", "i": "smallint", "raw": "bytea"}
    loading = Loading(
        store="clicks",
        key=("k",),
        types={name: DataType.parse(kind) for name, kind in kinds.items()},
    )
    text = b"k,usr,b,d,i,raw\n1,A0EEBC99-9C0B4EF8BB6D6BB9BD380A11,yes,1.2e1, 7 ,\\x00ff\n"
    [row] = rows(tmp_path, loaded(tmp_path, text, loading=loading))
    assert row["usr"] == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    assert [str(row[name]) for name in ("b", "d", "i")] == ["True", "12.00", "7"]
    assert row["raw"] == b"\0\xff"


def test_tsv_is_what_the_shell_writes(tmp_path: Path) -> None:
    text = b"usr\tnote\tn\na\\tb\\\\\t\\N\t1\n\tc\\nd\t\\N\n"
    commits = loaded(tmp_path, text, Format.TSV)
    assert rows(tmp_path, commits) == [
        {"usr": "", "note": "c\nd", "n": None},
        {"usr": "a\tb\\", "note": None, "n": 1},
    ]


def test_ndjson_gives_nested_values_and_missing_fields(tmp_path: Path) -> None:
    text = b'{"usr":"ann","n":1,"l":[1,2]}\n\n{"usr":"bob","n":2.5,"s":{"a":1}}\n'
    commits = loaded(tmp_path, text, Format.NDJSON)
    assert types(tmp_path) == {
        "usr": "text",
        "n": "double",
        "l": "bigint[]",
        "s": "struct(a bigint)",
    }
    assert rows(tmp_path, commits) == [
        {"usr": "ann", "n": 1.0, "l": [1, 2], "s": None},
        {"usr": "bob", "n": 2.5, "l": None, "s": {"a": 1}},
    ]
    again = loaded(tmp_path, b'{"usr":"ann","n":4}\n', Format.NDJSON)
    assert rows(tmp_path, again) == [{"usr": "ann", "n": 4.0, "l": None, "s": None}]


@pytest.mark.parametrize("form", [Format.PARQUET, Format.ARROW])
def test_typed_files_keep_their_types(tmp_path: Path, form: Format) -> None:
    table = pa.table(
        {"usr": pa.array(["ann"]).dictionary_encode(), "n": pa.array([1], pa.int16()), "t": ["x"]}
    )
    out = io.BytesIO()
    if form is Format.PARQUET:
        pq.write_table(table, out)
    else:
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    commits = loaded(tmp_path, out.getvalue(), form)
    assert types(tmp_path) == {"usr": "text", "n": "smallint", "t": "text"}
    assert rows(tmp_path, commits) == [{"usr": "ann", "n": 1, "t": "x"}]


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        (b"usr,n\nann,1\nbob,x\n", Format.CSV, 'row 2: column "n": invalid input syntax'),
        (b"usr,n\nann,1\nbob\n", Format.CSV, "row 2: Expected 2 columns, got 1: bob"),
        (b"usr,n\nann,40000\n", Format.CSV, 'row 1: column "n": '),
        (b"usr,n,n\nann,1,2\n", Format.CSV, 'columns "n" twice'),
        (b"usr,x\nann,1\n", Format.CSV, 'the rows have no column "n"'),
        (b"usr,n,d\nann,1,1.239\n", Format.CSV, 'row 1: column "d"'),
        (b"", Format.CSV, "the input is not csv"),
        (b'{"usr":"a","n":1}\n{"usr":"b","n":[]}\n', Format.NDJSON, 'row 2: column "n"'),
        (b'{"usr":"a","n":1}\n{"usr":\n', Format.NDJSON, "row 2: not JSON"),
        (b"[1]\n", Format.NDJSON, "row 1: "),
        (b"nonsense", Format.PARQUET, "the input is not parquet"),
        (b"nonsense", Format.ARROW, "the input is not arrow"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_written(
    tmp_path: Path, text: bytes, form: Format, message: str
) -> None:
    loading = Loading(store="clicks", key=("usr",), types={"n": DataType.parse("smallint")})
    if b",d" in text:
        loading = replace(loading, types={"d": DataType.parse("decimal(6,2)")})
    with pytest.raises(StoreError) as caught:
        loaded(tmp_path, text, form, loading)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "clicks").exists()


def test_a_bad_row_late_in_a_file_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", 64)
    good = b"usr,n\n" + b"".join(b"u%d,%d\n" % (n, n) for n in range(100))
    before = loaded(tmp_path, good)
    for bad, row in ((b"bad,x\n", 101), (b"bad\n", 101)):
        with pytest.raises(SchemaError, match=f"row {row}"):
            loaded(tmp_path, good + bad, writing=Writing(epoch_rows=10))
    assert StoreLog.open(tmp_path, "clicks").latest_epoch() == before[-1].epoch


def test_a_row_that_does_not_fit_the_store_is_named(tmp_path: Path) -> None:
    loading = Loading(store="visits", key=("usr",), kind=StoreKind.SESSION)
    text = (
        b"usr,window_start,window_end,n\n"
        b"ann,2020-01-01 00:00:00,2020-01-01 00:01:00,1\n"
        b"bob,2020-01-01 00:00:00,2019-01-01 00:01:00,1\n"
    )
    with pytest.raises(SchemaError, match="row 2: a session"):
        loaded(tmp_path, text, loading=loading)


def test_a_large_input_becomes_several_epochs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", 256)
    text = b"usr,n\n" + b"".join(b"u%d,%d\n" % (n % 30, n) for n in range(100))
    loaded(tmp_path, b"usr,n\nann,1\n", writing=Writing(position=Position.of({"old": {0: 1}})))
    writing = Writing(position=AT, epoch=5, epoch_rows=40)
    commits = loaded(tmp_path, text, writing=writing)
    assert [commit.epoch for commit in commits] == [5, 6, 7]
    assert [commit.rows for commit in commits] == [30, 30, 20]
    assert [commit.position.to_dict() for commit in commits] == [
        {"old": {0: 1}},
        {"old": {0: 1}},
        {"old": {0: 1}, "events": {0: 41}},
    ]
    assert loaded(tmp_path, text, writing=writing) == commits
    with pytest.raises(EpochConflictError):
        loaded(tmp_path, text[:-6], writing=writing)


def test_a_load_that_was_killed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"usr,n\n" + b"".join(b"u%d,%d\n" % (n, n) for n in range(30))
    writing = Writing(position=AT, epoch=0, epoch_rows=10)
    written: list[int] = []

    def dies(self: StoreLog, commit: Commit) -> None:
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(commit.epoch)
        plain(self, commit)

    plain = StoreLog.write_commit
    monkeypatch.setattr(StoreLog, "write_commit", dies)
    with pytest.raises(KeyboardInterrupt):
        loaded(tmp_path, text, writing=writing)
    monkeypatch.setattr(StoreLog, "write_commit", plain)
    commits = loaded(tmp_path, text, writing=writing)
    assert [commit.epoch for commit in commits] == [0, 1, 2]
    assert len(rows(tmp_path, commits)) == 30


def test_a_replacement_is_one_epoch(tmp_path: Path) -> None:
    loaded(tmp_path, b"usr,n\nann,1\n", writing=Writing(position=AT))
    text = b"usr,n\nbob,1\ncid,2\ndan,3\n"
    [commit] = loaded(tmp_path, text, writing=Writing(replace=True, epoch_rows=1))
    assert (commit.replace, commit.rows, commit.position) == (True, 3, AT)
    [commit] = loaded(tmp_path, b"usr,n\n", writing=Writing(replace=True))
    assert commit.rows == 0


def test_tombstones_and_event_times_come_from_columns(tmp_path: Path) -> None:
    loading = Loading(store="clicks", key=("usr",), event_time="at", deleted="gone")
    text = b"usr,at,gone\nann,2020-01-02 00:00:00,f\nann,2020-01-01 00:00:00,t\nbob,,t\n"
    commits = loaded(tmp_path, text, loading=loading)
    schema = StoreLog.open(tmp_path, "clicks").schema()
    assert schema.by_event_time
    assert [column.name for column in schema.value] == ["at"]
    ann, bob = rows(tmp_path, commits)
    assert (str(ann["_timestamp"]), "_deleted" in ann) == ("2020-01-02 00:00:00+00:00", False)
    assert bob["_deleted"] is True


def test_a_defined_store_gives_the_types(tmp_path: Path) -> None:
    loaded(
        tmp_path,
        b"usr,n\n7,1\n",
        loading=Loading(store="clicks", key=("usr",), types={"usr": DataType.parse("text")}),
    )
    commits = loaded(tmp_path, b"usr,n\n8,2\n", loading=Loading(store="clicks"))
    assert rows(tmp_path, commits) == [{"usr": "8", "n": 2}]
    for other in (
        Loading(store="clicks", partitions=9),
        Loading(store="clicks", key=("n",)),
        Loading(store="clicks", kind=StoreKind.GLOBAL, partitions=1),
        Loading(store="clicks", types={"n": DataType.parse("text")}),
    ):
        with pytest.raises(SchemaError):
            loaded(tmp_path, b"usr,n\n8,2\n", loading=other)


def test_a_column_that_is_not_null_stays_so(tmp_path: Path) -> None:
    new = Loading(store="clicks", key=("usr",), not_null=frozenset({"usr", "n"}))
    loaded(tmp_path, b"usr,n\nann,1\n", loading=new)
    with pytest.raises(SchemaError, match=r'row 2: null value in column "n" .* at usr = \'cid\''):
        loaded(tmp_path, b"usr,n\nbob,2\ncid,\n", loading=Loading(store="clicks"))
    commits = loaded(tmp_path, b"usr,n\nbob,2\n", loading=Loading(store="clicks"))
    assert rows(tmp_path, commits) == [{"usr": "bob", "n": 2}]
    other = Loading(store="clicks", not_null=frozenset({"usr"}))
    with pytest.raises(SchemaError, match=r"another not null: n, usr, not usr\. .*rebuild"):
        loaded(tmp_path, b"usr,n\ncid,\n", loading=other)


@pytest.mark.parametrize(
    ("loading", "writing", "message"),
    [
        (Loading(store="new"), Writing(), "name the columns of its key"),
        (Loading(store="new", key=("usr",), not_null=frozenset({"no"})), Writing(), 'column "no"'),
        (Loading(store="new", key=("no",)), Writing(), 'no column "no"'),
        (Loading(store="new", key=("usr",), event_time="n"), Writing(), "is not a time"),
        (Loading(store="new", key=("usr",), deleted="no"), Writing(), 'no column "no"'),
        (Loading(store="new", key=("usr",)), Writing(epoch_rows=0), "epoch_rows"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    tmp_path: Path, loading: Loading, writing: Writing, message: str
) -> None:
    with pytest.raises(StoreError, match=message):
        loaded(tmp_path, b"usr,n\nann,1\n", loading=loading, writing=writing)
    assert not (tmp_path / "new").exists()


def test_a_position_does_not_go_back(tmp_path: Path) -> None:
    loaded(tmp_path, b"usr,n\nann,1\n", writing=Writing(position=AT))
    with pytest.raises(ArgumentError, match=r"partition 0 of topic .events. from 41 to 7"):
        loaded(
            tmp_path, b"usr,n\nann,1\n", writing=Writing(position=Position.of({"events": {0: 7}}))
        )
