"""`stategate log`: look after a state log from the command line."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gateway.errors import ServeError
from gateway.settings import SETTINGS

app = typer.Typer(
    help="Verify and repair a state log.", no_args_is_help=True, rich_markup_mode="markdown"
)

Root = Annotated[str, typer.Option(help=str(SETTINGS["root"].about))]
Stores = Annotated[
    list[str] | None,
    typer.Option("--store", metavar="NAME", help="This store; may be repeated. Default: all."),
]


def _names(root: str, given: list[str] | None) -> list[str]:
    """The stores that were named, or all of the log, with those that lost their definition."""
    from stores.errors import StoreError  # noqa: PLC0415 - only what reads a log loads its engine
    from stores.log.state_log import StateLog  # noqa: PLC0415

    if not root:
        raise ServeError("no state log is given", hint="Name one with --root.")
    try:
        log = StateLog(root)
        return given or sorted([*log.stores(), *log.lost()])
    except StoreError as error:
        raise ServeError(f"cannot read the log: {error}") from error


@app.command()
def verify(*, root: Root, store: Stores = None) -> None:
    """Read every record and every file of each store, and list what is damaged.

    Changes nothing, and may run beside pipelines and gateways. Exits with 1 if anything is damaged,
    with 2 if the log cannot be read.
    """
    from stores.errors import StoreError  # noqa: PLC0415 - as in `_names`
    from stores.log.verification import verify as verify_store  # noqa: PLC0415

    is_damaged = False
    for name in _names(root, store):
        try:
            found = verify_store(root, name)
        except StoreError as error:
            raise ServeError(f'store "{name}" cannot be verified: {error}') from error
        for damage in found.damages:
            is_damaged = True
            print(f"{name}: {damage.message}", file=sys.stderr)
        count = len(found.damages)
        print(f"{name}: {found.epochs} epochs, {found.rows} rows, {count} damaged", flush=True)
    if is_damaged:
        raise typer.Exit(1)


@app.command()
def repair(*, root: Root, store: Stores = None) -> None:
    """Mend what can be mended without losing a row, and list what is damaged still.

    Records that are taken out go to `aside/` in the store's directory. A pipeline whose epochs had
    to be touched is refused from then on: start it again. Exits with 1 if damage is left, with 2
    if the log cannot be read or written.
    """
    from stores.errors import StoreError  # noqa: PLC0415 - as in `_names`
    from stores.log.repair import repair as repair_store  # noqa: PLC0415

    is_damaged = False
    for name in _names(root, store):
        try:
            done = repair_store(root, name)
        except StoreError as error:
            raise ServeError(f'store "{name}" cannot be repaired: {error}') from error
        for damage in done.after.damages:
            is_damaged = True
            print(f"{name}: {damage.message}", file=sys.stderr)
        for action in done.actions:
            print(f"{name}: {action}")
        count = len(done.after.damages)
        print(f"{name}: {len(done.actions)} repairs, {count} damaged", flush=True)
    if is_damaged:
        raise typer.Exit(1)
