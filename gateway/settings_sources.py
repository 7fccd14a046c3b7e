"""Settings from their sources: a TOML file, the environment, the command line; a later one wins."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from stategate.gateway.errors import SettingsError
from stategate.gateway.setting_records import ENVIRONMENT_PREFIX, SettingValue
from stategate.gateway.settings import CONFIG_VARIABLE, SETTINGS, Settings

_NOT_SETTINGS = re.compile(r"STATEGATE_(CONFIG|URL|USER|PASSWORD|TOKEN|SERVICE_.*|PORT|PORT_.*)")
"""Variables with our prefix that are not settings: those of the command line's client, and those
that Kubernetes sets in every pod if there is a service named `stategate`.
"""


def load_settings(
    *,
    config: str | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Settings:
    """Load the settings from all sources.

    Args:
        config: a TOML file; by default the one that STATEGATE_CONFIG names, if any.
        environment: variables; those of the process by default.
        overrides: values from the command line; None means not given.

    Raises:
        SettingsError: a name is unknown, a value does not parse or is out of range, or the file
            cannot be read.
    """
    variables = os.environ if environment is None else environment
    values: dict[str, SettingValue] = {}
    path = config or variables.get(CONFIG_VARIABLE)
    if path:
        values.update(_from_file(path))
    values.update(_from_environment(variables))
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    values.update({name: _parsed(name, value) for name, value in given.items()})
    return Settings(**values)  # type: ignore[arg-type] # _parsed returns each field's type


def _from_file(path: str) -> dict[str, SettingValue]:
    try:
        with Path(path).open("rb") as file:
            document = tomllib.load(file)
    except OSError as error:
        raise SettingsError(f'cannot read the file "{path}": {error.strerror}') from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f'the file "{path}" is not TOML: {error}') from error
    return {name: _parsed(name, value) for name, value in document.items()}


def _from_environment(variables: Mapping[str, str]) -> dict[str, SettingValue]:
    return {
        name: _parsed(name, value)
        for variable, value in variables.items()
        if variable.startswith(ENVIRONMENT_PREFIX) and not _NOT_SETTINGS.fullmatch(variable)
        for name in [variable.removeprefix(ENVIRONMENT_PREFIX).lower()]
    }


def _parsed(name: str, value: object) -> SettingValue:
    setting = SETTINGS.get(name)
    if setting is None:
        near = difflib.get_close_matches(name, SETTINGS, n=1)
        hint = f'Did you mean "{near[0]}"?' if near else "`stategate settings` lists all."
        raise SettingsError(f'setting "{name}" does not exist', hint=hint)
    if setting.kind is str and isinstance(value, str):
        return value
    if setting.kind is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if setting.kind is int and isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value):
        return int(value)
    if setting.kind is bool:
        truth = value if isinstance(value, bool) else _TRUTHS.get(str(value).strip().lower())
        if truth is not None:
            return truth
    raise SettingsError(f'setting "{name}" cannot be {value!r}', hint=_TAKES[setting.kind])


_TRUTHS = {"true": True, "on": True, "yes": True, "1": True} | {
    "false": False,
    "off": False,
    "no": False,
    "0": False,
}
_TAKES = {bool: "Use true or false.", int: "Use a whole number.", str: "Use a string."}
