"""The schemas of the OpenAPI document. `requests.fields` reads the fields that bodies have here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from stategate.gateway.http.formats.negotiation import FORMATS
from stategate.gateway.http.requests.fields import BATCH_FIELDS, QUERY_FIELDS, TYPED_FIELDS

Json: TypeAlias = dict[str, Any]

TEXT: Final[Json] = {"type": "string"}
_FLAG: Final[Json] = {"type": "boolean"}
_COUNT: Final[Json] = {"type": "integer", "minimum": 0}
ANY: Final[Json] = {}


def ref(name: str) -> Json:
    """Return the reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: Json, *required: str, closed: bool = False) -> Json:
    made: Json = {"type": "object", "properties": properties}
    if required:
        made["required"] = list(required)
    if closed:
        made["additionalProperties"] = False
    return made


def _nullable(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(items: Json, **more: Any) -> Json:
    return {"type": "array", "items": items, **more}


FIELD_SCHEMAS: Final[Mapping[str, Json]] = {
    "sql": {**TEXT, "description": "One statement."},
    "params": {
        "anyOf": [_list(ANY), {"type": "object"}, {"type": "null"}],
        "description": "Values of $1, $2, …, or an object of values of :name.",
    },
    "format": _nullable({"enum": list(FORMATS), "description": "Counts more than Accept."}),
    "page_rows": _nullable({"type": "integer", "minimum": 1, "maximum": 10_000}),
    "next": _nullable({**TEXT, "description": "The token of the page before."}),
    "token": _nullable({**TEXT, "description": "The token of the last event, to go on after it."}),
    "bound": {
        "anyOf": [ref("Position"), TEXT, {"type": "null"}],
        "description": "The least position that the answer must reflect.",
    },
    "wait_ms": _nullable({**_COUNT, "description": "How long to wait for the bound."}),
    "consistency": _nullable({"enum": ["eventual", "monotonic", "latest", "snapshot"]}),
    "unknown_topics": _nullable({"enum": ["error", "ignore"]}),
    "partial": _nullable({**_FLAG, "description": "List failed partitions instead of failing."}),
    "info": _nullable({**_FLAG, "description": "Add execution info by partition."}),
    "engine": _nullable({"enum": ["auto", "local", "spark"]}),
    "statements": _list(
        {"description": "An object of sql and params; anything else gets an error in its place."},
        minItems=1,
    ),
    "type": {**TEXT, "description": "The name of a query; GET the store for all."},
    "args": _nullable({"type": "object", "description": "The arguments of the query."}),
    "partitions": _nullable(_list(_COUNT)),
    "active": _nullable({**_FLAG, "description": "Ask active replicas only."}),
}
_ERROR: Final = _object(
    {
        "message": TEXT,
        "sqlstate": {**TEXT, "pattern": "^[0-9A-Z]{5}$"},
        "detail": _nullable(TEXT),
        "hint": _nullable(TEXT),
        "position": _nullable({"type": "integer"}),
        "retryable": _FLAG,
    },
    *("message", "sqlstate", "detail", "hint", "position", "retryable"),
)
_POSITION: Final[Json] = {
    "type": "object",
    "description": "Topic, then partition, then the offset of the last record applied.",
    "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}},
}
_PARTITION: Final = _object(
    {
        "store": TEXT,
        "partition": _COUNT,
        "node": TEXT,
        "status": {"enum": ["ok", "failed"]},
        "reason": _nullable(TEXT),
        "message": _nullable(TEXT),
        "epoch": {"type": "integer"},
        "rows": _COUNT,
        "info": _list(TEXT),
    },
    *("store", "partition", "node", "status", "epoch"),
)
_COLUMNS: Final = _list(_object({"name": TEXT, "type": TEXT}, "name", "type"))
_ROWS: Final = _list(_list(ANY))
_ANSWER: Final = _object(
    {
        "columns": _COLUMNS,
        "rows": _ROWS,
        "position": ref("Position"),
        "partitions": _list(ref("Partition")),
        "elapsed_ms": {"type": "number"},
        "next": _nullable(TEXT),
        "notices": _list(TEXT),
        "error": ref("Error"),
    },
    *("columns", "rows"),
)
_RESULT: Final = _object({"rows": _ROWS, "error": ref("Error")})
_BATCH: Final = _object(
    {
        "columns": _COLUMNS,
        "results": _list({"anyOf": [ref("Answer"), _RESULT]}),
        "position": ref("Position"),
        "partitions": _list(ref("Partition")),
        "elapsed_ms": {"type": "number"},
    },
    *("results", "elapsed_ms"),
)
_TYPED: Final = _object(
    {
        "store": TEXT,
        "type": TEXT,
        "position": ref("Position"),
        "partitions": _list(ref("Partition")),
        "elapsed_ms": {"type": "number"},
    },
    *("store", "type", "position", "partitions", "elapsed_ms"),
)


def _body_of(fields: Iterable[str], *required: str) -> Json:
    return _object({name: FIELD_SCHEMAS[name] for name in fields}, *required, closed=True)


_BATCH_BODY: Final[Json] = {
    "oneOf": [
        _object(
            {
                **{n: FIELD_SCHEMAS[n] for n in BATCH_FIELDS if n not in {"params", "statements"}},
                "format": _nullable({"enum": ["json", "ndjson"]}),
                "params": _list(
                    {"description": "A list or an object; anything else gets an error."}, minItems=1
                ),
            },
            *("sql", "params"),
            closed=True,
        ),
        _object(
            {
                **{n: FIELD_SCHEMAS[n] for n in BATCH_FIELDS if n not in {"params", "sql"}},
                "format": _nullable({"enum": ["json", "ndjson"]}),
            },
            "statements",
            closed=True,
        ),
    ]
}
_EVENT: Final = _object(
    {
        "event": {"enum": ["start_over", "columns", "rows", "progress", "changes", "error"]},
        "id": {**TEXT, "description": "The token to go on after it."},
        "data": {**TEXT, "description": "An object as JSON."},
    },
    *("event", "data"),
)
_ADDRESSES: Final = _object(
    {
        "http": {"type": ["string", "null"], "description": "Where this request has arrived."},
        "postgres": {
            "type": ["string", "null"],
            "description": "Where the Postgres wire listens; null if it is off.",
        },
    },
    "http",
    "postgres",
)
SCHEMAS: Final[Json] = {
    "Error": _ERROR,
    "Event": _EVENT,
    "Failure": _object({"error": ref("Error")}, "error"),
    "Position": _POSITION,
    "Partition": _PARTITION,
    "Answer": _ANSWER,
    "BatchAnswer": _BATCH,
    "TypedAnswer": _TYPED,
    "Query": _body_of(QUERY_FIELDS, "sql"),
    "Located": _object(
        {
            "store": TEXT,
            "partition": _COUNT,
            "replicas": _list(
                _object(
                    {"node": TEXT, "role": TEXT, "state": TEXT, "epoch": {"type": "integer"}},
                    *("node", "role", "state", "epoch"),
                )
            ),
        },
        *("store", "partition", "replicas"),
    ),
    "Addresses": _ADDRESSES,
    "Batch": _BATCH_BODY,
    "TypedQuery": _body_of(TYPED_FIELDS, "type"),
}
