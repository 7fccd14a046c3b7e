"""Parses the fields of a request: those of a JSON body, or of a URL's query.

A malformed field raises an `HttpRequestError` that names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from msgspec import Struct, structs

from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.requests.fields import (
    BESIDE_BODY,
    LOOKUP_FIELDS,
    PARAM,
    SUBSCRIBE_URL_FIELDS,
    TYPED_FIELDS,
    URL_FIELDS,
    read_object,
    settings_of,
    url_document,
    url_fields,
    wrong_field,
)
from stategate.gateway.http.requests.json_values import Json
from stategate.planner.engine import number_parameters
from stategate.planner.errors import LimitExceededError

_NAMED: Final = re.compile(r"(?<![:\w]):[^\W\d]")
"""What may be a named parameter; it may also be a part of a string, a comment or a slice."""


class PageRequest(Struct, frozen=True, kw_only=True):
    """The page of a statement's rows that is asked for."""

    rows: int | None
    token: str | None
    """What the page before has returned; None for the first page."""


class QueryRequest(Struct, frozen=True, kw_only=True):
    """One statement to run, with the session settings of its fields.

    It is a struct, because each lookup makes one.
    """

    sql: str
    """The statement, with numbers in the place of named parameters."""
    params: tuple[Json, ...] = ()
    names: tuple[str, ...] = ()
    """The names of the parameters; empty if they are numbered."""
    settings: Mapping[str, str]
    format: str | None = None
    """The name of the format; None leaves it to the `Accept` header."""
    page: PageRequest | None = None
    """None for all rows."""


class SubscribeRequest(Struct, frozen=True, kw_only=True):
    """One statement to subscribe to; the fields are those of `QueryRequest`."""

    sql: str
    params: tuple[Json, ...]
    names: tuple[str, ...]
    settings: Mapping[str, str]
    token: str | None = None
    """Goes on after the moment of this token."""

    def after(self, token: str) -> SubscribeRequest:
        """Return the request with another token."""
        return structs.replace(self, token=token or None)


def query_request(document: dict[str, Json], *, parameters_max: int) -> QueryRequest:
    """Return the request of a query's fields.

    Args:
        document: the fields, whose names are known.
        parameters_max: how many parameters a statement may have.

    Raises:
        HttpRequestError: it lacks `sql`, or has a field of another type.
        LimitExceededError: it has more parameters than `parameters_max`.
        QueryError: the names of its parameters are not those of the statement.
    """
    sql = document.get("sql")
    if not isinstance(sql, str):
        raise wrong_field("sql", "a string")
    params = document.get("params")
    names: tuple[str, ...] = ()
    if params is not None:
        if not isinstance(params, list | dict):
            raise wrong_field("params", "a list of values for $1, $2, …, or an object for :name")
        if len(params) > parameters_max:
            raise LimitExceededError(
                f"the request has {len(params)} parameters; {parameters_max} are allowed"
            )
        if isinstance(params, dict):
            sql, names = number_parameters(sql, params.keys())
            params = _in_order(params, names)
    elif _NAMED.search(sql) is not None and "$" not in sql:
        number_parameters(sql, frozenset())  # refuses a name that has no value
    name = document.get("format")
    if name is not None and not isinstance(name, str):
        raise wrong_field("format", "the name of a format")
    return QueryRequest(
        sql=sql,
        params=tuple(params or ()),
        names=names,
        settings=settings_of(document),
        format=name,
        page=_page(document) if "page_rows" in document or "next" in document else None,
    )


def _page(document: dict[str, Json]) -> PageRequest | None:
    rows, token = document.get("page_rows"), document.get("next")
    if rows is not None and type(rows) is not int:
        raise wrong_field("page_rows", "a number of rows")
    if not isinstance(token, str | None):
        raise wrong_field("next", "the token of a page")
    return None if rows is None and token is None else PageRequest(rows=rows, token=token)


