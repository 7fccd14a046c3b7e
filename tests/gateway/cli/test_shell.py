"""The shell: splitting statements, commands, and output streams."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from stategate.gateway.cli.answer_view import ROWS_SHOWN_MAX
from stategate.gateway.cli.client import Client
from stategate.gateway.cli.export_file import FORMATS
from stategate.gateway.cli.names import Names
from stategate.gateway.cli.progress import Progress
from stategate.gateway.cli.shell import Shell, history_file
from stategate.gateway.cli.statement_text import Go, split_script, split_statements
from tests.gateway.cli.terminal import terminal
from tests.support.waiting import WAIT_S, until

pytestmark = pytest.mark.server


@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("", [], ""),
        ("SELECT 1", [], "SELECT 1"),
        ("SELECT 1;", ["SELECT 1"], ""),
        ("SELECT 1; SELECT\n2 ;; x", ["SELECT 1", "SELECT\n2"], "x"),
        ("SELECT ';' ;", ["SELECT ';'"], ""),
        ("SELECT 'it''s;' ;", ["SELECT 'it''s;'"], ""),
        ('SELECT ";" ;', ['SELECT ";"'], ""),
        ("SELECT 1 -- ;\n;", ["SELECT 1 -- ;"], ""),
        ("SELECT 1 /* ;\n; */;", ["SELECT 1 /* ;\n; */"], ""),
        ("SELECT $a$ ; $a$;", ["SELECT $a$ ; $a$"], ""),
        ("SELECT $1;", ["SELECT $1"], ""),
        ("SELECT ';", [], "SELECT ';"),
        ("SELECT 1; SELECT ';", ["SELECT 1"], "SELECT ';"),
        ("SELECT /* ;", [], "SELECT /* ;"),
        ("SELECT $$ ;", [], "SELECT $$ ;"),
        ("SELECT 5 - 3 / 2;", ["SELECT 5 - 3 / 2"], ""),
        ("SELECT 5 \\g", ["SELECT 5"], ""),
        ("SELECT $1\n\\bind 5 \\gx\nSELECT", ["SELECT $1"], "SELECT"),
        ("SELECT '\\g", [], "SELECT '\\g"),
        ("SELECT $1 \\bind 5", [], "SELECT $1 \\bind 5"),
    ],
)
def test_statements_end_at_semicolons_outside_strings(
    text: str, statements: list[str], rest: str
) -> None:
    assert split_statements(text) == (statements, rest)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (r"\d clicks", [r"\d clicks"]),
        ("\\bind bob\nSELECT $1;\n\\x\n", [r"\bind bob", "SELECT $1", r"\x"]),
        ("SELECT 1; \\x\nSELECT 2", ["SELECT 1", r"\x", "SELECT 2"]),
        ("-- a note\n  \\x", [r"\x"]),
        ("-- a note\nSELECT 1;", ["-- a note\nSELECT 1"]),
        ("SELECT '\n\\x\n';", ["SELECT '\n\\x\n'"]),
        ("SELECT 1\n\\x", ["SELECT 1\n\\x"]),
        ("\\bind ';'\n;;\n", [r"\bind ';'"]),
        (r"SELECT $1::int \bind 5 \g", [Go("SELECT $1::int", " 5 ", False)]),
        (
            "SELECT $1\n\\bind 'a \\g' \\gx ;\nSELECT 2",
            [Go("SELECT $1", r" 'a \g' ", True), "SELECT 2"],
        ),
        (r"SELECT 1 \g SELECT 2;", [Go("SELECT 1", None, False), "SELECT 2"]),
        (r"SELECT 1\g", [Go("SELECT 1", None, False)]),
        (r"SELECT 1 \gone", [r"SELECT 1 \gone"]),
        ("SELECT '\\g';", ["SELECT '\\g'"]),
        ("SELECT 1;\n\\gx\n", ["SELECT 1", Go("", None, True)]),
        ("-- again\n\\bind usr=bob \\g", [Go("", " usr=bob ", False)]),
    ],
)
def test_commands_of_a_script_stand_where_statements_begin(
    text: str, parts: list[str | Go]
) -> None:
    assert list(split_script(text)) == parts


class Screen:
    """A shell whose streams are read by the test."""

    def __init__(self, url: str, *, terminal: bool, pager: str = "") -> None:
        self._out, self._err = io.StringIO(), io.StringIO()
        self.shell = Shell(
            Client(url),
            out=Console(file=self._out, width=100, force_terminal=terminal, color_system=None),
            err=Console(file=self._err, width=100, color_system=None),
            pager=pager,
        )

    def out(self) -> str:
        return _taken(self._out)

    def err(self) -> str:
        return _taken(self._err)


def _taken(stream: io.StringIO) -> str:
    text = stream.getvalue()
    stream.seek(0)
    stream.truncate()
    return text


@pytest.fixture
def screen(url: str) -> Screen:
    return Screen(url, terminal=True)


def test_a_pipe_gets_lines(url: str) -> None:
    screen = Screen(url, terminal=False)
    assert screen.shell.run_all("SELECT n, name FROM series(2); SELECT 1")
    assert screen.out() == "n\tname\n0\trow 0\n1\trow 1\n?column?\n1\n"
    assert screen.err() == ""


def test_statements_after_a_failed_one_do_not_run(url: str) -> None:
    screen = Screen(url, terminal=False)
    assert not screen.shell.run_all("SELECT fail('42P01'); SELECT 1;")
    assert screen.out() == ""
    assert screen.err().splitlines()[0] == "ERROR 42P01: it failed"


def test_a_pipe_may_have_commands(url: str) -> None:
    screen = Screen(url, terminal=False)
    assert screen.shell.run_all(
        "\\bind 7\nSELECT v FROM kv WHERE k = $1;\n\\d clicks\n\\q now\nSELECT fail('42P01')"
    )
    out = screen.out()
    assert "value-7" in out
    assert "clicks" in out
    assert screen.err() == ""


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (r"\nope", r"unknown command \nope"),
        (r"\d nothing", "does not exist"),
        (r"\watch 1", "there is no statement to watch"),
    ],
)
def test_a_failed_command_ends_a_pipe(url: str, command: str, message: str) -> None:
    screen = Screen(url, terminal=False)
    assert not screen.shell.run_all(f"{command}\nSELECT 1;")
    assert message in screen.err()
    assert screen.out() == ""


def test_an_error_after_the_first_row_fails_too(url: str) -> None:
    screen = Screen(url, terminal=False)
    assert not screen.shell.run_all("SELECT n, name FROM broken(2, '55S01')")
    assert screen.out() == "n\tname\n0\trow 0\n1\trow 1\n"
    assert "ERROR 55S01" in screen.err()


def test_a_terminal_gets_a_table_and_a_summary(screen: Screen) -> None:
    assert screen.shell.run("SELECT n, name FROM series(2)")
    out = screen.out()
    assert "row 1" in out
    assert out.splitlines()[-1].startswith("2 rows · ")
    assert out.rstrip().endswith('position {"events":{"0":41}}')


def test_a_terminal_is_not_flooded(screen: Screen) -> None:
    assert screen.shell.run(f"SELECT n, name FROM series({ROWS_SHOWN_MAX + 5})")
    assert f"row {ROWS_SHOWN_MAX - 1}" in (out := screen.out())
    assert f"row {ROWS_SHOWN_MAX}" not in out
    assert "only the first 1,000 rows" in screen.err()


def command(screen: Screen, line: str) -> tuple[str, str]:
    """Enter one line that leaves the shell open."""
    assert screen.shell.take(line)
    return screen.out(), screen.err()


def test_commands_show_stores_and_fields(screen: Screen) -> None:
    for line in ("\\dt", "\\d"):
        assert "clicks" in command(screen, line)[0]
    out, _ = command(screen, "\\d clicks")
    assert [line.split() for line in out.splitlines()[2:4]] == [
        ["user", "text", "key"],
        ["clicks", "bigint", "NULL"],
    ]
    assert "restoring" in out
    assert "\\timing" in command(screen, "\\?")[0]
    assert "does not exist" in command(screen, "\\d nothing")[1]
    assert "unknown command \\foo" in command(screen, "\\foo")[1]


def test_records_and_timing_are_switched(screen: Screen) -> None:
    assert command(screen, "\\x")[1] == "records are on\n"
    assert "── row 1 ──" in command(screen, "SELECT 1;")[0]
    assert command(screen, "\\x")[1] == "records are off\n"
    assert command(screen, "\\timing")[1] == "timing is off\n"
    assert " ms" not in command(screen, "SELECT 1;")[0]


def test_fields_are_set_shown_and_unset(screen: Screen) -> None:
    for line in ("\\set wait_ms 5", "\\set partial on", "\\set consistency latest"):
        assert command(screen, line) == ("", "")
    assert "wait_ms = 5" in command(screen, "\\set")[0]
    shown = command(screen, "SHOW ALL;")[0]
    assert all(text in shown for text in ("5ms", "on", "latest"))
    command(screen, "\\set wait_ms")
    assert "5ms" not in command(screen, "SHOW ALL;")[0]
    assert "Fields are bound" in command(screen, "\\set foo 1")[1]


def test_monotonic_reads_send_the_last_position(screen: Screen) -> None:
    command(screen, "\\set consistency monotonic")
    assert "stategate.bound" not in command(screen, "SHOW ALL;")[0]
    assert '{"events":{"0":41}}' in command(screen, "\\position")[0]
    assert "stategate.bound" in command(screen, "SHOW ALL;")[0]
    command(screen, '\\set bound {"other":{"0":7}}')
    assert '{"events":{"0":41},"other":{"0":7}}' in command(screen, "SHOW ALL;")[0]
    command(screen, "\\set bound typo")
    assert "typo" in command(screen, "SHOW ALL;")[0]


@pytest.mark.parametrize("line", ["\\q", "\\quit"])
def test_quitting(screen: Screen, line: str) -> None:
    assert not screen.shell.take(line)


def test_an_interactive_session(
    screen: Screen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        typed.send_text("SELECT\r1;\r\\timing\rdropped\x03\x04")
        screen.shell.interact()
    assert "1 row" in screen.out()
    assert "timing is off" in screen.err()
    assert "\\timing" in history_file().read_text()
    assert history_file().stat().st_mode & 0o077 == 0


def test_parameters_are_those_of_the_next_statement(screen: Screen) -> None:
    assert command(screen, "\\bind 7") == ("", "")
    assert "value-7" in command(screen, "SELECT v FROM kv WHERE k = $1;")[0]
    assert "ERROR" in command(screen, "SELECT v FROM kv WHERE k = $1;")[1]
    assert "cannot read" in command(screen, "\\bind 'x")[1]


def test_a_statement_ends_with_its_parameters_as_in_psql(screen: Screen) -> None:
    assert "no statement to run" in command(screen, "\\g")[1]
    assert "value-7" in command(screen, "SELECT v FROM kv WHERE k = $1 \\bind 7 \\g")[0]
    assert "value-7" in command(screen, "\\g")[0]
    out, _ = command(screen, "\\bind 8 \\gx")
    assert "value-8" in out
    assert "row 1" in out.lower()
    assert "value-9" in command(screen, "SELECT v FROM kv WHERE k = $1\n\\bind 9 \\g")[0]
    assert "ERROR" in command(screen, "SELECT v FROM kv WHERE k = $1;")[1]
    assert "cannot read" in command(screen, "SELECT $1 \\bind a'b' \\g")[1]


def test_the_last_statement_is_watched(screen: Screen) -> None:
    assert "no statement to watch" in command(screen, "\\watch")[1]
    command(screen, "\\bind 7")
    command(screen, "SELECT v FROM kv WHERE k = $1;")
    out, err = command(screen, "\\watch 0.01 c=3")
    assert out.count("value-7") == 3
    assert err.count("(every 0.01 s)") == 3
    command(screen, "SELECT fail('42P01');")
    assert command(screen, "\\watch 0.01 c=3")[1].count("it failed") == 1
    for wrong in ("x", "0", "1 c=x", "-1", "1e9", "999999"):
        assert "cannot watch" in command(screen, f"\\watch {wrong}")[1]


@pytest.mark.parametrize("ending", sorted(FORMATS))
def test_an_answer_is_exported_by_the_name_of_the_file(
    screen: Screen, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"rows{ending.upper()}"
    path.write_text("old")
    command(screen, "SELECT n, name FROM series(3000);")
    assert f"to {path}" in command(screen, f"\\export {path}")[1].replace("\n", "")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()
    assert rows_in(path) == 3000


def _umask() -> int:
    held = os.umask(0o022)
    os.umask(held)
    return held


def rows_in(path: Path) -> int:
    """Return how many rows a file has."""
    match FORMATS[path.suffix.lower()]:
        case "parquet":
            return int(pq.read_metadata(path).num_rows)
        case "arrow":
            return int(pa.ipc.open_stream(path.read_bytes()).read_all().num_rows)
        case "json":
            return len(json.loads(path.read_text())["rows"])
        case "ndjson":
            return len(path.read_text().splitlines()) - 2
        case _:
            return len(path.read_text().splitlines()) - 1


@pytest.mark.parametrize("ending", sorted(FORMATS))
def test_an_answer_that_breaks_off_is_not_exported(
    screen: Screen, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"rows{ending}"
    path.write_text("old")
    screen.shell.run("SELECT n, name FROM broken(2000, '55S01')")
    screen.out(), screen.err()
    assert "55S01" in command(screen, f"\\export {path}")[1]
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_exports_that_cannot_be(screen: Screen, tmp_path: Path) -> None:
    assert "no statement to export" in command(screen, "\\export a.csv")[1]
    command(screen, "SELECT 1;")
    assert "no file is named" in command(screen, "\\export")[1]
    assert "does not say its format" in command(screen, "\\export rows.xlsx")[1]
    assert "cannot write" in command(screen, f"\\export {tmp_path}/none/rows.csv")[1]
    command(screen, "SELECT fail('42P01');")
    assert "42P01" in command(screen, f"\\export {tmp_path}/rows.csv")[1]
    assert list(tmp_path.iterdir()) == []


def test_names_come_from_the_gateway_and_are_kept(url: str) -> None:
    now = [0.0]
    names = Names(Client(url), clock=lambda: now[0])
    known = names.vocabulary()
    assert "clicks" in known.columns
    assert {"count", "date_trunc"} <= set(known.functions)
    assert names.vocabulary() is known
    now[0] = 1000.0
    assert names.vocabulary() is not known


def test_the_pager_gets_all_rows_and_may_be_left(url: str, tmp_path: Path) -> None:
    paged = tmp_path / "paged"
    screen = Screen(url, terminal=True, pager=f"cat > {paged}")
    out, _ = command(screen, "SELECT n, name FROM series(2500);")
    assert out.startswith("2,500 rows")
    assert sum("row " in line for line in paged.read_text().splitlines()) == 2500
    paged.unlink()
    assert "row 3" in command(screen, "SELECT n, name FROM series(5);")[0]
    assert command(screen, "\\pager")[1] == "pager is off\n"
    assert "row 900" in command(screen, "SELECT n, name FROM series(2500);")[0]
    assert not paged.exists()
    left = Screen(url, terminal=True, pager="head -1 > /dev/null")
    assert command(left, "SELECT n, name FROM series(200000);") == ("", "")


def test_a_slow_statement_shows_how_long_it_has_run() -> None:
    seen, now = io.StringIO(), [0.0]
    console = Console(file=seen, force_terminal=True, color_system=None)
    with Progress(console, after_s=0.0, clock=lambda: now[0]) as progress:
        now[0], progress.count = 7.4, 12_000
        until(lambda: "12,000" in seen.getvalue())
    assert "running for 7 s, 12,000 rows so far; Ctrl-C cancels" in seen.getvalue()
    assert seen.getvalue().endswith("\r\x1b[K")
    entered = Progress(console, after_s=0.0).__enter__()
    thread = entered._thread
    assert thread is not None
    del entered  # as Ctrl-C does between the beginning and the block
    thread.join(WAIT_S)
    assert not thread.is_alive()
    quick = io.StringIO()
    with Progress(Console(file=quick, force_terminal=True)):
        pass
    with Progress(Console(file=quick), after_s=0.0):
        pass
    assert quick.getvalue() == ""


def test_a_session_in_a_terminal(url: str, tmp_path: Path) -> None:
    paged = tmp_path / "paged"
    settings = {"PAGER": f"cat > {paged}", "XDG_STATE_HOME": str(tmp_path)}
    with terminal("sql", "--url", url, **settings) as shown:
        shown.enter("\\bind 7")
        shown.enter("SELECT v FROM kv WHERE k = $1;")
        shown.expect("value-7")
        shown.enter("SELECT sleep(60);")
        shown.expect("running for 1 s; Ctrl-C cancels")
        shown.type("\x03")
        shown.expect("cancelled")
        shown.enter("SELECT n, name FROM series(300);")
        shown.expect("300 rows")
        assert "row 299" in paged.read_text()
        shown.enter("\\watch 0.05")
        shown.expect("every 0.05 s")
        shown.expect("every 0.05 s")
        shown.type("\x03")
        shown.expect("cancelled")
        shown.expect("stategate=>")
        shown.type("SELECT 'after' FROM cli\t")
        shown.expect("cks")
        shown.type("\x03")
        shown.enter("\\q")
        assert shown.process.wait(WAIT_S) == 0


def test_history_that_cannot_be_written_is_kept_in_memory(
    screen: Screen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "stategate").write_text("a file, not a directory")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        typed.send_text("\\q\r")
        screen.shell.interact()


def test_a_stopped_gateway_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen("http://127.0.0.1:1", terminal=True)
    assert not screen.shell.run("SELECT 1")
    assert "no gateway answers at http://127.0.0.1:1" in screen.err()
