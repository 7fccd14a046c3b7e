"""Parses the fields of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.formats.json_renderers import JsonRenderer, NdjsonRenderer
from stategate.gateway.http.formats.negotiation import FORMATS, negotiate
from stategate.gateway.http.requests.fields import (
    BATCH_FIELDS,
    read_object,
    settings_of,
    wrong_field,
)
from stategate.gateway.http.requests.json_values import Json
from stategate.gateway.http.requests.parsing import QueryRequest, query_request
from stategate.gateway.settings import Settings
from stategate.planner.engine import check_settings, number_parameters
from stategate.planner.errors import LimitExceededError, QueryError

_HINT = 'Send {"sql": "SELECT …", "params": [[…], …]} or {"statements": [{"sql": "SELECT …"}, …]}.'
_STATEMENT_FIELDS = dict.fromkeys(("sql", "params")).keys()


@dataclass(frozen=True, slots=True, kw_only=True)
class ManySets:
    """One statement with many sets of parameters."""

    sql: str
    names: tuple[str, ...]
    """The names of the parameters; empty if they are numbered."""
    sets: Sequence[Sequence[Json] | QueryError]
    """Each set in the order of the numbers, or its error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyStatements:
    """Statements with their parameters, or the error of one that cannot be read."""

    statements: Sequence[QueryRequest | QueryError]


Work: TypeAlias = ManySets | ManyStatements


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRequest:
    """The statements of a request, with the session settings of its fields."""

    work: Work
    settings: Mapping[str, str]
    is_lines: bool
    """Whether each result is a line of NDJSON."""


def read_batch(body: bytes, accept: str | None, settings: Settings) -> BatchRequest:
    """Parse the JSON body of a batch.

    Args:
        body: the body.
        accept: the Accept header.
        settings: the limits.

    Raises:
        HttpRequestError: it is not such a body, or asks for another format (406).
        LimitExceededError: it has too many statements or parameters.
        QueryError: a setting is wrong.
    """
    document = read_object(body, BATCH_FIELDS, hint=_HINT)
    name = document.get("format")
    if not isinstance(name, str | None):
        raise wrong_field("format", "the name of a format")
    factory = negotiate(accept, name)
    if factory is not JsonRenderer and factory is not NdjsonRenderer:
        raise HttpRequestError(
            "a batch is answered as JSON or NDJSON only",
            status=406,
            hint=f"Accept {FORMATS['json']} or {FORMATS['ndjson']}.",
        )
    given = settings_of(document)
    check_settings(given)
    has_statements = document.get("statements") is not None
    return BatchRequest(
        work=(_statements if has_statements else _sets)(document, settings),
        settings=given,
        is_lines=factory is NdjsonRenderer,
    )


def _sets(document: dict[str, Json], settings: Settings) -> ManySets:
    sql, sets = document.get("sql"), document.get("params")
    if not isinstance(sql, str):
        raise wrong_field("sql", 'a string, unless there are "statements"')
    if not isinstance(sets, list) or not sets:
        raise wrong_field("params", "a list with the parameters of each run, each a list or object")
    _check_count(len(sets), settings)
    names: tuple[str, ...] = ()
    if isinstance(sets[0], dict):
        sql, names = number_parameters(sql, sets[0].keys())
    limit = settings.parameters_max
    return ManySets(sql=sql, names=names, sets=[_set(each, names, limit) for each in sets])


def _set(given: Json, names: tuple[str, ...], limit: int) -> Sequence[Json] | QueryError:
    if isinstance(given, list) and not names:
        if len(given) <= limit:
            return given
        return LimitExceededError(f"the set has {len(given)} parameters; {limit} are allowed")
    if not isinstance(given, dict) or (given and not names):
        return HttpRequestError(
            "a set of parameters must be a list, or an object for :name, as the first one"
        )
    if given.keys() != set(names):
        wanted = ", ".join(f":{name}" for name in names) or "none"
        return HttpRequestError(
            "the names in a set are not those of the statement's parameters",
            detail=f"Its parameters are {wanted}.",
        )
    return [given[name] for name in names]


def _statements(document: dict[str, Json], settings: Settings) -> ManyStatements:
    if "sql" in document or "params" in document:
        raise HttpRequestError('fields "sql" and "statements" are both given', hint=_HINT)
    given = document["statements"]
    if not isinstance(given, list) or not given:
        raise wrong_field("statements", "a list of statements")
    _check_count(len(given), settings)
    limit = settings.parameters_max
    return ManyStatements(statements=[_statement(each, limit) for each in given])


def _statement(given: Json, limit: int) -> QueryRequest | QueryError:
    if not isinstance(given, dict) or not given.keys() <= _STATEMENT_FIELDS:
        return HttpRequestError('a statement must be an object with "sql" and "params"')
    try:
        return query_request(given, parameters_max=limit)
    except QueryError as error:
        return error


def _check_count(count: int, settings: Settings) -> None:
    if count > settings.batch_max:
        raise LimitExceededError(
            f"the batch has {count} statements; {settings.batch_max} are allowed",
            hint="Send several batches, or raise batch_max.",
        )
