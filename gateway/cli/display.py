"""Formats answers and errors for terminals and pipes.

Control characters in values are shown as escapes, so that no value can move the cursor or forge a
line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import orjson
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stategate.gateway.cli.client import ResultColumn
from stategate.gateway.errors import RemoteError

Cell: TypeAlias = Any
"""A value of a JSON cell."""

CELL_SHOWN_MAX = 10_000
"""Characters of a cell that a table shows: many screens, but not a line of 64 MB."""
TOKEN_SHOWN_MAX = 200
"""Characters of a position token in the line below an answer; `\\position` shows all of it."""

_NUMERIC = {"tinyint", "smallint", "integer", "bigint", "real", "double"}
_ESCAPES = {
    **{code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))},
    ord("\n"): "↵",
    ord("\t"): "→",
}
_TSV = {
    **{code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))},
    **{
        ord(each): escape
        for each, escape in {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}.items()
    },
}


def cell_text(cell: Cell) -> str:
    """Format a cell that is not NULL as one line of a table."""
    return _plain(cell)[:CELL_SHOWN_MAX].translate(_ESCAPES)


def tsv_line(cells: Sequence[Cell]) -> str:
    r"""Format cells as Postgres's COPY does: tab-separated, `\N` for NULL, escapes in texts."""
    return "\t".join("\\N" if cell is None else _plain(cell).translate(_TSV) for cell in cells)


def _plain(cell: Cell) -> str:
    match cell:
        case str():
            return cell
        case bool():
            return "true" if cell else "false"
        case list() | dict():
            return orjson.dumps(cell).decode()
        case _:
            return str(cell)


def is_numeric(sql_type: str) -> bool:
    """Whether values of a type are right-aligned."""
    return sql_type in _NUMERIC or sql_type.startswith("decimal")


def print_table(
    console: Console, columns: Sequence[ResultColumn], rows: Iterable[Sequence[Cell]]
) -> None:
    """Print a table no wider than the terminal."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        right = is_numeric(column.type)
        table.add_column(
            Text(cell_text(column.name)),
            justify="right" if right else "left",
            no_wrap=right,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(_shown(cell) for cell in row))
    console.print(table)


def print_records(
    console: Console, columns: Sequence[ResultColumn], rows: Iterable[Sequence[Cell]]
) -> None:
    """Print a block per row and a line per column, for rows wider than the terminal."""
    for number, row in enumerate(rows, start=1):
        console.print(Text(f"── row {number} ──", style="dim"))
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        for column, cell in zip(columns, row, strict=True):
            table.add_row(Text(cell_text(column.name)), _shown(cell))
        console.print(table)


def _shown(cell: Cell) -> Text:
    return Text("NULL", style="dim") if cell is None else Text(cell_text(cell))


def summary(rows: int, trailer: Mapping[str, Cell], *, timing: bool) -> str:
    """Return the line below an answer: rows, milliseconds, position token, failed partitions."""
    parts = ["1 row" if rows == 1 else f"{rows:,} rows"]
    if timing and isinstance(elapsed_ms := trailer.get("elapsed_ms"), int | float):
        parts.append(f"{elapsed_ms:.1f} ms")
    if position := trailer.get("position"):
        token = orjson.dumps(position).decode()
        cut = token if len(token) <= TOKEN_SHOWN_MAX else token[:TOKEN_SHOWN_MAX] + "…"
        parts.append(f"position {cut}")
    failed = [each for each in trailer.get("partitions", []) if each.get("status") == "failed"]
    if failed:
        noun = "partition" if len(failed) == 1 else "partitions"
        parts.append(f"{len(failed)} {noun} did not answer")
    return " · ".join(parts)


def error_text(error: RemoteError, sql: str) -> str:
    """Return message, the statement's line with a caret at the error, detail and hint."""
    lines = [f"ERROR {error.sqlstate}: {error.message.translate(_ESCAPES)}"]
    if error.position is not None and 1 <= error.position <= len(sql) + 1:
        lines += _caret(sql, error.position - 1)
    if error.detail:
        lines.append(f"DETAIL: {error.detail.translate(_ESCAPES)}")
    if error.hint:
        lines.append(f"HINT: {error.hint.translate(_ESCAPES)}")
    return "\n".join(lines)


def _caret(sql: str, offset: int) -> list[str]:
    start = sql.rfind("\n", 0, offset) + 1
    end = sql.find("\n", offset)
    line = sql[start : end if end >= 0 else len(sql)].replace("\t", " ")
    head = f"LINE {sql.count(chr(10), 0, offset) + 1}: "
    # Only a part of the line is shown, so that the caret is below the error in 80 columns.
    column = offset - start
    first = max(0, column - 50)
    return [head + line[first : first + 70], " " * (len(head) + column - first) + "^"]
