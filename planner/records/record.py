"""The record of a function, and how a table of records is read.

A line of a table is `names: signatures -> result; facts`. A name may have several lines, each with
its signatures and their facts; results are of the function as a whole.

| part | meaning |
|---|---|
| `(text, integer, text?)` | a signature; parameters with `?`, the last ones, may be left out |
| `any`, `any...` | an argument of any type, which nothing resolves; any number of them |
| `-> text` | the type of the result |
| `-> first`, `-> $2` | the type of the first argument as it is; of the second parameter |
| `-> common` | the type that the arguments of a pseudo type agree on |
| `-> number` | a double or a numeric, by the signature |
| no result | worked out from the types of the arguments, or not known |
| `volatile`, `stable` | gives another value in each call; in each statement. Others are immutable |
| `many rows` | returns any number of rows |
| `takes NULL` | is not NULL whenever an argument is. Says nothing about aggregates and windows |
| `more forms` | PostgreSQL has forms of other types, too, so a bare text means none (42725) |
| `own syntax` | its arguments are not counted: part of them stands elsewhere in the statement |
| `as name` | DuckDB has it under that name |
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from stategate.stores.spec.schema import DataType, Kind, decimal_type
from stategate.stores.types.kinds import BY_NAME

Parameter: TypeAlias = DataType | str
"""The type of a parameter; the name of a pseudo type such as `anyarray`."""
Signature: TypeAlias = tuple[Parameter, ...]
ANY = "any"
"""The parameter that takes a value of any type."""
_FACTS = {"stable", "volatile", "many rows", "takes NULL", "own syntax", "more forms"}
_PSEUDO = {ANY, "anyarray", "anyelement", "anycompatible", "anycompatiblearray"}
_LINE = re.compile(
    r"(?P<names>[^:;>]*?)(?::(?P<taken>[^>;]*))?(?:->(?P<result>[^;]*))?(?:;(?P<facts>.*))?"
)


class Volatility(Enum):
    """When a function gives the same value for the same arguments."""

    IMMUTABLE = "always"
    STABLE = "within a statement"
    VOLATILE = "never"


class ByArguments(Enum):
    """Results whose type depends on the arguments."""

    FIRST = "the type of the first argument"
    COMMON = "the type that the arguments of a pseudo type agree on"
    NUMBER = "a double or a numeric, by the signature"


@dataclass(frozen=True, slots=True)
class OfParameter:
    """A result that has the type of a parameter, by its index."""

    index: int


Result: TypeAlias = DataType | ByArguments | OfParameter | None


@dataclass(frozen=True, slots=True)
class Form:
    """Signatures of a function that share their facts."""

    signatures: tuple[Signature, ...]
    volatility: Volatility
    takes_null: bool
    returns_rows: bool
    """Whether it returns any number of rows."""
    further: Parameter | None = None
    """The parameter of any number of arguments that may follow the last signature."""
    has_more: bool = False
    """Whether PostgreSQL has more forms with as many arguments."""

    @property
    def is_variadic(self) -> bool:
        """Whether any number of further arguments may follow the last signature."""
        return self.further is not None

    def taking(self, count: int) -> list[Signature]:
        """Return the signatures of calls with this many arguments."""
        found = [each for each in self.signatures if len(each) == count]
        if self.further is None or len(last := self.signatures[-1]) >= count:
            return found
        return [*found, (*last, *(self.further,) * (count - len(last)))]


@dataclass(slots=True)
class FunctionRecord:
    """What is known about one function."""

    name: str
    forms: list[Form] = field(default_factory=list)
    result: Result = None
    duckdb_name: str | None = None
    """DuckDB's function with the same meaning, if it only has another name."""
    has_own_syntax: bool = False

    @property
    def is_volatile(self) -> bool:
        """Whether a form of it is volatile."""
        return any(form.volatility is Volatility.VOLATILE for form in self.forms)

    @property
    def returns_rows(self) -> bool:
        """Whether it returns any number of rows."""
        return any(form.returns_rows for form in self.forms)

    @property
    def signatures(self) -> list[Signature]:
        """The signatures that say which types it takes: with parameters, none of any type."""
        every = [signature for form in self.forms for signature in form.signatures]
        return [signature for signature in every if signature and ANY not in signature]

    def has_more_of(self, count: int) -> bool:
        """Whether PostgreSQL has more forms of it with this many arguments."""
        lengths = {len(s) for form in self.forms if form.has_more for s in form.signatures}
        return count in lengths

    @property
    def least_of_any(self) -> int | None:
        """The number of arguments from which on any number may follow, or None."""
        lengths = [len(form.signatures[-1]) for form in self.forms if form.is_variadic]
        return min(lengths, default=None)

    @property
    def counts(self) -> frozenset[int]:
        """How many arguments it may have; empty if they are not counted."""
        lengths = {len(signature) for form in self.forms for signature in form.signatures}
        return frozenset() if self.has_own_syntax else frozenset(lengths)

    def allows(self, count: int) -> bool:
        """Whether a call may have this many arguments, if they are counted."""
        least = self.least_of_any
        return count in self.counts or (least is not None and count >= least)


