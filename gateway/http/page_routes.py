"""The page to try the API, and the OpenAPI document that it reads.

The page is small and made by hand. It loads nothing from elsewhere and runs no script that is not a
file of the gateway, and the browser holds it to that. Its files need no credentials, as those of
the console in `console_routes`, with which it shares the login: the document needs them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import version
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from stategate.gateway.access.rules import USER
from stategate.gateway.http.console_routes import FILE_HEADERS
from stategate.gateway.http.endpoint import Services, json_response, threads_of
from stategate.gateway.http.openapi.document import openapi_document
from stategate.gateway.http.openapi.examples import with_examples

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {**FILE_HEADERS, "Content-Security-Policy": _POLICY}
_FILES: Final = {
    "/docs": ("docs.html", "text/html"),
    "/docs.css": ("docs.css", "text/css"),
    "/docs.js": ("docs.js", "text/javascript"),
}
DOCS_PATHS: Final = frozenset(_FILES)
"""The paths of the page's files."""


def page_routes(described: Sequence[BaseRoute], services: Services) -> list[BaseRoute]:
    """Return the routes of the page and of the document about the other routes."""
    routes: list[BaseRoute] = []

    async def show_document(request: Request) -> Response:
        user = request.scope[USER]
        found = await threads_of(services, request.scope).short.run(
            with_examples, document, services, user
        )
        return json_response(found)

    routes.append(Route("/openapi.json", show_document, methods=["GET"]))
    document = openapi_document([*described, *routes], version=version("stategate"))
    directory = files("stategate.gateway.http") / "pages"
    for path, (name, media_type) in _FILES.items():
        page = _page((directory / name).read_bytes(), media_type)
        routes.append(Route(path, page, methods=["GET"]))
    return routes


def _page(body: bytes, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    async def show(request: Request) -> Response:
        del request
        return Response(body, media_type=media_type, headers=_HEADERS)

    return show
