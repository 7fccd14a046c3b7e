"""The shell: splitting statements, commands, and output streams."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from gateway.cli.client import Client
from gateway.cli.shell import ROWS_SHOWN_MAX, Shell, history_file, split_statements

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
    ],
)
def test_statements_end_at_semicolons_outside_strings(
    text: str, statements: list[str], rest: str
) -> None:
    assert split_statements(text) == (statements, rest)


class Screen:
    """A shell whose streams are read by the test."""

    def __init__(self, url: str, *, terminal: bool) -> None:
        self._out, self._err = io.StringIO(), io.StringIO()
        self.shell = Shell(
            Client(url),
            out=Console(file=self._out, width=100, force_terminal=terminal, color_system=None),
            err=Console(file=self._err, width=100, color_system=None),
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
