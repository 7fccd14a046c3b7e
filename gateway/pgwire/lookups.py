"""Answers to rounds that look up one key: a client that asks for key after key repeats the rest.

What a round's form and its statement decide is found out once, when the first of them comes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gateway.pgwire.codec import encode
from gateway.pgwire.encoders import Decode
from gateway.pgwire.messages import CommandComplete, ReadyForQuery
from gateway.pgwire.parameters import decode_parameters
from gateway.pgwire.portals import Prepared
from gateway.pgwire.rounds import Round, RoundForm
from planner.engine import LookUp, Row, Session, TransactionStatus

_READY = encode(ReadyForQuery(status=TransactionStatus.IDLE.value))
NO_ROW_END, ROW_END = (
    encode(CommandComplete(tag=f"SELECT {count}")) + _READY for count in range(2)
)
"""How the answer to a lookup ends that has found nothing, or a row."""


class Lookups:
    """Answers the rounds of one connection.

    Args:
        statements: those that have been prepared, by name; they may change.
        session: of the client.
    """

    __slots__ = (
        "_decoders",
        "_encode_row",
        "_form",
        "_head",
        "_literals",
        "_look_up",
        "_prepared",
        "_session",
        "_statements",
    )

    def __init__(self, statements: Mapping[str, Prepared], session: Session) -> None:
        self._statements, self._session = statements, session
        self._form: RoundForm | None = None
        self._prepared: Prepared | None = None
        self._look_up: LookUp | None = None
        self._literals: Row = ()
        self._decoders: Sequence[Decode] = ()
        self._encode_row: Callable[[Row], bytes] = _no_row
        self._head = b""

    def answer(self, found: Round) -> bytes | None:
        """The whole answer, if the round looks up one key and nothing more is to be said.

        None leaves everything as it was: take the long way, which reports what goes wrong. The
        statement only reads, so that running it again does no harm.

        Raises:
            Exception: whatever went wrong; the long way meets it again.
        """
        form, parameters = found
        if form is not self._form or self._statements.get(form.statement) is not self._prepared:
            self._learn(form)
        if self._look_up is None:
            return None
        values = decode_parameters(self._decoders, parameters)
        rows = self._look_up(self._literals or values, self._session)
        if rows:
            return self._head + self._encode_row(rows[0]) + ROW_END
        return None if rows is None else self._head + NO_ROW_END

    def _learn(self, form: RoundForm) -> None:
        self._form = self._look_up = None
        prepared = self._prepared = self._statements.get(form.statement)
        look_up = None if prepared is None or form.portal else prepared.statement.look_up
        if prepared is not None and look_up is not None:
            self._literals = prepared.statement.literals
            self._decoders = prepared.decoders(form.parameter_formats)
            shape = prepared.shape(form.result_formats)
            self._encode_row = shape.encode_row
            self._head = shape.bound_described if form.described else shape.bound
        self._form, self._look_up = form, look_up


def _no_row(row: Row) -> bytes:
    raise AssertionError(f"no statement is known that gives {row}")
