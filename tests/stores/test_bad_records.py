"""Files that no writer of ours makes: each is refused by name, and the other stores go on."""

from __future__ import annotations

import hashlib
import os
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stategate.stores.errors import LogError, TornRecordError
from stategate.stores.hosting.host import Host
from stategate.stores.log.checking.verification import verify
from stategate.stores.log.data.datafiles import TIMESTAMP_NAME, file_schema
from stategate.stores.log.files.directory import RECORD_BYTES_MAX
from stategate.stores.log.metadata.documents import FORMAT
from stategate.stores.log.metadata.named_files import FILES_MAX, DataFile
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.upkeep.compaction import write_snapshot
from tests.support.hosts import OTHERS, counts, has_epoch, running, write
from tests.support.logs import AT, commit_path, edit_record, empty_commit
from tests.support.stores import keyvalue
from tests.support.waiting import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has other kinds of files")

DEPTH = 1_000
Spoil = Callable[[Path], None]


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def device(path: Path) -> None:
    """Put a link to an endless device in place of a file."""
    path.unlink()
    path.symlink_to("/dev/zero")


def too_long(path: Path) -> None:
    os.truncate(path, RECORD_BYTES_MAX + 1)


def nested_type(path: Path) -> None:
    """Nest the type of a column: each level is one of JSON, too."""
    retyped(path, '{"array": ' * DEPTH + '"bigint"' + "}" * DEPTH)


def nested_name(path: Path) -> None:
    retyped(path, '"bigint' + "[]" * DEPTH + '"')


def retyped(path: Path, kind: str) -> None:
    """Give a column another type, in a record with a checksum that fits."""
    document = orjson.loads(path.read_bytes())
    del document["checksum"]
    document["value"][0]["type"] = "…"
    path.write_bytes(sealed(orjson.dumps(document).decode().replace('"…"', kind)))


def sealed(text: str) -> bytes:
    """Return a record of these fields, which no writer would write, with its checksum."""
    body = text.removesuffix("}").encode()
    checksum = hashlib.sha256(body).hexdigest()
    return body + f',\n  "checksum": "sha256:{checksum}"\n}}\n'.encode()


def nested_field(path: Path) -> None:
    """Nest a field so deep that Python could not even show it."""
    nested = "[" * DEPTH + "]" * DEPTH
    fields = f'"name": "others", "kind": {nested}, "files": [], "epoch": {nested}'
    path.write_bytes(sealed(f'{{"format": {FORMAT}, {fields}}}'))


def nested_json(path: Path) -> None:
    path.write_text("[" * 100_000)


def many_files(path: Path) -> None:
    document = orjson.loads(path.read_bytes())
    edit_record(path, files=document["files"] * 20_000)


DEFINITION = "others/store.json"
DEFINITIONS = [
    (nested_type, "a type is nested deeper than 64"),
    (nested_name, "a type is nested deeper than 64"),
    (nested_field, "nested too deep"),
    (nested_json, "depth limit exceeded"),
    (pipe, "is a pipe and should be a file: put the right file back"),
    (device, "is a device and should be a file: put the right file back"),
    (too_long, "may have 67108864: put the right file back"),
]
RECORDS = [
    *(each for each in DEFINITIONS if each[0] not in (nested_type, nested_name)),
    (many_files, "the epoch has 20000 files of partition 0, and may have 10000"),
]


@contextmanager
def good_and_bad(root: Path) -> Iterator[Host]:
    """Run a host of a root with a store that is bad; the other one answers, and goes on."""
    write(root, n=0)
    with running(root) as host:
        until(lambda: counts(host) == {0})
        yield host
        write(root, n=1)
        until(lambda: counts(host) == {1})


@pytest.mark.parametrize(("spoil", "message"), DEFINITIONS)
def test_a_bad_definition(tmp_path: Path, spoil: Spoil, message: str) -> None:
    write(tmp_path, n=0, schema=OTHERS)
    spoil(tmp_path / DEFINITION)
    with good_and_bad(tmp_path) as host:
        assert DEFINITION in str(host.error)
        assert message in str(host.error)
        assert str(host.missing("others")).endswith(str(host.error))
    (damage,) = verify(tmp_path, "others").damages
    assert message in damage.message


