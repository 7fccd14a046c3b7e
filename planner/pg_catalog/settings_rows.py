"""The rows of pg_settings with the default values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import pyarrow as pa

from planner.commands.postgres_settings import (
    OWN_SETTINGS,
    PostgresSetting,
    shown_size,
    version_number,
)
from planner.pg_catalog import seed
from planner.pg_catalog.arrow_tables import catalog_table


@lru_cache(maxsize=1)
def postgres_settings() -> Mapping[str, PostgresSetting]:
    """Return PostgreSQL's settings by their name in lower case."""
    return {
        name.lower(): PostgresSetting(name=name, shown=shown_size(default, unit), context=context)
        for name, unit, _, _, context, *_, default in _rows()
    }


def _rows() -> Iterator[list[str]]:
    for line in seed.SETTINGS.strip("\n").splitlines():
        yield ["" if field == "\\N" else field for field in line.split("\t")]


def settings_table(server_version: str) -> pa.Table:
    """Return the rows of pg_settings for a session that has set nothing."""
    values = {
        **{setting.name: setting.default for setting in OWN_SETTINGS.values()},
        "server_version": server_version,
        "server_version_num": str(version_number(server_version)),
    }
    rows = []
    for line in seed.SETTINGS.strip("\n").splitlines():
        fields = [None if field == "\\N" else field for field in line.split("\t")]
        name, unit, category, description, context, kind, least, most, default = fields
        assert name is not None
        value = values.get(name, default) or ""
        rows.append(
            {
                "name": name,
                "setting": value,
                "unit": unit,
                "category": category,
                "short_desc": description,
                "context": context,
                "vartype": kind,
                "source": "default",
                "min_val": least,
                "max_val": most,
                "boot_val": value,
                "reset_val": value,
                "pending_restart": False,
            }
        )
    return catalog_table("pg_settings", rows)
