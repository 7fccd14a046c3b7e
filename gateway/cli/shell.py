r"""`stategate sql`: runs statements that are typed or piped in, and shows the answers.

    \?              this help                  \x              rows as records, on or off
    \d [NAME]       stores, or one in full     \timing         milliseconds, on or off
    \dt             stores                     \position       the last position token, whole
    \set [N [V]]    fields of the request: bound, wait_ms, consistency,
                                   unknown_topics, partial, info, engine
    \q              leave

A statement ends with `;`. Ctrl-C cancels it, Ctrl-D leaves.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import orjson
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.lexers import PygmentsLexer
from rich.console import Console

from gateway.cli.client import Answer, Client, ResultColumn
from gateway.cli.display import error_text, print_records, print_table, summary, tsv_line
from gateway.errors import ClientError, GatewayError, RemoteError
from stores.credentials import authorization
from stores.errors import CodecError
from stores.spec.position import Position

Json: TypeAlias = Any
"""A value that orjson returns."""

ROWS_SHOWN_MAX = 1000
"""Rows of a table in a terminal: more than anyone scrolls through, in little memory."""
FIELDS = ("bound", "wait_ms", "consistency", "unknown_topics", "partial", "info", "engine")
r"""Fields of a request that `\set` sets."""

_TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | (\$\w*\$).*?\1 | (;) | .""",
    re.DOTALL | re.VERBOSE,
)
"""Strings, names, comments and dollar quotes, in which `;` ends no statement; then the rest."""
_UNCLOSED = re.compile(r"""['"]|/\*|\$\w*\$""")
_KEYWORDS = """
    SELECT FROM WHERE GROUP BY ORDER LIMIT HAVING JOIN LEFT ON AS AND OR NOT IN BETWEEN LIKE IS
    NULL DISTINCT COUNT SUM MIN MAX AVG CASE WHEN THEN ELSE END WITH EXPLAIN ANALYZE SHOW STORES
    DESCRIBE BOUND WAIT PARTITIONS ACTIVE PARTIAL INFO LATEST SNAPSHOT UNBOUNDED INTERVAL
""".split()  # noqa: SIM905 - as a list it would take one line for each word


