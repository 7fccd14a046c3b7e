r"""`stategate sql`: runs statements that are typed or piped in, and shows the answers.

    \?              this help                  \x              rows as records, on or off
    \d [NAME]       stores, or one in full     \timing         milliseconds, on or off
    \dt             stores                     \position       the last position token, whole
    \bind V …       parameters of the next statement: $1, $2, …; or NAME=V for :NAME
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
import re
import sys
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

import orjson
from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.lexers import PygmentsLexer
from rich.console import Console

from gateway.cli.answer_view import AnswerView
from gateway.cli.client import Answer, Client
from gateway.cli.completion import StatementCompleter
from gateway.cli.display import error_text, summary
from gateway.cli.export_file import format_of, write_export
from gateway.cli.names import Names
from gateway.cli.pager import pager_command
from gateway.cli.progress import Progress
from gateway.cli.statement_text import Parameters, read_parameters, split_statements
from gateway.cli.store_lists import list_stores, print_store
from gateway.errors import ClientError, GatewayError, RemoteError
from stores.credentials import authorization
from stores.errors import CodecError
from stores.spec.position import Position

Json: TypeAlias = Any
"""A value that orjson returns."""

WATCH_S = 2.0
_WATCH_S_MAX = 86_400.0
_WATCH = re.compile(r"(\d+(?:\.\d+)?)?\s*(?:c=(\d+))?")
FIELDS = ("bound", "wait_ms", "consistency", "unknown_topics", "partial", "info", "engine")
r"""Fields of a request that `\set` sets."""


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
        self._fields: dict[str, Json] = {}
        self._position: dict[str, dict[str, int]] = {}
        self._timing = True
        self._view = AnswerView(out, err, pager=pager)
        self._parameters: Parameters = ()
        """Those of the next statement."""
        self._last: tuple[str, Parameters] | None = None
        """The last statement with its parameters."""

    def run_all(self, text: str) -> bool:
        """Run statements up to the first that fails; return whether all succeeded."""
        statements, rest = split_statements(text)
        return all(self.run(sql) for sql in (*statements, rest) if sql)

    def run(self, sql: str) -> bool:
        """Run one statement and show its answer; return whether it succeeded."""
        self._last, self._parameters = (sql, self._parameters), ()
        return self._attempt(sql, self._run_last)

    def _run_last(self) -> None:
        assert self._last is not None, "it has just been set"
        sql, parameters = self._last
        fields = self._request_fields(parameters)
        with Progress(self._err) as progress, self._client.query(sql, fields) as answer:
            if self._view.show(answer, progress):
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
            if line.startswith("\\"):
                return self._command(line)
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
            completer=StatementCompleter([*_COMMANDS, "\\q"], names.vocabulary),
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

    def _request_fields(self, parameters: Parameters = ()) -> dict[str, Json]:
        """Return parameters and fields; for `monotonic` the bound has the last position, too.

        Each request has its own session, so the shell has to remember the position.
        """
        fields = dict(self._fields)
        if parameters:
            fields["params"] = parameters
        if fields.get("consistency") == "monotonic" and self._position:
            if "bound" in fields:
                fields["bound"] = _raised(fields["bound"], self._position)
            else:
                fields["bound"] = self._position
                # The position may have topics of dropped stores.
                fields.setdefault("unknown_topics", "ignore")
        return fields

    def _finish(self, answer: Answer, rows: int) -> None:
        """Keep the position of an answer that was read to its end, and show its summary."""
        self._position = _merged(self._position, answer.trailer.get("position") or {})
        for notice in answer.trailer.get("notices", []):
            self._say(f"NOTICE: {notice}")
        if self._out.is_terminal:
            line = summary(rows, answer.trailer, timing=self._timing)
            self._out.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)

    def _command(self, line: str) -> bool:
        name, _, argument = line.partition(" ")
        if name in {"\\q", "\\quit"}:
            return False
        command = _COMMANDS.get(name)
        if command is None:
            self._say(f"unknown command {name}; \\? lists all")
            return True
        try:
            command(self, argument.strip().rstrip(";"))
        except GatewayError as error:
            self._say_error(error)
        return True

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
            for each, held in self._fields.items():
                self._out.print(f"{each} = {held}", markup=False)
            return
        if name not in FIELDS:
            raise ClientError(f"{name} cannot be set", hint=f"Fields are {', '.join(FIELDS)}.")
        if not value.strip():
            self._fields.pop(name, None)
            return
        self._fields[name] = _field_value(value.strip())

    def _bind(self, argument: str) -> None:
        self._parameters = read_parameters(argument)

    def _watch(self, argument: str) -> None:
        interval_s, count = _watch_options(argument)
        sql, _ = self._require_last("watch")
        number = 0
        while count is None or number < count:
            if number:
                time.sleep(interval_s)
            number += 1
            now = datetime.now().astimezone().isoformat(" ", "seconds")
            self._say(f"{now} (every {interval_s:g} s)")
            if not self._attempt(sql, self._run_last):
                return

    def _export(self, argument: str) -> None:
        if not argument:
            raise ClientError("no file is named", hint=r"Write \export rows.parquet.")
        sql, parameters = self._require_last("export")
        path = Path(argument.strip("'")).expanduser()
        name = format_of(path)

        def run() -> None:
            fields = self._request_fields(parameters)
            with (
                Progress(self._err) as progress,
                self._client.download(sql, fields, form=name) as parts,
            ):
                progress.unit = "bytes"
                size = write_export(path, parts, progress.note)
            self._say(f"wrote {size:,} bytes to {path}")

        self._attempt(sql, run)

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
        token = orjson.dumps(self._position).decode()
        self._out.print(token, markup=False, highlight=False, soft_wrap=True)

    def _say_error(self, error: GatewayError) -> None:
        self._say(f"{error.message}." + (f" {error.hint}" if error.hint else ""))

    def _say(self, text: str) -> None:
        self._err.print(text, markup=False, highlight=False, soft_wrap=True)


_COMMANDS: Mapping[str, Callable[[Shell, str], None]] = {
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


def _watch_options(text: str) -> tuple[float, int | None]:
    """Return how many seconds to pause, and how often to run; None for no end.

    Raises:
        ClientError: one of them is not such a number.
    """
    found = _WATCH.fullmatch(text)
    if found is None or not 0 < (interval_s := float(found[1] or WATCH_S)) <= _WATCH_S_MAX:
        raise ClientError(f"cannot watch {text[:40]}", hint=r"Write \watch 5, or \watch 0.5 c=10.")
    return interval_s, None if found[2] is None else int(found[2])


def _field_value(text: str) -> Json:
    r"""Parse a value of `\set`: `on`, `off`, JSON, or otherwise the text itself."""
    if text in {"on", "off"}:
        return text == "on"
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _merged(
    seen: Mapping[str, Mapping[str, int]], position: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, int]]:
    merged = {topic: dict(offsets) for topic, offsets in seen.items()}
    for topic, offsets in position.items():
        held = merged.setdefault(topic, {})
        for partition, offset in offsets.items():
            held[partition] = max(offset, held.get(partition, offset))
    return merged


def _raised(bound: Json, seen: Mapping[str, Mapping[str, int]]) -> Json:
    """Return a bound with a position added; unchanged if it is none, which the gateway refuses."""
    try:
        given = Position.from_token(bound) if isinstance(bound, str) else Position.from_json(bound)
    except CodecError:
        return bound
    return given.merge(Position.from_json(seen)).token()


def _history() -> History:
    """Return the history on disk, or in memory if the directory cannot be written."""
    path = history_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)