@pytest.mark.parametrize(("spoil", "message"), RECORDS)
def test_a_bad_commit(tmp_path: Path, spoil: Spoil, message: str) -> None:
    write(tmp_path, n=0, schema=OTHERS)
    path = commit_path(tmp_path, 1, "others")
    with good_and_bad(tmp_path) as host:
        until(lambda: has_epoch(host, 0, "others"))
        made = tmp_path / "made"
        made.write_bytes(commit_path(tmp_path, 0, "others").read_bytes())
        spoil(made)
        made.rename(path)
        until(lambda: any(each.error for each in host.statuses()["others"].values()))
        (status,) = host.statuses()["others"].values()
        assert path.name in str(status.error)
        assert message in str(status.error)
    assert [damage.path for damage in verify(tmp_path, "others").damages] == [f"epochs/{path.name}"]


@pytest.mark.parametrize("spoil", [pipe, device])
@pytest.mark.parametrize("pattern", ["data/0/*/*.parquet", "snapshots/*/*/*.sst"])
def test_a_pipe_in_place_of_rows(tmp_path: Path, spoil: Spoil, pattern: str) -> None:
    write(tmp_path, n=0, schema=OTHERS)
    write_snapshot(tmp_path, "others")
    (path,) = (tmp_path / "others").glob(pattern)
    spoil(path)
    with good_and_bad(tmp_path) as host:
        if path.suffix == ".parquet":  # the snapshot has the rows
            until(lambda: has_epoch(host, 0, "others"))
    (damage,) = verify(tmp_path, "others").damages
    assert damage.path.endswith(path.name)
    assert "should be a file" in damage.message


@pytest.mark.parametrize("spoil", [pipe, device])
def test_a_pipe_in_place_of_a_hint(tmp_path: Path, spoil: Spoil) -> None:
    """A head only says when to look."""
    write(tmp_path, n=0, schema=OTHERS)
    spoil(tmp_path / "_heads" / "others")
    with good_and_bad(tmp_path) as host:
        until(lambda: has_epoch(host, 0, "others"))


@pytest.mark.parametrize("spoil", [pipe, nested_json])
def test_a_bad_hint_to_a_rebuilt_log_stops_its_store_alone(tmp_path: Path, spoil: Spoil) -> None:
    write(tmp_path, n=0, schema=OTHERS)
    hint = tmp_path / "others" / "current"
    hint.touch()
    spoil(hint)
    with good_and_bad(tmp_path) as host:
        assert "others/current" in str(host.error)
        assert "others/current" in str(host.missing("others"))


def test_no_definition_is_changed_that_is_not_a_file(tmp_path: Path) -> None:
    write(tmp_path, n=0, schema=OTHERS)
    log = StoreLog.open(tmp_path, "others")
    log.schema()
    pipe(tmp_path / DEFINITION)
    with pytest.raises(TornRecordError, match="is a pipe"):
        log.define(OTHERS)


def test_files_beside_the_stores_do_no_harm(tmp_path: Path) -> None:
    write(tmp_path, n=0, schema=OTHERS)
    (tmp_path / "README").touch()
    os.mkfifo(tmp_path / "pipe")
    with good_and_bad(tmp_path) as host:
        until(lambda: has_epoch(host, 0, "others"))
        assert host.error is None


TEXTS = keyvalue("others", {"usr": "text"}, {"note": "text", "notes": "text[]"}, partitions=1)


