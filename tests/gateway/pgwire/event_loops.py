"""Event loops of tests that leave no connection open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.support.waiting import WAIT_S

T = TypeVar("T")


def run_to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Run as `asyncio.run`, and wait until each connection is closed: TLS takes a moment to end.

    A transport whose loop is gone before is reported by the collector, in some later test.
    """
    with asyncio.Runner() as runner:
        try:
            return runner.run(work)
        finally:
            runner.run(_closed())


async def _closed() -> None:
    loop: Any = asyncio.get_running_loop()
    until_s = time.monotonic() + WAIT_S
    while len(loop._selector.get_map()) > 1:  # one is the loop's own
        assert time.monotonic() < until_s, "a connection stays open"
        await asyncio.sleep(0.005)
