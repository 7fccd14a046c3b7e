"""Whether a writer still owns its store, and what to say if it does not."""

from __future__ import annotations

from stategate.stores.errors import FencedError, StoreError
from stategate.stores.log.metadata.records import Term
from stategate.stores.log.metadata.terms import require_newest
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.redefinition import differences


def require_owned(log: StoreLog, term: Term) -> None:
    """Make sure that a writer still has its term, and no later one has been taken.

    Raises:
        FencedError: it has not. If the store was rebuilt, the message says what is different now;
            otherwise it says by whom and when the term was taken.
        LogError: the file system does not answer.
    """
    try:
        require_newest(log.directory, log.name, term)
    except FencedError as fenced:
        try:
            log.latest_epoch()  # meets the move, if there is one
        except StoreError:
            raise fenced from None
        if log.move is None:
            raise
        raise rebuilt_error(log) from fenced


def rebuilt_error(log: StoreLog) -> FencedError:
    """Return the error of a writer whose log was moved, with what the new definition changes."""
    try:
        found = differences(log.schema(), log.last().schema())
    except StoreError:  # the way to the new log is damaged, which its own readers report
        found = ""
    changes = f" ({found})" if found else ""
    return FencedError(
        f'store "{log.name}" was rebuilt under another definition{changes}: start the writer '
        "again with that one"
    )
