"""`stategate log` and `stategate compact`: maintenance of a state log."""

from __future__ import annotations

import enum
import sys
from typing import Annotated

import typer

from stategate.gateway.errors import ServeError
from stategate.gateway.settings import SETTINGS

app = typer.Typer(
    help="Show, verify and repair a state log.", no_args_is_help=True, rich_markup_mode="markdown"
)

Root = Annotated[str, typer.Option(help=str(SETTINGS["root"].about))]
Stores = Annotated[
    list[str] | None,
    typer.Option("--store", metavar="NAME", help="This store; may be repeated. Default: all."),
]


def _names(root: str, given: list[str] | None) -> list[str]:
    """Return the given stores, or all stores in the log, even those without a definition."""
    from stategate.stores.errors import StoreError  # noqa: PLC0415 - only what reads a log loads its engine
    from stategate.stores.log.state_log import StateLog  # noqa: PLC0415

    if not root:
        raise ServeError("no state log is given", hint="Name one with --root.")
    try:
        log = StateLog(root)
        return given or sorted([*log.stores(), *log.lost()])
    except StoreError as error:
        raise ServeError(f"cannot read the log: {error}") from error


class Format(enum.Enum):
    """How `stategate log show` writes what it found."""

    TABLE = "table"
    JSON = "json"


@app.command()
def show(
    *,
    root: Root,
    store: Stores = None,
    epochs: Annotated[
        int, typer.Option(metavar="N", min=1, help="Show the newest N epochs of each store.")
    ] = 20,
    output: Annotated[
        Format, typer.Option("--format", help="A table, or one JSON object a line and store.")
    ] = Format.TABLE,
) -> None:
    """List the newest epochs of each store with their rows, position and writer, and its snapshots.

    Changes nothing, and reads no rows, so it is quick beside pipelines and gateways. Exits with 1
    if a record that it shows is damaged, with 2 if the log cannot be read.
    """
    from stategate.gateway.cli.log_listing import listing_json, print_listing  # noqa: PLC0415 - as in `_names`
    from stategate.stores.errors import StoreError  # noqa: PLC0415
    from stategate.stores.log.checking.listing import list_log  # noqa: PLC0415

    is_damaged = False
    for name in _names(root, store):
        try:
            found = list_log(root, name, newest=epochs)
        except StoreError as error:
            raise ServeError(f'store "{name}" cannot be shown: {error}') from error
        is_damaged |= found.is_damaged
        if output is Format.JSON:
            print(listing_json(found), flush=True)
        else:
            print_listing(found)
    if is_damaged:
        raise typer.Exit(1)


@app.command()
def verify(*, root: Root, store: Stores = None) -> None:
    """Read every record and file of each store, and list the damage.

    Changes nothing, and may run beside pipelines and gateways. Exits with 1 if there is damage,
    with 2 if the log cannot be read.
    """
    from stategate.stores.errors import StoreError  # noqa: PLC0415 - as in `_names`
    from stategate.stores.log.checking.verification import verify as verify_store  # noqa: PLC0415

    is_damaged = False
    for name in _names(root, store):
        try:
            found = verify_store(root, name)
        except StoreError as error:
            raise ServeError(f'store "{name}" cannot be verified: {error}') from error
        for damage in found.damages:
            is_damaged = True
            print(f"{name}: {damage.message}", file=sys.stderr)
        size = f"{_counted(found.epochs, 'epoch')}, {_counted(found.rows, 'row')}"
        print(f"{name}: {size}, {len(found.damages)} damaged", flush=True)
    if is_damaged:
        raise typer.Exit(1)


@app.command()
def repair(*, root: Root, store: Stores = None) -> None:
    """Repair damage where no row is lost, and list the remaining damage.

    Removed records go to `aside/` in the store's directory. A running pipeline whose epochs were
    changed is refused from then on: restart it. Exits with 1 if damage is left, with 2 if the log
    cannot be read or written.
    """
    from stategate.stores.errors import StoreError  # noqa: PLC0415 - as in `_names`
    from stategate.stores.log.checking.repair import repair as repair_store  # noqa: PLC0415

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
        print(f"{name}: {_counted(len(done.actions), 'repair')}, {count} damaged", flush=True)
    if is_damaged:
        raise typer.Exit(1)


def compact(
    *,
    root: Annotated[str, typer.Option(help=str(SETTINGS["root"].about))],
    store: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="This store; may be repeated. Default: all."),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="AGE",
            help="Keep epochs that are not older: 90s, 30m, 12h, 7d, 2w. "
            "Default: 7d, unless --keep-epochs is given.",
        ),
    ] = None,
    keep_epochs: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Keep the newest N epochs.")
    ] = None,
    every: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Write a snapshot only if the last one is N epochs old."
        ),
    ] = 1,
) -> None:
    """Write a snapshot of each store, and remove old epochs that it replaces.

    Run it from cron, beside pipelines and gateways. Removes an epoch when it exceeds all limits,
    and keeps the newest snapshot. Exits with 1 if a store could not be compacted.
    """
    from stategate.stores.errors import StoreError  # noqa: PLC0415 - as in `_names`
    from stategate.stores.log.state_log import StateLog  # noqa: PLC0415
    from stategate.stores.upkeep.retention import KEEP_MS, Retention  # noqa: PLC0415
    from stategate.stores.upkeep.retention import compact as compact_store  # noqa: PLC0415

    age_ms = _age_ms(keep) if keep is not None else None
    retention = Retention(
        age_ms=KEEP_MS if age_ms is None and keep_epochs is None else age_ms, epochs=keep_epochs
    )
    if not root:
        raise ServeError("no state log is given", hint="Name one with --root.")
    try:
        names = store or StateLog(root).stores()
    except StoreError as error:
        raise ServeError(f"cannot compact: {error}") from error
    failed = False
    for name in names:
        try:
            done = compact_store(root, name, retention=retention, every=every)
        except (StoreError, OSError) as error:
            failed = True
            print(f'stategate: store "{name}" cannot be compacted: {error}', file=sys.stderr)
        else:
            verb = "wrote" if done.written else "kept"
            base = "no snapshot" if done.snapshot is None else f"snapshot {done.snapshot.epoch}"
            print(
                f"{name}: {verb} {base}; removed {_counted(done.epochs_removed, 'epoch')}, "
                f"{_counted(done.snapshots_removed, 'snapshot')}, "
                f"{_counted(done.orphans_removed, 'orphan')}"
                + (f", {_counted(done.logs_removed, 'old log')}" if done.logs_removed else ""),
                flush=True,
            )
    if failed:
        raise typer.Exit(1)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_UNIT_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


def _age_ms(text: str) -> int:
    number, unit = text[:-1], text[-1:]
    if unit not in _UNIT_MS or not (number.isascii() and number.isdigit()) or len(number) > 9:
        raise ServeError(
            f'"{text}" is not an age', hint="Write a number and s, m, h, d or w, such as 7d."
        )
    return int(number) * _UNIT_MS[unit]
