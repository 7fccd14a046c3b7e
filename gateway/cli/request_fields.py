r"""The fields of the shell's requests: those that `\set` sets, and the position that was seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import orjson

from stategate.gateway.cli.statement_text import Parameters
from stategate.gateway.errors import ClientError
from stategate.stores.errors import CodecError
from stategate.stores.spec.position import Position

Json: TypeAlias = Any
"""A value that orjson returns."""

FIELDS = ("bound", "wait_ms", "consistency", "unknown_topics", "partial", "info", "engine")
r"""Fields of a request that `\set` sets."""


class RequestFields:
    """The fields of one session's requests, and the last position that it has seen.

    Each request has a session of its own at the gateway, so the shell remembers both.
    """

    def __init__(self) -> None:
        self._fields: dict[str, Json] = {}
        self._position: dict[str, dict[str, int]] = {}

    def __iter__(self) -> Iterator[tuple[str, Json]]:
        return iter(self._fields.items())

    @property
    def token(self) -> str:
        """The last position as a token."""
        return orjson.dumps(self._position).decode()

    def set(self, name: str, value: str) -> None:
        """Set a field; an empty value removes it.

        Raises:
            ClientError: there is no such field.
        """
        if name not in FIELDS:
            raise ClientError(f"{name} cannot be set", hint=f"Fields are {', '.join(FIELDS)}.")
        if value:
            self._fields[name] = _field_value(value)
        else:
            self._fields.pop(name, None)

    def of(self, parameters: Parameters) -> dict[str, Json]:
        """Return the fields of a request; for `monotonic` the bound has the last position, too."""
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

    def note(self, position: Mapping[str, Mapping[str, int]]) -> None:
        """Add the position of an answer."""
        for topic, offsets in position.items():
            held = self._position.setdefault(topic, {})
            for partition, offset in offsets.items():
                held[partition] = max(offset, held.get(partition, offset))


def _field_value(text: str) -> Json:
    r"""Parse a value of `\set`: `on`, `off`, JSON, or otherwise the text itself."""
    if text in {"on", "off"}:
        return text == "on"
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _raised(bound: Json, seen: Mapping[str, Mapping[str, int]]) -> Json:
    """Return a bound raised to a position.

    A bound that cannot be read stays as it is: the gateway will refuse it.
    """
    try:
        given = Position.from_token(bound) if isinstance(bound, str) else Position.from_json(bound)
    except CodecError:
        return bound
    return given.merge(Position.from_json(seen)).token()
