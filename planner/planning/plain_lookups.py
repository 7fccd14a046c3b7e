"""Plan the lookup of a key from its text: `SELECT visits, score FROM users WHERE id = $1`.

Programs send such statements more than any other, and each new one is planned while others wait.
Parsing one and binding its tree take several times as long as finding all that its plan needs: the
store, the columns and the operands. Any other text, and any wrong one, goes to the parser.

Law: the plan is the one that the parser, the binder and the rules make of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from msgspec import Struct
from sqlglot import exp

from stategate.planner.binding.column_origins import with_origins
from stategate.planner.binding.predicates import Equals, Operand, Predicate, equals_one_of
from stategate.planner.binding.relations import Relation, relation_of
from stategate.planner.errors import QueryError
from stategate.planner.pg_catalog.catalog_calls import may_call_catalog
from stategate.planner.pg_catalog.relations import is_of_catalog
from stategate.planner.planning.access import Access
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.planning.rules.look_up_key import lookup_of
from stategate.planner.syntax.parse import parse
from stategate.planner.syntax.with_clause import NO_CLAUSE
from stategate.planner.trees.dialect import DIALECT
from stategate.planner.values.comparison_bounds import INT_BITS, Fitter, fitter
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.schema import BIGINT, Column, DataType, Kind, StoreSchema

_LENGTH_MAX = 2_000
"""Maximum length of such a text in characters."""
_SPACE, _NAME = r"[ \t\r\n]", r"[a-z_][a-z0-9_]*+"
_ITEM = rf"{_NAME}(?:{_SPACE}++as{_SPACE}++{_NAME})?+"
_VALUE = r"'[^'\\\x00-\x1f\x7f]*+'|\$[1-9]\d?+|\d{1,18}+"
_PAIR = rf"{_NAME}{_SPACE}*+={_SPACE}*+(?:{_VALUE})"
_LOOKUP = re.compile(
    rf"{_SPACE}*+select{_SPACE}++(\*|{_ITEM}(?:{_SPACE}*+,{_SPACE}*+{_ITEM})*+)"
    rf"{_SPACE}++from{_SPACE}++({_NAME})"
    rf"{_SPACE}++where{_SPACE}++({_PAIR}(?:{_SPACE}++and{_SPACE}++{_PAIR})*+){_SPACE}*+",
    re.IGNORECASE | re.ASCII,
)
_PAIRS = re.compile(
    rf"({_NAME}){_SPACE}*+={_SPACE}*+({_VALUE})(?:{_SPACE}++and{_SPACE}++)?+",
    re.IGNORECASE | re.ASCII,
)
_KEYWORDS = frozenset(
    word for keyword in DIALECT.tokenizer_class.KEYWORDS for word in keyword.lower().split()[:1]
)
"""The words that are never read as the name of a relation or of a result column."""
_SAMPLE = "SELECT {0}, {0} AS a, {0} FROM t WHERE {0} = '' AND {0} = 1"
_NAMES_MAX = 10_000
"""Maximum number of column names of which we cache whether they are plain; schemas have fewer."""


class _KeyColumn(Struct, frozen=True):
    """A column of a key, and how values are compared with it."""

    type: DataType
    fit: Fitter
    """Fits a parameter of the column's type."""
    fit_number: Fitter | None
    """Fits a number; None if the column is not of numbers."""


class _Target(Struct, frozen=True):
    """A store that lookups read, with the parts that their plans share."""

    relation: Relation
    schema: StoreSchema
    reads: frozenset[str]
    key: Mapping[str, _KeyColumn]
    columns: Mapping[str, Column]
    """The columns of `*`, by name, with their origins."""
    words: frozenset[str]
    """The names among them that can be written without quotes."""


