"""The rival over HTTP: Starlette routes that only read answers from RocksDB.

`python -m tests.bench.bare_http DIRECTORY PORT` serves it as the gateway does: by uvicorn
with httptools and uvloop, in one process, without an access log.
"""

from __future__ import annotations

import sys
from typing import Any

import orjson
import uvicorn
from rocksdict import Options, Rdict, WriteBatch
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

BATCH_ROWS = 10_000


def make_database(directory: str, rows: list[tuple[str, bytes]]) -> None:
    """Write the answers by key, ready to be sent."""
    database = Rdict(directory, Options(raw_mode=True))
    for start in range(0, len(rows), BATCH_ROWS):
        batch = WriteBatch(raw_mode=True)
        for key, answer in rows[start : start + BATCH_ROWS]:
            batch.put(key.encode(), answer)
        database.write(batch)
    database.flush()
    database.close()


def make_app(directory: str) -> Starlette:
    """Return the application over that database."""
    database = Rdict(directory, Options(raw_mode=True))

    async def lookup(request: Request) -> Response:
        key = orjson.loads(await request.body())["params"][0]
        return Response(database[key.encode()], media_type="application/json")

    async def look_up(request: Request) -> Response:
        key = request.path_params["key"]
        return Response(database[key.encode()], media_type="application/json")

    async def batch(request: Request) -> Response:
        sets = orjson.loads(await request.body())["params"]
        answers: Any = database.get([key.encode() for (key,) in sets])
        body = b'{"results":[' + b",".join(answers) + b"]}"
        return Response(body, media_type="application/json")

    async def ready(request: Request) -> Response:
        del request
        return Response(b"ok")

    return Starlette(
        routes=[
            Route("/v1/query", lookup, methods=["POST"]),
            Route("/v1/batch", batch, methods=["POST"]),
            Route("/v1/stores/users/{key}", look_up, methods=["GET"]),
            Route("/readyz", ready),
        ]
    )


def main() -> None:
    """Serve."""
    directory, port = sys.argv[1:]
    uvicorn.run(
        make_app(directory),
        host="127.0.0.1",
        port=int(port),
        http="httptools",
        loop="uvloop",
        access_log=False,
        log_level="warning",
    )


if __name__ == "__main__":
    main()
