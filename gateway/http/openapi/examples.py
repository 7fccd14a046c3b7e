"""The examples of the OpenAPI document: each of them works on the gateway that shows it.

They are made for one of its stores. Those of the documentation are shown, too, where the gateway
can run them.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Final

import orjson

from stategate.gateway.http.endpoint import ANONYMOUS, Services
from stategate.gateway.http.openapi.schemas import Json
from stategate.gateway.http.requests.parameters import convert_arguments
from stategate.gateway.http.requests.parsing import read_typed_request
from stategate.planner.engine import QueryError, Session, number_parameters, quote_name

EVERYWHERE: Final = "SHOW STORES"
"""A statement that works on a gateway without stores."""
ROWS: Final = 10
_STATEMENTS: Final = ("SELECT * FROM clicks", "SELECT * FROM carrier_delays")
_QUERIES: Final[Mapping[str, Json]] = {
    "named": {"sql": "SELECT * FROM clicks WHERE usr = :usr", "params": {"usr": "bob"}},
    "demo": {"sql": "SELECT * FROM aircraft WHERE tailnum = $1", "params": ["N14228"]},
    "numbered": {"sql": "SELECT * FROM clicks WHERE usr = $1", "params": ["bob"]},
}
_TEXTS: Final[Mapping[str, str]] = {"named": "SELECT * FROM clicks WHERE usr = :usr"}
_BATCHES: Final[Mapping[str, Json]] = {
    "sets": {"sql": "SELECT * FROM clicks WHERE usr = $1", "params": [["ann"], ["bob"]]},
    "statements": {"statements": [{"sql": "SELECT count(*) FROM clicks"}, {"sql": EVERYWHERE}]},
}
_TYPED: Final[Mapping[str, Json]] = {
    "range": {"type": "range", "args": {"lower": ["a"], "limit": 10}, "info": True},
    "registered": {"type": "greatest", "args": {"key": ["bob"], "least": 1}},
}


def with_examples(document: Json, services: Services, user: str | None) -> Json:
    """Return the document with the examples that a user can run; it may block.

    Args:
        document: the document without examples.
        services: the services of the gateway.
        user: who reads it; None or empty where no login is required.
    """
    known = _Known(services, user or ANONYMOUS)
    names = [each["name"] for each in services.describe_stores()]
    store = next((name for name in sorted(names) if known.reads(_all_of(name))), None)
    statements = [each for each in _STATEMENTS if known.reads(each)]
    if store is not None:
        statements.insert(0, _all_of(store))
    found = deepcopy(document)
    paths = found["paths"]
    _fill_statements(paths["/v1/query"]["get"], statements or [EVERYWHERE])
    _fill_statements(paths["/v1/subscribe"]["get"], statements)
    posted = paths["/v1/query"]["post"]["requestBody"]["content"]
    _fill_body(posted["application/json"], {**_queries(store), **known.queries(_QUERIES)})
    _fill_body(posted["text/plain"], {n: text for n, text in _TEXTS.items() if known.reads(text)})
    batches = paths["/v1/batch"]["post"]["requestBody"]["content"]["application/json"]
    _fill_body(batches, {**_batches(store), **known.queries(_BATCHES)})
    if store is not None:
        _fill_store(paths, store)
        for_store = paths.get("/v1/stores/{name}/query")
        if for_store is not None:
            typed = {"count": {"type": "count", "info": True}, **known.typed(store, _TYPED)}
            _fill_body(for_store["post"]["requestBody"]["content"]["application/json"], typed)
    return found


def _all_of(store: str) -> str:
    return f"SELECT * FROM {quote_name(store)} LIMIT {ROWS}"


def _queries(store: str | None) -> dict[str, Json]:
    if store is None:
        return {"stores": {"sql": EVERYWHERE}}
    limited = f"SELECT * FROM {quote_name(store)} LIMIT"
    return {
        "rows": {"sql": f"{limited} $1", "params": [ROWS]},
        "names": {"sql": f"{limited} :rows", "params": {"rows": ROWS}},
    }


def _batches(store: str | None) -> dict[str, Json]:
    if store is None:
        return {"several": {"statements": [{"sql": EVERYWHERE}, {"sql": "SELECT version()"}]}}
    name = quote_name(store)
    return {
        "several": {"statements": [{"sql": f"SELECT count(*) FROM {name}"}, {"sql": EVERYWHERE}]},
        "parameters": {"sql": f"SELECT * FROM {name} LIMIT $1", "params": [[1], [2]]},
    }


class _Known:
    """What a user can run.

    Args:
        services: the services of the gateway.
        user: the user.
    """

    def __init__(self, services: Services, user: str) -> None:
        self._engine, self._typed, self._user = services.engine, services.typed, user

    def reads(self, sql: str) -> bool:
        """Whether the user can run a statement, in which `usr` may be a parameter."""
        session = Session(user=self._user)
        try:
            text = number_parameters(sql, {"usr"}).sql if ":" in sql else sql
            self._engine.require_rights(self._engine.prepare(text, session), session)
        except QueryError:
            return False
        return True

    def queries(self, bodies: Mapping[str, Json]) -> dict[str, Json]:
        """Return the bodies whose statements the user can run."""
        return {
            name: body
            for name, body in bodies.items()
            if all(self.reads(each["sql"]) for each in body.get("statements", [body]))
        }

    def typed(self, store: str, bodies: Mapping[str, Json]) -> dict[str, Json]:
        """Return the queries by name that a store answers."""
        return {name: body for name, body in bodies.items() if self._answers(store, body)}

    def _answers(self, store: str, body: Json) -> bool:
        assert self._typed is not None, "otherwise there is no such route"
        try:
            request = read_typed_request(orjson.dumps(body))
            convert_arguments(request.args, self._typed.describe(store, request.type).arguments)
        except QueryError:
            return False
        return True


def _fill_statements(operation: Json, statements: list[str]) -> None:
    (field,) = [each for each in operation["parameters"] if each["name"] == "sql"]
    if statements:
        field["example"] = statements[0]
        field["schema"] = {**field["schema"], "examples": statements}


def _fill_body(content: Json, values: Mapping[str, object]) -> None:
    if values:
        content["examples"] = {name: {"value": value} for name, value in values.items()}


def _fill_store(paths: Json, store: str) -> None:
    """Name a store wherever a path has one."""
    for operations in paths.values():
        for operation in operations.values():
            for each in operation.get("parameters", ()):
                if (each["in"], each["name"]) == ("path", "name"):
                    each["example"] = store
