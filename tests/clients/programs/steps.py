"""The steps of a client program: each runs, and its outcome is printed as a line of JSON.

A program is run as `python -m tests.clients.programs.NAME` by the Python of its environment, with
the clone on PYTHONPATH and PGHOST, PGPORT, PGUSER and PGDATABASE set. Nothing but the standard
library and that environment's packages may be imported here and there.

`--answer CLIENT` and `--login CLIENT` make it do the work of `asking` instead.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import quote, urlencode

from tests.clients.programs import asking

Step = Callable[[], None] | Callable[[], Coroutine[Any, Any, None]]

HOST = os.environ.get("PGHOST", "127.0.0.1")
PORT = int(os.environ.get("PGPORT", "7432"))
USER = os.environ.get("PGUSER", "stategate")
DATABASE = os.environ.get("PGDATABASE", "stategate")
URL = f"postgresql://{USER}@{HOST}:{PORT}/{DATABASE}"
"""Where the gateway is, as most clients take it."""
ROOT_CERTIFICATE = os.environ.get("PGSSLROOTCERT", "")
"""The authority of the gateway's certificate, if it has one."""

_steps: dict[str, Step] = {}


def step(function: Step) -> Step:
    """Register a step; the decorated function is its body, and its name the name of the test."""
    _steps[function.__name__] = function
    return function


def login_url(password: str, *, scheme: str = "postgresql", **options: str) -> str:
    """Return the gateway's URL, with a password and connection options."""
    place = f"{HOST}:{PORT}/{DATABASE}"
    query = f"?{urlencode(options)}" if options else ""
    return f"{scheme}://{USER}:{quote(password)}@{place}{query}"


def main() -> None:
    """Run the steps in the order of the file, or what the command line asks for."""
    match sys.argv[1:]:
        case ["--answer", client]:
            asking.answer(client)
        case ["--login", client]:
            asking.log_in(client)
        case names:
            for name in names or _steps:
                print(json.dumps({"step": name, "error": _error_of(_steps[name])}), flush=True)


def _error_of(function: Step) -> str | None:
    try:
        if (waiting := function()) is not None and inspect.iscoroutine(waiting):
            asyncio.run(waiting)
    except Exception:  # the outermost loop of a program: any error goes to the test
        return traceback.format_exc()
    return None


def expect(found: object, wanted: object) -> None:
    """Fail with both values where they differ."""
    assert found == wanted, f"found {found!r}, wanted {wanted!r}"
