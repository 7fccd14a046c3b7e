"""The console at `/`: its page, and the files that the page loads.

None of them contains anything of this gateway's stores, so they need no credentials: the page asks
for those itself, and sends them with its requests. Browsers get the files with a policy by which
nothing else is loaded or run, and no text becomes markup. The only styles that a script may add
are those with the nonce of the page, which CodeMirror needs.
"""

from __future__ import annotations

import gzip
import hashlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from planner.engine import FUNCTIONS

CONSOLE_PATHS: Final = "/console/"
"""What the paths of the console's files begin with."""
FILE_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""Headers of all files for pages: they are kept, and checked each time, since they change."""
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_FILE_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
_NONCE_BYTES: Final = 16
_MEDIA_TYPES: Final = {
    "js": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
    "txt": "text/plain",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """A file, as it is and compressed."""

    media_type: str
    body: bytes
    compressed: bytes
    tag: str


def console_routes() -> list[BaseRoute]:
    """Return the routes of the console."""
    pages = files("gateway.http") / "pages"
    page = (pages / "console.html").read_text(encoding="utf-8")
    found = dict(_files(pages / "console"))
    names = {"functions": sorted(FUNCTIONS)}
    found["functions.json"] = _file("application/json", orjson.dumps(names))

    async def show_page(request: Request) -> Response:
        del request
        nonce = secrets.token_urlsafe(_NONCE_BYTES)
        headers = {
            **FILE_HEADERS,
            "Cache-Control": "no-store",
            "Content-Security-Policy": _POLICY.replace("{nonce}", nonce),
            "Cross-Origin-Opener-Policy": "same-origin",
        }
        return Response(page.replace("{nonce}", nonce), media_type="text/html", headers=headers)

    async def show_file(request: Request) -> Response:
        file = found.get(request.path_params["name"])
        if file is None:
            raise HTTPException(404)
        return _answer(file, request)

    return [
        Route("/", show_page, methods=["GET"]),
        Route(f"{CONSOLE_PATHS}{{name:path}}", show_file, methods=["GET"]),
    ]


def _files(directory: Traversable, prefix: str = "") -> Iterator[tuple[str, _File]]:
    for each in directory.iterdir():
        if each.is_dir():
            yield from _files(each, f"{prefix}{each.name}/")
        elif (media_type := _MEDIA_TYPES.get(each.name.rpartition(".")[2])) is not None:
            yield f"{prefix}{each.name}", _file(media_type, each.read_bytes())


def _file(media_type: str, body: bytes) -> _File:
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return _File(media_type=media_type, body=body, compressed=gzip.compress(body, mtime=0), tag=tag)


def _answer(file: _File, request: Request) -> Response:
    headers = {
        **FILE_HEADERS,
        "Content-Security-Policy": _FILE_POLICY,
        "ETag": file.tag,
        "Vary": "Accept-Encoding",
    }
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    body = file.body
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["Content-Encoding"] = file.compressed, "gzip"
    return Response(body, media_type=file.media_type, headers=headers)
