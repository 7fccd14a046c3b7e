"""The functions of advisory locks, as side effects of a catalog statement, and `pg_locks`.

A call that waits for a lock gives the wait to its caller, so that no thread is held meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TypeAlias

from stategate.planner.errors import NotSupportedError, QueryError
from stategate.planner.pg_catalog.store_relations import DATABASE_OID
from stategate.planner.values.advisory_locks import LockKey, LockTable, Mode, SessionLocks, lock_key
from stategate.planner.values.cancel import ALARMS, Cancellation
from stategate.planner.values.catalog_types import VOID
from stategate.planner.values.durations import duration_ms
from stategate.planner.values.quoting import quote_text
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Notice
from stategate.stores.spec.schema import BOOLEAN, DataType

Steps: TypeAlias = Generator["Future[bool]", None, object]
"""A call: it yields what it waits for, goes on when that is done, and returns its result."""
_TIMEOUT = "lock_timeout"
_NAME = re.compile(r"pg_(try_)?advisory_(xact_)?(un)?lock(_shared)?(_all)?")


@dataclass(frozen=True, slots=True)
class _Call:
    """What one of the functions does."""

    waits: bool
    of_transaction: bool
    unlocks: bool
    mode: Mode
    of_all: bool

    @property
    def result(self) -> DataType:
        """The type of its result: whether a lock was given, or released."""
        is_told = not self.waits or (self.unlocks and not self.of_all)
        return BOOLEAN if is_told else VOID


def _calls() -> Mapping[str, _Call]:
    ways = ("advisory_lock", "advisory_xact_lock", "try_advisory_lock", "try_advisory_xact_lock")
    names = [f"pg_{way}{end}" for way in (*ways, "advisory_unlock") for end in ("", "_shared")]
    found = {}
    for name in (*names, "pg_advisory_unlock_all"):
        parts = _NAME.fullmatch(name)
        assert parts is not None, "the names are made of these parts"
        tries, of_transaction, unlocks, shared, of_all = map(bool, parts.groups())
        mode = Mode.SHARED if shared else Mode.EXCLUSIVE
        found[name] = _Call(not tries, of_transaction, unlocks, mode, of_all)
    return found


_CALLS = _calls()
RESULTS_OF_LOCKS: Mapping[str, DataType] = {name: call.result for name, call in _CALLS.items()}
"""The type of the result of each function."""
UNLOCK_ALL = "pg_advisory_unlock_all"

_LOCK_TYPE = (
    "STRUCT(pid INTEGER, classid BIGINT, objid BIGINT, objsubid SMALLINT, mode VARCHAR,"
    " granted BOOLEAN, blockers INTEGER[])"
)
LOCK_ROWS = f"""
        SELECT 'advisory' AS locktype, {DATABASE_OID}::BIGINT AS database,
            NULL::BIGINT AS relation, NULL::INTEGER AS page, NULL::SMALLINT AS tuple,
            NULL::VARCHAR AS virtualxid, NULL::BIGINT AS transactionid, zz_e.classid, zz_e.objid,
            zz_e.objsubid, zz_e.pid || '/1' AS virtualtransaction, zz_e.pid, zz_e.mode,
            zz_e.granted, false AS fastpath, NULL::TIMESTAMPTZ AS waitstart
        FROM (SELECT unnest(getvariable('session_locks')::{_LOCK_TYPE}[])) AS zz_t(zz_e)"""
"""The rows of `pg_locks`."""
BLOCKING_PIDS = f"""(zz_pid) AS (SELECT list_distinct(coalesce(flatten(list(zz_e.blockers)), []))
    FROM (SELECT unnest(getvariable('session_locks')::{_LOCK_TYPE}[])) AS zz_t(zz_e)
    WHERE zz_e.pid = zz_pid)"""
"""The overload of the macro of `pg_blocking_pids`."""


def lock_steps(
    name: str,
    given: Sequence[str | None],
    session: Session,
    cancellation: Cancellation,
    notices: list[Notice],
) -> Steps:
    """Call a function of advisory locks.

    Args:
        name: its name.
        given: its arguments as text.
        session: the session that calls it.
        cancellation: ends its wait.
        notices: gets a warning about a lock that the session does not hold.

    Raises:
        NotSupportedError: the session cannot hold locks.
        QueryError: the wait was cancelled (57014) or took too long (55P03), each session would wait
            for the other (40P01), or there are too many locks (53200).
    """
    call = _CALLS[name]
    locks = session.advisory_locks()
    if call.of_all:
        if locks is not None:
            locks.unlock_all()
        return ""
    if locks is None:
        raise NotSupportedError(
            f"{name}() is not supported here",
            detail="An advisory lock is held by a session of the Postgres wire, in a gateway of "
            "one node.",
        )
    numbers = [int(each) for each in given if each is not None]
    if len(numbers) < len(given):
        return None
    key = lock_key(numbers)
    if not call.unlocks:
        is_given = yield from _lock(locks, key, call, session, cancellation)
        return "" if call.waits else is_given
    is_released = locks.unlock(key, call.mode)
    if not is_released:
        message = f"you don't own a lock of type {call.mode.value}"
        notices.append(Notice(message=message, severity="WARNING", sqlstate="01000"))
    return is_released


def _lock(
    locks: SessionLocks, key: LockKey, call: _Call, session: Session, cancellation: Cancellation
) -> Generator[Future[bool], None, bool]:
    given = locks.request(key, call.mode, waits=call.waits)
    if not given.done():
        timeout_ms = duration_ms(_TIMEOUT, session.settings.get(_TIMEOUT, "0"))
        with ExitStack() as waiting:
            waiting.enter_context(cancellation.interrupting(locks.withdraw))
            if timeout_ms:
                waiting.callback(ALARMS.after(timeout_ms / 1000, locks.withdraw).cancel)
            try:
                yield given
            except GeneratorExit:  # no one waits for the result any more
                locks.withdraw()
                if given.result():  # it was given at the last moment
                    locks.give_back(key, call.mode)
                raise
    is_given = given.result()
    if is_given:
        locks.hold(key, call.mode, session.savepoints_made if call.of_transaction else None)
    elif call.waits:
        cancellation.check()
        raise QueryError("canceling statement due to lock timeout", sqlstate="55P03")
    return is_given


def lock_structs(locks: LockTable) -> Iterator[str]:
    """Yield the rows that the variable `session_locks` lists."""
    for lock in locks.listed():
        blockers = ", ".join(map(str, lock.blockers))
        yield (
            f"{{'pid': {lock.pid}, 'classid': {lock.classid}, 'objid': {lock.objid}, "
            f"'objsubid': {lock.objsubid}, 'mode': {quote_text(lock.mode)}, "
            f"'granted': {lock.granted}, 'blockers': [{blockers}]::INTEGER[]}}"
        )
