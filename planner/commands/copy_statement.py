"""Read COPY word by word, in its present and its old syntax, with the checks of Postgres.

Source: `ProcessCopyOptions` in `src/backend/commands/copy.c`, which has the wording and order of
these errors, and the rule `CopyStmt` in `src/backend/parser/gram.y`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from stategate.planner.commands.encoding_names import UTF8, encoding
from stategate.planner.errors import (
    InvalidSyntaxError,
    InvalidValueError,
    NotSupportedError,
    QueryError,
)
from stategate.planner.syntax.token_reader import Words
from stategate.planner.values.statement import CopyFormat, CopyOut

Option: TypeAlias = "str | bool | tuple[str, ...] | None"
_Given: TypeAlias = "tuple[str, Option, int | None]"
"""An option with its value, and where it stands."""
_FORMATS = {each.value: each for each in CopyFormat}
_NO_DELIMITERS = frozenset("\\.abcdefghijklmnopqrstuvwxyz0123456789")
_FROM_ONLY = {"freeze", "force_not_null", "force_null"}
_STRINGS = ("format", "delimiter", "null", "quote", "escape", "encoding")


def read_copy(words: Words) -> tuple[Callable[[], CopyOut], str, int | None]:
    """Read a COPY.

    Returns:
        What makes the command, or finds that its options are wrong; the query of its rows; and
        where the query begins in the text, None if it was made from the name of a relation.

    Raises:
        QueryError: it is malformed, reads from the client (25006), or writes a file (42501).
    """
    words.expect("COPY")
    given: list[_Given] = []
    if words.peek() == "BINARY":
        given.append(("format", words.label(), None))
    if words.peek() == "(":
        offset, end = words.parenthesised()
        query = words.sql[offset:end]
    else:
        offset, query = None, _relation_query(words)
    _read_target(words)
    if offset is None and (words.take("USING", "DELIMITERS") or words.take("DELIMITERS")):
        given.append(("delimiter", words.string(), None))
    words.take("WITH")
    if words.peek() == "(":
        given += _read_options(words)
    else:
        given += _read_old_options(words)
    words.finish()
    return lambda: _copied(given), query, offset


def _copied(given: Sequence[_Given]) -> CopyOut:
    options: dict[str, Option] = {}
    for name, value, position in given:
        _add(options, name, value, position)
    return copy_options(options)


def _relation_query(words: Words) -> str:
    relation = words.relation()
    columns = words.names() if words.peek() == "(" else ["*"]
    return f"SELECT {', '.join(columns)} FROM {relation}"


def _read_target(words: Words) -> None:
    if words.peek() == "FROM":
        raise NotSupportedError(
            "cannot execute COPY FROM in a read-only gateway",
            hint="State is written by its pipeline; COPY … TO STDOUT reads it.",
            position=words.start + 1,
            sqlstate="25006",
        )
    words.expect("TO")
    words.take("PROGRAM")
    if words.is_string:
        raise NotSupportedError(
            "the gateway does not write files",
            hint="Use COPY … TO STDOUT; psql's \\copy writes the rows to a file of the client.",
            position=words.start + 1,
            sqlstate="42501",
        )
    if not words.take("STDOUT"):
        # Postgres accepts either word for either direction.
        words.expect("STDIN")


# --- options, as (name value, …) -----------------------------------------------------------------


def _read_options(words: Words) -> list[_Given]:
    words.expect("(")
    given: list[_Given] = []
    while not given or words.take(","):
        position = words.start + 1
        given.append((words.label(), _read_value(words), position))
    words.expect(")")
    return given


def _read_value(words: Words) -> Option:
    if words.peek() in {",", ")"}:
        return True
    if words.take("*"):
        return None
    if words.peek() == "(":
        words.expect("(")
        values = [words.value()]
        while words.take(","):
            values.append(words.value())
        words.expect(")")
        return tuple(values)
    number = words.number()
    return words.value() if number is None else number


def _add(options: dict[str, Option], name: str, value: Option, position: int | None) -> None:
    if name in options:
        raise InvalidSyntaxError("conflicting or redundant options", position=position)
    if name not in {*_STRINGS, *_FROM_ONLY, "header", "force_quote"}:
        raise InvalidSyntaxError(f'option "{name}" not recognized', position=position)
    options[name] = value
    # PostgreSQL checks each value as it comes to it, before the options are seen together.
    if name == "header":
        _header(value)
    elif name == "force_quote":
        _names(value)
    elif name in _STRINGS:
        text = _text(options, name)
        if name == "format":
            _check_format(text)
        elif name == "encoding":
            _check_encoding(text)


# --- old options ------------------------------------------------------------------------------


def _read_old_options(words: Words) -> list[_Given]:
    given: list[_Given] = []
    while words.left:
        position = words.start + 1
        given.append((*_read_old_option(words), position))
    return given


def _read_old_option(words: Words) -> tuple[str, Option]:
    if words.peek() in {"BINARY", "CSV"}:
        return "format", words.label()
    if words.peek() in {"HEADER", "FREEZE"}:
        return words.label(), True
    if words.take("FORCE"):
        name = "force_quote"
        if words.take("NOT", "NULL"):
            name = "force_not_null"
        elif words.take("NULL"):
            name = "force_null"
        else:
            words.expect("QUOTE")
        return name, None if words.take("*") else _read_names(words)
    if words.peek() in {"DELIMITER", "NULL", "QUOTE", "ESCAPE", "ENCODING"}:
        name = words.label()
        if name != "encoding":
            words.take("AS")
        return name, words.string()
    raise words.problem()


def _read_names(words: Words) -> tuple[str, ...]:
    names = [words.name()]
    while words.take(","):
        names.append(words.name())
    return tuple(names)


# --- checks --------------------------------------------------------------------------------------


def copy_options(options: dict[str, Option]) -> CopyOut:
    """Return the format that the options define together.

    Raises:
        QueryError: the options contradict each other.
    """
    texts = {name: _text(options, name) for name in _STRINGS}
    header = _header(options.get("header", False))
    form = _FORMATS[texts["format"] or "text"]
    if form is CopyFormat.BINARY:
        _refuse_in_binary(texts, header=header)
    is_csv = form is CopyFormat.CSV
    made = CopyOut(
        format=form,
        header=header,
        delimiter=_or(texts["delimiter"], "," if is_csv else "\t"),
        null=_or(texts["null"], "" if is_csv else "\\N"),
        quote=_or(texts["quote"], '"'),
        escape=_or(texts["escape"], _or(texts["quote"], '"')),
        force_quote=_names(options.get("force_quote", ())),
    )
    _check_texts(made)
    _check_csv(made, texts)
    _refuse_from_only(options)
    return made


def _check_format(name: str | None) -> None:
    if name not in _FORMATS:
        raise InvalidValueError(f'COPY format "{name}" not recognized')


def _check_encoding(name: str | None) -> None:
    found = UTF8 if name is None else encoding(name)
    if found == UTF8:
        return
    if found is None:
        raise InvalidValueError('argument to option "encoding" must be a valid encoding name')
    raise NotSupportedError(f'COPY in encoding "{name}" is not supported', hint="Use UTF8.")


def _or(text: str | None, default: str) -> str:
    return default if text is None else text


def _text(options: dict[str, Option], name: str) -> str | None:
    value = options.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidSyntaxError(f"{name} requires a parameter")
    return value


def _names(value: Option) -> tuple[str, ...] | None:
    if value is not None and not isinstance(value, tuple):
        raise InvalidValueError('argument to option "force_quote" must be a list of column names')
    return value


def _header(value: Option) -> bool:
    if isinstance(value, bool):
        return value
    word = value.lower() if isinstance(value, str) else ""
    if word == "match":
        raise NotSupportedError('cannot use "match" with HEADER in COPY TO')
    if word not in {"true", "on", "1", "false", "off", "0"}:
        raise InvalidSyntaxError('header requires a Boolean value or "match"')
    return word in {"true", "on", "1"}


def _refuse_in_binary(texts: dict[str, str | None], *, header: bool) -> None:
    for name in ("delimiter", "null"):
        if texts[name] is not None:
            raise InvalidSyntaxError(f"cannot specify {name.upper()} in BINARY mode")
    if header:
        raise NotSupportedError("cannot specify HEADER in BINARY mode")


def _is_byte(text: str) -> bool:
    return len(text) == 1 and text.isascii()


def _check_texts(made: CopyOut) -> None:
    delimiter, null = made.delimiter, made.null
    if not _is_byte(delimiter):
        raise NotSupportedError("COPY delimiter must be a single one-byte character")
    if delimiter in "\r\n":
        raise InvalidValueError("COPY delimiter cannot be newline or carriage return")
    if "\r" in null or "\n" in null:
        raise InvalidValueError("COPY null representation cannot use newline or carriage return")
    if made.format is not CopyFormat.CSV and delimiter in _NO_DELIMITERS:
        raise InvalidValueError(f'COPY delimiter cannot be "{delimiter}"')


def _check_csv(made: CopyOut, texts: dict[str, str | None]) -> None:
    is_csv = made.format is CopyFormat.CSV
    if not is_csv and texts["quote"] is not None:
        raise NotSupportedError("COPY quote available only in CSV mode")
    if not _is_byte(made.quote):
        raise NotSupportedError("COPY quote must be a single one-byte character")
    if is_csv and made.delimiter == made.quote:
        raise InvalidValueError("COPY delimiter and quote must be different")
    if not is_csv and texts["escape"] is not None:
        raise NotSupportedError("COPY escape available only in CSV mode")
    if not _is_byte(made.escape):
        raise NotSupportedError("COPY escape must be a single one-byte character")
    if not is_csv and made.force_quote != ():
        raise NotSupportedError("COPY force quote available only in CSV mode")
    if made.delimiter in made.null:
        raise NotSupportedError("COPY delimiter must not appear in the NULL specification")
    if is_csv and made.quote in made.null:
        raise NotSupportedError("CSV quote character must not appear in the NULL specification")


_FROM_ONLY_ERRORS: dict[str, Callable[[], QueryError]] = {
    "freeze": lambda: NotSupportedError("COPY FREEZE is only for COPY FROM"),
    "force_not_null": lambda: NotSupportedError(
        "COPY force not null only available using COPY FROM"
    ),
    "force_null": lambda: NotSupportedError("COPY force null only available using COPY FROM"),
}


def _refuse_from_only(options: dict[str, Option]) -> None:
    for name, problem in _FROM_ONLY_ERRORS.items():
        if name in options:
            raise problem()
