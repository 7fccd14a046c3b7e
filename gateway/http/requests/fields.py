"""The fields of requests: their names, and the settings of a session that they change.

They come in a JSON body or in a URL's query. A malformed field raises an `HttpRequestError` that
names it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence, Set
from urllib.parse import parse_qsl

from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.requests.json_values import Json, json_text, read_json


def _read_bound(name: str, value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return json_text(value)
    raise wrong_field(name, 'a position like {"topic": {"0": 41}}, or its text')


def _read_wait(name: str, value: Json) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return f"{value}ms"
    raise wrong_field(name, "a whole number of milliseconds")


def _read_text(name: str, value: Json) -> str:
    if isinstance(value, str):
        return value
    raise wrong_field(name, "a string")


def _read_flag(name: str, value: Json) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    raise wrong_field(name, "true or false")


_SETTING_FIELDS: dict[str, tuple[str, Callable[[str, Json], str]]] = {
    "bound": ("stategate.bound", _read_bound),
    "wait_ms": ("stategate.wait", _read_wait),
    "consistency": ("stategate.consistency", _read_text),
    "unknown_topics": ("stategate.unknown_topics", _read_text),
    "partial": ("stategate.partial", _read_flag),
    "info": ("stategate.info", _read_flag),
    "engine": ("stategate.engine", _read_text),
}
"""The session setting of each field, and the function that reads the field."""
_TEXT_FIELDS = frozenset(
    {"sql", "format", "next", "token", "bound", "consistency", "unknown_topics", "engine"}
)
PARAM = "param."
_COUNT_MAX = 1_000
# Sets that keep their order, for the messages.
QUERY_FIELDS = dict.fromkeys(
    ("sql", "params", "format", "page_rows", "next", *_SETTING_FIELDS)
).keys()
URL_FIELDS = dict.fromkeys((*QUERY_FIELDS, "param.NAME")).keys()
BESIDE_BODY = dict.fromkeys(each for each in URL_FIELDS if each != "sql").keys()
LOOKUP_FIELDS = dict.fromkeys(("format", *_SETTING_FIELDS)).keys()
BATCH_FIELDS = dict.fromkeys(("sql", "params", "statements", "format", *_SETTING_FIELDS)).keys()
SUBSCRIBE_FIELDS = dict.fromkeys(("sql", "params", "token", *_SETTING_FIELDS)).keys()
SUBSCRIBE_URL_FIELDS = dict.fromkeys((*SUBSCRIBE_FIELDS, "param.NAME")).keys()
_OF_READS = [name for name in _SETTING_FIELDS if name != "engine"]
TYPED_FIELDS = dict.fromkeys(("type", "args", "partitions", "active", *_OF_READS)).keys()


def url_fields(query: bytes) -> list[tuple[str, str]]:
    """Return the fields of a URL's query.

    Raises:
        HttpRequestError: it is not UTF-8, has too many fields, or gives one twice.
    """
    try:
        fields = parse_qsl(
            query.decode(), keep_blank_values=True, errors="strict", max_num_fields=_COUNT_MAX
        )
    except UnicodeDecodeError as error:
        raise HttpRequestError("the query of the URL is not UTF-8") from error
    except ValueError as error:
        raise HttpRequestError(f"the query of the URL has more than {_COUNT_MAX} fields") from error
    seen = set[str]()
    for name, _ in fields:
        if name in seen:
            raise HttpRequestError(f'field "{name[:100]}" is given twice')
        seen.add(name)
    return fields


def url_document(fields: Sequence[tuple[str, str]], known: Set[str]) -> dict[str, Json]:
    """Return the values of the fields of a URL's query.

    Raises:
        HttpRequestError: a field is unknown.
    """
    if unknown := [name for name, _ in fields if name not in known]:
        raise _unknown_fields(unknown, known)
    return {name: text if name in _TEXT_FIELDS else _plain_json(text) for name, text in fields}


def _plain_json(text: str) -> Json:
    """Parse JSON; return other text as it is, for the field to refuse.

    So is `null`: a field that is left out has no value.
    """
    try:
        found: Json = read_json(text)
    except ValueError:
        return text
    return text if found is None else found


def read_object(
    body: bytes, fields: Set[str] = QUERY_FIELDS, *, hint: str = 'Send {"sql": "SELECT …"}.'
) -> dict[str, Json]:
    """Return the object of a JSON body.

    Args:
        body: the body.
        fields: the names that it may have.
        hint: what to send.

    Raises:
        HttpRequestError: it is not a JSON object, or has an unknown field.
    """
    try:
        document = read_json(body)
    except ValueError as error:
        raise HttpRequestError("the body is not JSON", detail=str(error), hint=hint) from error
    if not isinstance(document, dict):
        raise HttpRequestError("the body must be an object", hint=hint)
    if not document.keys() <= fields:
        raise _unknown_fields([name for name in document if name not in fields], fields)
    return document


def settings_of(document: dict[str, Json]) -> dict[str, str]:
    """Return the session settings of the fields.

    Raises:
        HttpRequestError: a field has a wrong value.
    """
    found: dict[str, str] = {}
    if document.keys().isdisjoint(_SETTING_FIELDS):
        return found
    for name, (setting, read) in _SETTING_FIELDS.items():
        value = document.get(name)
        if value is not None:
            found[setting] = read(name, value)
    return found


def wrong_field(name: str, wanted: str) -> HttpRequestError:
    """Return the error for a field with a value of another type."""
    return HttpRequestError(f'field "{name}" must be {wanted}')


def _unknown_fields(unknown: Sequence[str], fields: Iterable[str]) -> HttpRequestError:
    names = ", ".join(f'"{name[:100]}"' for name in sorted(unknown)[:10])
    near = difflib.get_close_matches(unknown[0][:100], list(fields), n=1)
    return HttpRequestError(
        f"field {names} does not exist" if len(unknown) == 1 else f"fields {names} do not exist",
        detail=f"The fields are {', '.join(fields)}.",
        hint=f'Did you mean "{near[0]}"?' if near else None,
    )
