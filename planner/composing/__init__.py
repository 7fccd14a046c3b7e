"""DuckDB in separate processes: it composes results and holds the system catalog.

Statements arrive as text and rows as Arrow; stores and sessions are unknown here.

| gateway | composing process |
|---|---|
| `compose`: statements over relations | `local`: the only module that imports DuckDB |
| `remote`, `remote_statement`: a database, a statement | `process_main`: serves requests |
| `process_pool`, `process`: which process runs it | `forkserver_main`, `forking`: start processes |

`shared_process` and `shared_forkserver` do the same for several gateway processes. Both sides share
`database`, `messages`, `frames`, `feeds` and `socket_pool`.
"""
