"""Prepare one statement: parse it, and plan it as its kind asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec import structs

from planner.commands.describe import DESCRIBE_COLUMNS, described_rows
from planner.commands.row_commands import HANDOVERS, plan_handover
from planner.commands.transaction import read_transaction
from planner.statements.engine_parts import EngineParts
from planner.statements.prepare_query import QueryPreparer
from planner.syntax.parse import Parsed, parse
from planner.values.cancel import Cancellation
from planner.values.statement import Statement, StatementKind
from stores.spec.schema import DataType, Row

_SHOW_STORES = (
    "SELECT name, kind, key, columns, partitions, inputs FROM stategate.stores ORDER BY name"
)

PlanInner = Callable[[str, "Sequence[DataType | None]"], Statement]
"""Prepares the query inside a statement, such as that of COPY."""


@dataclass(frozen=True, slots=True)
class Described:
    """The plan of DESCRIBE: its rows."""

    rows: tuple[Row, ...]


class Preparer:
    """Prepares statements of every kind; keeps none.

    Args:
        parts: of the engine.
    """

    def __init__(self, parts: EngineParts) -> None:
        self._catalog, self._commands = parts.catalog, parts.commands
        self._queries = QueryPreparer(parts)

    def prepare(
        self,
        sql: str,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
        plan_inner: PlanInner,
    ) -> Statement:
        """Return the planned statement.

        Args:
            sql: one statement.
            parameter_types: types that the client insists on.
            cancellation: ends the planning early.
            plan_inner: prepares the query inside the statement.

        Raises:
            QueryError: the statement is malformed or cannot be run.
        """
        parsed = parse(sql, parameter_types)
        kind = parsed.kind
        if kind is StatementKind.EMPTY:
            return Statement(sql=sql, kind=kind)
        if parsed.tree is not None:
            return self._queries.prepare(parsed, parsed.tree, parameter_types, cancellation)
        if kind is StatementKind.SHOW:
            return self._prepare_show(parsed, cancellation, plan_inner)
        if kind in HANDOVERS:
            return plan_handover(parsed, plan_inner, parameter_types)
        if (command := read_transaction(parsed)) is not None:
            return Statement(sql=sql, kind=kind, plan=command)
        self._commands.check(kind, parsed.tokens)
        return Statement(sql=sql, kind=kind, plan=parsed)

    def _prepare_show(
        self, parsed: Parsed, cancellation: Cancellation, plan_inner: PlanInner
    ) -> Statement:
        words = [token.text.upper() for token in parsed.tokens]
        if words[0] == "SHOW" and words[1:] in (["STORES"], ["TABLES"]):
            planned = self.prepare(_SHOW_STORES, (), cancellation, plan_inner)
            return structs.replace(planned, sql=parsed.sql, kind=StatementKind.SHOW)
        if words[0] in {"DESCRIBE", "DESC"}:
            rows = described_rows(parsed, self._catalog)
            return Statement(
                sql=parsed.sql,
                kind=StatementKind.SHOW,
                columns=DESCRIBE_COLUMNS,
                returns_rows=True,
                plan=Described(tuple(rows)),
            )
        self._commands.check(StatementKind.SHOW, parsed.tokens)
        return Statement(
            sql=parsed.sql,
            kind=StatementKind.SHOW,
            columns=self._commands.columns(parsed.tokens),
            returns_rows=True,
            plan=parsed,
        )
