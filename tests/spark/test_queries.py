"""The store of every stateful query equals a recomputation of all input, wherever batches end.

This is the short form: some of the queries, over one input. `make fuzz ARGS="--parts query"` runs
all of them, and draws inputs and cuts.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.queries import COUNT_MIN, Case, Input, difference, start

pytestmark = pytest.mark.spark

SHORT = [
    Case("aggregation", "update"),
    Case("aggregation by decimals, dates and booleans", "update"),
    Case("tumbling windows", "append"),
    Case("hopping windows", "complete"),
    Case("sessions", "append"),
    Case("dropDuplicatesWithinWatermark", "append"),
    Case("left join", "append"),
    Case("applyInPandasWithState", "update"),
    Case("transformWithStateInPandas", "update"),
    Case("latest rows", "append"),
]


@pytest.mark.parametrize("case", SHORT, ids=str)
def test_a_store_equals_a_recomputation(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    given = Input.write(tmp_path / "events", seed=1, count=COUNT_MIN, batches=2)
    assert start(spark, given, case, tmp_path).awaitTermination(100)
    assert difference(given, case, tmp_path, tmp_path / "data") is None
