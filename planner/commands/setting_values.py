"""The values that SET gives to settings, read as PostgreSQL does."""

from __future__ import annotations

from stategate.planner.commands.session_reading import SessionCommand
from stategate.planner.errors import InvalidValueError
from stategate.planner.values.interval_text import parse_interval
from stategate.planner.values.quoting import quote_name
from stategate.planner.values.times.time_settings import interval_zone

_LISTS = {"datestyle", "search_path"}
"""Settings with several values, separated by commas."""


def setting_value(name: str, command: SessionCommand) -> str | None:
    """Return what a SET sets a setting to; None for its default.

    A name of search_path has quotes where SQL needs them.

    Raises:
        InvalidValueError: it has several values, and the setting takes one; or the interval is no
            offset of a zone (22023).
    """
    if command.interval is not None:
        return interval_zone(
            parse_interval(command.interval), f"INTERVAL '{command.interval}'"
        ).name
    values = command.values
    if values is None:
        return None
    if name == "search_path":
        values = tuple(map(quote_name, values))
    elif name not in _LISTS and len(values) > 1:
        raise InvalidValueError(f"SET {name} takes only one argument")
    return ", ".join(values)
