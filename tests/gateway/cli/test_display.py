"""Output for terminals and pipes."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from stategate.gateway.cli.client import ResultColumn
from stategate.gateway.cli.display import (
    cell_text,
    error_text,
    is_numeric,
    print_records,
    print_table,
    summary,
    tsv_line,
)
from stategate.gateway.errors import RemoteError

COLUMNS = (ResultColumn("n", "bigint"), ResultColumn("a [b]name[/b]", "text"))


def console(width: int = 40) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)


def printed(made: Console) -> list[str]:
    assert isinstance(made.file, io.StringIO)
    return [line.rstrip() for line in made.file.getvalue().splitlines()]


def test_numbers_are_right_aligned_and_markup_is_text() -> None:
    made = console()
    print_table(made, COLUMNS, [[1, "[red]x[/red]"], [1000, None]])
    lines = printed(made)
    assert lines[0] == "   n   a [b]name[/b]"
    assert lines[2:4] == ["   1   [red]x[/red]", "1000   NULL"]


def test_a_table_is_no_wider_than_the_terminal() -> None:
    made = console(width=30)
    print_table(made, COLUMNS, [[1, "word " * 30]])
    assert max(len(line) for line in printed(made)) <= 30
    assert " ".join(printed(made)).count("word") == 30


def test_records_have_a_line_for_each_column() -> None:
    made = console()
    print_records(made, COLUMNS, [[1, "x"], [2, None]])
    lines = printed(made)
    assert lines[0] == "── row 1 ──"
    assert [line.split() for line in lines[1:3]] == [["n", "1"], ["a", "[b]name[/b]", "x"]]
    assert lines[-1].split() == ["a", "[b]name[/b]", "NULL"]


@pytest.mark.parametrize("text", ["\x1b[2J", "\x07", "\x9b31m", "\r", "\x00", "\x7f"])
def test_a_value_cannot_control_the_terminal(text: str) -> None:
    for shown in (cell_text(text), tsv_line([text]), error_text(RemoteError(text), "")):
        assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in shown)


def test_lines_for_pipes_have_the_format_of_copy() -> None:
    line = tsv_line([1, None, "a\tb\nc\\d", True, False, [1, "x"], 1.5])
    assert line == '1\t\\N\ta\\tb\\nc\\\\d\ttrue\tfalse\t[1,"x"]\t1.5'


def test_numeric_types() -> None:
    assert all(map(is_numeric, ("bigint", "decimal(10,2)", "real")))
    assert not any(map(is_numeric, ("text", "bigint[]", "interval", "boolean")))


def test_the_line_below_an_answer() -> None:
    trailer = {
        "elapsed_ms": 1.26,
        "position": {"events": {"0": 41}},
        "partitions": [{"status": "ok"}, {"status": "failed"}],
    }
    assert summary(1, trailer, timing=True) == (
        '1 row · 1.3 ms · position {"events":{"0":41}} · 1 partition did not answer'
    )
    assert summary(12345, {}, timing=True) == "12,345 rows"
    assert summary(0, {"elapsed_ms": 1}, timing=False) == "0 rows"
    assert summary(0, {"position": {"t": {str(n): n for n in range(99)}}}, timing=True).endswith(
        "…"
    )


def test_a_caret_points_at_an_error() -> None:
    error = RemoteError("no such thing", sqlstate="42703", detail="D.", hint="H.", position=17)
    assert error_text(error, "SELECT 1,\n\t     nope,\n2").splitlines() == [
        "ERROR 42703: no such thing",
        "LINE 2:       nope,",
        "              ^",
        "DETAIL: D.",
        "HINT: H.",
    ]


def test_a_caret_far_to_the_right_fits_the_terminal() -> None:
    sql = "x" * 300 + "!" + "y" * 300
    lines = error_text(RemoteError("m", position=301), sql).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1][lines[2].index("^")] == "!"


@pytest.mark.parametrize("position", [0, 3, None])
def test_a_position_outside_the_statement_is_not_shown(position: int | None) -> None:
    assert error_text(RemoteError("m", position=position), "x") == "ERROR XX000: m"
