"""The two entries of a database that are not rows: the store's definition, and the progress.

00 "definition"    fingerprint of the store's definition
00 "progress"      epoch, position and watermark of the rows
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import orjson

from stores.codec.segments import Segments
from stores.errors import CodecError
from stores.spec.position import Position, Progress
from stores.spec.schema import StoreSchema

DEFINITION = b"\0definition"
PROGRESS = b"\0progress"
FIRST_KEY = b"\0"
"""Before the keys of both, which are before those of all rows."""
METADATA_ENTRIES = 2


def fingerprint(schema: StoreSchema) -> bytes:
    """Return the bytes that are equal for two stores if their databases mean the same."""
    columns = [(c.name, str(c.type)) for c in (*schema.key, *schema.value)]
    # With another retention, rows that were dropped under the old one would be missing.
    times = [Segments.of(schema).interval_ms, schema.window_size_ms, schema.retention_ms]
    return orjson.dumps([2, schema.kind.value, columns, schema.partitions, times])


def layout_of(schema: StoreSchema) -> str:
    """Return the name of a store's database layout, as the record of a snapshot has it."""
    return f"rocksdb-{hashlib.sha256(fingerprint(schema)).hexdigest()[:32]}"


def encode_progress(progress: Progress) -> bytes:
    """Encode a progress as JSON."""
    return orjson.dumps(
        {
            "epoch": progress.epoch,
            "position": orjson.Fragment(progress.position.token()),
            "watermark_ms": progress.watermark_ms,
            "committed_ms": progress.committed_ms,
        }
    )


@lru_cache(maxsize=256)
def decode_progress(encoded: bytes | None) -> Progress:
    """Decode a progress; None is that of an empty database.

    It is cached, so partitions that were opened at one epoch share one position object.

    Raises:
        CodecError: it is damaged.
    """
    if encoded is None:
        return Progress()
    try:
        document = orjson.loads(encoded)
        return Progress(
            epoch=document["epoch"],
            position=Position.from_json(document["position"]),
            watermark_ms=document["watermark_ms"],
            committed_ms=document["committed_ms"],
        )
    except (KeyError, TypeError, orjson.JSONDecodeError) as error:
        raise CodecError("the progress record of a replica is damaged") from error
