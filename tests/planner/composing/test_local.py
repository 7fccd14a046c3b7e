"""What DuckDB raises, as the errors that leave its process."""

from __future__ import annotations

import duckdb
import pytest

from planner.composing.definition import DatabaseError
from planner.composing.local import own_errors


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (duckdb.BinderException("Binder Error: no"), "Binder"),
        (duckdb.OutOfMemoryException("Out of Memory Error: no"), "OutOfMemory"),
        (OSError("Out of Memory Error: Allocation failure"), "OutOfMemory"),
        (OSError("Out of Range Error: Overflow in addition"), "OutOfRange"),
        (OSError("Invalid Input Error: no"), "InvalidInput"),
        (OSError("Not implemented Error: no"), "NotImplemented"),
        (OSError("INTERRUPT Error: Interrupted!"), "Interrupt"),
        (duckdb.Error("Out of Memory Error: Allocation failure"), "OutOfMemory"),
        (duckdb.Error("something"), "Error"),
        (OSError("Mismatch Type Error: no"), "TypeMismatch"),
        (OSError("broken pipe"), "Error"),
        (MemoryError(), "OutOfMemory"),
    ],
)
def test_an_error_is_known_by_its_class_or_its_text(raised: Exception, kind: str) -> None:
    with pytest.raises(DatabaseError) as found, own_errors():
        raise raised
    assert found.value.kind == kind
