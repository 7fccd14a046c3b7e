"""HTTP: the Starlette application, its routes, and results as JSON, CSV and Arrow.

| read | for |
|---|---|
| `server`, `connection`, `web_socket` | sockets: connections with their limits |
| `shortcut`, `at_once` | short requests, which are answered without the application |
| `app`, `routes`, `console_routes`, `page_routes` | the application: what is found where |
| `endpoint`, `answers`, `origins` | what all endpoints share |
| `requests` | bytes that arrive, as requests |
| `statements` | the work of a request: one statement, many, a page of one |
| `live` | statements that go on: server-sent events and WebSockets |
| `formats` | results as bytes, and which format a client gets |
| `metrics` | what `/metrics` says |
| `openapi` | the OpenAPI document |

`pages` has the files of the console, which are served as they are.
"""