def _in_order(params: dict[str, Json], names: tuple[str, ...]) -> list[Json]:
    if unused := sorted(params.keys() - set(names)):
        raise HttpRequestError(
            f'the statement has no parameter ":{unused[0][:100]}"',
            detail=f"Its parameters are {', '.join(f':{name}' for name in names) or 'none'}.",
        )
    return [params[name] for name in names]


def read_url_request(query: bytes, *, sql: str | None, parameters_max: int) -> QueryRequest:
    """Parse the fields of a URL's query.

    `params` is JSON, and `param.NAME` or `param.1` the text of one parameter.

    Args:
        query: the URL's query.
        sql: the statement of a body; None if it is the field `sql`.
        parameters_max: how many parameters a statement may have.

    Raises:
        HttpRequestError: a field is unknown, missing, duplicate, or has a wrong value.
        LimitExceededError: it has more parameters than `parameters_max`.
        QueryError: the names of its parameters are not those of the statement.
    """
    document = _url_fields_of(query, URL_FIELDS if sql is None else BESIDE_BODY)
    if sql is not None:
        document["sql"] = sql
    return query_request(document, parameters_max=parameters_max)


def read_subscribe_request(query: bytes, *, parameters_max: int) -> SubscribeRequest:
    """Parse the URL of a subscription; raises as `read_url_request`."""
    document = _url_fields_of(query, SUBSCRIBE_URL_FIELDS)
    found = query_request(document, parameters_max=parameters_max)
    token = document.get("token")
    return SubscribeRequest(
        sql=found.sql,
        params=found.params,
        names=found.names,
        settings=found.settings,
        token=token if isinstance(token, str) and token else None,
    )


def _url_fields_of(query: bytes, known: Set[str]) -> dict[str, Json]:
    """Return the fields of a URL's query, with its parameters together in `params`."""
    fields = url_fields(query)
    given = {name[len(PARAM) :]: text for name, text in fields if name.startswith(PARAM)}
    others = [(name, text) for name, text in fields if not name.startswith(PARAM)]
    document = url_document(others, known)
    if given:
        if "params" in document:
            raise HttpRequestError('fields "params" and "param." are both given')
        document["params"] = _numbered(given)
    return document


def _numbered(given: dict[str, str]) -> list[Json] | dict[str, Json]:
    """Return the texts as a list, if their names are 1, 2, …; otherwise by name."""
    numbers = [str(number) for number in range(1, len(given) + 1)]
    return [given[each] for each in numbers] if given.keys() == set(numbers) else {**given}


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedRequest:
    """One query by name, with the session settings of its fields."""

    type: str
    args: Mapping[str, Json]
    partitions: frozenset[int] | None = None
    active: bool = False
    settings: Mapping[str, str]


def read_typed_request(body: bytes) -> TypedRequest:
    """Parse the JSON body of a query by name.

    Raises:
        HttpRequestError: it is not a JSON object, lacks `type`, or has a field that is unknown or
            of another type.
    """
    document = read_object(body, TYPED_FIELDS, hint='Send {"type": "…", "args": {…}}.')
    name, args = document.get("type"), document.get("args")
    if not isinstance(name, str):
        raise wrong_field("type", "the name of a query")
    if not isinstance(args, dict | None):
        raise wrong_field("args", "an object of the query's arguments")
    active = document.get("active")
    if not isinstance(active, bool | None):
        raise wrong_field("active", "true or false")
    return TypedRequest(
        type=name,
        args=args or {},
        partitions=_partitions(document.get("partitions")),
        active=bool(active),
        settings=settings_of(document),
    )


def _partitions(value: Json) -> frozenset[int] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(type(each) is int and each >= 0 for each in value):
        raise wrong_field("partitions", "a list of partition numbers")
    return frozenset(value)


def read_settings(fields: Sequence[tuple[str, str]]) -> tuple[dict[str, str], str | None]:
    """Return the session settings in a URL's query, and the name of the format, if any.

    Raises:
        HttpRequestError: a field is unknown, or has a wrong value.
    """
    document = url_document(fields, LOOKUP_FIELDS)
    return settings_of(document), document.get("format")
