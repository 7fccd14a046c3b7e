"""What a connection keeps by name, as variables that the views of it read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from planner.listing import ListedCursor, ListedStatement, Listing
from planner.pg_catalog.from_items import relation_names
from planner.pg_catalog.postgres_types import postgres_types
from planner.quoting import quote_text

_RELATIONS = frozenset({"pg_cursors", "pg_prepared_statements"})
_CURSOR_TYPE = (
    "STRUCT(name VARCHAR, statement VARCHAR, is_holdable BOOLEAN, is_binary BOOLEAN,"
    " is_scrollable BOOLEAN, created_us BIGINT)"
)
_STATEMENT_TYPE = (
    "STRUCT(name VARCHAR, statement VARCHAR, prepared_us BIGINT, parameter_types VARCHAR[],"
    " from_sql BOOLEAN)"
)

LISTING_VIEWS = {
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
"""Relations of pg_catalog over these variables, which are NULL where nothing is listed."""


def lists_names(tree: exp.Expr) -> bool:
    """Whether a statement asks for what the connection keeps, which is not told to the others."""
    return any(name in _RELATIONS for _, name in relation_names(tree))


def listing_script(listing: Listing) -> Iterator[str]:
    """The statements that set the variables."""
    yield f"SET VARIABLE session_cursors = {_list(map(_cursor, listing.cursors()))}"
    yield f"SET VARIABLE session_prepared = {_list(map(_statement, listing.prepared()))}"


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
