"""All that the gateway sees of the planner: the `Engine` protocol and the values it speaks in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from planner.binding.column_origins import ResultColumn
from planner.errors import QueryError
from planner.planning.shapes import Template, template_of
from planner.syntax.options import check_settings
from planner.values.cancel import Cancellation
from planner.values.catalog_types import OID, VOID, CatalogType
from planner.values.client_listings import (
    Backends,
    ListedCursor,
    ListedSession,
    ListedStatement,
    Listing,
)
from planner.values.durations import duration_ms
from planner.values.quoting import quote_always
from planner.values.redacted import statement_shape
from planner.values.row_commands import (
    Argument,
    CloseCursor,
    CopyFormat,
    CopyOut,
    DeallocateStatement,
    DeclareCursor,
    Direction,
    ExecuteStatement,
    FetchCursor,
    Handover,
    PrepareStatement,
)
from planner.values.session import Session, TransactionStatus
from planner.values.statement import (
    LookUp,
    Notice,
    PartitionAnswer,
    Result,
    Statement,
    StatementKind,
)
from planner.values.text_values import parse_value
from stores.errors import ValueFormatError
from stores.spec.position import Position
from stores.spec.schema import Column, DataType, Kind, Row, Value

__all__ = [
    "OID",
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
    "Engine",
    "ExecuteStatement",
    "FetchCursor",
    "Handover",
    "Kind",
    "ListedCursor",
    "ListedSession",
    "ListedStatement",
    "Listing",
    "LookUp",
    "Notice",
    "PartitionAnswer",
    "Position",
    "PrepareStatement",
    "QueryError",
    "Result",
    "ResultColumn",
    "Row",
    "Session",
    "Statement",
    "StatementKind",
    "Template",
    "TransactionStatus",
    "Value",
    "ValueFormatError",
    "check_settings",
    "duration_ms",
    "parse_value",
    "quote_always",
    "statement_shape",
    "template_of",
]


class Engine(Protocol):
    """Runs SQL. Synchronous; safe to use from many threads, one session from one at a time."""

    def split(self, sql: str) -> tuple[str, ...]:
        """The statements of a text, without their semicolons; empty ones are left out.

        Raises:
            InvalidSyntaxError: the text does not tokenize, or one statement does not parse.
            LimitExceededError: the text is longer than the engine takes.
        """

    def prepare(
        self,
        sql: str,
        session: Session,
        *,
        parameter_types: Sequence[DataType | None] = (),
        cancellation: Cancellation | None = None,
    ) -> Statement:
        """Plan one statement; the empty text gives a statement of kind EMPTY.

        Args:
            sql: one statement.
            session: whose settings and transaction it is planned under.
            parameter_types: types the client insists on; None, or a shorter list, leaves the
                others to be inferred from where they stand.
            cancellation: what ends the planning early; without one, nothing does.

        Raises:
            QueryError: with SQLSTATE, and the place in the text where it is known.
        """

    def recall(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement | None:
        """What `prepare` would give, if that is at hand; None if it has to be planned.

        A matter of a microsecond: what it gives may be used on the event loop.
        """

    def is_inline(
        self, statement: Statement, session: Session, parameters: Row | None = None
    ) -> bool:
        """Whether `execute` is a matter of microseconds and may run on the event loop.

        Args:
            statement: what is to run.
            session: who asks.
            parameters: what it is to run with; None if they are not at hand, so that any will do.
        """

    def execute(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        cancellation: Cancellation,
    ) -> Result:
        """Run a statement with its parameters as physical values.

        Raises:
            QueryError: before the first row; later ones are raised by the result's stream.
        """
