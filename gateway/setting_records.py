"""What a setting is: its type, default, range and reason; and how a dataclass declares settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, field, fields
from typing import Any, NamedTuple, TypeAlias

from stategate.gateway.errors import SettingsError

ENVIRONMENT_PREFIX = "STATEGATE_"

SettingValue: TypeAlias = bool | int | str


def setting(
    default: object, about: str, *, unit: str = "", least: float = 0, most: float = 2**31
) -> Any:
    """Return the field of a setting.

    Args:
        default: its default, which gives its type.
        about: what it does, and the reason for the default.
        unit: the unit of a number.
        least: the least value of a number.
        most: the greatest value of a number.
    """
    return field(
        default=default, metadata={"about": about, "unit": unit, "least": least, "most": most}
    )


class Setting(NamedTuple):
    """One setting: its type, default, range and reason."""

    name: str
    kind: type[bool] | type[int] | type[str]
    default: bool | int | str
    about: str
    unit: str
    least: float
    most: float

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return ENVIRONMENT_PREFIX + self.name.upper()


def settings_of(kind: type[Any]) -> Mapping[str, Setting]:
    """Return the settings that a dataclass declares, by name, in their order."""
    found: dict[str, Setting] = {}
    for each in fields(kind):
        assert each.default is not MISSING, "every setting has a default"
        value = type(each.default)
        assert value in {bool, int, str}, "a setting is a boolean, a number or a text"
        found[each.name] = Setting(each.name, value, each.default, **each.metadata)
    return found


def check(setting: Setting, value: SettingValue) -> None:
    """Refuse a number out of range.

    Raises:
        SettingsError: it is.
    """
    if setting.kind is not int:
        return
    assert isinstance(value, int), "each value has the type of its field"
    if not setting.least <= value <= setting.most:
        raise SettingsError(
            f'setting "{setting.name}" cannot be {value}',
            hint=f"Use {setting.least:g} to {setting.most:g} {setting.unit}.",
        )
