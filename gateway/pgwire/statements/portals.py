"""The prepared statements and portals of one session: their names, limits and lifetimes.

Portals and SQL's cursors share one namespace, as in PostgreSQL. The unnamed statement and the
unnamed portal can be replaced; named ones must be closed first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from stategate.gateway.pgwire.protocol.errors import (
    NO_PORTAL,
    NO_STATEMENT,
    PORTAL_EXISTS,
    STATEMENT_EXISTS,
)
from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.pgwire.statements.live_rows import LiveRows
from stategate.gateway.pgwire.statements.rows import RowSource, Shape, shape_of
from stategate.gateway.pgwire.types.parameters import (
    ParameterType,
    choose_decoders,
    parameter_types,
)
from stategate.gateway.pgwire.types.wire_type import Decode
from stategate.planner.engine import (
    Cancellation,
    DeclareCursor,
    ExecuteStatement,
    FetchCursor,
    ListedCursor,
    ListedStatement,
    QueryError,
    Row,
    Statement,
    TimeSettings,
)

T = TypeVar("T")

_CACHED_MAX = 16
"""Number of combinations of formats whose encoders are kept for a statement; drivers use few."""


class Prepared:
    """A statement with its decoders and encoders, chosen once for each combination of formats."""

    __slots__ = (
        "_decoders",
        "_shapes",
        "from_sql",
        "made_us",
        "parameters",
        "sql",
        "statement",
    )

    def __init__(
        self,
        *,
        sql: str,
        statement: Statement,
        parameter_oids: tuple[int, ...],
        from_sql: bool = False,
    ) -> None:
        self.sql = sql
        """The client's text; positions in errors count its characters."""
        self.statement = statement
        self.from_sql = from_sql
        """Whether PREPARE made it, not Parse."""
        self.made_us = 0
        """When it was named, in epoch microseconds."""
        self.parameters: tuple[ParameterType, ...] = parameter_types(
            parameter_oids, statement.parameters
        )
        self._decoders: dict[_Form, tuple[Decode, ...]] = {}
        self._shapes: dict[_Form, Shape] = {}

    def decoders(self, formats: tuple[int, ...], times: TimeSettings) -> tuple[Decode, ...]:
        """Return the decoders of the parameters under the session's settings of times.

        Raises:
            QueryError: the number of formats does not match the parameters.
        """
        form = formats, times
        found = self._decoders.get(form)
        if found is None:
            found = choose_decoders(self.parameters, formats, times)
            _make_room(self._decoders)
            self._decoders[form] = found
        return found

    def shape(self, formats: tuple[int, ...], times: TimeSettings) -> Shape:
        """Return the encoders of the rows under the session's settings of times.

        Raises:
            QueryError: the number of formats does not match the columns.
        """
        form = formats, times
        found = self._shapes.get(form)
        if found is None:
            found = shape_of(self.statement.columns, formats, times)
            _make_room(self._shapes)
            self._shapes[form] = found
        return found


_Form: TypeAlias = tuple[tuple[int, ...], TimeSettings]


def _make_room(cache: dict[_Form, T]) -> None:
    if len(cache) >= _CACHED_MAX:
        cache.clear()


@dataclass(slots=True, kw_only=True)
class Portal:
    """A statement with its parameters, and how far its rows have been read."""

    prepared: Prepared
    parameters: Row
    shape: Shape
    source: RowSource | None = None
    """The rows; None until the first Execute."""
    cancellation: Cancellation | None = None
    """Cancels the rows; None until the first Execute."""
    finished: bool = False
    """Whether it ran to its end; another Execute gives no rows."""
    declared: DeclareCursor | None = None
    """The DECLARE of a cursor, which can be read again after its end."""
    kept: bool = False
    """Whether it has outlived its transaction, and lasts until it is closed."""
    live: LiveRows | None = None
    """The rows of a SUBSCRIBE; None until it begins, and for other statements."""
    borrows: Statement | None = None
    """The statement whose rows a FETCH or an EXECUTE has."""
    made_us: int = 0
    """When it was named, in epoch microseconds."""
    made_after: int = 0
    """How many savepoints its transaction had made before it."""

    @property
    def rows_of(self) -> Statement:
        """The statement that has read its rows."""
        return self.borrows or self.prepared.statement

    def print_under(self, times: TimeSettings) -> Shape:
        """Return the encoders of the rows under the session's settings, which may have changed."""
        self.shape = self.shape.under(times)
        if self.source is not None and isinstance(self.source.encoder, Shape):
            self.source.encoder = self.shape
        return self.shape

    def close(self) -> None:
        """Release the result; the portal cannot be executed any more."""
        self.finished = True
        if self.source is not None:
            self.source.close()
        if self.live is not None:
            self.live.close()


