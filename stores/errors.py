"""Errors of the store layer, and reasons why a partition did not answer.

    StoreError                        root; `retryable` says if the same call can succeed later
    ├── UnknownStoreError             no store of that name in the log
    ├── InvalidPartitionError         no such partition, or no replica of it here
    ├── HostNotStartedError           retryable: the host has not been started yet
    ├── HostRestoringError            retryable: the store may exist, but cannot be opened yet
    ├── HostStoppedError              the host is stopping, stopped or failed; ask another
    ├── StoreMigratedError            retryable: this handle was closed, its host goes on
    ├── StoreNotAvailableError        this handle was closed, and so is its host
    ├── TooManyWaitersError           retryable: no more callers can wait for this replica
    ├── ArgumentError                 an argument of the wrong type, or out of range
    ├── SchemaError                   a definition or a type is not valid, or rows do not fit
    ├── CodecError                    a value does not fit its column, or bytes cannot be decoded
    ├── ValueFormatError              a text, or bytes of the wire, that are not a value of a type
    ├── EngineError                   an engine that runs whole statements refuses one, or failed
    ├── EngineInterruptedError        the statement of such an engine was interrupted
    └── LogError                      the state log cannot be read or written
        ├── LogMissingError           retryable: the log's directory is missing
        │   └── LogReplacedError      retryable: the store was removed and created again
        ├── TornRecordError           a record is incomplete, damaged, missing or foreign
        │   └── UnknownKindError      a definition names a kind that is not registered
        ├── EpochConflictError        the epoch has other content, or a later one is committed
        ├── FencedError               another writer has taken over the store
        └── PositionBackError         an epoch would move the position back

A problem inside of one partition is a value, not an exception: a `FailureReason` with a message.
The tree follows KIP-216, with the attribute `retryable` in place of two parent classes.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar


class FailureReason(Enum):
    """Why one partition did not answer; each reason says what the caller should do next."""

    UNKNOWN_QUERY_TYPE = "UNKNOWN_QUERY_TYPE"
    """The store does not know this kind of query: change the query, do not retry."""
    NOT_ACTIVE = "NOT_ACTIVE"
    """An active replica was asked for and this one is a standby or restoring: ask another node."""
    NOT_UP_TO_BOUND = "NOT_UP_TO_BOUND"
    """The replica has not applied what the bound asks for: wait, or ask another replica."""
    NOT_PRESENT = "NOT_PRESENT"
    """The partition exists but this host does not hold it: ask the node that does."""
    DOES_NOT_EXIST = "DOES_NOT_EXIST"
    """The store has no partition of that number: correct the request."""
    STORE_EXCEPTION = "STORE_EXCEPTION"
    """The store failed while it answered: see the message."""

    @property
    def retryable(self) -> bool:
        """Whether the same query can succeed later or elsewhere."""
        return self in _RETRYABLE


_RETRYABLE = frozenset(
    {FailureReason.NOT_ACTIVE, FailureReason.NOT_UP_TO_BOUND, FailureReason.NOT_PRESENT}
)


class StoreError(Exception):
    """Root of all errors that the store layer raises."""

    retryable: ClassVar[bool] = False


class UnknownStoreError(StoreError):
    """The log has been read and has no store of that name: correct the name."""


class InvalidPartitionError(StoreError):
    """The store has no such partition, or this host has no replica of it: ask another node."""


class HostNotStartedError(StoreError):
    """The host has not been started yet: call `start`, or retry after it was called."""

    retryable = True


class HostRestoringError(StoreError):
    """The log, or this store in it, has not been read yet: wait and retry.

    A store that is open and restoring does not raise this: each of its partitions answers with a
    failure until it has caught up.
    """

    retryable = True


class HostStoppedError(StoreError):
    """The host is stopping, has stopped or has failed: ask another host."""


class StoreMigratedError(StoreError):
    """The store was closed while its host goes on: take it from the host again, and retry.

    The store was removed from the log, or defined anew.
    """

    retryable = True


class StoreNotAvailableError(StoreError):
    """The store was closed with its host: ask another host."""


class TooManyWaitersError(StoreError):
    """Too many callers wait for one replica: retry later."""

    retryable = True


class ArgumentError(StoreError, ValueError):
    """An argument has the wrong type or is out of range. Nothing has been done."""


class SchemaError(StoreError):
    """A definition of a store, or a type in it, is not valid; or rows do not fit the definition."""


class CodecError(StoreError):
    """A value does not fit its column, or bytes cannot be decoded."""


class ValueFormatError(StoreError, ValueError):
    """A text or bytes of the wire that are not a value of a type: correct the value.

    Args:
        message: as PostgreSQL words it.
        sqlstate: PostgreSQL's code.
        detail: facts, as a sentence.
    """

    def __init__(self, message: str, *, sqlstate: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.message, self.sqlstate, self.detail = message, sqlstate, detail


class EngineError(StoreError):
    """An engine that runs whole statements refuses one, or failed.

    Args:
        message: one lower-case clause.
        sqlstate: PostgreSQL's code.
        detail: facts, as sentences.
        hint: what to do next, as a sentence.
    """

    def __init__(
        self, message: str, *, sqlstate: str, detail: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.sqlstate, self.detail, self.hint = message, sqlstate, detail, hint


class EngineInterruptedError(StoreError):
    """The statement was interrupted, as its client asked."""


class LogError(StoreError):
    """The state log cannot be read or written."""


class LogMissingError(LogError):
    """The directory of the state log, or of a store in it, is missing."""

    retryable = True


class LogReplacedError(LogMissingError):
    """The store was removed and created again in its place: open its log again."""


class TornRecordError(LogError):
    """A definition, record or data file is incomplete, damaged, missing or foreign."""


class UnknownKindError(TornRecordError):
    """A definition names a kind that is not registered: import the module that registers it."""


class EpochConflictError(LogError):
    """The epoch is committed with other content or by another writer, or a later one is."""


class FencedError(LogError):
    """Another writer has taken over the store: stop this one."""


class PositionBackError(LogError):
    """An epoch would move the position of its store back, so that bounds are no longer met.

    Its input is not the input of the epochs before it.
    """
