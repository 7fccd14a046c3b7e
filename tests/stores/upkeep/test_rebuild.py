"""A rebuilt store is as if it had always had its new definition, whatever its kind and history."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.stores.errors import (
    EpochConflictError,
    FencedError,
    LogError,
    SchemaError,
    TornRecordError,
)
from stategate.stores.log.checking.verification import verify
from stategate.stores.log.metadata.moves import Move
from stategate.stores.log.state_log import StateLog, StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.datatypes import (
    BIGINT,
    DOUBLE,
    INTEGER,
    SMALLINT,
    TEXT,
    DataType,
    decimal_type,
)
from stategate.stores.spec.position import Position
from stategate.stores.spec.redefinition import changed_columns, widens
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from stategate.stores.upkeep.rebuild import evolve, rebuild
from stategate.stores.upkeep.retention import Retention, compact
from tests.support.logs import contents_of
from tests.support.stores import columns, keyvalue

POINTS = StoreSchema(
    name="points",
    kind=StoreKind.KEYVALUE,
    key=columns(usr="text", place="integer"),
    value=columns(n="integer", note="text", rate="decimal(6,2)"),
    partitions=3,
)
KINDS = {
    "keyvalue": POINTS,
    "by event time": replace(POINTS, by_event_time=True),
    "window": replace(POINTS, kind=StoreKind.WINDOW, window_size_ms=1000, retention_ms=4000),
    "window by event time": replace(
        POINTS, kind=StoreKind.WINDOW, window_size_ms=1000, by_event_time=True
    ),
    "session": replace(POINTS, kind=StoreKind.SESSION, retention_ms=4000),
    "versioned": replace(POINTS, kind=StoreKind.VERSIONED, retention_ms=4000),
}


@dataclass(frozen=True)
class Change:
    """A new definition, and the old name of each of its renamed columns."""

    schema: StoreSchema
    renamed: dict[str, str]

    def rows(self, table: pa.Table) -> pa.Table:
        """Return rows of the old definition under the new one, with NULLs in added columns."""
        named = {old: new for new, old in self.renamed.items()}
        found = table.rename_columns([named.get(name, name) for name in table.column_names])
        known = {column.name for column in (*self.schema.key, *self.schema.value)}
        gone = {column.name for column in (*POINTS.key, *POINTS.value)} - {
            *self.renamed.values(),
            *known,
        }
        for name in gone & {*found.column_names}:
            found = found.drop_columns([name])
        for column in self.schema.value:
            if column.name not in found.column_names:
                found = found.append_column(
                    column.name, pa.nulls(found.num_rows, column.type.arrow)
                )
        return found


@st.composite
def changes(draw: st.DrawFn, schema: StoreSchema) -> Change:
    add = draw(st.sampled_from([{}, {"extra": TEXT}, {"extra": DOUBLE, "more": BIGINT}]))
    drop = draw(st.sampled_from([frozenset(), frozenset({"note"}), frozenset({"n", "rate"})]))
    rename = draw(st.sampled_from([{}, {"usr": "customer"}, {"place": "usr", "usr": "place"}]))
    widen: dict[str, DataType] = {"place": BIGINT} if draw(st.booleans()) else {}
    if "rate" not in drop and draw(st.booleans()):
        widen["rate"] = decimal_type(9, 3)
    after, renamed = changed_columns(schema, add=add, drop=drop, rename=rename, widen=widen)
    if draw(st.booleans()):
        after = replace(after, key=after.key[::-1])
    remembers = schema.by_event_time or schema.kind is StoreKind.VERSIONED
    if not remembers and "note" not in drop and draw(st.booleans()):
        keys = tuple(column.name for column in after.key)
        after, _ = changed_columns(after, key=(*keys, "note"))
    after = replace(after, partitions=draw(st.sampled_from([1, 3, 5])), inputs=schema.inputs)
    return Change(after, renamed)


@st.composite
def epochs(draw: st.DrawFn, schema: StoreSchema) -> list[tuple[pa.Table, int]]:
    """Draw epochs: rows of a few keys, and a watermark that goes up."""
    found = []
    watermark_ms = 0
    for _ in range(draw(st.integers(1, 4))):
        count = draw(st.integers(0, 6))
        some = st.lists(st.integers(0, 7), min_size=count, max_size=count)
        seconds, places, numbers = draw(some), draw(some), draw(some)
        times = pa.array([1_000_000 * each for each in seconds], pa.timestamp("us", tz="UTC"))
        rows: dict[str, Any] = {
            "usr": pa.array(["ab"[each % 2] for each in places]),
            "place": pa.array([each // 4 for each in places], pa.int32()),
            "n": pa.array(numbers, pa.int32()),
            # A row with the key of another one has its note, so that the note can join the key.
            "note": pa.array([f"note {each % 2} {each // 4}" for each in places]),
            "rate": pa.array(numbers, pa.decimal128(6, 2)),
            "_deleted": pa.array([draw(st.integers(0, 3)) == 0 for _ in range(count)]),
        }
        if schema.kind in {StoreKind.WINDOW, StoreKind.SESSION}:
            rows["window_start"] = times
            rows["window_end"] = pa.array([1_000_000 * (each + 1) for each in seconds], times.type)
        if schema.by_event_time or schema.kind is StoreKind.VERSIONED:
            rows["_timestamp"] = times
        watermark_ms += draw(st.sampled_from([0, 0, 1000, 3000]))
        found.append((pa.table(rows), watermark_ms))
    return found


def write(
    root: Path, schema: StoreSchema, given: Sequence[tuple[pa.Table, int]], first: int = 0
) -> None:
    writer = StoreWriter(root, schema)
    for epoch, (rows, watermark_ms) in enumerate(given, first):
        at = Position.of({"events": {0: epoch}})
        writer.write(rows, position=at, epoch=epoch, watermark_ms=watermark_ms)


def content(root: Path, schema: StoreSchema) -> list[Row]:
    return sorted(contents_of(root, schema), key=repr)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=settings().max_examples // 4)
@given(data=st.data())
def test_it_is_as_if_the_store_had_always_been_so(kind: str, data: st.DataObject) -> None:
    schema = KINDS[kind]
    before, after = data.draw(epochs(schema)), data.draw(epochs(schema))
    change = data.draw(changes(schema))
    if change.schema == schema:
        return
    last = before[-1][1]
    after = [(rows, last + watermark_ms) for rows, watermark_ms in after]
    with tempfile.TemporaryDirectory() as place:
        root, expected = Path(place, "log"), Path(place, "expected")
        write(root, schema, before)
        if data.draw(st.booleans()):
            compact(root, "points", retention=Retention(epochs=1))
        done = rebuild(root, "points", change.schema, renamed=change.renamed)
        assert done.epoch == len(before) - 1
        assert done.schema.key == change.schema.key
        defined = StoreLog.open(root, "points").schema()
        given = [(change.rows(rows), watermark_ms) for rows, watermark_ms in before]
        write(expected, defined, given)
        assert content(root, defined) == content(expected, defined)
        later = [(change.rows(rows), watermark_ms) for rows, watermark_ms in after]
        for each in (root, expected):
            write(each, defined, later, len(before))
        assert content(root, defined) == content(expected, defined)
        assert not verify(root, "points").damages


CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "integer"}, partitions=2)
WIDER = keyvalue("clicks", {"usr": "text"}, {"n": "bigint", "note": "text"}, partitions=2)
AT = Position.of({"events": {0: 0}})


def clicks(root: Path) -> StoreWriter:
    writer = StoreWriter(root, CLICKS)
    writer.write(pa.table({"usr": ["ann", "bob"], "n": [1, 2]}), position=AT)
    return writer


def test_a_writer_brings_its_columns(tmp_path: Path) -> None:
    assert evolve(tmp_path, CLICKS) is None
    clicks(tmp_path)
    assert evolve(tmp_path, CLICKS) is None
    with pytest.raises(SchemaError, match="is defined with another value"):
        StoreWriter(tmp_path, WIDER)
    done = evolve(tmp_path, WIDER)
    assert done is not None
    assert (done.epoch, done.rows) == (0, 2)
    writer = StoreWriter(tmp_path, WIDER)
    rows = pa.table({"usr": ["bob"], "n": [2**40], "note": ["new"]})
    assert writer.write(rows, position=AT).epoch == 1
    assert content(tmp_path, WIDER) == [("ann", 1, None), ("bob", 2**40, "new")]
    assert evolve(tmp_path, WIDER) is None
    assert StateLog(tmp_path).stores() == ["clicks"]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (replace(CLICKS, value=()), 'has a column "n", which its writer does not have'),
        (replace(CLICKS, value=columns(n="smallint")), "cannot change from integer to smallint"),
        (replace(CLICKS, value=columns(n="text")), "cannot change from integer to text"),
        (replace(CLICKS, partitions=4), "is defined with another partitions"),
        (replace(CLICKS, kind=StoreKind.VERSIONED), "the kind of store"),
    ],
)
def test_a_writer_changes_nothing_else(tmp_path: Path, schema: StoreSchema, message: str) -> None:
    clicks(tmp_path)
    with pytest.raises(SchemaError, match=message):
        evolve(tmp_path, schema)
    assert StoreLog.open(tmp_path, "clicks").move is None
    assert content(tmp_path, CLICKS) == [("ann", 1), ("bob", 2)]


def test_a_running_writer_is_refused(tmp_path: Path) -> None:
    writer = clicks(tmp_path)
    rebuild(tmp_path, "clicks", replace(CLICKS, partitions=5))
    with pytest.raises(FencedError, match="was rebuilt under another definition"):
        writer.write(pa.table({"usr": ["eve"], "n": [3]}), position=AT)
    assert len(content(tmp_path, replace(CLICKS, partitions=5))) == 2


def test_a_writer_that_starts_meanwhile_wins(tmp_path: Path) -> None:
    """Its epoch takes the number that the move needs, so the rebuild fails and leaves nothing."""
    clicks(tmp_path)

    def late(log: StoreLog, work: Any, is_stopped: Any) -> list[Any]:
        again = StoreWriter(tmp_path, CLICKS, writer="another")
        again.write(pa.table({"usr": ["eve"], "n": [3]}), position=AT)
        return []

    with pytest.raises(EpochConflictError, match="epoch 1 of store"):
        rebuild(tmp_path, "clicks", replace(CLICKS, partitions=5), run=late)
    assert content(tmp_path, CLICKS) == [("ann", 1), ("bob", 2), ("eve", 3)]
    assert list((tmp_path / "clicks" / "rebuilt").iterdir()) == []


def test_the_way_is_found_without_the_hint(tmp_path: Path) -> None:
    """The program may end between the move and the hint; a torn hint is an error."""
    clicks(tmp_path)
    hint = tmp_path / "clicks" / "current"
    rebuild(tmp_path, "clicks", WIDER)
    hint.unlink()
    old = StoreLog.open(tmp_path, "clicks")
    assert old.latest_epoch() == 0
    assert old.epochs() == [0]
    assert isinstance(old.record(1), Move)
    assert old.successor().schema() == WIDER
    with pytest.raises(FencedError, match="was rebuilt under another definition"):
        StoreWriter(tmp_path, CLICKS).take_ownership()
    assert StoreLog.open(tmp_path, "clicks").schema() == WIDER
    hint.write_bytes(hint.read_bytes()[:-9])
    with pytest.raises(TornRecordError, match="current"):
        StoreLog.open(tmp_path, "clicks")


def test_a_writer_beside_a_rebuild_is_told_the_new_definition(tmp_path: Path) -> None:
    """Both the one that has written before, and one that starts with the old definition."""
    rows = pa.table({"usr": ["ann"], "n": [1]})
    running = StoreWriter(tmp_path, CLICKS)
    running.write(rows, position=AT)
    after, renamed = changed_columns(
        CLICKS, rename={"n": "total"}, add={"note": DataType.parse("text")}
    )
    rebuild(tmp_path, "clicks", replace(after, partitions=5), renamed=renamed)
    said = (
        'store "clicks" was rebuilt under another definition (without column n; with column total '
        "integer; with column note text; 5 partitions, not 2): start the writer again with that one"
    )
    for _ in range(2):
        with pytest.raises(FencedError) as caught:
            running.write(rows, position=AT)
        assert str(caught.value) == said


def test_rows_that_would_share_a_key_are_refused(tmp_path: Path) -> None:
    schema = keyvalue("pairs", {"a": "text", "b": "bigint"}, {"n": "bigint"}, partitions=2)
    rows = pa.table({"a": ["x", "x", "y"], "b": [1, 2, 3], "n": [1, 2, 3]})
    StoreWriter(tmp_path, schema).write(rows, position=AT)
    after, _ = changed_columns(schema, key=("a",))
    with pytest.raises(SchemaError, match=r"has 2 rows that would have the key \(x\)"):
        rebuild(tmp_path, "pairs", after)
    assert len(content(tmp_path, schema)) == 3
    other, _ = changed_columns(schema, key=("b",))
    rebuild(tmp_path, "pairs", other)
    assert content(tmp_path, other) == [(1, "x", 1), (2, "x", 2), (3, "y", 3)]


def test_a_store_without_epochs_is_rebuilt(tmp_path: Path) -> None:
    StoreWriter(tmp_path, CLICKS)
    assert rebuild(tmp_path, "clicks", WIDER).epoch == -1
    writer = StoreWriter(tmp_path, WIDER)
    rows = pa.table({"usr": ["ann"], "n": [1], "note": ["x"]})
    assert writer.write(rows, position=AT).epoch == 0


def test_a_column_becomes_not_null_if_no_row_has_null_there(tmp_path: Path) -> None:
    writer = clicks(tmp_path)
    writer.write(pa.table({"usr": ["cid"], "n": pa.array([None], pa.int32())}), position=AT)
    wanted, _ = changed_columns(CLICKS, not_null=["usr", "n"])
    with pytest.raises(SchemaError, match=r"null value in column \"n\" .* at usr = 'cid'"):
        rebuild(tmp_path, "clicks", wanted)
    assert StoreLog.open(tmp_path, "clicks").schema() == CLICKS
    writer = StoreWriter(tmp_path, CLICKS)
    writer.write(pa.table({"usr": ["cid"], "n": pa.array([3], pa.int32())}), position=AT)
    rebuild(tmp_path, "clicks", wanted)
    writer = StoreWriter(tmp_path, wanted)
    with pytest.raises(SchemaError, match='null value in column "usr"'):
        writer.write(pa.table({"usr": pa.array([None], pa.string()), "n": [1]}), position=AT)
    gone = pa.table({"usr": ["cid"], "n": pa.array([None], pa.int32()), "_deleted": [True]})
    writer.write(gone, position=AT)
    assert content(tmp_path, wanted) == [("ann", 1), ("bob", 2)]
    with pytest.raises(SchemaError, match="is defined with another not null: n, usr, not none"):
        StoreWriter(tmp_path, CLICKS)
    with pytest.raises(SchemaError, match="another not null: change it with stategate rebuild"):
        evolve(tmp_path, WIDER)
    renamed, names = changed_columns(wanted, rename={"n": "m"}, nullable=["usr"])
    rebuild(tmp_path, "clicks", renamed, renamed=names)
    assert StoreLog.open(tmp_path, "clicks").schema().not_null == {"m"}


def test_what_cannot_be_rebuilt_is_refused(tmp_path: Path) -> None:
    clicks(tmp_path)
    for schema, message in (
        (CLICKS, "has this definition already"),
        (replace(CLICKS, key=columns(other="text")), "cannot be added to its key"),
        (replace(CLICKS, by_event_time=True), "the by event time of store"),
        (replace(WIDER, not_null=frozenset({"note"})), "cannot be added as NOT NULL"),
    ):
        with pytest.raises(SchemaError, match=message):
            rebuild(tmp_path, "clicks", schema)
    with pytest.raises(SchemaError, match='no column "x"'):
        rebuild(tmp_path, "clicks", WIDER, renamed={"n": "x"})
    with pytest.raises(SchemaError, match='two columns of store "clicks" would be'):
        rebuild(tmp_path, "clicks", WIDER, renamed={"note": "n"})
    with pytest.raises(LogError, match="there is no store definition"):
        rebuild(tmp_path, "nothing", CLICKS)
    for key in ({"key": ("usr", "n")}, {"key": ()}):
        remembering = replace(CLICKS, name="late", by_event_time=True)
        StoreWriter(tmp_path, remembering)
        with pytest.raises(SchemaError):
            rebuild(tmp_path, "late", changed_columns(remembering, **key)[0])


def test_types_widen_only_where_every_value_stays_equal() -> None:
    wider = [
        (SMALLINT, INTEGER),
        (INTEGER, BIGINT),
        (INTEGER, DOUBLE),
        (INTEGER, decimal_type(12, 2)),
        (decimal_type(5, 2), decimal_type(8, 4)),
    ]
    for old, new in wider:
        assert widens(old, new)
        assert not widens(new, old)
    for old, new in [
        (BIGINT, DOUBLE),
        (BIGINT, decimal_type(18, 0)),
        (TEXT, BIGINT),
        (BIGINT, TEXT),
        (decimal_type(5, 2), decimal_type(6, 4)),
    ]:
        assert not widens(old, new)


def test_comments_stay_with_their_columns(tmp_path: Path) -> None:
    key = tuple(replace(column, comment=f"the {column.name}") for column in POINTS.key)
    value = tuple(replace(column, comment=f"the {column.name}") for column in POINTS.value)
    StoreWriter(tmp_path, replace(POINTS, key=key, value=value, comment="points of users"))
    after, renamed = changed_columns(
        POINTS, add={"more": TEXT}, drop=["note"], rename={"n": "total"}, widen={"n": BIGINT}
    )
    rebuild(tmp_path, "points", after, renamed=renamed)
    found = StoreLog.open(tmp_path, "points").schema()
    assert found.comment == "points of users"
    assert {column.name: column.comment for column in (*found.key, *found.value)} == {
        "usr": "the usr",
        "place": "the place",
        "total": "the n",
        "rate": "the rate",
        "more": None,
    }
