"""`read_store`: reads a store as a batch DataFrame, for reads too large for one gateway."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark.registration import register_format
from stategate.stores.spark.source import FORMAT
from stategate.stores.upkeep.recipes import recipe


def read_store(
    spark: SparkSession,
    root: str,
    store: str,
    epoch: int | None = None,
    *,
    columns: Sequence[str] = (),
    filters: Sequence[tuple[str, str, Any]] = (),
) -> DataFrame:
    """Return a store as of an epoch as a DataFrame: `format("stategate")` with these options.

    The columns are those of the relation: key, time, value. Replaced rows, tombstones and expired
    rows are left out. An interval is a struct of months, days, microseconds.

    Args:
        spark: the session.
        root: path or URI of the state log, which every Spark task must reach.
        store: the name of the store.
        epoch: the epoch; by default the newest.
        columns: the columns to read; by default all.
        filters: conditions that all rows meet, such as `("usr", "=", "ann")`; they are checked
            where the files are read, and name the partitions of whole keys.

    Raises:
        LogMissingError: the store is missing.
        LogError: the epoch is not in the log, or the log cannot be read.
    """
    # Spark would raise an error of its own, with the text of this one.
    recipe(StoreLog.open(root, store), epoch)
    register_format(spark)
    reader = spark.read.format(FORMAT).option("root", os.fspath(root))
    if epoch is not None:
        reader = reader.option("epoch", epoch)
    if columns:
        reader = reader.option("columns", ",".join(columns))
    if filters:
        reader = reader.option("filters", json.dumps([list(each) for each in filters], default=str))
    return reader.load(store)
