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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import orjson
import pyarrow as pa
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from stategate.gateway.http.formats.content_codings import choose_coding
from stategate.planner.engine import FUNCTIONS

CONSOLE_PATHS: Final = "/console/"
"""What the paths of the console's files begin with."""
FILE_HEADERS: Final = {
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
_ZSTD_LEVEL: Final = 15
"""Files are compressed once and sent often. All of them take a tenth of a second."""
_MEDIA_TYPES: Final = {
    "js": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
    "txt": "text/plain",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """A file, with its tag."""

    media_type: str
    bodies: Mapping[str | None, bytes]
    """The content by coding; as it is under None."""
    tag: str


def console_routes() -> list[BaseRoute]:
    """Return the routes of the console."""
    page = (_pages() / "console.html").read_text(encoding="utf-8")
    found = _console_files()

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


def _pages() -> Traversable:
    return files("stategate.gateway.http") / "pages"


@cache
def _console_files() -> Mapping[str, _File]:
    """Return the files by path; they are compressed once in a process."""
    names = {"functions": sorted(FUNCTIONS)}
    return {
        **dict(_files(_pages() / "console")),
        "functions.json": _file("application/json", orjson.dumps(names)),
    }


def _files(directory: Traversable, prefix: str = "") -> Iterator[tuple[str, _File]]:
    for each in directory.iterdir():
        if each.is_dir():
            yield from _files(each, f"{prefix}{each.name}/")
        elif (media_type := _MEDIA_TYPES.get(each.name.rpartition(".")[2])) is not None:
            yield f"{prefix}{each.name}", _file(media_type, each.read_bytes())


def _file(media_type: str, body: bytes) -> _File:
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    zstd = pa.Codec("zstd", compression_level=_ZSTD_LEVEL).compress(body, asbytes=True)
    bodies = {None: body, "gzip": gzip.compress(body, mtime=0), "zstd": zstd}
    return _File(media_type=media_type, bodies=bodies, tag=tag)


def _answer(file: _File, request: Request) -> Response:
    headers = {
        **FILE_HEADERS,
        "Content-Security-Policy": _FILE_POLICY,
        "ETag": file.tag,
        "Vary": "Accept-Encoding",
    }
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    coding = choose_coding(request.headers.get("accept-encoding"))
    if coding is not None:
        headers["Content-Encoding"] = coding
    return Response(file.bodies[coding], media_type=file.media_type, headers=headers)
