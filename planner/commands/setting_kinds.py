"""Values of PostgreSQL's settings, checked and written by the type that `pg_settings` gives.

Source: `src/backend/utils/misc/guc.c` of PostgreSQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stategate.planner.commands.transaction import on_off
from stategate.planner.errors import InvalidValueError, QueryError
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import BOOLEAN

_MEMORY = {"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_TIME = {"us": 1, "ms": 10**3, "s": 10**6, "min": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
_BASES: Mapping[str, tuple[Mapping[str, int], int]] = {
    **{unit: (_MEMORY, size) for unit, size in _MEMORY.items()},
    "8kB": (_MEMORY, 8 << 10),
    **{unit: (_TIME, size) for unit, size in _TIME.items()},
}
"""The unit of a setting → the units in which it may be given, and the size of its own."""
_NUMBER = re.compile(
    r"\s*([+-]?(?:0[xX][0-9a-fA-F]{1,16}|(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][+-]?\d{1,4})?))"
    r"\s*([^\s\d]*)\s*"
)
_INTEGER_MAX = (1 << 31) - 1
_SYNONYMS = {"true": "on", "yes": "on", "1": "on", "false": "off", "no": "off", "0": "off"}
"""Words that a list with `on` and `off` takes, too."""
_HIDDEN = {"client_min_messages": {"debug": "debug2", "info": "info"}}
"""Words that `pg_settings` does not list → what they mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresSetting:
    """A setting as `pg_settings` lists it."""

    name: str
    """Its name as SHOW writes it: `TimeZone`."""
    default: str
    """The value until it is set, as `pg_settings` has it."""
    context: str
    """Who may change it, in the words of `pg_settings`."""
    kind: str = "string"
    """`bool`, `integer`, `real`, `enum` or `string`."""
    unit: str = ""
    """The unit of its numbers; empty for none."""
    least: str = ""
    most: str = ""
    choices: tuple[str, ...] = ()
    """The values of an enum."""

    @property
    def shown(self) -> str:
        """The value that SHOW returns until it is set."""
        return self._shown(float(self.default)) if self.unit and self.default else self.default

    def read(self, text: str) -> str:
        """Return a value as SHOW writes it.

        Raises:
            InvalidValueError: the setting does not take it (22023).
        """
        match self.kind:
            case "bool":
                return self._boolean(text)
            case "enum":
                return self._choice(text)
            case "integer" | "real":
                return self._shown(self._number(text))
        return text

    def listed(self, shown: str) -> str:
        """Return a value that SHOW writes as `pg_settings` lists it: without a unit."""
        if not self.unit:
            return shown
        return f"{self._number(shown):g}" if self.kind == "real" else str(int(self._number(shown)))

    def _boolean(self, text: str) -> str:
        try:
            return on_off(bool(parse_value(text, BOOLEAN)))
        except QueryError:
            message = f'parameter "{self.name}" requires a Boolean value'
            raise InvalidValueError(message) from None

    def _choice(self, text: str) -> str:
        word = text.lower()
        if "on" in self.choices:
            word = _SYNONYMS.get(word, word)
        word = _HIDDEN.get(self.name, {}).get(word, word)
        if word not in (*self.choices, *_HIDDEN.get(self.name, {})):
            raise self._invalid(text, f"Available values: {', '.join(self.choices)}.")
        return word

    def _number(self, text: str) -> float:
        found = _NUMBER.fullmatch(text)
        if found is None:
            raise self._invalid(text)
        number, unit = found.groups()
        is_hex = "x" in number.lower()
        value = float(int(number, 16)) if is_hex else float(number)
        if unit:
            units, own = _BASES.get(self.unit, ({}, 1))
            if unit not in units:
                raise self._invalid(text, _units_hint(units))
            value = value * units[unit] / own
        if self.kind == "integer":
            if abs(value) > _INTEGER_MAX:
                raise self._invalid(text, "Value exceeds integer range.")
            value = round(value)
        if not float(self.least) <= value <= float(self.most):
            unit = f" {self.unit}" if self.unit else ""
            raise InvalidValueError(
                f'{value:.15g}{unit} is outside the valid range for parameter "{self.name}" '
                f"({self.least} .. {self.most})"
            )
        return value

    def _shown(self, value: float) -> str:
        if not self.unit or value <= 0:
            return f"{value:g}" if self.kind == "real" else str(int(value))
        units, own = _BASES[self.unit]
        total = value * own
        name, size = next(
            (n, s) for n, s in reversed(tuple(units.items())) if total % s == 0 or s == 1
        )
        return f"{total / size:g}{name}" if self.kind == "real" else f"{int(total // size)}{name}"

    def _invalid(self, text: str, hint: str | None = None) -> InvalidValueError:
        message = f'invalid value for parameter "{self.name}": "{text[:100]}"'
        return InvalidValueError(message, hint=hint)


def _units_hint(units: Iterable[str]) -> str | None:
    names = [f'"{each}"' for each in units]
    if not names:
        return None
    return f"Valid units for this parameter are {', '.join(names[:-1])}, and {names[-1]}."
