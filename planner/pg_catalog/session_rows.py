"""Sessions, and the cursors and prepared statements of one, as variables that views read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlglot import exp

from stategate.planner.binding.running_statements import WAITING, RunningQuery
from stategate.planner.commands.postgres_settings import settings_of_user
from stategate.planner.commands.transaction import transaction_settings
from stategate.planner.pg_catalog.advisory_calls import LOCK_ROWS, lock_structs
from stategate.planner.pg_catalog.builtin_rows import postgres_settings
from stategate.planner.pg_catalog.postgres_types import postgres_types
from stategate.planner.pg_catalog.recognise import relation_names
from stategate.planner.pg_catalog.store_relations import DATABASE_OID
from stategate.planner.values.listing import ListedCursor, ListedSession, ListedStatement
from stategate.planner.values.quoting import quote_text
from stategate.planner.values.rights import Rights
from stategate.planner.values.session import Session

_RELATIONS = frozenset({"pg_cursors", "pg_locks", "pg_prepared_statements", "pg_stat_activity"})
_BLOCKING = "pg_blocking_pids"
_CURSOR_TYPE = (
    "STRUCT(name VARCHAR, statement VARCHAR, is_holdable BOOLEAN, is_binary BOOLEAN,"
    " is_scrollable BOOLEAN, created_us BIGINT)"
)
_STATEMENT_TYPE = (
    "STRUCT(name VARCHAR, statement VARCHAR, prepared_us BIGINT, parameter_types VARCHAR[],"
    " from_sql BOOLEAN)"
)

_SESSION_TYPE = (
    "STRUCT(pid INTEGER, usename VARCHAR, application_name VARCHAR, client_addr VARCHAR,"
    " client_port INTEGER, started_us BIGINT, query_us BIGINT, state VARCHAR, query VARCHAR,"
    " waits BOOLEAN)"
)
_HIDDEN = "<insufficient privilege>"
"""Shown in place of another user's statement."""

SESSION_ROW_VIEWS = {
    "pg_stat_activity": f"""
        SELECT {DATABASE_OID}::BIGINT AS datid, {{database}} AS datname, zz_e.pid,
            NULL::INTEGER AS leader_pid,
            CASE WHEN zz_e.usename = getvariable('session_user') THEN 10::BIGINT END AS usesysid,
            zz_e.usename, zz_e.application_name, zz_e.client_addr,
            NULL::VARCHAR AS client_hostname, zz_e.client_port,
            make_timestamptz(zz_e.started_us) AS backend_start, NULL::TIMESTAMPTZ AS xact_start,
            make_timestamptz(zz_e.query_us) AS query_start, NULL::TIMESTAMPTZ AS state_change,
            CASE WHEN zz_e.waits THEN 'Extension' END AS wait_event_type,
            CASE WHEN zz_e.waits THEN 'StatementThread' END AS wait_event, zz_e.state,
            NULL::BIGINT AS backend_xid, NULL::BIGINT AS backend_xmin, NULL::BIGINT AS query_id,
            zz_e.query, 'client backend' AS backend_type
        FROM (SELECT unnest(getvariable('sessions')::{_SESSION_TYPE}[])) AS zz_t(zz_e)""",
    "pg_locks": LOCK_ROWS,
    "pg_cursors": f"""
        SELECT zz_e.name, zz_e.statement, zz_e.is_holdable, zz_e.is_binary, zz_e.is_scrollable,
            make_timestamptz(zz_e.created_us) AS creation_time
        FROM (SELECT unnest(getvariable('session_cursors')::{_CURSOR_TYPE}[])) AS zz_t(zz_e)""",
    "pg_prepared_statements": f"""
        SELECT zz_e.name, zz_e.statement, make_timestamptz(zz_e.prepared_us) AS prepare_time,
            zz_e.parameter_types, zz_e.from_sql, 0::BIGINT AS generic_plans,
            0::BIGINT AS custom_plans
        FROM (SELECT unnest(getvariable('session_prepared')::{_STATEMENT_TYPE}[]))
            AS zz_t(zz_e)""",
}
"""Relations of pg_catalog over these variables, which are NULL if nothing is listed."""


