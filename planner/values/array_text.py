"""Reads PostgreSQL's text form of an array."""

from __future__ import annotations

import json
import re

from planner.errors import InvalidValueError

_ARRAY_ELEMENT = re.compile(
    r"""\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>(?:[^"\\{},]|\\.)+?))\s*(?P<end>[,}])""",
    re.VERBOSE | re.DOTALL,
)


def parse_array(text: str) -> list[str | None]:
    """Return the texts of an array's elements, from a text such as `{a,"b c",NULL}`.

    Raises:
        InvalidValueError: it is malformed, or has several dimensions (22P02).
    """
    stripped = text.strip()
    if re.fullmatch(r"\{\s*\}", stripped):
        return []
    if not stripped.startswith("{"):
        raise _malformed(stripped)
    elements: list[str | None] = []
    at = 1
    while at < len(stripped):
        found = _ARRAY_ELEMENT.match(stripped, at)
        if found is None:
            raise _malformed(stripped)
        at = found.end()
        plain = found["plain"]
        is_null = plain is not None and plain.upper() == "NULL"
        escaped = found["quoted"] if plain is None else plain
        elements.append(None if is_null else re.sub(r"\\(.)", r"\1", escaped, flags=re.DOTALL))
        if found["end"] == "}" and at == len(stripped):
            return elements
        if found["end"] == "}":
            break
    raise _malformed(stripped)


def _malformed(text: str) -> InvalidValueError:
    shown = text if len(text) <= 100 else text[:100] + "…"
    return InvalidValueError(f'malformed array literal: "{shown}"', sqlstate="22P02")


def json_of_array(text: str) -> str:
    """Return the texts of the elements as a JSON array, for DuckDB.

    Raises:
        InvalidValueError: as `parse_array`.
    """
    return json.dumps(parse_array(text))