def records(*tables: str) -> dict[str, FunctionRecord]:
    """Return the records of tables, by name; the module says how a line is written."""
    found: dict[str, FunctionRecord] = {}
    for table in tables:
        for line in _lines(table):
            _add(found, line)
    return found


def _lines(table: str) -> list[str]:
    """Return the lines of a table; one that is indented further continues the one before."""
    return re.sub(r"\n      +", " ", table).strip("\n").splitlines()


def _add(found: dict[str, FunctionRecord], line: str) -> None:
    parts = _LINE.fullmatch(line)
    if parts is None:
        raise ValueError(f"not a record: {line}")
    facts = [fact.strip() for fact in (parts["facts"] or "").split(",") if fact.strip()]
    signatures: list[Signature] = []
    further = None
    for text in re.findall(r"\(([^)]*)\)", parts["taken"] or ""):
        first, _, last = text.rpartition(",")
        if last.endswith("..."):
            further = _parameter(last.strip().removesuffix("..."))
        signatures += _signatures(first if last.endswith("...") else text)
    form = Form(
        signatures=tuple(signatures),
        further=further,
        volatility=next((v for v in Volatility if v.name.lower() in facts), Volatility.IMMUTABLE),
        takes_null="takes NULL" in facts,
        returns_rows="many rows" in facts,
        has_more="more forms" in facts,
    )
    if unknown := [f for f in facts if f not in _FACTS and not f.startswith("as ")]:
        raise ValueError(f"not a fact of a record: {unknown[0]}")
    for name in parts["names"].split():
        record = found.setdefault(name, FunctionRecord(name=name))
        record.forms.append(form)
        record.result = _result((parts["result"] or "").strip())
        record.has_own_syntax = "own syntax" in facts
        record.duckdb_name = next((f[3:] for f in facts if f.startswith("as ")), None)


def _signatures(text: str) -> list[Signature]:
    """Return the signatures of `text, integer, text?`: with and without what may be left out."""
    given = [each.strip() for each in text.split(",") if each.strip()]
    least = len([each for each in given if not each.endswith("?")])
    taken = [_parameter(each.rstrip("?")) for each in given]
    return [tuple(taken[:count]) for count in range(least, len(taken) + 1)]


def _parameter(name: str) -> Parameter:
    return name if name in _PSEUDO else type_named(name)


def _result(text: str) -> Result:
    if not text:
        return None
    if text.startswith("$"):
        return OfParameter(int(text[1:]) - 1)
    return ByArguments[text.upper()] if text in {"first", "common", "number"} else type_named(text)


def type_named(name: str) -> DataType:
    """Return the type that a table names: `numeric`, `decimal(38,0)`, `text[]`."""
    if name.endswith("[]"):
        return DataType(kind=Kind.ARRAY, element=type_named(name[:-2]))
    sized = re.fullmatch(r"decimal\((\d+),(\d+)\)", name)
    if sized:
        return decimal_type(int(sized[1]), int(sized[2]))
    return DataType(kind=Kind.DECIMAL if name == "numeric" else BY_NAME[name])
