"""Statements with small answers, and the speed that each must reach compared with PostgreSQL.

A statement names its variables as pgbench does, `:a`. The simple protocol puts a value into the
text; quotes around it make it a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.bench import data
from tests.bench.small_stores import AIRCRAFT_ROWS, AIRPORTS, DESTINATIONS, FIRST_AIRPORT
from tests.bench.small_stores import FIRST_TAILNUM as FIRST

_VARIABLE = re.compile(r"(?<!:):([a-z]+)")
"""The pattern does not match the second colon of a cast."""
SAMPLES = 3
"""Number of values of each variable with which answers are compared."""
LAST = FIRST + AIRCRAFT_ROWS - 1
_IN_DAY = "window_start >= '2013-01-20' AND window_start < '2013-01-21'"
_AIRCRAFT = "SELECT tailnum, last_seen, last_dest, flights FROM aircraft"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A variable of a statement."""

    name: str
    drawn: str
    """pgbench's expression for its value."""
    samples: tuple[int, ...]
    """Values with which both servers' answers are compared."""
    is_text: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallStatement:
    """A statement, its variables, and its bars."""

    work: str
    sql: str
    variables: tuple[Variable, ...] = ()
    is_ordered: bool = True
    """Whether the order of the rows is defined."""
    rows: int
    """Rows of the answer to each sample."""
    least: float
    """Least ratio to PostgreSQL, for prepared statements of four clients."""
    goal: float

    @property
    def numbered(self) -> str:
        """Return the statement with the parameters `$1`, `$2`, … for its variables."""
        numbers = {each.name: number for number, each in enumerate(self.variables, start=1)}
        return self._with(lambda name: f"${numbers[name]}")

    def script(self, protocol: str) -> str:
        """Return a pgbench script that draws the variables."""
        draws = "".join(f"\\set {each.name} {each.drawn}\n" for each in self.variables)
        return f"{draws}{self.sql if protocol != 'simple' else self._quoted(':{}'.format)}\n"

    def literal(self, sample: int) -> str:
        """Return the statement with values, as the simple protocol sends it."""
        values = {each.name: str(each.samples[sample]) for each in self.variables}
        return self._quoted(lambda name: values[name])

    def parameters(self, sample: int) -> tuple[str, ...]:
        """Return values of the variables as text."""
        return tuple(str(each.samples[sample]) for each in self.variables)

    def _quoted(self, value_of: Callable[[str], str]) -> str:
        quotes = {each.name: "'" if each.is_text else "" for each in self.variables}
        return self._with(lambda name: f"{quotes[name]}{value_of(name)}{quotes[name]}")

    def _with(self, value_of: Callable[[str], str]) -> str:
        return _VARIABLE.sub(lambda found: value_of(found[1]), self.sql)


def statements(*, keys: int, days: int) -> Mapping[str, SmallStatement]:
    """Return the statements by name.

    Args:
        keys: the number of rows of the large store.
        days: the number of days with windows; at least 21.
    """
    return {**_of_keys(), **_of_windows(days), **_of_ranges(keys), **_of_all_rows()}


def _of_keys() -> Mapping[str, SmallStatement]:
    tailnum = _drawn("a", FIRST, LAST)
    ten = tuple(_drawn(name, FIRST, LAST, shift=shift) for shift, name in enumerate("abcdefghij"))
    return {
        "key": SmallStatement(
            work="one key",
            sql="SELECT last_seen, last_origin, last_dest FROM aircraft WHERE tailnum = :a",
            variables=(tailnum,),
            rows=1,
            least=1.2,
            goal=2.0,
        ),
        "ten-keys": SmallStatement(
            work="ten keys by IN",
            sql=f"{_AIRCRAFT} WHERE tailnum IN ({', '.join(f':{each.name}' for each in ten)})",
            variables=ten,
            is_ordered=False,
            rows=10,
            least=0.5,
            goal=1.0,
        ),
        "upper": SmallStatement(
            work="upper of ten keys, by DuckDB",
            sql="SELECT upper(tailnum) FROM aircraft"
            f" WHERE tailnum IN ({', '.join(f':{each.name}' for each in ten)})",
            variables=ten,
            is_ordered=False,
            rows=10,
            least=0.1,
            goal=0.3,
        ),
        "join": SmallStatement(
            work="a key joined to the windows of a day",
            sql="SELECT a.tailnum, h.window_start, h.departures FROM aircraft AS a"
            " JOIN airport_hourly AS h ON h.origin = a.last_origin"
            " WHERE a.tailnum = :a"
            " AND h.window_start >= '2013-01-20' AND h.window_start < '2013-01-21'"
            " ORDER BY h.window_start",
            variables=(tailnum,),
            rows=19,
            least=0.3,
            goal=1.0,
        ),
        "join-window": SmallStatement(
            work="a key joined to the window of its time",
            sql="SELECT a.tailnum, a.last_seen, h.origin, h.window_start, h.departures"
            " FROM aircraft AS a JOIN airport_hourly AS h ON h.origin = a.last_origin"
            " AND h.window_start <= a.last_seen AND a.last_seen < h.window_end"
            " WHERE a.tailnum = :a",
            variables=(tailnum,),
            rows=1,
            least=0.5,
            goal=2.0,
        ),
    }


