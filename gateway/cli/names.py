"""The names of a gateway, for completion in the shell."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from stategate.gateway.cli.client import Client
from stategate.gateway.cli.completion import Vocabulary
from stategate.gateway.errors import ClientError

_KEPT_S = 30.0
"""How long stores are kept: new ones should appear, and each completion should be quick."""


class Names:
    """The stores with their columns, asked for when they are needed, and the functions.

    Args:
        client: the gateway.
        clock: monotonic seconds.
    """

    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic) -> None:
        self._client, self._clock = client, clock
        self._known = Vocabulary()
        self._until_s = 0.0

    def vocabulary(self) -> Vocabulary:
        """Return the names; those known before if the gateway does not answer."""
        now_s = self._clock()
        if now_s >= self._until_s:
            self._until_s = now_s + _KEPT_S
            with suppress(ClientError):  # a statement will say what is wrong
                self._known = Vocabulary(columns=self._columns(), functions=_functions())
        return self._known

    def _columns(self) -> dict[str, list[str]]:
        return {
            str(store["name"]): [str(column["name"]) for column in store.get("columns", [])]
            for store in self._client.stores()
        }


@cache
def _functions() -> list[str]:
    from stategate.planner.engine import FUNCTIONS  # noqa: PLC0415 - slow, and only completion needs it

    return sorted(FUNCTIONS)
