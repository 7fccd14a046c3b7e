"""The OpenAPI document: what each route takes and answers.

Paths and methods are those of the routes, so a route without a description fails when the
application is built.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from starlette.routing import BaseRoute, Route

from stategate.gateway.http.formats.negotiation import FORMATS
from stategate.gateway.http.openapi.schemas import ANY, FIELD_SCHEMAS, SCHEMAS, TEXT, Json, ref
from stategate.gateway.http.requests.fields import LOOKUP_FIELDS, QUERY_FIELDS, SUBSCRIBE_FIELDS

_FAILURE_TEXT: Final = {
    "400": "The request, the statement or a value is wrong.",
    "401": "Credentials are missing or wrong.",
    "403": "Refused.",
    "404": "There is no such store or path.",
    "406": "There is no such format or coding.",
    "408": "The body did not arrive in time.",
    "413": "The body is too long.",
    "415": "The content type is not supported.",
    "429": "Too many failed logins.",
    "500": "Reading a store failed, or a bug.",
    "501": "SQL or a query that the gateway does not run.",
    "503": "Try again: a partition is behind or restoring, or there is too much work.",
    "504": "Cancelled, or past its deadline.",
}
_ALWAYS: Final = ("401", "403", "429", "500", "503")
_QUERYING: Final = ("400", "406", "501", "504", *_ALWAYS)
_WITH_BODY: Final = ("408", "413", "415", *_QUERYING)


def _failures(*statuses: str) -> Json:
    content = {"application/json": {"schema": ref("Failure")}}
    return {each: {"description": _FAILURE_TEXT[each], "content": content} for each in statuses}


def _json(schema: Json, description: str) -> Json:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _rows_answer(schema: Json) -> Json:
    content: Json = {media_type: {"schema": ANY} for media_type in FORMATS.values()}
    content["application/json"] = {"schema": schema}
    return {
        "description": "The rows, in the format that was asked for.",
        "headers": {"Stategate-Next": {"description": "Token of the next page.", "schema": TEXT}},
        "content": content,
    }


def _url_fields(fields: Iterable[str], *required: str) -> list[Json]:
    found: list[Json] = []
    for name in fields:
        schema: Json = {"type": "string"} if name in {"params", "bound"} else FIELD_SCHEMAS[name]
        schema = next(iter(schema.get("anyOf", [schema])))
        found.append({"name": name, "in": "query", "required": name in required, "schema": schema})
    return found


def _path(name: str, description: str) -> Json:
    schema = {"type": "string", "minLength": 1}
    found: Json = {"name": name, "in": "path", "required": True, "schema": schema}
    return {**found, "description": description}


_STORE: Final = _path("name", "The name of a store.")
_GET_QUERY: Final[Json] = {
    "summary": "Run one statement",
    "operationId": "getQuery",
    "description": "`param.name` or `param.1` gives the text of one parameter; `params` is JSON.",
    "parameters": _url_fields(QUERY_FIELDS, "sql"),
    "responses": {
        "200": _rows_answer(ref("Answer")),
        "304": {"description": "The client has this answer: see If-None-Match."},
        **_failures(*_QUERYING),
    },
}
_POST_QUERY: Final[Json] = {
    "summary": "Run one statement",
    "operationId": "postQuery",
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": ref("Query")},
            "text/plain": {"schema": TEXT},
            "application/sql": {"schema": TEXT},
        },
    },
    "responses": {"200": _rows_answer(ref("Answer")), **_failures(*_WITH_BODY)},
}


def _posting(summary: str, name: str, body: Json, answer: Json, *parameters: Json) -> Json:
    return {
        "summary": summary,
        "operationId": name,
        "parameters": list(parameters),
        "requestBody": {"required": True, "content": {"application/json": body}},
        "responses": {"200": answer, **_failures(*_WITH_BODY)},
    }


def _getting(summary: str, name: str, answers: Json, *parameters: Json) -> Json:
    return {
        "summary": summary,
        "operationId": name,
        "parameters": list(parameters),
        "responses": answers,
    }


_OBJECT: Final[Json] = {"type": "object"}
OPERATIONS: Final[Mapping[tuple[str, str], Json]] = {
    ("GET", "/v1/query"): _GET_QUERY,
    ("POST", "/v1/query"): _POST_QUERY,
    ("POST", "/v1/batch"): _posting(
        "Run several statements, or one for many sets of parameters",
        "postBatch",
        {"schema": ref("Batch")},
        {
            **_json(ref("BatchAnswer"), "An answer or an error for each run, in their order."),
            "content": {
                "application/json": {"schema": ref("BatchAnswer")},
                "application/x-ndjson": {"schema": ANY},
            },
        },
    ),
    ("GET", "/v1/subscribe"): {
        "summary": "The rows of a statement, then their changes with each epoch",
        "operationId": "subscribe",
        "description": "Server-sent events: `columns`, `rows`, then `changes` and `progress`, "
        "or `start_over`, `error`. `param.name` or `param.1` gives the text of one parameter. "
        "With an upgrade to a WebSocket, each text frame is the data of one event.",
        "parameters": [
            *_url_fields(SUBSCRIBE_FIELDS, "sql"),
            {
                "name": "Last-Event-ID",
                "in": "header",
                "schema": TEXT,
                "description": "The id of the last event, to go on after it.",
            },
        ],
        "responses": {
            "200": {
                "description": "The events, until the end of the stream's lifetime.",
                "content": {"text/event-stream": {"schema": ref("Event")}},
            },
            **_failures(*_QUERYING),
        },
    },
    ("GET", "/v1/stores"): _getting(
        "List the stores",
        "listStores",
        {
            "200": _json(
                {
                    "type": "object",
                    "properties": {
                        "stores": {"type": "array", "items": _OBJECT},
                        "addresses": ref("Addresses"),
                    },
                    "required": ["stores", "addresses"],
                },
                "All definitions, and where the gateway listens.",
            ),
            **_failures(*_ALWAYS),
        },
    ),
    ("GET", "/v1/stores/{name}"): _getting(
        "Describe one store, its replicas and its queries",
        "getStore",
        {"200": _json(_OBJECT, "The store."), **_failures("400", "404", *_ALWAYS)},
        _STORE,
    ),
    ("POST", "/v1/stores/{name}/query"): _posting(
        "Run a typed query",
        "postTypedQuery",
        {"schema": ref("TypedQuery")},
        _json(ref("TypedAnswer"), "A result or a failure for each partition."),
        _STORE,
    ),
    ("GET", "/v1/stores/{name}/{key}"): {
        "summary": "Read the rows of one key",
        "operationId": "getKey",
        "description": "One path segment for each key column, %2F for a slash.",
        "parameters": [
            _STORE,
            _path("key", "The value of the key column."),
            {"name": "locate", "in": "query", "schema": {"const": ""}, "allowEmptyValue": True},
            *_url_fields(LOOKUP_FIELDS),
        ],
        "responses": {
            "200": _rows_answer({"anyOf": [ref("Answer"), ref("Located")]}),
            **_failures(*_QUERYING),
        },
    },
    ("POST", "/v1/stores/{name}/notify"): {
        "summary": "Look for the next epoch of a store now",
        "operationId": "notifyStore",
        "parameters": [_STORE],
        "responses": {
            "202": _json(_OBJECT, "Accepted, before it has looked."),
            **_failures("400", *_ALWAYS),
        },
    },
    ("GET", "/healthz"): _getting(
        "Whether the process answers", "health", {"200": _json(_OBJECT, "It does.")}
    ),
    ("GET", "/readyz"): _getting(
        "Whether every replica runs",
        "readiness",
        {"200": _json(_OBJECT, "They do."), **_failures("503")},
    ),
    ("GET", "/metrics"): _getting(
        "Metrics for Prometheus",
        "metrics",
        {
            "200": {
                "description": "All metrics, in the scraper's format.",
                "content": {
                    "text/plain": {"schema": TEXT},
                    "application/openmetrics-text": {"schema": TEXT},
                    "application/vnd.google.protobuf": {"schema": ANY},
                },
            },
            **_failures(*_ALWAYS),
        },
    ),
    ("GET", "/openapi.json"): _getting(
        "This document", "openapi", {"200": _json(_OBJECT, "It."), **_failures(*_ALWAYS)}
    ),
}
"""What each route takes and answers, by method and path."""


def openapi_document(routes: Iterable[BaseRoute], *, version: str) -> Json:
    """Return the document, to which `examples` adds those of a gateway.

    Args:
        routes: the routes of the application; one without a description is a KeyError.
        version: the version of the gateway.
    """
    paths: dict[str, Json] = {}
    for route in routes:
        if not isinstance(route, Route):
            continue
        path = route.path.replace(":key}", "}")
        for method in sorted(route.methods or ()):
            if method not in {"HEAD", "OPTIONS"}:
                paths.setdefault(path, {})[method.lower()] = OPERATIONS[method, path]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Stategate",
            "version": version,
            "description": "SQL over the live, partitioned state of Spark streaming jobs.",
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"basic": []}, {"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "basic": {"type": "http", "scheme": "basic"},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
    }
