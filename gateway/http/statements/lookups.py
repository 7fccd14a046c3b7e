"""Renders the answers to planned lookups of one key as JSON or NDJSON, from parts that are kept.

The columns and the encoding of the row belong to the plan. The rest, except the elapsed time, is
the same for all answers of a partition at one epoch. Of an answer that is given again all is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Final, TypeAlias

import orjson
from msgspec import Struct

from stategate.gateway.elsewhere import Elsewhere, begin_elsewhere, rows_elsewhere
from stategate.gateway.http.endpoint import ANONYMOUS
from stategate.gateway.http.formats.json_cells import row_cells
from stategate.gateway.http.formats.json_renderers import JsonRenderer, NdjsonRenderer
from stategate.gateway.http.formats.rendering import RendererFactory, Trailer
from stategate.gateway.http.requests.parameters import convert_parameters
from stategate.gateway.http.requests.parsing import QueryRequest
from stategate.gateway.http.statements.exchange import recall
from stategate.planner.engine import (
    Cancellation,
    Column,
    Encoded,
    Engine,
    LookedUp,
    LookUp,
    PartitionAnswer,
    Position,
    Row,
    Session,
    Statement,
    check_settings,
    position_of,
)
from stategate.planner.errors import QueryError

_NO_TIME: Final = b"0.0"
"""The time of an answer that took none."""
_PLANS_MAX: Final = 1024
_TAILS_BYTES_MAX: Final = 16 << 20
"""All kept tails: one has some 250 bytes, and a position of many inputs more."""
_Form: TypeAlias = type[JsonRenderer] | type[NdjsonRenderer]
_FORMS: Final[Mapping[RendererFactory, _Form]] = {
    JsonRenderer: JsonRenderer,
    NdjsonRenderer: NdjsonRenderer,
}
_BOUND: Final = "stategate.bound"
_OF_BOUNDS: Final = frozenset(
    {_BOUND, "stategate.wait", "stategate.consistency", "stategate.unknown_topics"}
)
"""Settings that say how new rows must be, and no more."""
_BOUND_TEXT_MAX: Final = 4_096
"""Longest text of a bound that is kept in its parsed form: that of some 300 partitions."""
_UNBOUNDED: Final = Position()
_SESSIONS_MAX: Final = 1_000
"""Users whose sessions are kept."""


class _Tail(Struct):
    """The part between the rows and the elapsed time, at one epoch of a partition."""

    position: Position
    epoch: int
    rendered: bytes


class Body(Struct, frozen=True):
    """The body of an answer."""

    media_type: str
    data: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    """Further headers."""


class _Plan(Struct):
    """The parts of the answers to one plan in one format."""

    form: _Form
    head: bytes
    rows: Callable[[Sequence[Row]], bytes]
    end: bytes
    """What follows the elapsed time."""
    tails: dict[tuple[int | None, int, tuple[str | None, ...]], _Tail]
    """The tails, by partition, by the number of rows read and by the node that has read them."""


class Lookups:
    """Answers planned lookups whose requests change no setting, or only set a bound.

    A row whose position covers a bound is one that any statement with this bound may have. If it
    does not, because it is behind or because other topics feed its store, the answer is not made
    here.

    Args:
        engine: runs them.
        node: this node's name, as answers show it.
        timeout_s: how long a statement may take.
    """

    def __init__(self, engine: Engine, *, node: str, timeout_s: float) -> None:
        self._engine, self._node, self._timeout_s = engine, node, timeout_s
        # Such requests share a session, because a lookup depends on settings and the user only.
        self._sessions: dict[str, Session] = {}
        self._plans: dict[tuple[LookUp, RendererFactory], _Plan] = {}
        self._tails_bytes = 0
        self._met: tuple[Position, Position] | None = None
        """The last position that covered a bound, and the bound: the same two come again."""

    def answer(
        self,
        request: QueryRequest,
        factory: RendererFactory,
        started_s: float,
        take: Callable[[Body | None], object] | None = None,
        *,
        user: str,
    ) -> Body | Elsewhere | None:
        """Return the body of an answer of status 200; None if the request is not such a lookup.

        Args:
            request: the statement.
            factory: makes the renderer that the client asks for.
            started_s: `time.perf_counter()` when the request arrived.
            take: gets the answer later if other nodes are asked; None asks none.
            user: who asks; empty where no login is required.

        Raises:
            QueryError: a parameter is wrong.
        """
        form, bound = _FORMS.get(factory), bound_of(request.settings)
        if form is None or bound is None:
            return None
        session = self._sessions.get(user) or self._session_of(user)
        statement = self._statement(request, session)
        if statement is None or statement.look_up is None:
            return None
        parameters = convert_parameters(request.params, statement.parameters, request.names)
        values = statement.literals or parameters
        if take is None or not self._engine.asks_nodes:
            found = statement.look_up(values, session)
            return self._body(statement, form, found, bound, started_s)

        def on_found(found: LookedUp | None) -> None:
            take(self._body(statement, form, found, bound, started_s))

        begun = begin_elsewhere(
            self._engine,
            statement.look_up,
            values,
            session,
            on_found,
            within_s=self._timeout_s,
        )
        if begun is None or isinstance(begun, LookedUp):
            return self._body(statement, form, begun, bound, started_s)
        return begun

    async def answer_anywhere(
        self,
        request: QueryRequest,
        factory: RendererFactory,
        started_s: float,
        cancellation: Cancellation,
        *,
        user: str,
    ) -> Body | None:
        """Return the body of an answer as `answer` does, also if other nodes make it.

        Raises:
            QueryError: a parameter is wrong, or the statement is cancelled (57014).
        """
        form, bound = _FORMS.get(factory), bound_of(request.settings)
        if form is None or bound is None:
            return None
        session = self._sessions.get(user) or self._session_of(user)
        statement = self._statement(request, session)
        if statement is None or statement.look_up is None:
            return None
        parameters = convert_parameters(request.params, statement.parameters, request.names)
        found = await rows_elsewhere(
            self._engine,
            statement.look_up,
            statement.literals or parameters,
            session,
            cancellation=cancellation,
        )
        return self._body(statement, form, found, bound, started_s)

    def _session_of(self, user: str) -> Session:
        """Return a new session for the requests of a user."""
        if len(self._sessions) >= _SESSIONS_MAX:
            self._sessions.clear()
        made = self._sessions[user] = Session(user=user or ANONYMOUS)
        return made

    def recall(self, sql: str, user: str) -> Statement | None:
        """Return the plan of a text, if it is kept."""
        return recall(self._engine, sql, self._sessions.get(user) or self._session_of(user))

    def rows(
        self, statement: Statement, parameters: Row, bound: Position, *, user: str
    ) -> LookedUp | None:
        """Return the few rows of a statement; None if it needs a thread, or a row may be older.

        Args:
            statement: the statement.
            parameters: its parameters.
            bound: the position that each partition must cover.
            user: who asks; empty where no login is required.
        """
        if statement.look_up is None:
            return None
        session = self._sessions.get(user) or self._session_of(user)
        found = statement.look_up(statement.literals or parameters, session)
        return found if found is not None and self._meets(found, bound) else None

    def _statement(self, request: QueryRequest, session: Session) -> Statement | None:
        """Return the plan of a request for few rows, if it is kept."""
        return None if request.page is not None else recall(self._engine, request.sql, session)

    def _meets(self, found: LookedUp, bound: Position) -> bool:
        """Whether each partition that was read covers a bound.

        The position of several is that of the farthest for each input, and another may be behind.
        """
        if not bound.components:
            return True
        position, met = found.position, self._met
        if len(found.reads) != 1:
            return self._engine.covers(found, bound)
        if met is not None and met[0] is position and met[1] is bound:
            return True
        if not position.covers(bound):
            return False
        self._met = position, bound
        return True

    def _body(
        self,
        statement: Statement,
        form: _Form,
        found: LookedUp | None,
        bound: Position,
        started_s: float,
    ) -> Body | None:
        if found is None or not self._meets(found, bound):
            return None
        assert statement.look_up is not None, "it has found the rows"
        plan = self._plans.get((statement.look_up, form)) or self._add_plan(statement, form)
        kept = found.kept
        if kept is not None and (known := kept.answer).encoder is plan.rows:
            body = known.data
        else:
            body = plan.head + plan.rows(found.rows) + self._tail(plan, statement, found)
            if kept is not None:
                kept.answer = Encoded(plan.rows, body)
        elapsed_ms = orjson.dumps(round((time.perf_counter() - started_s) * 1000, 3))
        return Body(form.media_type, body + elapsed_ms + plan.end)

    def _tail(self, plan: _Plan, statement: Statement, found: LookedUp) -> bytes:
        reads = found.reads
        if len(reads) > 1 or len(found.rows) > 1:
            return self._rendered(plan, statement, found)
        _, partition, epoch, read = reads[0] if reads else ("", None, -1, 0)
        key = partition, read, found.nodes
        tail = plan.tails.get(key)
        if tail is None or tail.position is not found.position or tail.epoch != epoch:
            tail = _Tail(found.position, epoch, self._rendered(plan, statement, found))
            self._tails_bytes += len(tail.rendered)
            if self._tails_bytes > _TAILS_BYTES_MAX:
                self._forget()
            plan.tails[key] = tail
        return tail.rendered

    def _add_plan(self, statement: Statement, form: _Form) -> _Plan:
        assert statement.look_up is not None
        if len(self._plans) >= _PLANS_MAX:
            self._forget()
        head = form(statement.columns).head()
        is_lines = form is NdjsonRenderer
        rows = form(statement.columns).rows if is_lines else _rows_renderer(statement.columns)
        made = _Plan(form, head, rows, b"}\n" if is_lines else b"}", {})
        self._plans[statement.look_up, form] = made
        return made

    def _rendered(self, plan: _Plan, statement: Statement, found: LookedUp) -> bytes:
        rendered = plan.form(statement.columns).tail(self._trailer(found))
        end = _NO_TIME + plan.end
        assert rendered.endswith(end), "the elapsed time is the last member"
        return rendered.removesuffix(end)

    def partitions(self, found: LookedUp) -> list[PartitionAnswer]:
        """Return the partitions that were read, as the engine's result has them."""
        return [
            PartitionAnswer(
                store=store,
                partition=partition,
                node=node or self._node,
                status="ok",
                epoch=epoch,
                rows=rows,
            )
            for (store, partition, epoch, rows), node in zip_longest(found.reads, found.nodes)
        ]

    def _trailer(self, found: LookedUp) -> Trailer:
        partitions = self.partitions(found)
        return Trailer(position=found.position, partitions=partitions, notices=(), elapsed_ms=0.0)

    def _forget(self) -> None:
        self._plans.clear()
        self._tails_bytes = 0


def _rows_renderer(columns: tuple[Column, ...]) -> Callable[[Sequence[Row]], bytes]:
    cells = row_cells(columns)
    return lambda rows: orjson.dumps(cells(rows))[1:-1]


def bound_of(settings: Mapping[str, str]) -> Position | None:
    """Return the bound in the settings of a request; None if it has other settings, or wrong ones.

    A wrong one is an error, which whoever answers the request says.
    """
    if not settings:
        return _UNBOUNDED
    if not settings.keys() <= _OF_BOUNDS or len(settings.get(_BOUND, "")) > _BOUND_TEXT_MAX:
        return None
    return _read_bound(tuple(settings.items()))


@lru_cache(maxsize=256)  # clients send the same bound until an epoch changes it
def _read_bound(settings: tuple[tuple[str, str], ...]) -> Position | None:
    given = dict(settings)
    if given.get("stategate.consistency", "eventual") not in {"eventual", "monotonic"}:
        return None
    try:
        check_settings(given)
        return position_of(given[_BOUND]) if _BOUND in given else _UNBOUNDED
    except QueryError:
        return None
