"""The fast path of lookups: statements that read few rows, repeated with other keys or bounds.

Everything that depends on the form of a round and on its statement is prepared with the first
round, as is everything except the literals of a Query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

from stategate.gateway.elsewhere import Elsewhere, Resumed, begin_elsewhere
from stategate.gateway.pgwire.protocol.bind_rounds import Round, RoundForm
from stategate.gateway.pgwire.protocol.connection import Connection
from stategate.gateway.pgwire.protocol.encode import encode
from stategate.gateway.pgwire.protocol.server_messages import (
    CommandComplete,
    ParseComplete,
    ReadyForQuery,
)
from stategate.gateway.pgwire.statements.execution import Runner
from stategate.gateway.pgwire.statements.portals import Names, Prepared
from stategate.gateway.pgwire.statements.row_encoders import EncodeRows
from stategate.gateway.pgwire.statements.rows import Shape, shape_of
from stategate.gateway.pgwire.types.parameters import decode_parameters
from stategate.gateway.pgwire.types.wire_type import Decode
from stategate.planner.engine import (
    Encoded,
    Engine,
    LookedUp,
    LookUp,
    Row,
    Session,
    Statement,
    Template,
    TransactionStatus,
    template_of,
)

_QUERY = ord("Q")
_TRACED = "traceparent="
"""The mark of a text that says which trace it belongs to."""
_PARSE_COMPLETE = encode(ParseComplete())
_READY = encode(ReadyForQuery(status=TransactionStatus.IDLE.value))


@lru_cache(maxsize=512)
def end_of(rows: int) -> bytes:
    """Return the end of an answer with this number of rows."""
    return encode(CommandComplete(tag=f"SELECT {rows}")) + _READY


def encoded_rows(found: LookedUp, encode_rows: EncodeRows) -> bytes:
    """Return the rows of a lookup and the end of its answer; those of a kept answer are kept."""
    rows, kept = found.rows, found.kept
    if kept is None:
        return encode_rows(rows) + end_of(len(rows))
    encoded = kept.rows
    if encoded.encoder is not encode_rows:
        encoded = kept.rows = Encoded(encode_rows, encode_rows(rows) + end_of(len(rows)))
    return encoded.data


class Lookups:
    """Answers the lookups of one session outside transactions.

    Args:
        engine: runs those whose rows may be on other nodes.
        names: the statements and portals of the session.
        session: the session of the client.
        runner: runs what needs the slow path.
        on_answer: gets the answer to a lookup that other nodes were asked for; None if it needs the
            slow path.
    """

    __slots__ = (
        "_decoders",
        "_encode_rows",
        "_engine",
        "_form",
        "_form_times",
        "_head",
        "_is_cancelled",
        "_literals",
        "_look_up",
        "_look_up_query",
        "_names",
        "_on_answer",
        "_prepared",
        "_query_shape",
        "_runner",
        "_session",
        "_statements",
        "_template",
        "_times",
        "elsewhere",
    )

    def __init__(
        self,
        engine: Engine,
        names: Names,
        session: Session,
        runner: Runner,
        on_answer: Callable[[bytes | None], object],
    ) -> None:
        self._engine = engine if engine.asks_nodes else None
        self._names, self._session = names, session
        self._runner, self._on_answer = runner, on_answer
        self._is_cancelled = False
        self.elsewhere: Elsewhere | None = None
        """The lookup that other nodes were asked for last, until it is answered."""
        self._statements: Mapping[str, Prepared] = names.statements
        self._template: Template | None = None
        self._look_up_query: LookUp | None = None
        self._query_shape: Shape
        self._times = self._form_times = session.times
        """The settings of times for which the Query and the form were learned."""
        self._form: RoundForm | None = None
        self._prepared: Prepared | None = None
        self._look_up: LookUp | None = None
        self._literals: Row = ()
        self._decoders: Sequence[Decode] = ()
        self._encode_rows: EncodeRows = _no_rows
        self._head = b""

    def answer_at_once(self, connection: Connection, received: bytes) -> bytes | Elsewhere | None:
        """Return the answer to bytes that are a whole lookup.

        Args:
            connection: the state of the protocol, which does not change.
            received: bytes of the client.

        Returns:
            The answer; or what other nodes were asked, and `on_answer` gets the answer later; None
            if the bytes need the slow path.
        """
        try:
            if received[0] == _QUERY:
                sql = connection.receive_query(received)
                return None if sql is None else self.answer_query(sql)
            found = connection.receive_round(received)
            return None if found is None else self.answer(found)
        except Exception:  # the slow path raises it again, logs and reports it
            return None

    def answer_query(self, sql: str) -> bytes | Elsewhere | None:
        """Return the answer to a Query that differs from a learned one in its literals only.

        Other nodes may be asked, and None leaves everything unchanged, as in `answer`.

        Raises:
            Exception: any error; the slow path will raise it again and report it.
        """
        template, look_up = self._template, self._look_up_query
        if template is None or look_up is None or self._session.times is not self._times:
            return None
        literals = template.literals(sql)
        if literals is None:
            return None
        if self._engine is None:
            found = look_up(literals, self._session)
        else:
            begun = self._begin(self._engine, look_up, literals, self._end_query)
            if isinstance(begun, Elsewhere):
                return begun
            found = begun
        return self._end_query(found)

    def _end_query(self, found: LookedUp | None) -> bytes | None:
        return None if found is None else self.query_answer(self._query_shape, found)

    def query_answer(self, shape: Shape, found: LookedUp) -> bytes:
        """Return the answer to a Query with these rows.

        It drops the unnamed statement and ends the transaction, as any Query does.
        """
        self._names.drop_statement("")
        self._names.end_transaction(committed=True)
        return shape.description + encoded_rows(found, shape.encode_rows)

    def learn_query(self, sql: str, statement: Statement) -> None:
        """Remember a Query that read few rows: the next may differ in its literals only."""
        if _TRACED in sql:
            return  # the planner must read the trace of each text
        times = self._times = self._session.times
        self._template = template_of(sql, statement, times)
        self._look_up_query = statement.look_up
        self._query_shape = shape_of(statement.columns, (), times)

    def answer(self, found: Round) -> bytes | Elsewhere | None:
        """Return the answer to a round that reads few rows; None if it needs the slow path.

        None leaves everything unchanged. Statements only read, so the slow path may run the
        statement again. If other nodes are asked, `on_answer` gets the answer, and the session must
        not be used until then.

        Raises:
            Exception: any error; the slow path will raise it again and report it.
        """
        form, parameters = found
        times = self._session.times
        if (
            form is not self._form
            or times is not self._form_times
            or (form.parse is None and self._statements.get(form.statement) is not self._prepared)
        ):
            self._learn(form)
        if self._look_up is None:
            return None
        values = decode_parameters(self._decoders, parameters)
        values = self._literals or values
        if self._engine is None:
            return self._end_round(form, self._look_up(values, self._session))
        begun = self._begin(self._engine, self._look_up, values, partial(self._end_round, form))
        return begun if isinstance(begun, Elsewhere) else self._end_round(form, begun)

    def _end_round(self, form: RoundForm, found: LookedUp | None) -> bytes | None:
        if found is None:
            if form.parse is not None:
                self._form = None  # its plan may be outdated; the slow path makes a new one
            return None
        if form.parse is not None and self._statements.get("") is not self._prepared:
            assert self._prepared is not None, "it has looked up"
            self._names.add_statement("", self._prepared)
        return self._head + encoded_rows(found, self._encode_rows)

    def _begin(
        self,
        engine: Engine,
        look_up: LookUp,
        parameters: Row,
        end: Callable[[LookedUp | None], bytes | None],
    ) -> LookedUp | Elsewhere | None:
        """Look up here or elsewhere; `end` makes the answer of rows from elsewhere."""

        def take(found: LookedUp | None) -> None:
            elsewhere, self.elsewhere = self.elsewhere, None
            if found is None and elsewhere is not None:
                waited_s, is_cancelled = elsewhere.waited_s, self._is_cancelled
                self._runner.watch.resume(Resumed(waited_s=waited_s, is_cancelled=is_cancelled))
            try:
                answer = end(found)
            except Exception:  # the slow path will raise it again, and report it
                answer = None
            self._on_answer(answer)

        begun = begin_elsewhere(
            engine,
            look_up,
            parameters,
            self._session,
            take,
            within_s=self._runner.watch.timeout_s(),
        )
        if isinstance(begun, Elsewhere):
            self.elsewhere, self._is_cancelled = begun, False
        return begun

    def cancel(self) -> None:
        """Wait no more for other nodes; the slow path reports that the client has cancelled."""
        if self.elsewhere is not None:
            self._is_cancelled = True
            self.elsewhere.give_up()

    def forget(self) -> None:
        """Wait no more for other nodes: the client is gone."""
        if self.elsewhere is not None:
            self.elsewhere.cancel()
            self.elsewhere = None

    def _learn(self, form: RoundForm) -> None:
        self._form = self._look_up = None
        times = self._form_times = self._session.times
        parse = form.parse
        if parse is None:
            prepared = self._statements.get(form.statement)
        else:
            prepared = self._runner.recall_prepared(parse.sql, parse.parameter_oids)
            if prepared is None:
                return  # the slow path plans it now
        self._prepared = prepared
        look_up = None if prepared is None or form.portal else prepared.statement.look_up
        if prepared is not None and look_up is not None:
            self._literals = prepared.statement.literals
            self._decoders = prepared.decoders(form.parameter_formats, times)
            shape = prepared.shape(form.result_formats, times)
            self._encode_rows = shape.encode_rows
            head = shape.bound_described if form.described else shape.bound
            self._head = head if parse is None else _PARSE_COMPLETE + head
        is_traced = parse is not None and _TRACED in parse.sql
        self._form, self._look_up = None if is_traced else form, look_up


def _no_rows(rows: Sequence[Row]) -> bytes:
    raise AssertionError(f"no statement is known that gives {rows}")
