"""`stategate comment`: says what a store or one of its columns means."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from stategate.gateway.errors import ServeError

if TYPE_CHECKING:
    from stategate.stores.spec.schema import StoreSchema


def comment(
    *,
    text: Annotated[str, typer.Argument(help="The comment; an empty text removes it.")],
    root: Annotated[str, typer.Option(help="State log to write: a directory or a URL.")],
    store: Annotated[str, typer.Option(metavar="NAME", help="Store to comment on.")],
    column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Its column to comment on. Default: the store itself."),
    ] = None,
) -> None:
    """Set the comment of a store or a column, which clients show.

    It works beside a running pipeline. Running gateways show it within about a second.
    """
    from stategate.stores.errors import StoreError  # noqa: PLC0415 - only what writes a log loads its engine
    from stategate.stores.log.state_log import StoreLog  # noqa: PLC0415

    if not root:
        raise ServeError("no state log is given", hint="Name one with --root.")
    try:
        log = StoreLog.open(root, store)
        log.latest_epoch()  # shows whether a rebuild has moved the store
        log = log.last()
        log.define(_commented(log.schema().without_comments(), column, text))
    except StoreError as error:
        raise ServeError(f'store "{store}" cannot be given a comment: {error}') from error
    what = store if column is None else f"{store}.{column}"
    print(f"{what}: comment {'set' if text else 'removed'}")


def _commented(schema: StoreSchema, column: str | None, text: str) -> StoreSchema:
    if column is None:
        return replace(schema, comment=text)
    if all(each.name != column for each in (*schema.key, *schema.value)):
        raise ServeError(f'store "{schema.name}" has no key or value column "{column}"')
    key, value = (
        tuple(replace(each, comment=text) if each.name == column else each for each in columns)
        for columns in (schema.key, schema.value)
    )
    return replace(schema, key=key, value=value)
