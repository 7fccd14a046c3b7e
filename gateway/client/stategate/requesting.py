"""The requests of a connection: a statement, and the options that say how it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypedDict
from urllib.parse import urlencode

import orjson

from stategate.errors import Error, InterfaceError, OperationalError
from stategate.position import EMPTY, Position, Records, after_records
from stategate.steps import Send
from stategate.values import Json, Params, encode_params

Headers: TypeAlias = tuple[tuple[str, str], ...]
Consistency: TypeAlias = Literal["eventual", "monotonic", "latest", "snapshot"]

TIMEOUT_S: Final = 30.0
WAIT_S: Final = 5.0
_LOST_SNAPSHOT: Final = "72000"
_WAIT_S_MAX: Final = 3600.0
"""How long a gateway waits for a bound at most."""
_SETS_MAX: Final = 5_000
_SETS_BYTES_MAX: Final = 512 << 10
"""The sets of parameters of one request: half of what a gateway takes by default."""
_PATH_BYTES_MAX: Final = 60 << 10
"""Longest path of a live query: a gateway reads a head of 64 kB, and some of it is headers."""


class Options(TypedDict, total=False):
    """How one statement reads; what is missing is as the connection has it."""

    bound: Position
    """The least position that the rows may have."""
    after: Records
    """Records that the rows must reflect: what a producer has returned for them."""
    wait_s: float
    """How long a gateway waits for the bound before it refuses."""
    timeout_s: float
    """How long to wait for the first rows, with all attempts; and then for each further part."""
    consistency: Consistency
    """`latest` reads all that was committed, `snapshot` one epoch of all partitions."""
    partial: bool
    """Whether partitions that do not answer are listed instead of failing the statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """How a connection reads, and where."""

    urls: tuple[str, ...]
    headers: tuple[tuple[str, str], ...] = ()
    timeout_s: float = TIMEOUT_S
    wait_s: float = WAIT_S
    attempts_max: int | None = None
    """None for as many attempts as `timeout_s` allows: a restart takes as long as it takes."""
    monotonic: bool = True


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a request that say how it reads."""

    document: Mapping[str, Json]
    wait_s: float


@dataclass(frozen=True, slots=True)
class Request:
    """A request, which may be sent several times."""

    path: str
    accept: str
    document: Mapping[str, Json]
    fields: Fields

    def may_be_repeated(self, error: Error) -> bool:
        """Whether another attempt can succeed: not for a page of a snapshot that is lost."""
        return error.retryable and not (
            error.sqlstate == _LOST_SNAPSHOT and "next" in self.document
        )

    def attempt(self, url: str, headers: Headers, left_s: float) -> Send:
        """Return an attempt at a gateway, which waits no longer than is left.

        Raises:
            InterfaceError: a value cannot be written as JSON.
        """
        return Send(
            url=url,
            path=self.path,
            headers=headers,
            body=_json(self._fields(left_s)),
            timeout_s=left_s,
            part_timeout_s=left_s,
        )

    def _fields(self, left_s: float) -> dict[str, Json]:
        fields = {**self.document, **self.fields.document}
        # The gateway refuses a little earlier than the client would give up, and says why.
        if wait_ms := int(min(self.fields.wait_s, left_s * 0.9) * 1000):
            fields["wait_ms"] = wait_ms
        return fields


@dataclass(frozen=True, slots=True)
class LiveRequest(Request):
    """The request of a live query: its fields are in the URL, and its answer goes on."""

    silence_s: float
    """How long nothing may come before the connection counts as lost."""

    def attempt(self, url: str, headers: Headers, left_s: float) -> Send:
        """Return an attempt; see `Request.attempt`.

        Raises:
            InterfaceError: a value cannot be written as JSON.
            OperationalError: the URL is longer than a gateway reads.
        """
        fields = {
            name: value if isinstance(value, str) else _json(value)
            for name, value in self._fields(left_s).items()
        }
        try:
            path = f"{self.path}?{urlencode(fields)}"
        except UnicodeEncodeError as error:
            raise InterfaceError(f"the request cannot be written as a URL: {error}") from error
        if len(path) > _PATH_BYTES_MAX:
            raise OperationalError(
                f"the statement and its parameters take more than {_PATH_BYTES_MAX} bytes in a URL",
                sqlstate="54000",
                hint="Subscribe to a shorter statement.",
            )
        return Send(
            url=url,
            path=path,
            headers=headers,
            body=b"",
            timeout_s=left_s,
            part_timeout_s=self.silence_s,
            method="GET",
        )


def _json(value: Json) -> bytes:
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError) as error:
        raise InterfaceError(f"the request cannot be written as JSON: {error}") from error


def statement_document(sql: str, params: Params | None) -> dict[str, Json]:
    """Return the fields of a statement.

    Raises:
        InterfaceError: it is not a text, or its parameters have no SQL type.
    """
    if not isinstance(sql, str):
        raise InterfaceError(f"a statement is a text, not {type(sql).__name__}")
    return {"sql": sql} if params is None else {"sql": sql, "params": encode_params(params)}


def fields_of(options: Options, defaults: Defaults, seen: Position) -> Fields:
    """Return the fields of the options, and of what the connection has read.

    Args:
        options: those of a statement.
        defaults: those of its connection.
        seen: the position that the connection has read.

    Raises:
        InterfaceError: an option does not exist, or has a wrong value.
    """
    check_names(options, Options)
    document: dict[str, Json] = {}
    if "consistency" in options:
        document["consistency"] = options["consistency"]
    if options.get("partial"):
        document["partial"] = True
    asked = _asked(options)
    position = asked
    if defaults.monotonic and seen:
        position = seen.merge(asked)
        # Otherwise a bound in the statement itself would take the place of this one.
        document.setdefault("consistency", "monotonic")
        if not asked:
            # What was read may have topics of stores that have been dropped since.
            document["unknown_topics"] = "ignore"
    if position:
        document["bound"] = position.token
    waits = bool(position) or options.get("consistency") in {"latest", "snapshot"}
    wait_s = seconds(options.get("wait_s", defaults.wait_s), "wait_s") if waits else 0.0
    return Fields(document, min(wait_s, _WAIT_S_MAX))


def _asked(options: Options) -> Position:
    """Return the bound that the options ask for."""
    bound = options.get("bound", EMPTY)
    if not isinstance(bound, Position):
        raise InterfaceError(
            "a bound is a Position", hint="Write at_least(topic, partition, offset)."
        )
    return bound.merge(after_records(options["after"])) if "after" in options else bound


def check_names(options: Mapping[str, object], known: type) -> None:
    """Refuse options that do not exist, as a type checker does.

    Raises:
        InterfaceError: there is one.
    """
    names = known.__annotations__
    if unknown := sorted(options.keys() - names.keys()):
        raise InterfaceError(
            f'option "{unknown[0]}" does not exist', hint=f"The options are {', '.join(names)}."
        )


def seconds(value: Any, name: str) -> float:
    """Return a number of seconds.

    Raises:
        InterfaceError: it is not one.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise InterfaceError(f"{name} is a number of seconds, not {value!r}")
    return float(value)


def batches_of(sets: Sequence[Params]) -> Iterator[list[orjson.Fragment]]:
    """Yield sets of parameters as JSON, in lists that are short enough for a request."""
    part, size = list[orjson.Fragment](), 0
    for each in sets:
        text = orjson.dumps(encode_params(each))
        if part and (len(part) == _SETS_MAX or size + len(text) > _SETS_BYTES_MAX):
            yield part
            part, size = [], 0
        part.append(orjson.Fragment(text))
        size += len(text) + 1
    if part:
        yield part