@dataclass(slots=True, kw_only=True)
class Names:
    """The statements and portals of one session, and its `Listing`."""

    limits: PgLimits
    clock_us: Callable[[], int] = lambda: time.time_ns() // 1000
    """Returns the time in epoch microseconds."""
    statements: dict[str, Prepared] = field(default_factory=dict)
    portals: dict[str, Portal] = field(default_factory=dict)
    savepoints_made: int = 0
    """Savepoints that the open transaction has made."""
    _sql_length: int = 0

    def add_statement(self, name: str, prepared: Prepared) -> None:
        """Add a statement.

        Raises:
            QueryError: the name is taken (42P05), or there are too many statements (54000).
        """
        if name and name in self.statements:
            raise QueryError(
                f'prepared statement "{name}" already exists', sqlstate=STATEMENT_EXISTS
            )
        size = len(prepared.sql)
        if not name:
            self.drop_statement(name)
        if self._sql_length + size > self.limits.statements_text_max or (
            len(self.statements) >= self.limits.statements_max
        ):
            raise QueryError(
                "too many prepared statements",
                detail=f"There are {len(self.statements)}, with {self._sql_length} characters.",
                hint="Close statements that you no longer use.",
                sqlstate="54000",
            )
        self._sql_length += size
        prepared.made_us = self.clock_us()
        self.statements[name] = prepared

    def statement(self, name: str) -> Prepared:
        """Return a statement by name.

        Raises:
            QueryError: the name is unknown (26000).
        """
        found = self.statements.get(name)
        if found is None:
            what = f'prepared statement "{name}"' if name else "unnamed prepared statement"
            raise QueryError(f"{what} does not exist", sqlstate=NO_STATEMENT)
        return found

    def drop_statement(self, name: str) -> None:
        """Drop a statement, if it exists."""
        prepared = self.statements.pop(name, None)
        if prepared is not None:
            self._sql_length -= len(prepared.sql)

    def add_portal(self, name: str, portal: Portal) -> None:
        """Add a portal.

        Raises:
            QueryError: the name is taken (42P03), or there are too many portals (54000).
        """
        if name and name in self.portals:
            raise _exists(name)
        self.drop_portal(name)
        if len(self.portals) >= self.limits.portals_max:
            raise QueryError(
                "too many open portals",
                detail=f"There are {len(self.portals)}.",
                hint="Close portals, or end the transaction.",
                sqlstate="54000",
            )
        portal.made_after, portal.made_us = self.savepoints_made, self.clock_us()
        self.portals[name] = portal

    def portal(self, name: str) -> Portal:
        """Return a portal by name.

        Raises:
            QueryError: the name is unknown (34000).
        """
        found = self.portals.get(name)
        if found is None:
            raise QueryError(f'portal "{name}" does not exist', sqlstate=NO_PORTAL)
        return found

    def drop_portal(self, name: str) -> None:
        """Drop a portal, if it exists."""
        portal = self.portals.pop(name, None)
        if portal is not None:
            portal.close()

    def cursor(self, name: str) -> Portal:
        """Return a portal by its name as a cursor in SQL.

        Raises:
            QueryError: the name is unknown (34000).
        """
        found = self.portals.get(name)
        if found is None:
            raise QueryError(f'cursor "{name}" does not exist', sqlstate=NO_PORTAL)
        return found

    def check_cursor(self, command: DeclareCursor) -> None:
        """Check, before its query runs, that a cursor can be declared.

        Raises:
            QueryError: the name is taken (42P03), or there are too many SCROLL cursors (54000).
        """
        if command.name in self.portals:
            raise _exists(command.name)
        declared = [portal.declared for portal in self.portals.values()]
        scrolling = sum(each is not None and bool(each.scroll) for each in declared)
        if command.scroll and scrolling >= self.limits.scroll_cursors_max:
            raise QueryError(
                "too many cursors that can be read backwards",
                detail=f"There are {scrolling}, each of which keeps rows.",
                hint="Close cursors, or declare this one without SCROLL.",
                sqlstate="54000",
            )

    def drop_portals(self, *, besides: Portal | None = None) -> None:
        """Drop all portals except the one that is running."""
        for name, portal in tuple(self.portals.items()):
            if portal is not besides:
                self.drop_portal(name)

    def rollback_to(self, savepoint: int) -> None:
        """Drop the portals made since a savepoint, because the transaction is rolled back to it."""
        for name, portal in tuple(self.portals.items()):
            if portal.made_after >= savepoint and not portal.kept:
                self.drop_portal(name)

    def end_transaction(self, *, committed: bool) -> None:
        """Drop the portals of a transaction that has ended, except cursors WITH HOLD."""
        self.savepoints_made = 0
        for name, portal in tuple(self.portals.items()):
            if committed and portal.declared is not None and portal.declared.hold:
                portal.kept = True
            if not portal.kept:
                self.drop_portal(name)

    def cursors(self) -> Sequence[ListedCursor]:
        """Return all portals as pg_cursors shows them."""
        return [_listed(name, portal) for name, portal in tuple(self.portals.items())]

    def prepared(self) -> Sequence[ListedStatement]:
        """Return all named statements as pg_prepared_statements shows them."""
        return [
            ListedStatement(
                name=name,
                sql=prepared.sql,
                prepared_us=prepared.made_us,
                parameter_oids=tuple(each.oid for each in prepared.parameters),
                from_sql=prepared.from_sql,
            )
            for name, prepared in self.statements.items()
            if name
        ]

    def target(self, prepared: Prepared) -> Prepared:
        """Return the statement that has the rows: the target of a FETCH or EXECUTE, or itself.

        A FETCH or EXECUTE of an unknown name has no rows yet; running it raises the error.
        """
        match prepared.statement.row_command:
            case FetchCursor(name=name, move=False) if name in self.portals:
                return self.portals[name].prepared
            case ExecuteStatement(name=name, explain=None) if name in self.statements:
                named = self.statements[name]
                # EXECUTE of EXECUTE is refused when it runs.
                executes = isinstance(named.statement.row_command, ExecuteStatement)
                return named if executes else self.target(named)
            case _:
                return prepared

    def deallocate(self, name: str | None) -> str:
        """Drop a statement, or all named ones with None; return the command tag.

        Raises:
            QueryError: the name is unknown (26000).
        """
        if name is None:
            for each in [named for named in self.statements if named]:
                self.drop_statement(each)
            return "DEALLOCATE ALL"
        self.statement(name)
        self.drop_statement(name)
        return "DEALLOCATE"

    def discard(self) -> None:
        """Drop everything except the unnamed statement, as PostgreSQL does."""
        self.drop_portals()
        self.deallocate(None)


def _listed(name: str, portal: Portal) -> ListedCursor:
    declared = portal.declared
    return ListedCursor(
        name=name,
        sql=portal.prepared.sql,
        hold=declared is not None and declared.hold,
        binary=declared is not None and declared.binary,
        scroll=declared is not None and bool(declared.scroll),
        created_us=portal.made_us,
    )


def _exists(name: str) -> QueryError:
    return QueryError(f'cursor "{name}" already exists', sqlstate=PORTAL_EXISTS)


def portal_of(sql: str, statement: Statement, times: TimeSettings) -> Portal:
    """Return a portal for the statement of a Query, under the session's settings of times.

    Raises:
        QueryError: a column has a type that the wire does not know.
    """
    prepared = Prepared(sql=sql, statement=statement, parameter_oids=())
    return Portal(prepared=prepared, parameters=(), shape=prepared.shape((), times))


@contextmanager
def closing_on_error(portal: Portal) -> Iterator[None]:
    """Close a portal if the block fails or is cancelled."""
    try:
        yield
    except BaseException:
        portal.close()
        raise
