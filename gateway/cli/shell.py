r"""`stategate sql`: runs statements that are typed or piped in, and shows the answers.

    \?              this help                  \x              rows as records, on or off
    \d [NAME]       stores, or one in full     \timing         milliseconds, on or off
    \dt             stores                     \position       the last position token, whole
    \bind V …       parameters of the next statement: $1, $2, …; or NAME=V for :NAME
    … \bind V … \g   the same at the end of a statement, which \g ends as ; does
    \gx             as \g, with rows as records; alone, each runs the last statement again
    \watch [S] [c=N]     run the last statement every S seconds (2), N times or until Ctrl-C
    \export FILE    write the answer of the last statement; the name ends in its format:
                                   csv, tsv, json, ndjson, parquet, arrow
    \pager          long answers in $PAGER, on or off
    \set [N [V]]    fields of the request: bound, wait_ms, consistency,
                                   unknown_topics, partial, info, engine
    \q              leave

A statement ends with `;`. Tab completes, Ctrl-C cancels a statement, Ctrl-D leaves.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.lexers import PygmentsLexer
from rich.console import Console

from stategate.gateway.cli.answer_view import AnswerView
from stategate.gateway.cli.client import Answer, Client
from stategate.gateway.cli.completion import StatementCompleter
from stategate.gateway.cli.display import error_text, summary
from stategate.gateway.cli.export_file import format_of, write_export
from stategate.gateway.cli.names import Names
from stategate.gateway.cli.pager import pager_command
from stategate.gateway.cli.progress import Progress
from stategate.gateway.cli.request_fields import RequestFields
from stategate.gateway.cli.statement_text import (
    Go,
    Parameters,
    read_parameters,
    split_script,
    split_statements,
    watch_options,
)
from stategate.gateway.cli.store_lists import list_stores, print_store
from stategate.gateway.errors import ClientError, GatewayError, RemoteError
from stategate.stores.credentials import authorization


def history_file() -> Path:
    """Return the file of the shell's history, in the user's XDG state directory."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "stategate" / "history"


