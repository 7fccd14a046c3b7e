"""DESCRIBE: the columns of a store."""

from __future__ import annotations

from sqlglot import exp

from planner.binding.relations import identifier, require_missing
from planner.errors import InvalidSyntaxError, UnknownNameError
from planner.syntax.parse import Parsed
from stores.spec.schema import TEXT, Column, Row
from stores.spec.store import StoreCatalog

DESCRIBE_COLUMNS = tuple(
    Column(name=name, type=TEXT) for name in ("column", "type", "part", "store_kind")
)


def described_rows(parsed: Parsed, catalog: StoreCatalog) -> list[Row]:
    """Return the columns of the store that `DESCRIBE store` names.

    Raises:
        InvalidSyntaxError: DESCRIBE is not followed by one name.
        UnknownNameError: the store does not exist (42P01).
    """
    if len(parsed.tokens) != 2:
        raise InvalidSyntaxError("syntax error", hint="DESCRIBE takes the name of a store.")
    token = parsed.tokens[1]
    quoted = parsed.sql[token.start] == '"'
    name = identifier(exp.to_identifier(token.text, quoted=quoted))
    store = catalog.stores.get(name)
    if store is None:
        require_missing(name, catalog, position=token.start + 1)
        raise UnknownNameError(
            f'relation "{name}" does not exist',
            hint="SHOW STORES lists the stores.",
            position=token.start + 1,
        )
    schema = store.schema
    parts = (("key", schema.key), ("time", schema.time_columns), ("value", schema.value))
    return [
        (column.name, str(column.type), part, schema.kind.value)
        for part, columns in parts
        for column in columns
    ]
