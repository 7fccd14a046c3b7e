"""Read options of a statement: from its WITH clause, or else from the session's settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stategate.planner.errors import InvalidValueError, UnknownNameError
from stategate.planner.syntax.with_clause import (
    LAG_MS_MAX,
    NO_CLAUSE,
    WAIT_MS_MAX,
    Clause,
    IntOrParameter,
    ParameterRef,
    interval_ms,
    position_of,
)
from stategate.planner.values.durations import DURATIONS, duration_ms
from stategate.planner.values.session import Session, TransactionStatus, default_isolation
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.position import EMPTY, UNBOUNDED, Position, PositionBound
from stategate.stores.spec.schema import BOOLEAN, INTERVAL, Row, Value

_CONSISTENCIES = ("eventual", "monotonic", "latest", "snapshot")
_UNKNOWN_TOPICS = ("error", "ignore")
_ENGINES = ("auto", "local", "spark")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """The options of one execution."""

    bound: PositionBound = UNBOUNDED
    seen: Position = EMPTY
    """The positions that the session has seen, if they are a bound too."""
    named_topics: frozenset[str] = frozenset()
    """Topics of the bound that the statement names; tokens and settings contribute others."""
    ignores_unknown: bool = False
    """Whether a bound may name topics that feed no store."""
    latest: bool = False
    """Whether the bound is everything committed when the statement arrived."""
    snapshot: bool = False
    """Whether all partitions of a pipeline answer at one epoch."""
    wait_ms: int = 0
    partitions: frozenset[int] | None = None
    active: bool = False
    partial: bool = False
    info: bool = False
    engine: str = "auto"
    """Where it runs: `auto`, `local` or `spark`."""


DEFAULT_OPTIONS = ReadOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """The values of the settings of a session that say how its statements read."""

    consistency: str = "eventual"
    position: Position = EMPTY
    unknown_topics: str = "error"
    wait_ms: int = 0
    active: bool = False
    partial: bool = False
    info: bool = False
    engine: str = "auto"
    repeats_reads: bool = False
    """Whether a statement outside a transaction reads as a transaction that repeats its reads."""

    @property
    def is_monotonic(self) -> bool:
        """Whether no statement may read less than an earlier one, whatever its clause says."""
        return self.consistency == "monotonic"


PLAIN_SESSION = SessionOptions()
"""`Session.options` of a session that has set none of them."""


def _choice(name: str, choices: Sequence[str]) -> Callable[[str], str]:
    def read(value: str) -> str:
        folded = value.strip().lower()
        if folded not in choices:
            raise InvalidValueError(
                f'invalid value for parameter "{name}": "{value}"',
                hint=f"Use one of {', '.join(choices)}.",
            )
        return folded

    return read


def _wait(value: str) -> int:
    milliseconds = value.strip().isdigit()
    text = f"{value.strip()} ms" if milliseconds else value
    return interval_ms(parse_value(text, INTERVAL), WAIT_MS_MAX)


def _position(value: str) -> Position:
    return position_of(value) if value.strip() else EMPTY


def _flag(value: str) -> bool:
    return bool(parse_value(value, BOOLEAN))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    field: str
    """The field of `SessionOptions` that it sets."""
    default: str
    read: Callable[[str], object]
    """Turns a text into the value of the field; raises InvalidValueError."""


_SETTINGS: Mapping[str, _Setting] = {
    "stategate.consistency": _Setting(
        field="consistency",
        default="eventual",
        read=_choice("stategate.consistency", _CONSISTENCIES),
    ),
    "stategate.bound": _Setting(field="position", default="", read=_position),
    "stategate.unknown_topics": _Setting(
        field="unknown_topics",
        default="error",
        read=_choice("stategate.unknown_topics", _UNKNOWN_TOPICS),
    ),
    "stategate.wait": _Setting(field="wait_ms", default="0", read=_wait),
    "stategate.active": _Setting(field="active", default="off", read=_flag),
    "stategate.partial": _Setting(field="partial", default="off", read=_flag),
    "stategate.info": _Setting(field="info", default="off", read=_flag),
    "stategate.engine": _Setting(
        field="engine", default="auto", read=_choice("stategate.engine", _ENGINES)
    ),
}
_PREFIX = "stategate."
SETTINGS: Mapping[str, str] = {name: setting.default for name, setting in _SETTINGS.items()}
"""The defaults, by name, of the settings that apply where the WITH clause says nothing."""


def check_setting(name: str, value: str) -> None:
    """Refuse a value that a setting does not accept.

    Raises:
        InvalidValueError: the value is not accepted; the hint lists the accepted ones.
    """
    _SETTINGS[name].read(value)


def check_settings(settings: Mapping[str, str]) -> None:
    """Refuse unknown settings and wrong values that a client connects with.

    Raises:
        UnknownNameError: a setting `stategate.*` does not exist (42704).
        InvalidValueError: a setting does not accept its value.
    """
    for name, value in settings.items():
        if name in SETTINGS:
            check_setting(name, value)
        elif name in DURATIONS:
            duration_ms(name, value)
        elif name.startswith(_PREFIX):
            raise UnknownNameError(
                f'unrecognized configuration parameter "{name}"',
                hint=f"Use one of {', '.join(SETTINGS)}.",
                sqlstate="42704",
            )


def session_options(session: Session) -> SessionOptions:
    """Return the session's options; they are read once after each change.

    Raises:
        InvalidValueError: a setting given at connection has a wrong value.
    """
    if not isinstance(session.options, SessionOptions):
        fields = {
            setting.field: setting.read(session.settings[name])
            for name, setting in _SETTINGS.items()
            if name in session.settings
        }
        fields["repeats_reads"] = default_isolation(session).repeats_reads
        found = SessionOptions(**fields)  # type: ignore[arg-type]
        session.options = PLAIN_SESSION if found == PLAIN_SESSION else found
    assert isinstance(session.options, SessionOptions)
    return session.options


def read_options(clause: Clause, session: Session, parameters: Row) -> ReadOptions:
    """Return the options of one execution.

    Raises:
        InvalidValueError: a parameter in the clause has a wrong value.
    """
    mine = session_options(session)
    if clause is NO_CLAUSE and mine is PLAIN_SESSION:
        return DEFAULT_OPTIONS
    wait_ms = (
        mine.wait_ms
        if clause.wait_ms is None
        else _milliseconds(clause.wait_ms, parameters, WAIT_MS_MAX)
    )
    has_bound = clause.has_bound
    snapshot = clause.snapshot if has_bound else mine.consistency == "snapshot"
    if mine.repeats_reads and session.transaction is TransactionStatus.IDLE:
        snapshot = True
    partitions = None
    if clause.partitions is not None:
        partitions = frozenset(_integer(number, parameters) for number in clause.partitions)
    return ReadOptions(
        bound=_bound(clause, mine, parameters),
        seen=session.seen if mine.is_monotonic else EMPTY,
        named_topics=frozenset(each.topic for each in clause.topics),
        ignores_unknown=mine.unknown_topics == "ignore",
        latest=clause.latest if has_bound else mine.consistency == "latest",
        snapshot=snapshot,
        wait_ms=wait_ms,
        partitions=partitions,
        active=clause.active or mine.active,
        partial=clause.partial or mine.partial,
        info=clause.info or mine.info,
        engine=mine.engine,
    )


def _bound(clause: Clause, mine: SessionOptions, parameters: Row) -> PositionBound:
    if not clause.has_bound:
        return PositionBound(position=mine.position)
    # The position that a monotonic session begins with is one that it has seen elsewhere.
    position = mine.position if mine.is_monotonic else EMPTY
    for given in clause.positions:
        position = position.merge(_token(given, parameters))
    for topic in clause.topics:
        partition = _integer(topic.partition, parameters)
        offset = _integer(topic.offset, parameters)
        position = position.with_component(topic.topic, partition, offset)
    lag = clause.lag_ms_max
    lag_ms_max = None if lag is None else _milliseconds(lag, parameters, LAG_MS_MAX)
    return PositionBound(position=position, lag_ms_max=lag_ms_max)


def _value(reference: ParameterRef, parameters: Row) -> Value:
    value = parameters[reference.number - 1]
    if value is None:
        raise InvalidValueError(f"parameter ${reference.number} of the WITH clause is null")
    return value


def _token(given: Position | ParameterRef, parameters: Row) -> Position:
    if isinstance(given, Position):
        return given
    value = _value(given, parameters)
    if not isinstance(value, str):
        raise InvalidValueError(
            f"parameter ${given.number} is not a position token", sqlstate="22P02"
        )
    return position_of(value)


def _integer(given: IntOrParameter, parameters: Row) -> int:
    value = given if isinstance(given, int) else _value(given, parameters)
    if not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise InvalidValueError("partitions and offsets are whole numbers from 0 on")
    return value


def _milliseconds(given: int | ParameterRef, parameters: Row, most_ms: int) -> int:
    if isinstance(given, int):
        return given
    value = _value(given, parameters)
    interval = parse_value(value, INTERVAL) if isinstance(value, str) else value
    return interval_ms(interval, most_ms)
