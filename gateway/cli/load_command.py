"""`stategate load`: fills a store from a file or a pipe."""

from __future__ import annotations

import contextlib
import enum
import re
import sys
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from stategate.gateway.errors import ServeError

if TYPE_CHECKING:
    from stategate.stores.spec.position import Position


File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="CSV, TSV, NDJSON, Parquet or Arrow; - for a pipe."),
]
Root = Annotated[str, typer.Option(help="State log to write: a directory or a URL.")]
Store = Annotated[str, typer.Option(metavar="NAME", help="Store to load; may be new.")]
Key = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Key column; may be repeated. A new store needs one."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME:TYPE",
        help="Type of a column, such as n:bigint; may be repeated. Default: as the store is "
        "defined, or as the input shows.",
    ),
]
NotNull = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column of a new store that is NOT NULL; may be repeated."),
]
Kind = Annotated[
    str | None,
    typer.Option(help="keyvalue, global, window, session or versioned. Default: keyvalue."),
]
Partitions = Annotated[
    int | None, typer.Option(metavar="N", help="Partitions of a new store. Default: 4.")
]
EventTime = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="The time of a row: of the rows of a key the latest stays."
    ),
]
Deleted = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="A boolean column: true removes the row of the key."),
]
WindowMs = Annotated[
    int | None, typer.Option(metavar="MS", help="Length of the windows of a window store.")
]
RetentionMs = Annotated[
    int | None, typer.Option(metavar="MS", help="How long a row stays behind the watermark.")
]
Replace = Annotated[
    bool,
    typer.Option(
        "--replace", help="Replace all rows of the store, in one epoch that is held in memory."
    ),
]
Evolve = Annotated[
    bool,
    typer.Option(
        "--evolve", help="Add further columns to the store, and widen those that --column names."
    ),
]
Positions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TOPIC[P]=OFFSET",
        help="Offset of the last record that the rows reflect; may be repeated.",
    ),
]
Epoch = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="Number of the first epoch: the same load again then changes nothing. "
        "Default: the next.",
    ),
]
EpochRows = Annotated[int, typer.Option(metavar="N", min=1, help="Rows of one epoch.")]
Writer = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Name of the writer. Stores of one name, other than the default, are read at one "
        "epoch together.",
    ),
]
Form = Annotated[
    str | None,
    typer.Option(
        "--format", help="csv, tsv, ndjson, parquet or arrow. Default: by the file's name."
    ),
]


def load(
    *,
    file: File,
    root: Root,
    store: Store,
    key: Key = None,
    column: Columns = None,
    not_null: NotNull = None,
    kind: Kind = None,
    partitions: Partitions = None,
    event_time: EventTime = None,
    deleted: Deleted = None,
    window_ms: WindowMs = None,
    retention_ms: RetentionMs = None,
    replace: Replace = False,
    evolve: Evolve = False,
    position: Positions = None,
    epoch: Epoch = None,
    epoch_rows: EpochRows = 500_000,
    writer: Writer = "load",
    form: Form = None,
) -> None:
    r"""Fill a store from a file or a pipe, without Spark.

    CSV and TSV have a header. In CSV an empty field is NULL; TSV is what `stategate sql` writes in
    a pipe, with \\N for NULL. All rows are checked before one is written. The rows are added to the
    store, or replace those of the same keys. Takes the store over from another writer.
    """
    from stategate.stores.errors import StoreError  # noqa: PLC0415 - only what writes a log loads its engine
    from stategate.stores.loading.loading import Loading, Writing, load  # noqa: PLC0415
    from stategate.stores.loading.sources import Format, format_of, opened  # noqa: PLC0415
    from stategate.stores.spec.schema import DataType, StoreKind  # noqa: PLC0415

    if not root:
        raise ServeError("no state log is given", hint="Name one with --root.")
    if file == "-" and form is None:
        raise ServeError("the format of a pipe is not known", hint="Name one with --format.")
    try:
        named = (_typed(each) for each in column or [])
        loading = Loading(
            store=store,
            key=tuple(key) if key else None,
            types={name: DataType.parse(text) for name, text in named},
            kind=None if kind is None else _member(StoreKind, kind, "kind"),
            partitions=partitions,
            event_time=event_time,
            deleted=deleted,
            window_size_ms=window_ms,
            retention_ms=retention_ms,
            not_null=None if not_null is None else frozenset(not_null),
        )
        writing = Writing(
            position=_position(position or []),
            epoch=epoch,
            epoch_rows=epoch_rows,
            replace=replace,
            evolve=evolve,
            writer=writer,
        )
        read = format_of(file) if form is None else _member(Format, form, "format")
        stdin = contextlib.nullcontext(sys.stdin.buffer)
        with stdin if file == "-" else opened(file) as stream:
            commits = load(root, loading, writing, stream, read)
    except StoreError as error:
        raise ServeError(f'store "{store}" cannot be loaded: {error}') from error
    rows = sum(commit.rows for commit in commits)
    first, last = commits[0].epoch, commits[-1].epoch
    epochs = f"epoch {first}" if first == last else f"epochs {first} to {last}"
    count = "1 row" if rows == 1 else f"{rows} rows"
    print(f"{store}: {count} in {epochs}, position {commits[-1].position.token()}")


_Member = TypeVar("_Member", bound=enum.Enum)


def _member(choices: type[_Member], text: str, what: str) -> _Member:
    try:
        return choices(text)
    except ValueError:
        known = ", ".join(str(each.value) for each in choices)
        raise ServeError(f'{what} "{text}" is not known', hint=f"Name one of {known}.") from None


def _typed(text: str) -> tuple[str, str]:
    name, colon, sql_type = text.rpartition(":")
    if not colon or not name:
        raise ServeError(f'"{text}" is not a column', hint="Write --column NAME:TYPE.")
    return name, sql_type


def _position(texts: list[str]) -> Position:
    from stategate.stores.spec.position import Position  # noqa: PLC0415 - as in `load`

    offsets: dict[str, dict[int, int]] = {}
    for text in texts:
        found = re.fullmatch(r"(.+)\[(\d{1,10})\]=(\d{1,19})", text, re.ASCII)
        if found is None:
            raise ServeError(
                f'"{text}" is not a position', hint="Write --position TOPIC[PARTITION]=OFFSET."
            )
        offsets.setdefault(found[1], {})[int(found[2])] = int(found[3])
    return Position.of(offsets)
