"""What a query may not contain: SQL that is not run here, and DuckDB's doors to its own process.

Table functions are an allow-list. Scalar functions are DuckDB's, which compute and nothing else,
but for those named here: they show the composing database instead of the stores, or hold a thread.
"""

from __future__ import annotations

from sqlglot import exp

from planner.errors import NameProblem, NotSupported
from planner.walk import Nodes

TABLE_FUNCTIONS = frozenset({"generate_series", "unnest"})
"""All functions that may stand in FROM."""

_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)
_REFUSED: dict[type[exp.Expr], str] = {
    exp.Lock: "SELECT … FOR UPDATE",
    exp.TableSample: "TABLESAMPLE",
    exp.Into: "SELECT INTO",
    exp.Command: "this statement",
    exp.Placeholder: "a placeholder other than $1, $2, …",
    exp.Pivot: "PIVOT",
    exp.Columns: "COLUMNS(…)",
    exp.SimilarTo: "SIMILAR TO",
}
_HINTS: dict[type[exp.Expr], str] = {exp.SimilarTo: "Use LIKE, or ~ with a regular expression."}
_FUNCTIONS = frozenset(
    {
        *("current_connection_id", "current_query", "current_query_id", "current_setting"),
        *("current_transaction_id", "txid_current", "in_search_path", "getenv", "getvariable"),
        *("nextval", "currval", "setval", "lastval", "setseed", "sleep_ms", "stats", "vector_type"),
        *("query", "query_table", "write_log", "parse_duckdb_log_message", "alias", "which_secret"),
        *("json_serialize_sql", "json_deserialize_sql", "json_serialize_plan"),
        *("json_execute_serialized_sql",),
    }
)
"""Functions of DuckDB that are not Postgres's and are about DuckDB itself."""


def refuse(nodes: Nodes) -> None:
    """Raise for the first thing in a query that is not run here.

    Raises:
        NotSupported: SQL that is not run here (0A000), or a write in WITH (25006).
        NameProblem: a function that is not there for clients (42883).
    """
    for kind in nodes.types:
        if kind in _REFUSED:
            raise NotSupported(f"{_REFUSED[kind]} is not supported", hint=_HINTS.get(kind))
        if issubclass(kind, _WRITES):
            raise NotSupported(
                f"cannot execute {kind.key.upper()} in a read-only gateway",
                hint="State is written by its pipeline; SELECT reads it.",
                sqlstate="25006",
            )
    for fetch in nodes.of(exp.Fetch):
        options = fetch.args.get("limit_options")
        if options is not None and (options.args.get("with_ties") or options.args.get("percent")):
            raise NotSupported("FETCH … WITH TIES and PERCENT are not supported")
    for select in nodes.of(exp.Select):
        if not select.expressions:
            raise NotSupported(
                "a SELECT without columns is not supported", hint="Select a constant: SELECT 1 …"
            )
    _refuse_functions(nodes)


def _refuse_functions(nodes: Nodes) -> None:
    for kind in nodes.types:
        if not issubclass(kind, exp.Func):
            continue
        for node in nodes.of(kind):
            name = node.name if kind is exp.Anonymous else kind.sql_name()
            if name.lower() in _FUNCTIONS or name.startswith("__"):
                raise unknown_function(node, name.lower())


def unknown_function(node: exp.Expr, name: str, *, kind: str = "function") -> NameProblem:
    """The error for a function that is not there; it points at the call."""
    start = node.meta.get("start")
    return NameProblem(
        f"{kind} {name}() does not exist",
        hint=f"{' and '.join(sorted(TABLE_FUNCTIONS))} are there." if kind != "function" else None,
        position=None if start is None else int(start) + 1,
        sqlstate="42883",
    )
