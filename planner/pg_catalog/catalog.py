"""The catalog's interface to the engine: it accepts, prepares and executes statements."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

import pyarrow as pa
from sqlglot import exp
from sqlglot.errors import SqlglotError

from stategate.planner.binding.column_origins import with_origins
from stategate.planner.binding.parameters import PARAMETERS_MAX
from stategate.planner.binding.relations import SYSTEM_RELATIONS, Relation
from stategate.planner.binding.running_statements import RunningQueries
from stategate.planner.commands.session_commands import SessionCommands
from stategate.planner.composing.compose import Composer
from stategate.planner.composing.process_pool import ProcessPool
from stategate.planner.composing.remote import RemoteDatabase
from stategate.planner.errors import InvalidValueError, NotSupportedError
from stategate.planner.pg_catalog.builtin_rows import OWNER, postgres_settings
from stategate.planner.pg_catalog.catalog_calls import extract_calls, may_call_catalog
from stategate.planner.pg_catalog.database import catalog_definition, displays_of
from stategate.planner.pg_catalog.recognise import is_catalog_statement
from stategate.planner.pg_catalog.refused_stores import Refused, named_users, refused_stores
from stategate.planner.pg_catalog.results import Displays, collect_result, result_type
from stategate.planner.pg_catalog.rewrite import Rewritten, rewrite
from stategate.planner.pg_catalog.session_rows import (
    reads_session_rows,
    session_script,
    shown_settings,
    variables_script,
)
from stategate.planner.pg_catalog.side_effects import Calls, result_columns
from stategate.planner.pg_catalog.signals import Signals
from stategate.planner.pg_catalog.store_relations import Relation as CatalogedRelation
from stategate.planner.pg_catalog.store_relations import (
    relation_oids,
    store_relation,
    system_relation,
)
from stategate.planner.syntax.with_clause import Clause
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.quoting import quote_name
from stategate.planner.values.rights import Rights
from stategate.planner.values.session import Session
from stategate.planner.values.sqltypes import declared
from stategate.planner.values.times.time_settings import PLAIN_TIMES, TimeSettings
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.schema import TEXT, Column, DataType, Kind, Row

CACHE_STATEMENTS_MAX = 512
"""Cached statements: clients send about 300 different ones, of about 10 kB each."""
CACHED_SQL_MAX = 100_000
"""Characters of the longest text that is cached; longer ones list oids and are not repeated."""
VALUES_MAX = 256
"""Cached answers about sessions: 50 kB with all settings, otherwise very little."""
_INTROSPECTED = {"attrtypoids": DataType(kind=Kind.ARRAY, element=TEXT)}
"""Columns that must not be int8[]: asyncpg would look up that type with a query that returns them.