class PlainLookups:
    """Plans lookups of one key from their texts. Safe to use from many threads.

    Args:
        catalog: the stores.
        oid_of: returns the oid of a relation.
    """

    def __init__(self, catalog: StoreCatalog, oid_of: Callable[[Relation], int]) -> None:
        self._catalog, self._oid_of = catalog, oid_of
        self._targets: tuple[int, dict[str, _Target]] = -1, {}

    def plan(self, sql: str, given: Sequence[DataType | None]) -> QueryPlan | None:
        """Return the plan of a lookup; None for any other text.

        Args:
            sql: one statement.
            given: the types of its parameters that the client gives.
        """
        found = _LOOKUP.fullmatch(sql) if len(sql) <= _LENGTH_MAX else None
        if found is None:
            return None
        items, name, where = found.groups()
        version = self._catalog.version
        target = self._target(name.lower(), version)
        if target is None:
            return None
        conditions = _conditions(target, where, given)
        listed = None if conditions is None else _listed(target, items)
        if conditions is None or listed is None:
            return None
        names, columns = listed
        access = Access(
            schema=target.schema,
            columns=tuple(dict.fromkeys(names)),
            predicate=Predicate(disjuncts=(conditions,)),
        )
        node = lookup_of(access, names)
        if node is None:
            return None
        relation = target.relation
        return QueryPlan(
            node=node,
            columns=columns,
            origins=tuple([(relation, name) for name in names]),
            parameters=tuple(
                [
                    target.key[each.column].type
                    for each in conditions
                    if each.operands[0].parameter is not None
                ]
            ),
            clause=NO_CLAUSE,
            reads=target.reads,
            catalog_version=version,
        )

    def _target(self, name: str, version: int) -> _Target | None:
        """Return the target for a store; None if no store of this name has lookups of this form."""
        known, targets = self._targets
        store = self._catalog.stores.get(name)
        if store is None or name in _KEYWORDS or is_of_catalog("", name):
            return None
        if known != version:
            targets = {}
            self._targets = version, targets
        target = targets.get(name)
        if target is None or target.schema is not store.schema:
            target = targets[name] = self._target_of(store.schema)
        return target

    def _target_of(self, schema: StoreSchema) -> _Target:
        relation = relation_of(schema)
        origins = tuple([(relation, column.name) for column in relation.columns])
        columns = with_origins(relation.columns, origins, self._oid_of)
        single = () if schema.time_columns else schema.key  # otherwise a key has several rows
        return _Target(
            relation=relation,
            schema=schema,
            reads=frozenset({schema.name}),
            key={column.name: key for column in single if (key := _key_column(column))},
            columns={column.name: column for column in columns},
            words=frozenset(column.name for column in columns if _is_plain(column.name)),
        )


@lru_cache(maxsize=_NAMES_MAX)
def _is_plain(name: str) -> bool:
    """Whether an unquoted name means a column, and not a keyword or a call."""
    if not name.isidentifier() or may_call_catalog(name):
        return False
    try:
        tree = parse(_SAMPLE.format(name)).tree
    except QueryError:
        return False
    wanted = parse(_SAMPLE.format("c")).tree
    assert wanted is not None
    return tree == wanted.transform(lambda n: exp.column(name) if type(n) is exp.Column else n)


def _key_column(column: Column) -> _KeyColumn | None:
    fit = fitter(column.type, column.type)
    if fit is None or not _is_plain(column.name):
        return None
    is_number = column.type.kind in INT_BITS
    return _KeyColumn(column.type, fit, fitter(BIGINT, column.type) if is_number else None)


def _conditions(
    target: _Target, where: str, given: Sequence[DataType | None]
) -> tuple[Equals, ...] | None:
    """Return the conditions, one for each key column; None if there are any others.

    Parameters must be numbered in the order of the text.
    """
    found: dict[str, Equals] = {}
    pairs, count = _PAIRS.findall(where), 0
    for word, value in pairs:
        name = word.lower()
        column = target.key.get(name)
        if column is None:
            return None
        if value[0] == "$":
            wanted = given[count] if count < len(given) else None
            if value != f"${count + 1}" or (wanted is not None and wanted != column.type):
                return None
            operand: Operand | None = Operand(text=value, fit=column.fit, parameter=count)
            count += 1
        else:
            operand = _constant(column, value)
        condition = None if operand is None else equals_one_of(name, (operand,))
        if condition is None or condition.known == ():  # it holds for no row
            return None
        found[name] = condition
    is_whole = len(found) == len(pairs) == len(target.schema.key) and len(given) <= count
    return tuple(found.values()) if is_whole else None


def _constant(column: _KeyColumn, literal: str) -> Operand | None:
    """Return a literal as an operand; None if its type is not that of the column."""
    if literal[0] != "'":
        fit = column.fit_number
        return None if fit is None else Operand(text=literal, fit=fit, constant=int(literal))
    if column.type.kind is not Kind.TEXT:
        return None
    return Operand(text=literal, fit=column.fit, constant=literal[1:-1])


def _listed(target: _Target, items: str) -> tuple[tuple[str, ...], tuple[Column, ...]] | None:
    """Return the store's names for a SELECT list, and the result columns; None for other lists."""
    known = target.columns
    if items == "*":
        return tuple(known), tuple(known.values())
    names: list[str] = []
    columns: list[Column] = []
    for item in items.lower().split(","):
        words = item.split()
        if words[0] not in target.words:
            return None
        column = known[words[0]]
        names.append(words[0])
        if len(words) > 1:
            if words[2] in _KEYWORDS:
                return None
            column = replace(column, name=words[2])
        columns.append(column)
    return tuple(names), tuple(columns)
