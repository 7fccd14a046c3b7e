"""The fake engine whose lookups other nodes answer, when the test says so."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec import structs

from stategate.planner.engine import LookedUp, LookUp, Row, Session, Statement, StatementKind
from tests.support.fake_engine import FakeEngine
from tests.support.waiting import until


@dataclass(slots=True, kw_only=True, eq=False)
class Question:
    """A lookup that waits for other nodes."""

    look_up: LookUp
    parameters: Row
    session: Session
    on_found: Callable[[LookedUp | None], object]
    overdue_s: float
    loop: asyncio.AbstractEventLoop
    is_cancelled: bool = False

    def cancel(self, *, is_overdue: bool = False) -> None:
        """Take note."""
        del is_overdue
        self.is_cancelled = True


class LaterEngine(FakeEngine):
    """The fake engine as one node of several; `answer` lets the others reply.

    Args:
        overdue_s: after how many seconds answers are overdue.
        recalls: as of the fake engine.
    """

    def __init__(self, *, overdue_s: float = 60.0, recalls: bool = True) -> None:
        super().__init__(recalls=recalls)
        self.asks_nodes = True
        self.overdue_s = overdue_s
        self.asked: list[Question] = []
        """All questions; those that were answered, too."""
        self.looked_up_in: list[str] = []
        """Names of the threads in which lookups began."""
        self._is_answering = False

    def prepare(self, sql: str, session: Session, **given: Any) -> Statement:
        """Plan a statement whose rows are not here."""
        statement = super().prepare(sql, session, **given)
        look_up = statement.look_up
        if look_up is None:
            return statement

        def only_elsewhere(parameters: Row, session: Session) -> LookedUp | None:
            return look_up(parameters, session) if self._is_answering else None

        return structs.replace(statement, look_up=only_elsewhere)

    def is_inline(
        self, statement: Statement, session: Session, parameters: Row | None = None
    ) -> bool:
        """Let other nodes answer all that is read."""
        if statement.kind is StatementKind.SELECT:
            return False
        return super().is_inline(statement, session, parameters)

    def begin_look_up(
        self,
        look_up: LookUp,
        parameters: Row,
        session: Session,
        on_found: Callable[[LookedUp | None], object],
        trace: object = None,
    ) -> LookedUp | Question | None:
        """Keep the question."""
        self.looked_up_in.append(threading.current_thread().name)
        question = Question(
            look_up=look_up,
            parameters=parameters,
            session=session,
            on_found=on_found,
            overdue_s=self.overdue_s,
            loop=asyncio.get_running_loop(),
        )
        self.asked.append(question)
        return question

    def question(self, number: int) -> Question:
        """Wait for a question, counted from 0, and return it."""
        until(lambda: len(self.asked) > number)
        return self.asked[number]

    def answer(self, number: int, *, fails: bool = False) -> None:
        """Answer a question in the event loop; with no rows if it fails."""
        question = self.question(number)

        def reply() -> None:
            if not question.is_cancelled:
                self._is_answering = not fails
                found = question.look_up(question.parameters, question.session)
                self._is_answering = False
                question.on_found(found)

        question.loop.call_soon_threadsafe(reply)
