"""The settings of the Spark engine, which runs whole statements."""

from __future__ import annotations

import re

from stategate.gateway.errors import SettingsError
from stategate.gateway.setting_records import setting

REMOTE = setting(
    "",
    "A Spark Connect server that can run whole statements, sc://HOST:PORT, or local[N] for one "
    "with N cores that the gateway starts itself. Empty: all statements run in the gateway. "
    "Spark must reach the state log by the same root.",
)
ROWS_MAX = setting(
    0,
    "A statement that reads about more rows than this runs on Spark by itself, if Spark runs "
    "it. 0 for none, because Spark needs a second at least, and many statements are "
    "refused there.",
    unit="rows",
    most=1 << 50,
)
STATEMENTS_MAX = setting(
    4,
    "Statements on Spark at once; more are refused (53300). Each has a thread here, and all "
    "share the cluster's cores.",
    unit="statements",
    least=1,
    most=1024,
)
MEMORY_BYTES = setting(
    2 << 30,
    "Memory of the JVM that is started for local[N], apart from memory_bytes_max.",
    unit="bytes",
    least=512 << 20,
    most=1 << 50,
)
TASKS = setting(
    8,
    "Tasks behind a join or GROUP BY on Spark. Two to four for each core of the cluster.",
    unit="tasks",
    least=1,
    most=100_000,
)
START_TIMEOUT_MS = setting(
    600_000,
    "How long the JVM for local[N] may take to listen, before it is started again. A busy "
    "machine needs minutes.",
    unit="ms",
    least=1,
)


def check(remote: str, *, workers: int) -> None:
    """Refuse an address that Spark does not know, and a local Spark for each of several workers.

    Args:
        remote: the setting `spark_remote`.
        workers: the number of workers.

    Raises:
        SettingsError: it is one of these.
    """
    if remote and not re.fullmatch(r"sc://.+|local(\[(\d+|\*)\])?", remote):
        raise SettingsError(
            'setting "spark_remote" is not the address of a Spark Connect server',
            hint="Write sc://HOST:PORT or local[N].",
        )
    if remote.startswith("local") and workers > 1:
        raise SettingsError(
            "each worker would start a Spark of its own",
            hint="Start a Spark Connect server, and name it by spark_remote=sc://HOST:PORT.",
        )
