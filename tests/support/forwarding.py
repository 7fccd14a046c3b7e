"""Hands requests on to another server on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http.client import HTTPConnection
from typing import Any

from tests.support.object_storage.buckets import App

_TIMEOUT_S = 60.0
_OF_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "date", "server"}


def forwarding(address: str) -> App:
    """Return an application that asks the server at an address, and gives its answer."""

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        # The target is handed on as it was spelled: it is part of what the client has signed.
        target = environ["REQUEST_URI"]
        headers = {
            name.removeprefix("HTTP_").replace("_", "-"): value
            for name, value in environ.items()
            if name.startswith("HTTP_") or (name == "CONTENT_TYPE" and value)
        }
        length = environ.get("CONTENT_LENGTH")
        body = environ["wsgi.input"].read(int(length)) if length else None
        connection = HTTPConnection(address, timeout=_TIMEOUT_S)
        try:
            connection.request(environ["REQUEST_METHOD"], target, body, headers)
            found = connection.getresponse()
            content = found.read()
            kept = [(k, v) for k, v in found.getheaders() if k.lower() not in _OF_CONNECTION]
            if not any(name.lower() == "content-length" for name, _ in kept):
                kept.append(("Content-Length", str(len(content))))
            start(f"{found.status} {found.reason}", kept)
            return [content]
        finally:
            connection.close()

    return answer
