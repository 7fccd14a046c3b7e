"""uuid."""

from __future__ import annotations

import pyarrow as pa

from stores.types.record import SqlType

UUID = SqlType(
    name="uuid",
    parsed=("UUID",),
    postgres="uuid",
    spelled="uuid",
    oid=2950,
    array_oid=2951,
    length=16,
    duckdb="UUID",
    arrow=pa.string(),
    extension="arrow.uuid",
)