def split_statements(text: str) -> tuple[list[str], str]:
    """Return the statements that a semicolon ends, without it, and the rest after the last one."""
    statements: list[str] = []
    start = 0
    for token in _TOKEN.finditer(text):
        if token[2]:
            statements.append(text[start : token.start()].strip())
            start = token.end()
        elif token.end() - token.start() == 1 and _UNCLOSED.match(text, token.start()):
            break  # an unclosed quote: the rest is inside it
    return [each for each in statements if each], text[start:].strip()


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
    """

    def __init__(self, client: Client, *, out: Console, err: Console) -> None:
        self._client = client
        self._out = out
        self._err = err
        self._fields: dict[str, Json] = {}
        self._position: dict[str, dict[str, int]] = {}
        self._records = False
        self._timing = True

    def run_all(self, text: str) -> bool:
        """Run statements up to the first that fails; return whether all succeeded."""
        statements, rest = split_statements(text)
        return all(self.run(sql) for sql in (*statements, rest) if sql)

    def run(self, sql: str) -> bool:
        """Run one statement and show its answer; return whether it succeeded."""
        try:
            with self._client.query(sql, self._request_fields()) as answer:
                self._show(answer)
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
        if line.startswith("\\"):
            return self._command(line)
        self.run_all(line)
        return True

    def _prompt(self) -> PromptSession[str]:
        session: PromptSession[str] = PromptSession(
            "stategate=> ",
            history=_history(),
            lexer=PygmentsLexer.from_filename("statement.sql"),
            completer=WordCompleter([*_KEYWORDS, *self._store_names()], ignore_case=True),
            complete_while_typing=False,
            prompt_continuation="stategate-> ",
        )

        @Condition
        def unfinished() -> bool:
            text = session.default_buffer.text.strip()
            return bool(text) and not text.startswith("\\") and bool(split_statements(text)[1])

        session.multiline = unfinished
        return session

    def _store_names(self) -> list[str]:
        try:
            return [str(store["name"]) for store in self._client.stores()]
        except ClientError as error:
            self._say_error(error)
            return []

    def _request_fields(self) -> dict[str, Json]:
        """Return the fields that were set; for `monotonic` the bound has the last position, too.

        Each request has its own session, so the shell has to remember the position.
        """
        fields = dict(self._fields)
        if fields.get("consistency") == "monotonic" and self._position:
            if "bound" in fields:
                fields["bound"] = _raised(fields["bound"], self._position)
            else:
                fields["bound"] = self._position
                # The position may have topics of dropped stores.
                fields.setdefault("unknown_topics", "ignore")
        return fields

    def _show(self, answer: Answer) -> None:
        if not self._out.is_terminal:
            self._show_plain(answer)
            return
        rows = iter(answer)
        shown = list(islice(rows, ROWS_SHOWN_MAX))
        more = next(rows, None) is not None
        if answer.columns:
            show = print_records if self._records else print_table
            show(self._out, answer.columns, shown)
        if more:
            self._say(f"only the first {ROWS_SHOWN_MAX:,} rows are shown; pipe the output for all")
            return
        self._position = _merged(self._position, answer.trailer.get("position") or {})
        for notice in answer.trailer.get("notices", []):
            self._say(f"NOTICE: {notice}")
        line = summary(len(shown), answer.trailer, timing=self._timing)
        self._out.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)

    def _show_plain(self, answer: Answer) -> None:
        """Write header and rows as lines, as they arrive."""
        out = self._out.file
        if answer.columns:
            out.write(tsv_line([column.name for column in answer.columns]) + "\n")
        for row in answer:
            out.write(tsv_line(row) + "\n")
        out.flush()

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
        if not name:
            self.list_stores()
            return
        store = self._client.store(name)
        columns = [ResultColumn(name, "text") for name in ("column", "type", "part")]
        keys = {column["name"] for column in store.get("key", [])}
        print_table(
            self._out,
            columns,
            [
                (each["name"], each["type"], "key" if each["name"] in keys else None)
                for each in store.get("columns", [])
            ],
        )
        self._print_replicas(store.get("replicas", []))

    def _print_replicas(self, replicas: list[dict[str, Json]]) -> None:
        columns = (
            ResultColumn("partition", "integer"),
            ResultColumn("role", "text"),
            ResultColumn("state", "text"),
            ResultColumn("epoch", "bigint"),
            ResultColumn("error", "text"),
        )
        names = [column.name for column in columns]
        print_table(self._out, columns, [[each.get(n) for n in names] for each in replicas])

    def list_stores(self, argument: str = "") -> None:
        r"""Show the stores: `\dt`, and `stategate stores`.

        Raises:
            ClientError: no answer, or an error.
        """
        del argument
        columns = (
            ResultColumn("name", "text"),
            ResultColumn("kind", "text"),
            ResultColumn("key", "text"),
            ResultColumn("partitions", "integer"),
            ResultColumn("running", "integer"),
            ResultColumn("epoch", "bigint"),
        )
        rows = [_store_row(store) for store in self._client.stores()]
        if self._out.is_terminal:
            print_table(self._out, columns, rows)
            return
        for row in ([column.name for column in columns], *rows):
            self._out.file.write(tsv_line(row) + "\n")

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

    def _toggle_records(self, argument: str) -> None:
        del argument
        self._records = not self._records
        self._say(f"records are {'on' if self._records else 'off'}")

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
    shell = Shell(client, out=Console(), err=Console(stderr=True))
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


def _store_row(store: Mapping[str, Json]) -> list[Json]:
    key = ", ".join(str(column["name"]) for column in store.get("key", []))
    names = ("partitions", "running", "committed_epoch")
    return [store.get("name"), store.get("kind"), key, *(store.get(name) for name in names)]


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
