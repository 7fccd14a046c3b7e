"""A lookup of one key that another node may hold: one question, and one row made of its answer.

`node_answers` serves every fast lookup by running it again with the answers. Most are of one key,
and need neither: where the key is follows from the plan, so the other node is asked at once.
"""

from __future__ import annotations

from collections.abc import Callable

from stategate.planner.running.kept_answers import KeptAnswer, KeptAnswers
from stategate.planner.running.node_answers import ReadStore
from stategate.planner.values.session import Session
from stategate.planner.values.statement import LookedUp, LookUp
from stategate.stores.errors import CodecError
from stategate.stores.spec.catalog import Nodes
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Key, Row
from stategate.stores.spec.traces import Trace

_NO_ROW = LookedUp(())


class KeyLookUp:
    """The fast way of a lookup of one key, in a cluster.

    Args:
        here: looks it up on this node.
        admitted: returns the store to ask; None if the statement needs the slow way.
        key_from: makes the key of the parameters; None if no row can have it.
        route: returns the partition of a key.
        kept: the answers that are kept, and the number of the plan among them.
        store: the name of the store.
        project: makes the row of the result.
    """

    __slots__ = (
        "_admitted",
        "_find_kept",
        "_here",
        "_key_from",
        "_number",
        "_route",
        "project",
        "store",
    )

    def __init__(
        self,
        here: LookUp,
        *,
        admitted: Callable[[Row, Session], ReadStore | None],
        key_from: Callable[[Row], Key | None],
        route: Callable[[Key], int],
        kept: tuple[KeptAnswers, int],
        store: str,
        project: Callable[[Row], Row],
    ) -> None:
        self._here, self._admitted = here, admitted
        self._key_from, self._route = key_from, route
        self._find_kept, self._number = kept[0].get, kept[1]
        self.store, self.project = store, project

    def __call__(self, parameters: Row, session: Session) -> LookedUp | None:
        """Look up a key on this node."""
        return self._here(parameters, session)

    def begin(
        self,
        nodes: Nodes,
        parameters: Row,
        session: Session,
        on_found: Callable[[LookedUp | None], object],
        trace: Trace | None = None,
    ) -> LookedUp | KeyElsewhere | None:
        """Look up a key here, or begin to ask another node; see `Engine.begin_look_up`."""
        store = self._admitted(parameters, session)
        if store is None:
            return None
        kept: KeptAnswer | None = self._find_kept((self._number, parameters))
        if kept is not None and store.standing(kept.partition) is kept.progress:
            return self._here(parameters, session)
        key = self._key_from(parameters)
        if key is None:
            return _NO_ROW
        try:
            partition = self._route(key)
        except CodecError:
            return None
        if store.standing(partition) is not None:
            # If its copy cannot be read, the slow way asks others, and reports it.
            return self._here(parameters, session)
        asked = KeyElsewhere(self, partition, key, session, on_found)
        asked.overdue_s = nodes.begin_key(self.store, partition, key, asked.on_answer, trace)
        return asked.begun()


class KeyElsewhere:
    """A lookup of one key that another node was asked for; see `Asked`."""

    __slots__ = (
        "_found",
        "_has_begun",
        "_is_over",
        "_key",
        "_look_up",
        "_on_found",
        "_partition",
        "_session",
        "overdue_s",
    )

    def __init__(
        self,
        look_up: KeyLookUp,
        partition: int,
        key: Key,
        session: Session,
        on_found: Callable[[LookedUp | None], object],
    ) -> None:
        self._look_up, self._partition, self._key = look_up, partition, key
        self._session, self._on_found = session, on_found
        self._has_begun = self._is_over = False
        self._found: LookedUp | None = None
        self.overdue_s = 0.0
        """After how many seconds the answer is overdue."""

    def begun(self) -> LookedUp | KeyElsewhere | None:
        """Return the lookup, or its end if that has come already."""
        self._has_begun = True
        return self._found if self._is_over else self

    def on_answer(self, answer: Success[Row | None] | None) -> None:
        """Make the row of an answer; without one the statement needs the slow way."""
        if self._is_over:
            return
        self._is_over = True
        try:
            found = None if answer is None else self._row_of(answer)
        except Exception:  # the slow way raises it again, where it can be reported
            found = None
        if self._has_begun:
            self._on_found(found)
        else:
            self._found = found

    def cancel(self, *, is_overdue: bool = False) -> None:
        """Do not call back any more; see `Asked`."""
        del is_overdue
        self._is_over = True

    def _row_of(self, answer: Success[Row | None]) -> LookedUp:
        look_up, value, position = self._look_up, answer.value, answer.position
        rows = () if value is None else (look_up.project(self._key + value),)
        self._session.note(position)
        read = look_up.store, self._partition, answer.epoch, len(rows)
        return LookedUp(rows, (read,), position, (answer.node,))
