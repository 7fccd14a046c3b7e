"""Statements and portals of one connection: who they are, how many, when they end.

Portals share one namespace with the cursors that SQL declares, as in PostgreSQL. The unnamed
statement and the unnamed portal are replaced at will; the named ones must be closed first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from gateway.pgwire.protocol.errors import NO_PORTAL, NO_STATEMENT, PORTAL_EXISTS, STATEMENT_EXISTS
from gateway.pgwire.protocol.limits import PgLimits
from gateway.pgwire.statements.rows import RowSource, Shape, shape_of
from gateway.pgwire.types.parameters import ParameterType, choose_decoders, parameter_types
from gateway.pgwire.types.wire_type import Decode
from planner.engine import (
    Cancellation,
    DeclareCursor,
    ExecuteStatement,
    FetchCursor,
    ListedCursor,
    ListedStatement,
    QueryError,
    Row,
    Statement,
)

T = TypeVar("T")

_CACHED_MAX = 16
"""Formats of one statement whose encoders are kept; drivers use one or two."""


class Prepared:
    """A statement as the wire needs it: with its decoders and encoders, chosen once per formats."""

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
        """As the client sent it; positions in errors count in it."""
        self.statement = statement
        self.from_sql = from_sql
        """Whether PREPARE made it."""
        self.made_us = 0
        """When it got its name, in epoch microseconds."""
        self.parameters: tuple[ParameterType, ...] = parameter_types(
            parameter_oids, statement.parameters
        )
        self._decoders: dict[tuple[int, ...], tuple[Decode, ...]] = {}
        self._shapes: dict[tuple[int, ...], Shape] = {}

    def decoders(self, formats: tuple[int, ...]) -> tuple[Decode, ...]:
        """The decoders of the parameters.

        Raises:
            QueryError: the formats do not go with the parameters.
        """
        found = self._decoders.get(formats)
        if found is None:
            found = choose_decoders(self.parameters, formats)
            _make_room(self._decoders)
            self._decoders[formats] = found
        return found

    def shape(self, formats: tuple[int, ...]) -> Shape:
        """How the rows go out.

        Raises:
            QueryError: the formats do not go with the columns.
        """
        found = self._shapes.get(formats)
        if found is None:
            found = shape_of(self.statement.columns, formats)
            _make_room(self._shapes)
            self._shapes[formats] = found
        return found


def _make_room(cache: dict[tuple[int, ...], T]) -> None:
    if len(cache) >= _CACHED_MAX:
        cache.clear()


@dataclass(slots=True, kw_only=True)
class Portal:
    """A statement with its parameters, and how far its rows have been read."""

    prepared: Prepared
    parameters: Row
    shape: Shape
    source: RowSource | None = None
    """None until it is executed for the first time."""
    cancellation: Cancellation | None = None
    """What stops its stream, from then on."""
    finished: bool = False
    """Ran to its end; to execute it again gives no rows."""
    declared: DeclareCursor | None = None
    """How SQL declared it as a cursor, which can be read again behind its end."""
    kept: bool = False
    """Whether it has outlived the transaction that made it, and so lasts until it is closed."""
    made_us: int = 0
    """When it got its name, in epoch microseconds."""
    made_after: int = 0
    """How many savepoints its transaction had made by then."""

    def close(self) -> None:
        """Release what its result holds; the portal can be executed no more."""
        self.finished = True
        if self.source is not None:
            self.source.close()


@dataclass(slots=True, kw_only=True)
class Names:
    """The statements and portals of one connection; the session's `Listing`."""

    limits: PgLimits
    clock_us: Callable[[], int] = lambda: time.time_ns() // 1000
    """Epoch microseconds."""
    statements: dict[str, Prepared] = field(default_factory=dict)
    portals: dict[str, Portal] = field(default_factory=dict)
    savepoints_made: int = 0
    """In the transaction that is open."""
    _sql_length: int = 0

    def add_statement(self, name: str, prepared: Prepared) -> None:
        """Keep a statement.

        Raises:
            QueryError: a named one exists already (42P05), or there are too many (54000).
        """
        self.check_statement_name(name)
        size = len(prepared.sql)
        if not name:
            self.drop_statement(name)
        if self._sql_length + size > self.limits.statements_text_max or (
            len(self.statements) >= self.limits.statements_max
        ):
            raise QueryError(
                "too many prepared statements",
                detail=f"There are {len(self.statements)}, with {self._sql_length} characters.",
                hint="Close statements that are no longer used.",
                sqlstate="54000",
            )
        self._sql_length += size
        prepared.made_us = self.clock_us()
        self.statements[name] = prepared

    def check_statement_name(self, name: str) -> None:
        """Refuse a name that is taken, before the work of planning.

        Raises:
            QueryError: it is (42P05).
        """
        if name and name in self.statements:
            raise QueryError(
                f'prepared statement "{name}" already exists', sqlstate=STATEMENT_EXISTS
            )

    def statement(self, name: str) -> Prepared:
        """A statement by name.

        Raises:
            QueryError: there is none (26000).
        """
        found = self.statements.get(name)
        if found is None:
            what = f'prepared statement "{name}"' if name else "unnamed prepared statement"
            raise QueryError(f"{what} does not exist", sqlstate=NO_STATEMENT)
        return found

    def drop_statement(self, name: str) -> None:
        """Forget a statement; one that does not exist is forgotten already."""
        prepared = self.statements.pop(name, None)
        if prepared is not None:
            self._sql_length -= len(prepared.sql)

    def add_portal(self, name: str, portal: Portal) -> None:
        """Keep a portal.

        Raises:
            QueryError: a named one exists already (42P03), or there are too many (54000).
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
        """A portal by name.

        Raises:
            QueryError: there is none (34000).
        """
        found = self.portals.get(name)
        if found is None:
            raise QueryError(f'portal "{name}" does not exist', sqlstate=NO_PORTAL)
        return found

    def drop_portal(self, name: str) -> None:
        """Forget a portal; one that does not exist is forgotten already."""
        portal = self.portals.pop(name, None)
        if portal is not None:
            portal.close()

    def cursor(self, name: str) -> Portal:
        """A portal by the name that SQL has for it.

        Raises:
            QueryError: there is none (34000).
        """
        found = self.portals.get(name)
        if found is None:
            raise QueryError(f'cursor "{name}" does not exist', sqlstate=NO_PORTAL)
        return found

    def check_cursor(self, order: DeclareCursor) -> None:
        """Refuse a cursor before the work of running its query.

        Raises:
            QueryError: its name is taken (42P03), or too many can be read backwards (54000).
        """
        if order.name in self.portals:
            raise _exists(order.name)
        declared = [portal.declared for portal in self.portals.values()]
        scrolling = sum(each is not None and bool(each.scroll) for each in declared)
        if order.scroll and scrolling >= self.limits.scroll_cursors_max:
            raise QueryError(
                "too many cursors that can be read backwards",
                detail=f"There are {scrolling}, and each keeps rows.",
                hint="Close cursors, or declare this one without SCROLL.",
                sqlstate="54000",
            )

    def drop_portals(self, *, besides: Portal | None = None) -> None:
        """Forget all portals, but for one that runs."""
        for name, portal in tuple(self.portals.items()):
            if portal is not besides:
                self.drop_portal(name)

    def rollback_to(self, savepoint: int) -> None:
        """The transaction goes back to a savepoint: portals made since then are no more."""
        for name, portal in tuple(self.portals.items()):
            if portal.made_after >= savepoint and not portal.kept:
                self.drop_portal(name)

    def end_transaction(self, *, committed: bool) -> None:
        """A transaction has ended, and all portals with it but those that are to outlive it."""
        self.savepoints_made = 0
        for name, portal in tuple(self.portals.items()):
            if committed and portal.declared is not None and portal.declared.hold:
                portal.kept = True
            if not portal.kept:
                self.drop_portal(name)

    def cursors(self) -> Sequence[ListedCursor]:
        """All portals, for a client sees no difference."""
        return [_listed(name, portal) for name, portal in self.portals.items()]

    def prepared(self) -> Sequence[ListedStatement]:
        """All statements but the unnamed one, which PostgreSQL does not list either."""
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
        """The statement whose rows a statement gives: its own, or those of one that it names.

        A name that there is not (yet) gives no rows; to run the statement tells the error.
        """
        match prepared.statement.handover:
            case FetchCursor(name=name, move=False) if name in self.portals:
                return self.portals[name].prepared
            case ExecuteStatement(name=name) if name in self.statements:
                named = self.statements[name]
                # One that executes another is refused when it is run.
                executes = isinstance(named.statement.handover, ExecuteStatement)
                return named if executes else self.target(named)
            case _:
                return prepared

    def deallocate(self, name: str | None) -> str:
        """Forget a statement, or with None all but the unnamed one; the command tag.

        Raises:
            QueryError: there is none of the name (26000).
        """
        if name is None:
            for each in [named for named in self.statements if named]:
                self.drop_statement(each)
            return "DEALLOCATE ALL"
        self.statement(name)
        self.drop_statement(name)
        return "DEALLOCATE"

    def discard(self) -> None:
        """Forget everything but the unnamed statement, as PostgreSQL does."""
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


@contextmanager
def closing_on_error(portal: Portal) -> Iterator[None]:
    """Close a portal whose run fails or is abandoned: what it holds is of no use any more."""
    try:
        yield
    except BaseException:
        portal.close()
        raise
