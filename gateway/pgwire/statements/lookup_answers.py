"""The fast path of lookups: statements that read few rows, repeated with other keys or bounds.

Everything that depends on the form of a round and on its statement is prepared with the first
round, as is everything except the literals of a Query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from gateway.pgwire.protocol.bind_rounds import Round, RoundForm
from gateway.pgwire.protocol.encode import encode
from gateway.pgwire.protocol.server_messages import CommandComplete, ParseComplete, ReadyForQuery
from gateway.pgwire.statements.elsewhere import rows_elsewhere
from gateway.pgwire.statements.portals import Names, Prepared
from gateway.pgwire.statements.rows import EncodeRows, Shape, shape_of
from gateway.pgwire.types.parameters import decode_parameters
from gateway.pgwire.types.wire_type import Decode
from planner.engine import (
    EncodedRows,
    Engine,
    LookUp,
    Row,
    Session,
    Statement,
    Template,
    TransactionStatus,
    template_of,
)

_PARSE_COMPLETE = encode(ParseComplete())
_READY = encode(ReadyForQuery(status=TransactionStatus.IDLE.value))


@lru_cache(maxsize=512)
def end_of(rows: int) -> bytes:
    """Return the end of an answer with this number of rows."""
    return encode(CommandComplete(tag=f"SELECT {rows}")) + _READY


class Lookups:
    """Answers the lookups of one session outside transactions.

    Args:
        names: the statements and portals of the session.
        session: the session of the client.
        recall: returns the statement of a Parse, by its text and its parameters' OIDs, if it is
            planned already.
    """

    __slots__ = (
        "_decoders",
        "_encode_rows",
        "_form",
        "_head",
        "_literals",
        "_look_up",
        "_look_up_query",
        "_names",
        "_prepared",
        "_query_shape",
        "_recall",
        "_session",
        "_statements",
        "_template",
        "declined",
    )

    def __init__(
        self,
        names: Names,
        session: Session,
        recall: Callable[[str, tuple[int, ...]], Prepared | None],
    ) -> None:
        self._names, self._session, self._recall = names, session, recall
        self._statements: Mapping[str, Prepared] = names.statements
        self._template: Template | None = None
        self._look_up_query: LookUp | None = None
        self._query_shape: Shape
        self.declined: RoundForm | None = None
        """The form of the last round whose lookup gave None."""
        self._form: RoundForm | None = None
        self._prepared: Prepared | None = None
        self._look_up: LookUp | None = None
        self._literals: Row = ()
        self._decoders: Sequence[Decode] = ()
        self._encode_rows: EncodeRows = _no_rows
        self._head = b""

    def answer_query(self, sql: str) -> bytes | None:
        """Return the answer to a Query that differs from a learned one in its literals only.

        None leaves everything unchanged, as in `answer`.

        Raises:
            Exception: any error; the slow path will raise it again and report it.
        """
        template, look_up = self._template, self._look_up_query
        if template is None or look_up is None:
            return None
        literals = template.literals(sql)
        found = None if literals is None else look_up(literals, self._session)
        return None if found is None else self.query_answer(self._query_shape, found.rows)

    def query_answer(self, shape: Shape, rows: Sequence[Row]) -> bytes:
        """Return the answer to a Query with these rows.

        It drops the unnamed statement and ends the transaction, as any Query does.
        """
        self._names.drop_statement("")
        self._names.end_transaction(committed=True)
        return shape.description + shape.encode_rows(rows) + end_of(len(rows))

    def learn_query(self, sql: str, statement: Statement) -> None:
        """Remember a Query that read few rows: the next may differ in its literals only."""
        self._template, self._look_up_query = template_of(sql, statement), statement.look_up
        self._query_shape = shape_of(statement.columns, ())

    def answer(self, found: Round) -> bytes | None:
        """Return the answer to a round that reads few rows; None if it needs the slow path.

        None leaves everything unchanged. Statements only read, so the slow path may run the
        statement again.

        Raises:
            Exception: any error; the slow path will raise it again and report it.
        """
        form, parameters = found
        if form is not self._form or (
            form.parse is None and self._statements.get(form.statement) is not self._prepared
        ):
            self._learn(form)
        if self._look_up is None:
            return None
        values = decode_parameters(self._decoders, parameters)
        looked_up = self._look_up(self._literals or values, self._session)
        if looked_up is None:
            self.declined = form
            if form.parse is not None:
                self._form = None  # its plan may be outdated; the slow path makes a new one
            return None
        return self._answer(form, looked_up.rows, looked_up.kept)

    async def answer_elsewhere(self, found: Round, engine: Engine) -> bytes | None:
        """Return the answer to a round whose rows other nodes have, after `answer` gave None.

        None leaves everything unchanged, also after an error: the slow path will raise it again.
        """
        form, parameters = found
        assert form is self.declined, "it has looked up"
        assert self._prepared is not None, "it has looked up"
        try:
            values = decode_parameters(self._decoders, parameters)
            rows = await rows_elsewhere(engine, self._prepared.statement, values, self._session)
        except Exception:  # see above
            return None
        if rows is None:
            return None
        self._form = form
        return self._answer(form, rows)

    def _answer(
        self, form: RoundForm, rows: Sequence[Row], kept: EncodedRows | None = None
    ) -> bytes:
        if form.parse is not None and self._statements.get("") is not self._prepared:
            assert self._prepared is not None, "it has looked up"
            self._names.add_statement("", self._prepared)
        if kept is None:
            return self._head + self._encode_rows(rows) + end_of(len(rows))
        encoder, encoded = kept.form
        if encoder is not self._encode_rows:
            encoded = self._encode_rows(rows) + end_of(len(rows))
            kept.form = self._encode_rows, encoded
        return self._head + encoded

    def _learn(self, form: RoundForm) -> None:
        self._form = self._look_up = self.declined = None
        parse = form.parse
        if parse is None:
            prepared = self._statements.get(form.statement)
        else:
            prepared = self._recall(parse.sql, parse.parameter_oids)
            if prepared is None:
                return  # the slow path plans it now
        self._prepared = prepared
        look_up = None if prepared is None or form.portal else prepared.statement.look_up
        if prepared is not None and look_up is not None:
            self._literals = prepared.statement.literals
            self._decoders = prepared.decoders(form.parameter_formats)
            shape = prepared.shape(form.result_formats)
            self._encode_rows = shape.encode_rows
            head = shape.bound_described if form.described else shape.bound
            self._head = head if parse is None else _PARSE_COMPLETE + head
        self._form, self._look_up = form, look_up


def _no_rows(rows: Sequence[Row]) -> bytes:
    raise AssertionError(f"no statement is known that gives {rows}")
