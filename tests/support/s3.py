"""An S3 server on this machine, for tests: moto's, which keeps its objects in memory."""

from __future__ import annotations

import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import Request, urlopen

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test-secret"}
Answer = tuple[str, bytes]
"""The status line and the body of an answer."""


class S3Server:
    """A running server.

    It answers one request at a time: moto looks whether an object exists, and writes it then. In S3
    this is one step.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        """Method and path, with its query, of every request, in order."""
        self.fault: Callable[[str, str], Answer | None]
        """Returns an answer to give in place of the server's own."""
        self.lost: Callable[[str, str], bool]
        """Whether the answer to a request is lost, after the server has done what it asks."""
        self.restore()
        self._lock = threading.Lock()
        self._app = DomainDispatcherApplication(create_backend_app)
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def restore(self) -> None:
        """Answer without faults."""
        self.fault = lambda method, path: None
        self.lost = lambda method, path: False

    @property
    def address(self) -> str:
        """Its host and port."""
        return f"127.0.0.1:{self._server.server_port}"

    def root(self, bucket: str, path: str = "state") -> str:
        """Create a bucket, and return the URI of a directory in it."""
        url = f"http://{self.address}/{bucket}"
        with urlopen(Request(url, method="PUT"), timeout=30):
            pass
        return f"s3://{bucket}/{path}?region=us-east-1&scheme=http&endpoint_override={self.address}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(30)

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        path += f"?{environ['QUERY_STRING']}" if environ["QUERY_STRING"] else ""
        with self._lock:
            self.requests.append((method, path))
            if answer := self.fault(method, path):
                environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
                start(answer[0], [("Content-Length", str(len(answer[1])))])
                return [answer[1]]
            if not self.lost(method, path):
                return list(self._app(environ, start))
            list(self._app(environ, lambda *_: None))
        start("500 Internal Server Error", [("Content-Length", "0")])
        return []

    @contextmanager
    def counted(self) -> Iterator[Counter[str]]:
        """Count the requests of a block, by the kinds of `stores.log.object_files.Requests`."""
        before, counts = len(self.requests), Counter[str]()
        yield counts
        counts.update(_kind(method, path) for method, path in self.requests[before:])


def _kind(method: str, path: str) -> str:
    if re.search(r"\?.*(uploadId=|uploads)", path):
        return "put"
    if method == "POST" and "?delete" in path:
        return "delete"
    if method == "GET" and "list-type=" in path:
        return "list"
    return method.lower()
