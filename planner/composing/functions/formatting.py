"""PostgreSQL's `format`: a template, filled with texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stategate.planner.errors import InvalidValueError, LimitExceededError
from stategate.planner.values.quoting import QUOTED_WORDS, quote_text

_SPEC = re.compile(
    r"%(?:(?P<percent>%)|(?:(?P<place>\d+)\$)?(?P<left>-+)?"
    r"(?:(?P<width>\d+)|(?P<star>\*)(?:(?P<from>\d+)\$)?)?(?P<kind>.)?)",
    re.DOTALL,
)
WIDTH_MAX = 1 << 26
"""Maximum length of a padded text."""
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


def formatted(template: str, values: Sequence[str | None]) -> str:
    """Return a template filled with texts.

    Args:
        template: the template.
        values: the texts of the other arguments.

    Raises:
        InvalidValueError: the template is malformed or has too few values (22023), or a name is
            NULL (22004).
    """
    return _Filling(values).fill(template)


class _Filling:
    """Fills one template."""

    def __init__(self, values: Sequence[str | None]) -> None:
        self._values, self._last = values, 0

    def fill(self, template: str) -> str:
        return _SPEC.sub(self._filled, template)

    def _filled(self, found: re.Match[str]) -> str:
        if found["percent"]:
            return "%"
        width = self._width(found)
        if abs(width) > WIDTH_MAX:
            raise LimitExceededError("requested length too large")
        kind = found["kind"]
        if kind is None:
            raise InvalidValueError(
                "unterminated format() type specifier", hint='For a single "%" use "%%".'
            )
        if kind not in "sIL":
            raise InvalidValueError(
                f'unrecognized format() type specifier "{kind}"',
                hint='For a single "%" use "%%".',
            )
        shown = _shown(self._value(found["place"]), kind)
        if found["left"] or width < 0:
            return shown.ljust(abs(width))
        return shown.rjust(width)

    def _width(self, found: re.Match[str]) -> int:
        if found["star"] is None:
            return int(found["width"] or 0)
        text = self._value(found["from"])
        if text is None:
            return 0
        if not re.fullmatch(r"\s*[+-]?\d+\s*", text):
            raise InvalidValueError(
                f'invalid input syntax for type integer: "{text}"', sqlstate="22P02"
            )
        return int(text)

    def _value(self, place: str | None) -> str | None:
        number = self._last + 1 if place is None else int(place)
        if number == 0:
            raise InvalidValueError(
                "format specifies argument 0, but arguments are numbered from 1"
            )
        if number > len(self._values):
            raise InvalidValueError("too few arguments for format()")
        self._last = number
        return self._values[number - 1]


def _shown(text: str | None, kind: str) -> str:
    if kind == "s":
        return text or ""
    if kind == "L":
        return "NULL" if text is None else _literal(text)
    if text is None:
        raise InvalidValueError(
            "null values cannot be formatted as an SQL identifier", sqlstate="22004"
        )
    is_plain = _PLAIN.fullmatch(text) and text not in QUOTED_WORDS
    return text if is_plain else '"' + text.replace('"', '""') + '"'


def _literal(text: str) -> str:
    quoted = quote_text(text)
    return "E" + quoted.replace("\\", "\\\\") if "\\" in text else quoted