def _of_windows(days: int) -> Mapping[str, SmallStatement]:
    origin = _drawn("a", FIRST_AIRPORT, FIRST_AIRPORT + AIRPORTS - 1)
    day = Variable(
        name="n", drawn=f"random(0, {days - 2})", samples=(0, 9, days - 2), is_text=False
    )
    hourly = "SELECT window_start, departures, mean_dep_delay FROM airport_hourly"
    return {
        "day": SmallStatement(
            work="windows of a key in a day",
            sql=f"{hourly} WHERE origin = :a AND {_IN_DAY} ORDER BY window_start",
            variables=(origin,),
            rows=19,
            least=0.3,
            goal=1.0,
        ),
        "day-added": SmallStatement(
            work="the same by timestamptz + n days",
            sql=f"{hourly} WHERE origin = :a"
            " AND window_start >= timestamptz '2013-01-01' + :n * interval '1 day'"
            " AND window_start < timestamptz '2013-01-02' + :n * interval '1 day'"
            " ORDER BY window_start",
            variables=(origin, day),
            rows=19,
            least=0.3,
            goal=1.0,
        ),
        "day-total": SmallStatement(
            work="sum, max of a key's day",
            sql="SELECT sum(departures), max(mean_dep_delay) FROM airport_hourly"
            f" WHERE origin = :a AND {_IN_DAY}",
            variables=(origin,),
            rows=1,
            least=0.2,
            goal=0.7,
        ),
        "newest": SmallStatement(
            work="newest five windows of all keys",
            sql="SELECT origin, window_start, departures FROM airport_hourly"
            " ORDER BY window_start DESC LIMIT 5",
            is_ordered=False,  # these windows start together
            rows=5,
            least=0.3,
            goal=1.0,
        ),
    }


def _of_ranges(keys: int) -> Mapping[str, SmallStatement]:
    before = _drawn("a", FIRST, LAST - 49)
    user = _drawn("a", data.FIRST_KEY, data.FIRST_KEY + max(0, keys - 100))
    return {
        "page": SmallStatement(
            work="page of 20 after a key",
            sql=f"{_AIRCRAFT} WHERE tailnum > :a ORDER BY tailnum LIMIT 20",
            variables=(before,),
            rows=20,
            least=0.25,
            goal=0.7,
        ),
        "range": SmallStatement(
            work="range of 49 rows",
            sql=f"{_AIRCRAFT} WHERE tailnum >= :a AND tailnum < :b ORDER BY tailnum",
            variables=(before, _beyond(before, "b", 49)),
            rows=49,
            least=0.25,
            goal=0.7,
        ),
        "range-of-many": SmallStatement(
            work=f"range of 100 rows out of {keys:,}",
            sql="SELECT id, visits, score, seen, city FROM users"
            " WHERE id >= :a AND id < :b ORDER BY id",
            variables=(user, _beyond(user, "b", 100)),
            rows=min(100, keys),
            least=0.25,
            goal=0.7,
        ),
    }


def _of_all_rows() -> Mapping[str, SmallStatement]:
    destination = _drawn("a", FIRST_AIRPORT, FIRST_AIRPORT + DESTINATIONS - 1)
    return {
        "top": SmallStatement(
            work="top ten of 4,043 rows",
            sql="SELECT tailnum, distance FROM aircraft ORDER BY distance DESC LIMIT 10",
            rows=10,
            least=0.5,
            goal=1.5,
        ),
        "groups": SmallStatement(
            work="top ten groups of 4,043 rows",
            sql="SELECT last_dest, count(*) AS aircraft, sum(flights) AS flights FROM aircraft"
            " GROUP BY last_dest ORDER BY aircraft DESC, last_dest LIMIT 10",
            rows=10,
            least=0.5,
            goal=1.5,
        ),
        "count": SmallStatement(
            work="count of a value in 4,043 rows",
            sql="SELECT count(*) FROM aircraft WHERE last_dest = :a",
            variables=(destination,),
            rows=1,
            least=0.7,
            goal=2.0,
        ),
    }


def _drawn(name: str, first: int, last: int, *, shift: int = 0) -> Variable:
    """Return a variable that is any key; with `shift` the samples of several variables differ."""
    samples = (first + shift, (first + last) // 2 + shift, last - shift)
    return Variable(name=name, drawn=f"random({first}, {last})", samples=samples)


def _beyond(variable: Variable, name: str, count: int) -> Variable:
    """Return a variable that is some keys after another."""
    samples = tuple(value + count for value in variable.samples)
    return Variable(name=name, drawn=f":{variable.name} + {count}", samples=samples)
