"""A server of an object store on this machine, for tests, with faults and a record of requests."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from werkzeug.serving import make_server

Answer: TypeAlias = tuple[str, bytes]
"""The status line and the body of an answer."""
App: TypeAlias = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
"""A WSGI application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """An object store, and how it is spoken to."""

    app: App
    uri: str
    """URI of a path in a bucket, with places for `bucket`, `path` and `address`."""
    user: str = ""
    """What stands before the bucket in a URI that has the keys."""
    make_bucket: Callable[[str, str], None]
    """Creates a bucket, of this name, at the server of this address."""
    kind: Callable[[str, str], str]
    """Returns what a request is, by its method and path; see `KINDS`."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that clients need."""
    serial: bool = False
    """Whether it may be asked only once at a time: it looks for an object, then writes it."""


class BucketServer:
    """A running server."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.requests: list[tuple[str, str]] = []
        """Method and path, with its query, of every request, in order."""
        self.fault: Callable[[str, str], Answer | None]
        """Returns an answer to give in place of the server's own."""
        self.lost: Callable[[str, str], bool]
        """Whether the answer to a request is lost, after the server has done what it asks."""
        self.restore()
        self._lock = threading.Lock()
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

    def uri(self, bucket: str, path: str = "state") -> str:
        """Return the URI of a directory in a bucket, which may be missing."""
        return self.service.uri.format(bucket=bucket, path=path, address=self.address)

    def root(self, bucket: str, path: str = "state") -> str:
        """Create a bucket, and return the URI of a directory in it."""
        self.service.make_bucket(self.address, bucket)
        return self.uri(bucket, path)

    def root_with_keys(self, bucket: str) -> str:
        """Create a bucket, and return a URI that needs no variables."""
        scheme, _, rest = self.root(bucket).partition("://")
        return f"{scheme}://{self.service.user}{rest}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(30)

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        path += f"?{environ['QUERY_STRING']}" if environ["QUERY_STRING"] else ""
        with self._lock:
            self.requests.append((method, path))
            answer, is_lost = self.fault(method, path), False
            if answer is None:
                is_lost = self.lost(method, path)
                if self.service.serial or is_lost:
                    whole = list(self.service.app(environ, drop if is_lost else start))
        if answer is not None:
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            start(answer[0], [("Content-Length", str(len(answer[1])))])
            return [answer[1]]
        if is_lost:
            start("500 Internal Server Error", [("Content-Length", "0")])
            return []
        return whole if self.service.serial else self.service.app(environ, start)

    @contextmanager
    def counted(self) -> Iterator[Counter[str]]:
        """Count the requests of a block, by the kinds of `Requests`."""
        before, counts = len(self.requests), Counter[str]()
        yield counts
        counts.update(self.service.kind(*each) for each in self.requests[before:])


def drop(*_: Any) -> None:
    """Take the beginning of an answer that does not arrive."""
