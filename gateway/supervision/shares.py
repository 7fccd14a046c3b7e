"""The share of one worker in the settings of its gateway."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from stategate.gateway.errors import SettingsError
from stategate.gateway.settings import SETTINGS, Settings
from stategate.gateway.thread_settings import thread_count

_DIVIDED = (
    "cache_bytes",
    "columns_bytes",
    "rows_bytes",
    "answers_bytes",
    "live_subscribers_max",
    "live_subscribers_of_user_max",
    "live_bytes_max",
    "threads",
    "threads_of_user_max",
    "threads_queue_max",
    "unauthenticated_of_address_max",
    "unauthenticated_max",
    "http_connections_max",
    "pg_connections_max",
    "connections_of_user_max",
    "connections_of_address_max",
)
"""Limits of the gateway, of which each worker has an equal share. `memory_bytes_max` belongs to the
composing processes, which all workers share. `live_log_bytes_max` is for one store, which each
worker builds whole, as it does its replicas. `admin_connections` are kept in each worker, since no
one can say which worker gets a connection."""


def share_of(settings: Settings, worker: int) -> Settings:
    """Return the settings of one worker. The shares of all workers add up to the limit.

    No share is less than the least value of its setting.

    Args:
        settings: the settings of the whole gateway.
        worker: the number of the worker, from 0.

    Raises:
        SettingsError: there are more workers than connections.
    """
    count = settings.workers
    for name in ("http_connections_max", "pg_connections_max"):
        if getattr(settings, name) < count:
            raise SettingsError(
                f'setting "{name}" is less than the number of workers',
                hint=f"Use {count} or more, or fewer workers.",
            )
    settings = replace(settings, threads=thread_count(settings.threads))
    shares: dict[str, Any] = {
        name: _share(name, getattr(settings, name), count, worker) for name in _DIVIDED
    }
    return replace(settings, workers=1, data=data_of(settings.data, worker), **shares)


def _share(name: str, total: int, count: int, worker: int) -> int:
    # The remainder is divided among the first workers.
    share = total // count + (worker < total % count)
    return max(share, int(SETTINGS[name].least), min(total, 1))  # 0 may mean another limit


def data_of(directory: str, worker: int) -> str:
    """Return the directory for a worker's replicas; empty for a temporary one.

    The first worker uses the directory of a gateway without workers. So it need not restore its
    replicas when the number of workers is changed.
    """
    return str(Path(directory) / f".worker-{worker}") if directory and worker else directory