The column is NULL for all types of the catalog.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogStatement:
    """A prepared catalog statement."""

    sql: str
    columns: tuple[Column, ...]
    """The columns with PostgreSQL's names."""
    parameters: tuple[DataType, ...]
    computed: tuple[Column, ...]
    """The columns of DuckDB's result, which has the arguments of calls with side effects."""
    rewritten: Rewritten
    """The statement for DuckDB."""
    lists: bool = False
    """Whether it reads the sessions, or the cursors and statements of this session."""
    named: frozenset[str] | None = None
    """Texts that may be users whose rights it asks for; see `refused_stores`."""
    costs: bool = True
    """Whether EXPLAIN shows an estimate."""
    times: TimeSettings = PLAIN_TIMES
    """The session's settings of times for which it was prepared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Generation:
    """The tables for one version of the store catalog; a reader keeps its own until it is done."""

    version: int
    composer: Composer
    displays: Displays

    def displays_for(self, user: str) -> Displays:
        """Return the names by which oids are shown to a user, who owns all objects."""
        roles = {**self.displays["regrole"], OWNER: quote_name(user)}
        return {**self.displays, "regrole": roles}


class PgCatalog:
    """PostgreSQL's system catalog over the stores. Safe to use from many threads.

    Args:
        catalog: the stores; the tables are built again when its version changes.
        server_version: reported to clients, e.g. `15.3`.
        database: the name of the only database.
        processes: run its statements; None makes a separate pool.
        queries: the running statements, for pg_stat_activity.
        started_ms: when the server was started, in epoch milliseconds; None for now. Catalogs with
            the same stores and the same time share a database, if they share their processes.
        rights: the stores that each user may read; None for all stores.
    """

    def __init__(
        self,
        catalog: StoreCatalog,
        *,
        server_version: str,
        database: str = "stategate",
        processes: ProcessPool | None = None,
        queries: RunningQueries | None = None,
        started_ms: int | None = None,
        rights: Rights | None = None,
    ) -> None:
        self._queries, self._rights = queries, rights or Rights()
        self._signals = Signals(queries, self._rights)
        self._processes = processes or ProcessPool()
        self._catalog = catalog
        self._server_version = server_version
        self._database = database
        started_s = time.time() if started_ms is None else started_ms / 1000
        self._started = dt.datetime.fromtimestamp(started_s, dt.UTC)
        self._commands = SessionCommands(
            server_version=server_version, postgres=postgres_settings()
        )
        self._oids: tuple[int, Mapping[str, int]] = (-1, {})
        self._lock = threading.Lock()
        self._generation: _Generation | None = None
        self._cache: OrderedDict[tuple[object, ...], CatalogStatement] = OrderedDict()
        self._values: OrderedDict[tuple[object, ...], Row] = OrderedDict()

    @property
    def version_text(self) -> str:
        """The result of `version()`."""
        return f"PostgreSQL {self._server_version} (Stategate)"

    def accepts(self, tree: exp.Expr) -> bool:
        """Whether this class runs a statement: it reads the catalog and no store."""
        return is_catalog_statement(tree)

    def prepare(
        self,
        sql: str,
        tree: exp.Query,
        parameter_types: Sequence[DataType | None] = (),
        *,
        times: TimeSettings = PLAIN_TIMES,
        cancellation: Cancellation | None = None,
    ) -> CatalogStatement:
        """Rewrite a statement and find the types of its columns; cached by text.

        Args:
            sql: the text, the key of the cache.
            tree: the parsed text, which is not changed.
            parameter_types: types that the client has declared; None, or beyond the end, is
                inferred.
            times: the session's settings of times.
            cancellation: cancels the call; None never does.

        Raises:
            QueryError: the statement has an unknown name, or is not supported.
        """
        key = (sql, tuple(parameter_types), times)
        with self._lock:
            if (cached := self._cache.get(key)) is not None:
                self._cache.move_to_end(key)
                return cached
        statement = self._prepare(sql, tree, parameter_types, times, cancellation or Cancellation())
        if len(sql) <= CACHED_SQL_MAX:
            with self._lock:
                self._cache[key] = statement
                if len(self._cache) > CACHE_STATEMENTS_MAX:
                    self._cache.popitem(last=False)
        return statement

    def prepare_calls(
        self,
        sql: str,
        tree: exp.Query,
        clause: Clause,
        parameter_types: Sequence[DataType | None],
        *,
        times: TimeSettings = PLAIN_TIMES,
        cancellation: Cancellation | None = None,
    ) -> tuple[CatalogStatement | None, Sequence[DataType | None]]:
        """Replace with parameters the calls that only the catalog answers; see `catalog_calls`.

        Args:
            sql: the text of a statement over stores.
            tree: the parsed text; calls become parameters after those of the statement.
            clause: its WITH clause, which may have parameters too.
            parameter_types: types that the client has declared.
            times: the session's settings of times.
            cancellation: cancels the call; None never does.

        Returns:
            The statement that `values` runs for the new parameters, or None without new ones; and
            the types of all parameters.

        Raises:
            QueryError: the catalog cannot answer a call.
        """
        if not may_call_catalog(sql):
            return None, parameter_types
        numbers = [int(node.name) for node in tree.find_all(exp.Parameter) if node.name.isdigit()]
        numbers += [reference.number for reference in clause.parameters]
        before = max([*numbers, len(parameter_types)], default=0)
        query = extract_calls(tree, self._catalog.stores, before)
        if query is None:
            return None, parameter_types
        asked = self.prepare(
            query.sql(dialect="postgres"), query, times=times, cancellation=cancellation
        )
        inferred = (None,) * (before - len(parameter_types)) if before < PARAMETERS_MAX else ()
        return asked, (*parameter_types, *inferred, *(column.type for column in asked.columns))

    def execute(
        self,
        statement: CatalogStatement,
        parameters: Row,
        *,
        session: Session,
        cancellation: Cancellation,
    ) -> pa.Table | Calls:
        """Run a statement over the present stores; calls with side effects have its rows.

        Args:
            statement: a statement from `prepare`.
            parameters: physical values; an array may also be in PostgreSQL's text form.
            session: has the user and the settings; `set_config` changes it.
            cancellation: cancels the statement.

        Raises:
            QueryError: a value or name is invalid, a limit is exceeded, or it was cancelled.
        """
        if len(parameters) != len(statement.parameters):
            raise InvalidValueError(
                f"the statement takes {len(statement.parameters)} parameters,"
                f" {len(parameters)} were given",
                sqlstate="08P01",
            )
        cancellation.check()
        rewritten, generation = statement.rewritten, self._current()
        script = self._refused(statement, parameters, session).script() + variables_script(session)
        if statement.lists:
            running = () if self._queries is None else self._queries.running()
            script = ";".join((script, *session_script(session, running, self._rights)))
        values = {n: (parameters[n - 1], statement.parameters[n - 1]) for n in rewritten.numbers}
        batches = generation.composer.run(
            rewritten.sql,
            {},
            values,
            cancellation=cancellation,
            outline=rewritten.outline,
            script=script,
        )
        displays = generation.displays_for(session.user)
        with closing(batches):
            if not rewritten.effects:
                return collect_result(batches, statement.columns, displays)
            table = collect_result(batches, statement.computed, displays)
        called = session, self._commands, self._signals
        return Calls(rewritten.effects, table, *called, cancellation=cancellation)

    def values(
        self, statement: CatalogStatement, *, session: Session, cancellation: Cancellation
    ) -> Row:
        """Return the only row of a statement from `prepare_calls`.

        It depends on the stores, the user, its rights and the settings, and is cached by them.

        Raises:
            QueryError: a name is unknown, or the call was cancelled.
        """
        refused = self._refused(statement, (), session)
        of = (self._catalog.version, session.user, session.pid, refused)
        key = (statement.sql, statement.times, *of, frozenset(shown_settings(session).items()))
        with self._lock:
            if (known := self._values.get(key)) is not None:
                self._values.move_to_end(key)
                return known
        table = self.execute(statement, (), session=session, cancellation=cancellation)
        assert isinstance(table, pa.Table), "it has no side effects"
        columns = zip(table.columns, statement.columns, strict=True)
        found = tuple(physical_list(array, column.type)[0] for array, column in columns)
        with self._lock:
            if not statement.lists:
                self._values[key] = found
            if len(self._values) > VALUES_MAX:
                self._values.popitem(last=False)
        return found

    def _prepare(
        self,
        sql: str,
        tree: exp.Query,
        parameter_types: Sequence[DataType | None],
        times: TimeSettings,
        cancellation: Cancellation,
    ) -> CatalogStatement:
        try:
            rewritten = rewrite(
                tree,
                parameter_types=parameter_types,
                database=self._database,
                version=self.version_text,
                times=times,
            )
        except SqlglotError as error:
            raise NotSupportedError("the catalog does not run this statement") from error
        described = self._describe(rewritten, cancellation)
        computed = with_origins(described, rewritten.origins, self.oid_of)
        return CatalogStatement(
            sql=sql,
            columns=result_columns(computed, rewritten.effects),
            computed=computed,
            parameters=rewritten.parameters,
            rewritten=rewritten,
            lists=reads_session_rows(tree),
            named=named_users(tree),
            times=times,
        )

    def _describe(self, rewritten: Rewritten, cancellation: Cancellation) -> tuple[Column, ...]:
        found = self._current().composer.describe(
            rewritten.sql,
            {},
            rewritten.numbers,
            rewritten.outline,
            cancellation=cancellation,
        )
        names = rewritten.names or tuple(each.name for each in found)
        types = rewritten.types or (None,) * len(found)
        return tuple(
            Column(
                name=name,
                type=_INTROSPECTED.get(name) or result_type(declared(each.type, wanted)),
            )
            for name, each, wanted in zip(names, found, types, strict=True)
        )

    def oid_of(self, relation: Relation) -> int:
        """Return `pg_class.oid` of a relation; 0 if it no longer exists."""
        if relation.oid:
            return relation.oid
        version, oids = self._oids
        if version != self._catalog.version:
            version = self._catalog.version
            oids = relation_oids(self._relations())
            self._oids = version, oids
        return oids.get(f"{relation.schema}.{relation.name}", 0)

    def _refused(self, statement: CatalogStatement, parameters: Row, session: Session) -> Refused:
        named = statement.named
        if named is not None:
            named = named.union(each for each in parameters if isinstance(each, str))
        return refused_stores(self._rights, self._catalog.stores, session.user, named)

    def _relations(self) -> list[CatalogedRelation]:
        stores = sorted(self._catalog.stores.items())
        return [
            *(store_relation(store.schema) for _, store in stores),
            *(system_relation(name, columns) for name, columns in SYSTEM_RELATIONS.items()),
        ]

    def _current(self) -> _Generation:
        version = self._catalog.version
        generation = self._generation
        if generation is not None and generation.version == version:
            return generation
        with self._lock:
            # Read again under the lock: another thread may have built it, or the stores changed.
            version = self._catalog.version
            if self._generation is None or self._generation.version != version:
                self._generation = self._build(version)
            return self._generation

    def _build(self, version: int) -> _Generation:
        relations = self._relations()
        definition = catalog_definition(
            relations,
            server_version=self._server_version,
            database=self._database,
            started=self._started,
        )
        composer = Composer(RemoteDatabase(self._processes, definition))
        return _Generation(version=version, composer=composer, displays=displays_of(relations))
