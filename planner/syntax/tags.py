r"""The comment of tags that libraries put at the end of a statement: `/*key='value',…*/`.

It says where a statement comes from, such as its trace, and differs from call to call. It means
nothing to the statement, so plans are found without it.

Source: the specification of sqlcommenter (keys and values are percent-encoded, quotes escaped).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

_TAG = r"[\w.~%+/-]+\s*=\s*'(?:[^'*\\]|\\[^*\n])*'"
_TAGS = re.compile(rf"/\*\s*{_TAG}(?:\s*,\s*{_TAG})*\s*\*/\s*")
_EACH = re.compile(r"([\w.~%+/-]+)\s*=\s*'((?:[^'*\\]|\\[^*\n])*)'")
_ESCAPED = re.compile(r"\\(.)")
TAGS_LENGTH_MAX = 4_096
"""A longer comment is left where it is."""


def without_tags(sql: str) -> str:
    """Return one statement without the tags at its end; the same object if it has none.

    Law: whatever runs, runs as before. In SQL that is well-formed, the last `*/` ends a comment, so
    no tags are found in a text or a name.
    """
    start = _start(sql)
    return sql if start is None else sql[:start].rstrip()


def tags_of(sql: str) -> Mapping[str, str]:
    """Return the tags at the end of one statement, decoded; the last of each key counts."""
    start = _start(sql)
    if start is None:
        return {}
    return {
        unquote(key): unquote(_ESCAPED.sub(r"\1", value))
        for key, value in _EACH.findall(sql, start)
    }


def _start(sql: str) -> int | None:
    if not sql.rstrip().endswith("*/"):
        return None
    start = sql.rfind("/*", max(0, len(sql) - TAGS_LENGTH_MAX))
    return start if start >= 0 and _TAGS.fullmatch(sql, start) else None