class Shell:
    """One session: settings, the last position, and how answers are shown.

    Args:
        client: the gateway.
        out: where answers go.
        err: where errors go.
        pager: the command that shows long answers; empty for none.
    """

    def __init__(self, client: Client, *, out: Console, err: Console, pager: str = "") -> None:
        self._client = client
        self._out = out
        self._err = err
        self._fields = RequestFields()
        self._timing = True
        self._view = AnswerView(out, err, pager=pager)
        self._parameters: Parameters = ()
        """Those of the next statement."""
        self._last: tuple[str, Parameters] | None = None
        """The last statement with its parameters."""

    def run_all(self, text: str) -> bool:
        r"""Run a script up to the first failure, or to `\q`; return whether none failed."""
        for part in split_script(text):
            if isinstance(part, Go):
                succeeded = self._checked(partial(self._go, part))
            elif _leaves(part):
                return True
            else:
                succeeded = self._command(part) if part.startswith("\\") else self.run(part)
            if not succeeded:
                return False
        return True

    def run(self, sql: str) -> bool:
        """Run one statement and show its answer; return whether it succeeded."""
        return self._run(sql, self._parameters)

    def _run(self, sql: str, parameters: Parameters, *, as_records: bool = False) -> bool:
        self._last, self._parameters = (sql, parameters), ()
        return self._attempt(sql, partial(self._run_last, as_records=as_records))

    def _go(self, part: Go) -> bool:
        sql, parameters = (part.sql, self._parameters) if part.sql else self._require_last("run")
        if part.values is not None:
            parameters = read_parameters(part.values)
        return self._run(sql, parameters, as_records=part.as_records)

    def _run_last(self, *, as_records: bool = False) -> None:
        assert self._last is not None, "it has just been set"
        sql, parameters = self._last
        fields = self._fields.of(parameters)
        with Progress(self._err) as progress, self._client.query(sql, fields) as answer:
            if self._view.show(answer, progress, as_records=as_records):
                self._finish(answer, progress.count)

    def _attempt(self, sql: str, run: Callable[[], object]) -> bool:
        """Run a statement, and say what went wrong; return whether it succeeded."""
        try:
            run()
        except RemoteError as error:
            self._say(error_text(error, sql))
            return False
        except ClientError as error:
            self._say_error(error)
            return False
        except KeyboardInterrupt:
            self._say("cancelled")
            return False
        return True

    def interact(self) -> None:
        """Read and run until the user leaves."""
        self._out.print(f"stategate at {self._client.url}   \\? for help", markup=False)
        prompt = self._prompt()
        while True:
            try:
                line = prompt.prompt()
            except KeyboardInterrupt:
                continue  # drops the typed text, as psql does
            except EOFError:
                return
            if not self.take(line.strip()):
                return

    def take(self, line: str) -> bool:
        """Run the entered text; return False if it leaves the shell."""
        try:
            if _leaves(line):
                return False
            self.run_all(line)
        except KeyboardInterrupt:
            self._say("cancelled")
        return True

    def _prompt(self) -> PromptSession[str]:
        names = Names(self._client)
        session: PromptSession[str] = PromptSession(
            "stategate=> ",
            history=_history(),
            lexer=PygmentsLexer.from_filename("statement.sql"),
            completer=StatementCompleter([*_COMMANDS, "\\g", "\\gx", "\\q"], names.vocabulary),
            complete_while_typing=False,
            complete_in_thread=True,  # the first completion asks the gateway
            prompt_continuation="stategate-> ",
        )

        @Condition
        def unfinished() -> bool:
            text = session.default_buffer.text.strip()
            return bool(text) and not text.startswith("\\") and bool(split_statements(text)[1])

        session.multiline = unfinished
        return session

    def _finish(self, answer: Answer, rows: int) -> None:
        """Keep the position of an answer that was read to its end, and show its summary."""
        self._fields.note(answer.trailer.get("position") or {})
        for notice in answer.trailer.get("notices", []):
            self._say(f"NOTICE: {notice}")
        if self._out.is_terminal:
            line = summary(rows, answer.trailer, timing=self._timing)
            self._out.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)

    def _command(self, line: str) -> bool:
        """Run a command; return whether it succeeded."""
        name, _, argument = line.partition(" ")
        command = _COMMANDS.get(name)
        if command is None:
            self._say(f"unknown command {name}; \\? lists all")
            return False
        return self._checked(partial(command, self, argument.strip().rstrip(";")))

    def _checked(self, run: Callable[[], bool | None]) -> bool:
        """Run what may refuse its arguments; return whether it succeeded."""
        try:
            return run() is not False
        except GatewayError as error:
            self._say_error(error)
            return False

    def _help(self, argument: str) -> None:
        del argument
        self._out.print(__doc__, markup=False, highlight=False)

    def _describe(self, name: str) -> None:
        if name:
            print_store(self._out, self._client.store(name))
        else:
            self.list_stores()

    def list_stores(self, argument: str = "") -> None:
        r"""Show the stores: `\dt`, and `stategate stores`.

        Raises:
            ClientError: no answer, or an error.
        """
        del argument
        list_stores(self._out, self._client.stores())

    def _set(self, argument: str) -> None:
        name, _, value = argument.partition(" ")
        if not name:
            for each, held in self._fields:
                self._out.print(f"{each} = {held}", markup=False)
            return
        self._fields.set(name, value.strip())

    def _bind(self, argument: str) -> None:
        self._parameters = read_parameters(argument)

    def _watch(self, argument: str) -> bool:
        interval_s, count = watch_options(argument)
        sql, _ = self._require_last("watch")
        number = 0
        while count is None or number < count:
            if number:
                time.sleep(interval_s)
            number += 1
            now = datetime.now().astimezone().isoformat(" ", "seconds")
            self._say(f"{now} (every {interval_s:g} s)")
            if not self._attempt(sql, self._run_last):
                return False
        return True

    def _export(self, argument: str) -> bool:
        if not argument:
            raise ClientError("no file is named", hint=r"Write \export rows.parquet.")
        sql, parameters = self._require_last("export")
        path = Path(argument.strip("'")).expanduser()
        name = format_of(path)

        def run() -> None:
            fields = self._fields.of(parameters)
            with (
                Progress(self._err) as progress,
                self._client.download(sql, fields, form=name) as parts,
            ):
                progress.unit = "bytes"
                size = write_export(path, parts, progress.note)
            self._say(f"wrote {size:,} bytes to {path}")

        return self._attempt(sql, run)

    def _require_last(self, what: str) -> tuple[str, Parameters]:
        if self._last is None:
            raise ClientError(f"there is no statement to {what}", hint="Run one before.")
        return self._last

    def _toggle_pager(self, argument: str) -> None:
        del argument
        self._say(f"pager is {'on' if self._view.toggle_pager() else 'off'}")

    def _toggle_records(self, argument: str) -> None:
        del argument
        self._view.as_records = not self._view.as_records
        self._say(f"records are {'on' if self._view.as_records else 'off'}")

    def _toggle_timing(self, argument: str) -> None:
        del argument
        self._timing = not self._timing
        self._say(f"timing is {'on' if self._timing else 'off'}")

    def _show_position(self, argument: str) -> None:
        del argument
        self._out.print(self._fields.token, markup=False, highlight=False, soft_wrap=True)

    def _say_error(self, error: GatewayError) -> None:
        self._say(f"{error.message}." + (f" {error.hint}" if error.hint else ""))

    def _say(self, text: str) -> None:
        self._err.print(text, markup=False, highlight=False, soft_wrap=True)


_COMMANDS: Mapping[str, Callable[[Shell, str], bool | None]] = {
    "\\?": Shell._help,
    "\\d": Shell._describe,
    "\\dt": Shell.list_stores,
    "\\bind": Shell._bind,
    "\\watch": Shell._watch,
    "\\export": Shell._export,
    "\\pager": Shell._toggle_pager,
    "\\set": Shell._set,
    "\\x": Shell._toggle_records,
    "\\timing": Shell._toggle_timing,
    "\\position": Shell._show_position,
}


def _leaves(line: str) -> bool:
    return line.partition(" ")[0].rstrip(";") in {"\\q", "\\quit"}


def run_shell(url: str, *, command: str | None) -> bool:
    """Run a text, standard input or an interactive shell; return whether all succeeded.

    Raises:
        ClientError: the URL is malformed.
    """
    client = Client(url, credentials=authorization())
    out, err = Console(), Console(stderr=True)
    pager = pager_command(os.environ) if out.is_terminal and sys.stdin.isatty() else ""
    shell = Shell(client, out=out, err=err, pager=pager)
    if command is not None:
        return shell.run_all(command)
    if not sys.stdin.isatty():
        return shell.run_all(sys.stdin.read())
    shell.interact()
    return True


def print_stores(url: str) -> None:
    """Print the stores of a gateway.

    Raises:
        ClientError: no answer, or an error.
    """
    client = Client(url, credentials=authorization())
    Shell(client, out=Console(), err=Console(stderr=True)).list_stores()


def _history() -> History:
    """Return the history on disk, or in memory if the directory cannot be written."""
    path = history_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)
