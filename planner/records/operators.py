"""The operators of PostgreSQL for the types that values can have here: the operands of each.

A line of a table is `symbols: operands`. An entry `text` means that both sides are texts,
`date,integer` names both sides, and `{real double}` stands for all pairs of its types, which have
the names of `type_choice`. One with `!` is not supported. A test compares the tables with
PostgreSQL's own pg_operator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product

Operands = tuple[str, ...]
"""The types of the operands, from left to right."""

_INFIX = """
    = <> < <= > >=: boolean bpchar bytea char decimal inet interval jsonb macaddr name oid oidvector
      pg_lsn record text tid time uuid xid8 anyarray name,text text,name
      {smallint integer bigint} {real double} {date timestamp timestamptz}
    = <>: xid xid,integer
    =: aclitem cid
    + - * /: decimal {smallint integer bigint} {real double}
    + -: date,integer date,interval time,interval timestamp,interval timestamptz,interval interval
      !inet,bigint pg_lsn,decimal
    +: date,time time,date integer,date interval,date interval,time interval,timestamp
      interval,timestamptz !bigint,inet decimal,pg_lsn
    -: date time timestamp timestamptz !inet pg_lsn jsonb,integer jsonb,text jsonb,text[]
    *: double,interval interval,double
    /: interval,double
    %: smallint integer bigint decimal
    ^: double decimal
    & | #: smallint integer bigint
    & |: !inet !macaddr
    << >>: smallint,integer integer bigint,integer !inet
    ||: text bytea jsonb text,anynonarray anynonarray,text
      anycompatible,anycompatiblearray anycompatiblearray,anycompatible anycompatiblearray
    -> ->>: json,text json,integer jsonb,text jsonb,integer
    #> #>>: json,text[] jsonb,text[]
    #-: jsonb,text[]
    @> <@: anyarray jsonb
    @>: aclitem[],aclitem anyrange,anyelement anymultirange,anyelement
    <@: anyelement,anyrange anyelement,anymultirange
    &&: anyarray !inet
    ?: jsonb,text
    ?| ?&: jsonb,text[]
    ?|: point
    @? @@: jsonb,jsonpath
    @@: !text
    ~ ~* !~ !~* ~~ ~~* !~~ !~~*: text name,text bpchar,text
    ~~ !~~: !bytea
    ^@: text
    AT_TIME_ZONE: timestamp,text timestamptz,text !timetz,text timestamp,interval
      timestamptz,interval !timetz,interval
"""
_PREFIX = """
    + - @: smallint integer bigint real double decimal
    -: interval
    ~: smallint integer bigint !inet !macaddr
    |/ ||/: double
"""


UNSUPPORTED: set[tuple[str, Operands]] = set()
"""Operators that PostgreSQL has, and values here have not: the symbol, and the operands."""


def _table(text: str, *, sides: int) -> dict[str, list[Operands]]:
    found: dict[str, list[Operands]] = {}
    for line in re.sub(r"\n      +", " ", text).strip().splitlines():
        symbols, _, entries = line.partition(": ")
        taken: list[Operands] = []
        for entry in re.findall(r"\{[^}]*\}|\S+", entries):
            if entry.startswith("{"):
                taken += product(entry.strip("{}").split(), repeat=sides)
            else:
                named = tuple(entry.removeprefix("!").split(","))
                taken.append(named if len(named) == sides else named * sides)
            if entry.startswith("!"):
                UNSUPPORTED.update((symbol, taken[-1]) for symbol in symbols.split())
        for symbol in symbols.split():
            found.setdefault(symbol, []).extend(taken)
    return found


INFIX: Mapping[str, list[Operands]] = _table(_INFIX, sides=2)
"""Symbol → the types of both sides of each operator."""
PREFIX: Mapping[str, list[Operands]] = _table(_PREFIX, sides=1)
"""Symbol → the type of the operand of each operator before it."""
