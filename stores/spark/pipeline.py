"""`materialize`: writes a streaming DataFrame to a store that gateways serve."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from stategate.stores.credentials import authorization
from stategate.stores.errors import ArgumentError, SchemaError
from stategate.stores.log.data.canonical import InvalidUtf8, known_handling
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.hints import Hints
from stategate.stores.spark.checkpoint import Checkpoint
from stategate.stores.spark.compacting import PipelineCompactor
from stategate.stores.spark.continuity import check_start
from stategate.stores.spark.definition import checked_inputs, require_replaced, store_frame
from stategate.stores.spark.partition_tasks import PartitionTasks
from stategate.stores.spark.plans import check_output_mode, sources_of
from stategate.stores.spark.reports import OnEpoch
from stategate.stores.spark.sink import COLLECT_ROWS_MAX, EpochSink
from stategate.stores.spark.topics import TopicIds
from stategate.stores.spec.arguments import is_integer, is_name, shown
from stategate.stores.spec.schema import StoreKind, StoreSchema
from stategate.stores.upkeep import rebuild
from stategate.stores.upkeep.retention import WEEK, Retention

_ROWS_MAX = _EPOCHS_MAX = 2**63 - 1
_OUTPUT_MODES = ("append", "update", "complete")


def materialize(
    df: DataFrame,
    *,
    store: str,
    key: Sequence[str],
    root: str,
    partitions: int,
    checkpoint: str,
    kind: str = "keyvalue",
    event_time: str | None = None,
    key_is_unique: bool = False,
    inputs: Sequence[str] | None = None,
    deleted: str | None = None,
    not_null: Sequence[str] = (),
    window_size_ms: int | None = None,
    retention_ms: int | None = None,
    output_mode: str = "update",
    trigger: Mapping[str, Any] | None = None,
    query_name: str | None = None,
    collect_rows_max: int = COLLECT_ROWS_MAX,
    compact_every: int | None = None,
    retain: Retention = WEEK,
    evolve: bool = False,
    invalid_utf8: InvalidUtf8 = "refuse",
    notify: Sequence[str] = (),
    on_epoch: OnEpoch | None = None,
) -> StreamingQuery:
    """Start a query that keeps a store up to date with a streaming DataFrame.

    Each micro-batch becomes one epoch of the store, exactly once, even if it fails and runs again.
    All columns but the key, the window and the mark of tombstones become values.

    Args:
        df: a streaming DataFrame: an aggregation, or rows that each replace the one before.
        store: the name of the store.
        key: the key columns, in the order in which they are hashed and sorted. For an aggregation
            name all columns that it groups by, or say by `event_time` which row stays. For a window
            or session store leave out the column that `F.window` or `F.session_window` made; it
            must keep its name, and the store has `window_start` and `window_end` instead.
        root: path or URI of the state log, which every Spark task must reach.
        partitions: the number of partitions. Ideally as many as the query's shuffle partitions:
            then rows that are grouped by the key need no further shuffle.
        checkpoint: the query's checkpoint directory. It and the store belong together: keep both
            or remove both.
        kind: `keyvalue`, `window`, `session`, `versioned` or `global`.
        event_time: a timestamp column. Of the rows of one key the latest stays, in whole
            milliseconds, wherever batches are cut; of equal ones the last to arrive. It only dates
            the rows of an aggregation by all of its keys, each of which replaces the one before. It
            stays a value, and it is the valid-from of a versioned store.
        key_is_unique: vouches for the key where the plan does not show that it tells the rows of
            groups apart, such as after `mapInPandas`: each row that comes is the whole new row of
            its key, and no change is left out. A batch with two rows of one key fails.
        inputs: names of the sources without topics, one for each, in the order of the plan, for
            bounds and positions; by default `source-0`, … . Keep them from one start of the query
            to the next.
        deleted: a boolean column that marks a row as a tombstone.
        not_null: columns that are never NULL, which SQL tools are told. A batch with a NULL there
            fails, with the key of the row.
        window_size_ms: length of the windows of a window store, which neither the plan nor the
            first rows show; every row is checked against it.
        retention_ms: how far behind the watermark windows and sessions can be read; by default
            without limit.
        output_mode: `update`, `append` or `complete`; with `complete` each epoch is the whole
            store.
        trigger: the arguments of `DataStreamWriter.trigger`, such as `{"availableNow": True}`.
        query_name: the query's name in Spark; by default the store's name.
        collect_rows_max: after an epoch of at most this many rows the driver collects the next one
            itself, which takes half the time of a job by tasks; 0 leaves all to the tasks.
        compact_every: write a snapshot once this many epochs were committed since the last one, and
            remove old epochs, as `compact` does, in a thread of the driver while the query
            runs. A run that fails is logged and tried again as many epochs later. None leaves it to
            `stategate compact`.
        retain: the epochs that compaction keeps.
        evolve: whether further columns and wider types of the query change the definition of the
            store, which is rebuilt for it before the query starts; older rows have NULL in them.
            Otherwise, and for all other changes, a different definition is refused.
        invalid_utf8: what happens to a value with a text that is not UTF-8, such as Spark makes by
            `CAST(bytes AS STRING)`: "refuse" fails the batch, with the key of the row; "replace"
            puts U+FFFD for the wrong bytes. A key is always refused, since two could become one:
            apply `make_valid_utf8` to it in the query, before it groups.
        notify: URLs of gateways to tell of each epoch, such as `http://gateway:7420`: of use where
            `root` is on an object store, where a gateway would find it up to a second later.
        on_epoch: a function that gets an `EpochReport` of each epoch after its commit: rows, bytes,
            time of each phase, lag. The next batch waits for it. An error in it is only logged.

    Raises:
        SchemaError: the rows do not fit this kind of store, an argument is not valid, or the store
            is defined differently. Nothing has been written then.
        EpochConflictError: the checkpoint has other input for the newest epochs than the store.
        LogError: the log cannot be read or written.
    """
    _check_arguments(df, store, root=root, checkpoint=checkpoint, collect_rows_max=collect_rows_max)
    _check_listeners(store, notify, on_epoch)
    root, checkpoint = os.fspath(root), os.fspath(checkpoint)
    sources = sources_of(df)
    names = checked_inputs(store, inputs, sources)
    frame = store_frame(
        df,
        store=store,
        key=_checked_columns("key", key, store),
        partitions=partitions,
        kind=_kind(kind, store),
        event_time=event_time,
        deleted=deleted,
        inputs=(*names, *sorted({topic for source in sources for topic in source.topics})),
        window_size_ms=window_size_ms,
        retention_ms=retention_ms,
        invalid_utf8=_handling(invalid_utf8, store),
        key_is_unique=_checked_flag("key_is_unique", key_is_unique, store),
        not_null=frozenset(_checked_columns("not_null", not_null, store)),
    )
    compactor = _compactor(df, root, frame.schema, compact_every, retain)
    writer = _writer(df, store, output_mode, trigger, query_name)
    if output_mode == "update":
        require_replaced(df, frame.schema)
    record = Checkpoint(spark=df.sparkSession, path=checkpoint, inputs=names, sources=sources)
    check_start(StoreLog.open(root, store), record)
    _evolve(df, root, frame.schema, evolve)
    _define(root, frame.schema, are_known=bool(names) or all(each.topics for each in sources))
    sink = EpochSink(
        frame,
        root=root,
        checkpoint=record,
        replaces=output_mode == "complete",
        collect_rows_max=collect_rows_max,
        compactor=compactor,
        topic_ids=TopicIds.of(df, sources),
        notify=notify,
        on_epoch=on_epoch,
    )
    query = writer.option("checkpointLocation", checkpoint).foreachBatch(sink).start()
    if compactor is not None:
        compactor.stop_with(query)
    return query


def _check_arguments(
    df: DataFrame, store: str, *, root: object, checkpoint: object, collect_rows_max: object
) -> None:
    if not hasattr(df, "_jdf"):
        raise SchemaError(f'store "{store}": {shown(df)} is not a DataFrame of a driver\'s session')
    if not df.isStreaming:
        raise SchemaError(f'store "{store}": the DataFrame is not a streaming one')
    for name, place in (("root", root), ("checkpoint", checkpoint)):
        if not isinstance(place, str | os.PathLike) or not is_name(os.fspath(place)):
            raise SchemaError(f'store "{store}": {name}= is a path or a URI, not {shown(place)}')
    if not is_integer(collect_rows_max, least=0, most=_ROWS_MAX):
        raise SchemaError(
            f'store "{store}": collect_rows_max is a number of rows, not {shown(collect_rows_max)}'
        )


def _define(root: str, schema: StoreSchema, *, are_known: bool) -> None:
    """Define the store if its inputs are known.

    Otherwise the first epoch does, once its topics are known: a bound on a topic that does not feed
    the store would be ignored.
    """
    log = StoreLog.open(root, schema.name)
    if are_known or log.defined():
        log.define(schema)


def _evolve(df: DataFrame, root: str, schema: StoreSchema, wanted: bool) -> None:
    """Rebuild the store if the query brings further columns, and the caller wants them in it."""
    if _checked_flag("evolve", wanted, schema.name):
        context = df.sparkSession.sparkContext
        rebuild.evolve(root, schema, run=PartitionTasks(context, root, share=1))


def _checked_flag(name: str, flag: object, store: str) -> bool:
    if not isinstance(flag, bool):
        raise SchemaError(f'store "{store}": {name}= is True or False, not {shown(flag)}')
    return flag


def _handling(invalid_utf8: object, store: str) -> InvalidUtf8:
    try:
        return known_handling(invalid_utf8)
    except ArgumentError as error:
        raise SchemaError(f'store "{store}": {error}') from error


def _check_listeners(store: str, notify: Sequence[str], on_epoch: OnEpoch | None) -> None:
    if on_epoch is not None and not callable(on_epoch):
        raise SchemaError(f'store "{store}": on_epoch= is a function, not {shown(on_epoch)}')
    try:
        Hints(notify, store, credentials=authorization())
    except (ArgumentError, TypeError) as error:
        raise SchemaError(f'store "{store}": {error}') from error


def _checked_columns(argument: str, columns: Sequence[str], store: str) -> Sequence[str]:
    if isinstance(columns, str):
        return [columns]
    if not isinstance(columns, Sequence) or not all(isinstance(name, str) for name in columns):
        raise SchemaError(
            f'store "{store}": {argument}= is a list of columns, not {shown(columns)}'
        )
    return columns


def _writer(
    df: DataFrame,
    store: str,
    output_mode: str,
    trigger: Mapping[str, Any] | None,
    query_name: str | None,
) -> DataStreamWriter:
    """Return Spark's writer of the query, whose settings Spark has checked."""
    if output_mode not in _OUTPUT_MODES:
        raise SchemaError(f'store "{store}": output mode {shown(output_mode)} is not known')
    name = store if query_name is None else query_name
    if not is_name(name):
        raise SchemaError(f'store "{store}": no query can be called {shown(name)}')
    if any(query.name == name for query in df.sparkSession.streams.active):
        raise SchemaError(f'store "{store}": a query called "{name}" runs already: stop it first')
    try:
        writer = df.writeStream.outputMode(output_mode).queryName(name)
        writer = writer if trigger is None else writer.trigger(**trigger)
        check_output_mode(df, output_mode)
    except (PySparkException, TypeError) as error:
        raise SchemaError(f'store "{store}": {error}') from error
    return writer


def _compactor(
    df: DataFrame, root: str, schema: StoreSchema, every: int | None, retain: Retention
) -> PipelineCompactor | None:
    if not isinstance(retain, Retention):
        raise SchemaError(f'store "{schema.name}": retain= is a Retention, not {shown(retain)}')
    if every is None:
        return None
    if not is_integer(every, least=1, most=_EPOCHS_MAX):
        raise SchemaError(f'store "{schema.name}": compact_every must be 1 epoch or more')
    snapshots = PartitionTasks(df.sparkSession.sparkContext, root)
    return PipelineCompactor(root, schema.name, every=every, retention=retain, snapshots=snapshots)


def _kind(kind: str, store: str) -> StoreKind:
    try:
        return StoreKind(kind)
    except ValueError as error:
        known = ", ".join(known.value for known in StoreKind)
        raise SchemaError(f'store "{store}": kind {shown(kind)} is not one of {known}') from error