def reads_session_rows(tree: exp.Expr) -> bool:
    """Whether a statement reads these variables; only then are they set."""
    asks = any(call.name.lower() == _BLOCKING for call in tree.find_all(exp.Anonymous))
    return asks or any(name in _RELATIONS for _, name in relation_names(tree))


def shown_settings(session: Session) -> Mapping[str, str]:
    """Return the settings that a session has changed, and those of its transaction."""
    of_user = settings_of_user(session.user)
    custom = dict.fromkeys(session.spelled, "")
    return {**custom, **session.settings, **of_user, **transaction_settings(session)}


def variables_script(session: Session) -> str:
    """Return the statements that set the variables which every statement may read."""
    settings = shown_settings(session)
    known = postgres_settings()
    units = {n: known[n].listed(v) for n, v in settings.items() if n in known and known[n].unit}
    return (
        f"SET VARIABLE session_user = {quote_text(session.user)};"
        f"SET VARIABLE session_pid = {session.pid or os.getpid()};"
        f"SET VARIABLE session_settings = {_map(settings)};"
        f"SET VARIABLE session_listed = {_map(units)}"
    )


def _map(settings: Mapping[str, str]) -> str:
    keys = ", ".join(quote_text(name.lower()) for name in settings)
    values = ", ".join(quote_text(value) for value in settings.values())
    return f"map([{keys}]::VARCHAR[], [{values}]::VARCHAR[])"


def session_script(
    session: Session, running: Sequence[RunningQuery], rights: Rights
) -> Iterator[str]:
    """Yield the statements that set the variables."""
    listing = session.listing
    if listing is not None:
        yield f"SET VARIABLE session_cursors = {_list(map(_cursor, listing.cursors()))}"
        yield f"SET VARIABLE session_prepared = {_list(map(_statement, listing.prepared()))}"
    if session.backends is not None:
        if session.backends.locks is not None:
            yield f"SET VARIABLE session_locks = {_list(lock_structs(session.backends.locks))}"
        queries = {query.pid: query for query in running}
        rows = [
            _session(each, queries.get(each.pid), may_see=rights.may_see(session.user, each.user))
            for each in session.backends.listed()
        ]
        yield f"SET VARIABLE sessions = {_list(rows)}"


def _session(listed: ListedSession, query: RunningQuery | None, *, may_see: bool) -> str:
    """Return a session as a struct; what its user may not see is hidden."""
    shows_address = may_see and listed.address is not None
    values = {
        "pid": str(listed.pid),
        "usename": quote_text(listed.user),
        "application_name": quote_text(listed.application_name),
        "client_addr": quote_text(listed.address or "") if shows_address else "NULL",
        "client_port": "NULL" if listed.port is None or not may_see else str(listed.port),
        "started_us": str(listed.started_us) if may_see else "NULL",
        "query_us": "NULL" if query is None or not may_see else str(query.started_ms * 1000),
        "state": quote_text(listed.state) if may_see else "NULL",
        "waits": str(may_see and query is not None and query.state == WAITING),
        "query": quote_text(_HIDDEN if not may_see else "" if query is None else query.sql),
    }
    return "{" + ", ".join(f"'{name}': {value}" for name, value in values.items()) + "}"


def _list(rows: Iterable[str]) -> str:
    return f"[{', '.join(rows)}]"


def _cursor(cursor: ListedCursor) -> str:
    return (
        f"{{'name': {quote_text(cursor.name)}, 'statement': {quote_text(cursor.sql)}, "
        f"'is_holdable': {cursor.hold}, 'is_binary': {cursor.binary}, "
        f"'is_scrollable': {cursor.scroll}, 'created_us': {cursor.created_us}}}"
    )


def _statement(statement: ListedStatement) -> str:
    displays = {kind.oid: kind.display for kind in postgres_types().values()}
    types = [quote_text(displays.get(oid, "-")) for oid in statement.parameter_oids]
    return (
        f"{{'name': {quote_text(statement.name)}, 'statement': {quote_text(statement.sql)}, "
        f"'prepared_us': {statement.prepared_us}, 'parameter_types': {_list(types)}::VARCHAR[], "
        f"'from_sql': {statement.from_sql}}}"
    )
