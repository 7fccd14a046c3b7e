"""Terms: which writer owns a store, so that a replaced writer notices and does no harm.

    <root>/<store>/terms/<term, 20 digits>.json     created by the writer that takes the term

The writer that creates the record of a number owns the store until another one creates the next.
Old records may be removed, the oldest first and never the newest. So a term is the newest if, and
only if, its record exists and the next does not, which can be seen without a listing. A store that
was removed and created again counts its terms from 1: the record then has another owner.
"""

from __future__ import annotations

import datetime
import uuid

from stategate.stores.errors import FencedError, TornRecordError
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.records import (
    Term,
    decode_term,
    encode_term,
    numbers_in,
    term_name,
)

TERMS_KEPT = 100
"""Newest records that compaction keeps: they show who wrote when."""


def terms(directory: Directory) -> list[int]:
    """Return the numbers of all terms with a record, ascending.

    Raises:
        LogError: the file system does not answer.
    """
    return sorted(numbers_in(directory.names("terms"), ".json"))


def read_term(directory: Directory, term: int) -> Term | None:
    """Return the record of a term; None if it is missing.

    Raises:
        TornRecordError: it is incomplete, damaged or foreign.
        LogError: the file system does not answer.
    """
    data = directory.read(term_name(term))
    return None if data is None else decode_term(data, directory.join(term_name(term)))


def take_term(directory: Directory, *, writer: str, after: int, now_ms: int) -> Term:
    """Take the next term of a store, and return it.

    Args:
        directory: the directory of the store.
        writer: the name of the writer.
        after: the newest term of any readable commit, in case the records of terms were lost.
        now_ms: wall clock, epoch milliseconds.

    Raises:
        LogError: the record cannot be written.
    """
    number = max([after, *terms(directory)[-1:]])
    owner = uuid.uuid4().hex
    while True:
        number += 1
        taken = Term(term=number, owner=owner, writer=writer, taken_ms=now_ms)
        is_created = directory.create(term_name(number), encode_term(taken))
        # On file systems that cannot create a file only if it is absent, the last writer wins.
        if is_created and read_term(directory, number) == taken:
            return taken


def remove_old_terms(directory: Directory, kept: int = TERMS_KEPT) -> None:
    """Remove all records but the newest, the oldest first.

    Raises:
        LogError: they cannot be removed.
    """
    for number in terms(directory)[:-kept]:
        directory.remove_file(term_name(number))


def require_newest(directory: Directory, store: str, term: Term) -> None:
    """Make sure that a writer still has its term, and no later one has been taken.

    Raises:
        FencedError: it has not; the message says who took which term, and when.
        LogError: the file system does not answer.
    """
    number = term.term
    if not directory.has(term_name(number + 1)):
        try:
            found = read_term(directory, number)
        except TornRecordError:
            found = None
        if found == term:
            return
        if found is not None:
            raise FencedError(
                f'store "{store}" was removed and created again{_described(found)}: start the '
                "writer again"
            )
    newest = max([number, *terms(directory)[-1:]])
    if newest == number:
        raise FencedError(
            f'store "{store}" has lost the record of term {number}, by which this writer owned '
            "it: start the writer again"
        )
    try:
        other = read_term(directory, newest)
    except TornRecordError:
        other = None
    raise FencedError(
        f'store "{store}" has had another writer{_described(other)}: this one is of term '
        f"{number}, that of term {newest}. Stop this one, and start it again only if the other has "
        "ended"
    )


def _described(found: Term | None) -> str:
    """Describe who took a term and when, as a clause; empty if its record cannot be read."""
    if found is None:
        return ""
    taken = datetime.datetime.fromtimestamp(found.taken_ms / 1000, datetime.UTC)
    return f", {found.writer}, since {taken:%Y-%m-%d %H:%M:%S} UTC"
