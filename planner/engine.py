"""The interface of the planner for the gateway: the `Engine` protocol and its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from stategate.planner.binding.column_origins import ResultColumn
from stategate.planner.binding.running_statements import (
    RunningQueries,
    RunningQuery,
    SlowQueries,
    SlowQuery,
)
from stategate.planner.commands.postgres_settings import read_styles
from stategate.planner.errors import QueryError
from stategate.planner.planning.shapes import Template, template_of
from stategate.planner.postgres.types.castable import check_assigned
from stategate.planner.postgres.types.functions import FUNCTIONS
from stategate.planner.syntax.named_parameters import number_parameters
from stategate.planner.syntax.options import check_settings
from stategate.planner.syntax.tags import tags_of
from stategate.planner.syntax.with_clause import position_of
from stategate.planner.values.advisory_locks import ListedLock, LockKey, LockTable, Mode
from stategate.planner.values.array_types import leaf_of
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.catalog_types import OID, VOID, CatalogType, has_any_scale
from stategate.planner.values.durations import duration_ms
from stategate.planner.values.listing import (
    Backends,
    ListedCursor,
    ListedSession,
    ListedStatement,
    Listing,
)
from stategate.planner.values.live import (
    FIRST_ROWS,
    FirstRows,
    LiveCounts,
    LiveEvent,
    Moment,
    RowChange,
    Subscription,
)
from stategate.planner.values.numerics import trimmed
from stategate.planner.values.quoting import quote_always, quote_name
from stategate.planner.values.redaction import statement_shape
from stategate.planner.values.rights import EVERY_STORE, NO_LIMITS, Readable, Rights, UserLimits
from stategate.planner.values.session import Isolation, Session, TransactionStatus
from stategate.planner.values.statement import (
    Argument,
    CloseCursor,
    CopyFormat,
    CopyOut,
    DeallocateStatement,
    DeclareCursor,
    Direction,
    EachLookedUp,
    Encoded,
    ExecuteStatement,
    FetchCursor,
    LookedUp,
    LookUp,
    Notice,
    Paged,
    PartitionAnswer,
    PrepareStatement,
    Result,
    RowCommand,
    Statement,
    StatementKind,
    Subscribe,
    Waits,
)
from stategate.planner.values.text_values import parse_value
from stategate.planner.values.times.time_settings import (
    PLAIN_TIMES,
    TimeSettings,
    Zone,
    offset_text,
)
from stategate.planner.values.times.zoned_text import offset_printer, zone_printer
from stategate.stores.errors import ValueFormatError
from stategate.stores.hosting.blocking import LENDING, Interrupting
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import Column, DataType, Key, Kind, Row, Value
from stategate.stores.spec.traces import Trace, TracedRead

__all__ = [
    "EVERY_STORE",
    "FIRST_ROWS",
    "FUNCTIONS",
    "LENDING",
    "NO_LIMITS",
    "OID",
    "PLAIN_TIMES",
    "VOID",
    "Argument",
    "Backends",
    "Cancellation",
    "CatalogType",
    "CloseCursor",
    "Column",
    "CopyFormat",
    "CopyOut",
    "DataType",
    "DeallocateStatement",
    "DeclareCursor",
    "Direction",
    "EachLookedUp",
    "Encoded",
    "Engine",
    "ExecuteStatement",
    "FetchCursor",
    "FirstRows",
    "Interrupting",
    "Isolation",
    "Key",
    "Kind",
    "ListedCursor",
    "ListedLock",
    "ListedSession",
    "ListedStatement",
    "Listing",
    "LiveCounts",
    "LiveEvent",
    "LockKey",
    "LockTable",
    "LookUp",
    "LookedUp",
    "Mode",
    "Moment",
    "Notice",
    "Paged",
    "PartitionAnswer",
    "Position",
    "PrepareStatement",
    "QueryError",
    "Readable",
    "Result",
    "ResultColumn",
    "Rights",
    "Row",
    "RowChange",
    "RowCommand",
    "RunningQueries",
    "RunningQuery",
    "Session",
    "SlowQueries",
    "SlowQuery",
    "Statement",
    "StatementKind",
    "Subscribe",
    "Subscription",
    "Template",
    "TimeSettings",
    "Trace",
    "TracedRead",
    "TransactionStatus",
    "UserLimits",
    "Value",
    "ValueFormatError",
    "Waits",
    "Zone",
    "check_assigned",
    "check_settings",
    "duration_ms",
    "has_any_scale",
    "leaf_of",
    "number_parameters",
    "offset_printer",
    "offset_text",
    "parse_value",
    "position_of",
    "quote_always",
    "quote_name",
    "read_styles",
    "statement_shape",
    "tags_of",
    "template_of",
    "trimmed",
    "zone_printer",
]


class Asked(Protocol):
    """A question to other nodes."""

    overdue_s: float
    """After how many seconds the answer is overdue, so that `Engine.execute` should find it."""

    def cancel(self, *, is_overdue: bool = False) -> None:
        """Take no answer; the session may be used again.

        Args:
            is_overdue: whether it took too long; if not, no one waits for it any more.
        """


class Engine(Protocol):
    """Runs SQL. Safe to use from many threads; a session is used by one thread at a time."""

    def split(self, sql: str) -> tuple[str, ...]:
        """Return the statements of a text, without semicolons and empty ones.

        Raises:
            InvalidSyntaxError: the text does not tokenize, or one statement does not parse.
            LimitExceededError: the text is too long.
        """

    def prepare(
        self,
        sql: str,
        session: Session,
        *,
        parameter_types: Sequence[DataType | None] = (),
        cancellation: Cancellation | None = None,
    ) -> Statement:
        """Plan one statement; an empty text becomes a statement of kind EMPTY.

        Args:
            sql: one statement.
            session: the session that prepares it.
            parameter_types: types that the client gives; the others, None or missing, are
                inferred from the context.
            cancellation: ends the planning early.

        Raises:
            QueryError: has a SQLSTATE, and the position in the text if it is known.
        """

    def recall(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement | None:
        """Return the result of `prepare` if it is cached; None if the text must be planned.

        It takes about a microsecond, so that the event loop can call it.
        """

    def is_short(self, statement: Statement) -> bool:
        """Whether a statement reads no rows of a store, or a few that it names."""

    def is_inline(
        self, statement: Statement, session: Session, parameters: Row | None = None
    ) -> bool:
        """Whether `execute` takes microseconds only and may run on the event loop.

        Args:
            statement: the statement to run.
            session: the session that runs it.
            parameters: its parameters; None if they are not known yet, and the answer must hold
            for all.
        """

    @property
    def asks_nodes(self) -> bool:
        """Whether rows may be on other nodes; if not, `begin_look_up` asks none."""

    def begin_look_up(
        self,
        look_up: LookUp,
        parameters: Row,
        session: Session,
        on_found: Callable[[LookedUp | None], object],
        trace: Trace | None = None,
    ) -> LookedUp | Asked | None:
        """Look up few rows wherever they are, without waiting.

        Args:
            look_up: the fast way of a statement.
            parameters: the parameters of the statement, or its literals.
            session: its session, which nothing else may use until the end.
            on_found: gets the rows if other nodes are asked, in the thread in which they reply,
                after this has returned; None if `execute` has to run the statement.
            trace: the trace of the statement, for other nodes; `execute` has it in `cancellation`.

        Returns:
            The rows, or what other nodes were asked; None if `execute` has to run the statement.

        Raises:
            QueryError: as `execute` does.
        """

    def answer_version(self, statement: Statement, parameters: Row, session: Session) -> str | None:
        """Return a text that changes whenever the answer may change, without reading rows.

        None if the answer may change at any time. It may block.
        """

    def subscribe(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        token: str | None,
        on_ready: Callable[[], None],
        cancellation: Cancellation,
        may_start_over: bool = True,
    ) -> Subscription:
        """Subscribe to the rows of a statement and their changes; it may block.

        Args:
            statement: a SELECT of stores.
            parameters: its parameters.
            session: its session, whose bounds hold for the beginning.
            token: goes on after the moment of this token, if its changes are still held.
            on_ready: called in any thread when there are events to take, or the subscription has
                ended; it must not block.
            cancellation: ends the beginning.
            may_start_over: whether it begins with first rows if it cannot go on after the token.
                Otherwise the subscription fails then (72000), if possible without reading rows.

        Raises:
            NotSupportedError: its rows can change without an epoch, or are not all on this node.
            QueryError: it fails, or there are too many subscribers.
        """

    def paged(self, sql: str, session: Session, *, cancellation: Cancellation) -> Paged:
        """Return how to read the rows of a statement page by page; it may block.

        Raises:
            NotSupportedError: the statement has no pages.
            QueryError: as for `prepare`.
        """

    def recall_paged(self, sql: str) -> Paged | None:
        """Return what `paged` returned for a text, if it is kept, within microseconds."""

    def covers(self, found: LookedUp, bound: Position) -> bool:
        """Whether each partition of an answer covered a position when it was read.

        False also if that is not known, because a partition has changed since then or is on another
        node.
        """

    def look_up_each(
        self,
        statement: Statement,
        parameters: Sequence[Row],
        session: Session,
        *,
        bound: Position,
        cancellation: Cancellation,
    ) -> EachLookedUp | None:
        """Look up one key for each of many parameters; it may block.

        Args:
            statement: the statement.
            parameters: the parameters of each lookup.
            session: a session without a bound of its own.
            bound: the position that each partition must cover.
            cancellation: ends it early.

        Returns:
            None if the statement is no lookup of a key, a partition does not answer or does not
            cover the bound, or the options need more: `execute` has to run it for each.

        Raises:
            QueryCancelledError: it was cancelled.
        """

    def require_rights(self, statement: Statement, session: Session) -> None:
        """Check that the user of a session may still read the stores of a statement.

        `execute` does so by itself. Ask before more rows of an open statement are given.

        Raises:
            QueryError: the user may not (42501).
        """

    def execute(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        cancellation: Cancellation,
    ) -> Result:
        """Run a statement; parameters are physical values.

        Raises:
            QueryError: the statement failed before its first row; the result's stream raises later
                errors.
        """
