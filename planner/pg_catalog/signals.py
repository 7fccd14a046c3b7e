"""`pg_cancel_backend` and `pg_terminate_backend`."""

from __future__ import annotations

from collections.abc import Sequence

from stategate.planner.binding.running_statements import RunningQueries
from stategate.planner.errors import QueryError
from stategate.planner.values.rights import Rights
from stategate.planner.values.session import Session
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import INTEGER


class Signals:
    """Cancels statements and ends sessions, of both protocols, by `pid`.

    Args:
        queries: the running statements; None if they are not listed.
        rights: say who may do that to whom.
    """

    def __init__(self, queries: RunningQueries | None, rights: Rights) -> None:
        self._queries, self._rights = queries, rights

    def cancel(self, given: Sequence[str | None], session: Session) -> bool | None:
        """Cancel what a session runs; return whether the session exists.

        Raises:
            QueryError: it belongs to another user (42501).
        """
        return self._signal(given[0], session, ends=False)

    def terminate(self, given: Sequence[str | None], session: Session) -> bool | None:
        """End a session, or cancel a request over HTTP; return whether it exists.

        Raises:
            QueryError: it belongs to another user (42501).
        """
        return self._signal(given[0], session, ends=True)

    def _signal(self, text: str | None, session: Session, *, ends: bool) -> bool | None:
        if text is None:
            return None
        pid, backends = int(parse_value(text, INTEGER)), session.backends
        connected = () if backends is None else backends.listed()
        running = () if self._queries is None else self._queries.running()
        owner = next((each.user for each in (*connected, *running) if each.pid == pid), None)
        if owner is None:
            return False
        if not self._rights.may_see(session.user, owner):
            raise QueryError(
                f"permission denied to {'terminate process' if ends else 'cancel query'}",
                hint="Users can end only their own sessions; administrators can end all.",
                sqlstate="42501",
            )
        if backends is not None and any(each.pid == pid for each in connected):
            return backends.terminate(pid) if ends else backends.cancel_backend(pid)
        return self._queries is not None and self._queries.cancel(pid)
