"""`stategate rebuild`: writes a store anew with other columns, another key or more partitions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from stategate.gateway.audit.acts import note_act
from stategate.gateway.errors import ServeError

if TYPE_CHECKING:
    from stategate.stores.spec.datatypes import DataType
    from stategate.stores.spec.schema import StoreSchema
    from stategate.stores.upkeep.rebuild import Rebuilt


Root = Annotated[str, typer.Option(help="State log to write: a directory or a URL.")]
Store = Annotated[str, typer.Option(metavar="NAME", help="Store to rebuild.")]
Add = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME:TYPE", help="Add a column, NULL in all rows; may be repeated."),
]
Drop = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Drop a column; may be repeated.")
]
Rename = Annotated[
    list[str] | None,
    typer.Option(metavar="OLD:NEW", help="Rename a column; may be repeated."),
]
Widen = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME:TYPE", help="Give a column a wider type; may be repeated."),
]
Key = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Key column, by its new name; repeat for all, in order. Default: as it is.",
    ),
]
NotNull = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="Make a column NOT NULL, if no row is NULL there; may be repeated."
    ),
]
Nullable = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Let a column be NULL; may be repeated."),
]
Partitions = Annotated[
    int | None, typer.Option(metavar="N", help="Partitions. Default: as many as there are.")
]
RetentionMs = Annotated[
    int | None,
    typer.Option(metavar="MS", help="How long a row stays behind the watermark; 0 is forever."),
]
Spark = Annotated[
    bool,
    typer.Option(
        "--spark", help="Let Spark write the partitions side by side, on SPARK_MASTER or here."
    ),
]


def rebuild(
    *,
    root: Root,
    store: Store,
    add: Add = None,
    drop: Drop = None,
    rename: Rename = None,
    widen: Widen = None,
    key: Key = None,
    not_null: NotNull = None,
    nullable: Nullable = None,
    partitions: Partitions = None,
    retention_ms: RetentionMs = None,
    spark: Spark = False,
) -> None:
    """Write a store anew with other columns, another key or another number of partitions.

    Stop its pipeline first, and start it again with the same checkpoint and the new definition.
    Gateways answer from the old store until they have read the new one. `stategate compact` removes
    the old one after the time for which it keeps epochs. If anything fails, nothing has changed.
    """
    from stategate.stores.errors import StoreError  # noqa: PLC0415 - only what writes a log loads its engine
    from stategate.stores.log.state_log import StoreLog  # noqa: PLC0415
    from stategate.stores.spec.redefinition import changed_columns  # noqa: PLC0415

    if not root:
        raise ServeError("no state log is given", hint="Name one with --root.")
    try:
        before = StoreLog.open(root, store).schema()
        after, renamed = changed_columns(
            before,
            add=_types("--add", add),
            drop=drop or (),
            rename=dict(_pairs("--rename", "OLD:NEW", rename)),
            widen=_types("--widen", widen),
            key=tuple(key) if key else None,
            not_null=not_null or (),
            nullable=nullable or (),
        )
        if partitions is not None:
            after = replace(after, partitions=partitions)
        if retention_ms is not None:
            after = replace(after, retention_ms=retention_ms or None)
        done = (_by_spark if spark else _here)(root, store, after, renamed)
    except StoreError as error:
        raise ServeError(f'store "{store}" cannot be rebuilt: {error}') from error
    note_act("rebuild", store=store, epoch=done.epoch)
    rows = "1 row" if done.rows == 1 else f"{done.rows} rows"
    since = "it has no epoch yet" if done.epoch < 0 else f"{rows} as of epoch {done.epoch}"
    print(f"{store}: rebuilt, {since}")


def _here(root: str, store: str, schema: StoreSchema, renamed: dict[str, str]) -> Rebuilt:
    from stategate.stores.upkeep.rebuild import rebuild as rebuild_store  # noqa: PLC0415 - as in `rebuild`

    return rebuild_store(root, store, schema, renamed=renamed)


def _by_spark(root: str, store: str, schema: StoreSchema, renamed: dict[str, str]) -> Rebuilt:
    try:
        from stategate.stores.spark.partition_tasks import PartitionTasks  # noqa: PLC0415 - starts no JVM
        from stategate.stores.spark.session import JavaMissingError, spark_session  # noqa: PLC0415
    except ImportError as error:
        raise ServeError(f"Spark cannot be used: {error}") from error
    from stategate.stores.upkeep.rebuild import rebuild as rebuild_store  # noqa: PLC0415

    try:
        spark = spark_session("stategate rebuild")
    except JavaMissingError as error:
        raise ServeError(f"Spark cannot be used: {error}") from error
    try:
        tasks = PartitionTasks(spark.sparkContext, root, share=1)
        return rebuild_store(root, store, schema, renamed=renamed, run=tasks)
    finally:
        spark.stop()


def _pairs(option: str, form: str, texts: Iterable[str] | None) -> list[tuple[str, str]]:
    found = []
    for text in texts or ():
        first, colon, second = text.partition(":")
        if not (first and colon and second):
            raise ServeError(f'"{text}" is not two names', hint=f"Write {option} {form}.")
        found.append((first, second))
    if len({first for first, _ in found}) < len(found):
        raise ServeError(f"{option} names a column twice")
    return found


def _types(option: str, texts: Iterable[str] | None) -> dict[str, DataType]:
    from stategate.stores.spec.datatypes import DataType  # noqa: PLC0415 - as in `rebuild`

    return {n: DataType.parse(kind) for n, kind in _pairs(option, "NAME:TYPE", texts)}