def packed(root: Path, count: int, **how: object) -> DataFile:
    """Write a file of some kB whose texts take a hundred thousand bytes each in memory."""
    text = "x" * 100_000
    rows = pa.table(
        {
            "usr": [f"u{number}" for number in range(count)],
            "note": [text] * count,
            "notes": [[text]] * count,
            TIMESTAMP_NAME: pa.nulls(count, pa.timestamp("us", "UTC")),
            "_deleted": [False] * count,
        },
        file_schema(TEXTS),
    )
    path = f"data/1/{uuid.uuid4().hex}.parquet"
    (root / "others" / path).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, root / "others" / path, compression="zstd", **how)
    data = (root / "others" / path).read_bytes()
    return DataFile(
        path=path,
        partition=0,
        rows=count,
        size_bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )


@pytest.mark.parametrize("dictionaries", [True, False, ["note"], ["notes.list.element"]])
@pytest.mark.parametrize("files", [1, 8])
def test_a_small_file_of_many_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dictionaries: object, files: int
) -> None:
    """It is refused before it is decoded, also if several files share the rows."""
    monkeypatch.setattr("stategate.stores.log.metadata.named_files.DECODED_BYTES_FREE", 24_000_000)
    log = StoreWriter(tmp_path, TEXTS).log
    made = [packed(tmp_path, 160 // files, use_dictionary=dictionaries) for _ in range(files)]
    assert max(file.size_bytes for file in made) < 10_000
    # No writer of ours commits it, but one that does not say how much memory the rows take.
    log.write_commit(replace(empty_commit(0), files=tuple(made)))
    with good_and_bad(tmp_path) as host:
        until(lambda: any(each.error for each in host.statuses()["others"].values()))
        (status,) = host.statuses()["others"].values()
        assert any(file.path in str(status.error) for file in made)
        assert "bytes of memory" in str(status.error)
        assert "several smaller ones" in str(status.error)
        assert status.progress.epoch == -1
    damages = verify(tmp_path, "others").damages
    assert {"bytes of memory" in damage.message for damage in damages} == {True}
    assert {damage.path for damage in damages} <= {file.path for file in made}


def test_rows_that_take_more_than_is_read_are_not_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader counts no more than the writer: what is committed can be read."""
    texts = ["x" * 10_000] * 3_000
    keys = [f"u{number}" for number in range(3_000)]
    rows = pa.table({"usr": keys, "note": texts, "notes": [[each] for each in texts]})
    writer = StoreWriter(tmp_path, TEXTS)
    monkeypatch.setattr("stategate.stores.log.metadata.named_files.PACKED_MAX", 1)
    monkeypatch.setattr("stategate.stores.log.data.decoded_sizes.PACKED_MAX", 1)
    counted = writer.write(rows, position=AT).files[0].decoded_bytes
    assert counted is not None
    assert counted >= 2 * 10_000 * 3_000
    for most in (counted, counted - 1):
        monkeypatch.setattr("stategate.stores.log.metadata.named_files.DECODED_BYTES_FREE", most)
        if most < counted:
            with pytest.raises(LogError, match="write them as several epochs"):
                writer.write(rows, position=AT)
        else:
            commit = writer.write(rows, position=AT)
            assert sum(len(batch) for batch in writer.log.read(commit, 0)) == 3_000
    assert writer.log.epochs() == [0, 1]


def test_no_writer_commits_what_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, n=0, schema=OTHERS)
    writer = StoreWriter(tmp_path, OTHERS)
    before = writer.log.commit(0)
    assert before is not None
    many = tuple(replace(before.files[0], path=f"p{number}") for number in range(FILES_MAX))
    for files, message in [
        (many[:1] + many, "may have 10000: write fewer"),
        (before.files * 2, "names a file of partition 0 twice"),
        ((replace(before.files[0], path="p" * RECORD_BYTES_MAX),), "a record of the log may have"),
    ]:
        with pytest.raises(LogError, match=message):
            writer.publish(epoch=5, attempt="data/5/a", files=files, position=before.position)
    assert writer.log.numbers() == [0]
    assert StoreLog.open(tmp_path, "others").announced() == 0
    writer.publish(epoch=5, attempt="data/5/a", files=many, position=before.position)
    log = StoreLog.open(tmp_path, "others")
    assert log.commit(log.latest_epoch()) is not None
