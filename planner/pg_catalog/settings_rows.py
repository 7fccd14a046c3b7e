"""The settings that the gateway answers in pg_settings, with what they are when nobody set them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyarrow as pa

from planner.pg_catalog import seed
from planner.pg_catalog.rows import catalog_table

_VALUES: Mapping[str, str] = {
    "application_name": "",
    "client_encoding": "UTF8",
    "default_transaction_read_only": "on",
    "is_superuser": "off",
    "jit": "off",
    "lc_collate": "C",
    "lc_ctype": "C",
    "server_encoding": "UTF8",
    "TimeZone": "UTC",
    "transaction_read_only": "on",
}
"""Where the gateway differs from PostgreSQL's default."""


def version_number(server_version: str) -> int:
    """`16.3` → 160003, as server_version_num has it; 0 if the text begins with no version."""
    found = re.match(r"(\d+)\.(\d+)", server_version)
    return int(found[1]) * 10_000 + int(found[2]) if found else 0


def settings_table(server_version: str) -> pa.Table:
    """The rows of pg_settings for a session that has set nothing."""
    values = {
        **_VALUES,
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
