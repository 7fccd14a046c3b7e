"""Read what stands between EXPLAIN and its statement, as PostgreSQL's grammar has it."""

from __future__ import annotations

from dataclasses import dataclass

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError, NotSupportedError
from stategate.planner.syntax.token_reader import Words

_SWITCHES = frozenset(
    {"analyze", "verbose", "costs", "buffers", "wal", "settings", "timing", "summary"}
)
_NEED_ANALYZE = ("wal", "timing")
_FORMATS = frozenset({"text", "xml", "json", "yaml"})
_VALUES = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions:
    """The options of an EXPLAIN."""

    analyze: bool = False
    as_json: bool = False
    costs: bool = True


def read_explain_options(words: Words, queries: frozenset[str]) -> ExplainOptions:
    """Read the options; then come the words of the statement.

    Args:
        words: those after EXPLAIN.
        queries: the words that a query begins with, which may stand in parentheses.

    Raises:
        QueryError: an option is malformed or unknown, or does not take this value.
    """
    if words.peek() == "(" and words.peek(1) not in queries:
        return _options(_listed(words))
    analyze = words.take("ANALYZE") or words.take("ANALYSE")
    words.take("VERBOSE")
    return ExplainOptions(analyze=analyze)


def _listed(words: Words) -> list[tuple[str, str | None, int]]:
    """Return each option with its value, and where it stands."""
    found: list[tuple[str, str | None, int]] = []
    words.expect("(")
    while not found or words.take(","):
        position = words.start + 1
        name = words.label() if words.peek() in {"ANALYZE", "ANALYSE"} else words.word()
        value = None
        if words.peek() not in {",", ")"}:
            number = words.number()
            position = words.start + 1 if name == "format" else position
            value = words.value() if number is None else number
        found.append(("analyze" if name == "analyse" else name, value, position))
    words.expect(")")
    return found


def _options(listed: list[tuple[str, str | None, int]]) -> ExplainOptions:
    switches: dict[str, bool] = {}
    as_json = False
    for name, value, position in listed:
        if name == "format":
            as_json = _is_json(value, position)
        elif name in _SWITCHES:
            switches[name] = _is_on(name, value)
        else:
            message = f'unrecognized EXPLAIN option "{name}"'
            raise InvalidSyntaxError(message, position=position)
    analyze = switches.get("analyze", False)
    for name in _NEED_ANALYZE:
        if switches.get(name, False) and not analyze:
            raise InvalidValueError(f"EXPLAIN option {name.upper()} requires ANALYZE")
    return ExplainOptions(analyze=analyze, as_json=as_json, costs=switches.get("costs", True))


def _is_on(name: str, value: str | None) -> bool:
    found = True if value is None else _VALUES.get(value.lower())
    if found is None:
        raise InvalidSyntaxError(f"{name} requires a Boolean value")
    return found


def _is_json(value: str | None, position: int) -> bool:
    if value is None:
        raise InvalidSyntaxError("format requires a parameter")
    if value not in _FORMATS:
        message = f'unrecognized value for EXPLAIN option "format": "{value}"'
        raise InvalidValueError(message, position=position)
    if value not in {"text", "json"}:
        raise NotSupportedError(
            f"EXPLAIN does not write {value.upper()}", hint="Use TEXT or JSON.", position=position
        )
    return value == "json"
