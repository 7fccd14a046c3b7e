"""Many clients of one user that scan without a pause: `python -m tests.bench.crowd DSN COUNT`.

It says `ready` once each has sent a statement, and ends with standard input. A statement that is
refused because too many wait (53300) is sent again.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import psycopg

from tests.bench.harness import BenchError
from tests.bench.scans import GROUP_BY
from tests.support.process import ROOT, plain_environment

_REFUSED_PAUSE_S = 0.5
_TOO_MANY = "53300"
_END_TIMEOUT_S = 60.0
_NICENESS = 19
"""Clients work on other machines; here they must leave the cores to the servers."""


@contextmanager
def crowd(dsn: str, count: int) -> Iterator[None]:
    """Let this many clients scan while the block runs.

    Raises:
        BenchError: they failed, or none of them got an answer.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.crowd", dsn, str(count)],
        cwd=ROOT,
        env=plain_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        if process.stdout.readline() != "ready\n":
            raise BenchError("the clients that scan did not begin")
        yield
    finally:
        told, _ = process.communicate(timeout=_END_TIMEOUT_S)
    if process.returncode or not int(told or 0):
        raise BenchError(f"the clients that scan failed, answers={told!r}")


async def _scan(connection: psycopg.AsyncConnection[Any], answers: list[int]) -> None:
    while True:
        try:
            await (await connection.execute(GROUP_BY)).fetchall()
            answers[0] += 1
        except psycopg.Error as error:
            if error.sqlstate != _TOO_MANY:
                raise
            await asyncio.sleep(_REFUSED_PAUSE_S)


async def _run(dsn: str, count: int) -> None:
    os.nice(_NICENESS)
    answers = [0]
    async with AsyncExitStack() as stack:
        # One after the other: a burst from one address would be cut off.
        connections = [
            await stack.enter_async_context(
                await psycopg.AsyncConnection.connect(dsn, autocommit=True)
            )
            for _ in range(count)
        ]
        clients = [asyncio.create_task(_scan(each, answers)) for each in connections]
        await asyncio.sleep(0)
        print("ready", flush=True)
        told = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
        done, _ = await asyncio.wait((told, *clients), return_when=asyncio.FIRST_COMPLETED)
        for each in done - {told}:
            each.result()  # its error ends the process
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
        for connection in connections:
            await connection.close()
    print(answers[0], flush=True)


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1], int(sys.argv[2])))
