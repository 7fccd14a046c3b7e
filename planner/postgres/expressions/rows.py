"""Rows as values: `ROW(…)` and the name of a FROM item in a result, and the fields of rows.

PostgreSQL calls the type of such a value record. DuckDB holds it as a struct; the fields of
`ROW(…)` are f1, f2, …. Comparisons, texts and json of a row that is written out have their own
rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from stategate.planner.errors import NotSupportedError, UnknownNameError
from stategate.planner.postgres.expressions.printing import row_of
from stategate.planner.postgres.expressions.rules import Rule
from stategate.planner.postgres.types.inference import Types
from stategate.planner.trees.nodes import call, cast, position_of, put, strip
from stategate.planner.values.catalog_types import is_record

_RESULTS = (exp.Select, exp.Alias, exp.Array, exp.ArrayAgg, exp.Order, exp.Struct)
"""Parents in which a row is a value, and not an operand of a rule."""


def write_rows(tree: exp.Expr, types: Types) -> None:
    """Write the rows that are values as structs, in place.

    Raises:
        NotSupportedError: the columns of a row have one name, or an outer join may lack the row.
    """
    for node in list(tree.walk()):
        parent = node.parent
        is_value = isinstance(parent, _RESULTS) or isinstance(parent and parent.parent, exp.Values)
        if not is_value or not is_record(types.of(node)):
            continue
        bare = strip(node)
        if isinstance(bare, exp.Column) and (places := types.columns.of_row(bare)):
            check_whole(bare, [name for _, name in places])
            members = [exp.column(name, table=item, quoted=True) for item, name in places]
            fresh = _struct([name for _, name in places], members)
        elif (row := row_of(node)) is not None:
            names = [f"f{at}" for at in range(1, len(row.expressions) + 1)]
            fresh = _struct(names, [_typed(each) for each in row.expressions])
        else:
            continue
        types.note(fresh, types.of(node))
        put(node, fresh)


def _struct(names: Sequence[str], members: Sequence[exp.Expr]) -> exp.Expr:
    pairs = [
        exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=member.copy())
        for name, member in zip(names, members, strict=True)
    ]
    return exp.Struct(expressions=pairs)


def _typed(member: exp.Expr) -> exp.Expr:
    """Return a member of a row; a bare NULL is a text."""
    row = row_of(member)
    if row is not None:
        names = [f"f{at}" for at in range(1, len(row.expressions) + 1)]
        return _struct(names, [_typed(each) for each in row.expressions])
    return cast(member.copy(), "TEXT") if isinstance(strip(member), exp.Null) else member


def check_whole(item: exp.Column, names: Sequence[str]) -> None:
    """Refuse the whole row of a FROM item that DuckDB would give otherwise.

    Raises:
        NotSupportedError: two columns have one name, or an outer join may lack the row.
    """
    select = item.parent_select
    joins = select.args.get("joins") or [] if select is not None else []
    if len({name.lower() for name in names}) < len(names) or any(join.side for join in joins):
        raise NotSupportedError(
            "a whole row is not supported beside an outer join, or if two columns have one name",
            hint="Write ROW(a, b) of its columns.",
            position=position_of(item),
        )


def _field(node: exp.Expr, types: Types) -> exp.Expr:
    """Read a field of a row."""
    owner, name = strip(node.this), node.expression.name
    found = types.of(owner)
    if found is None or not is_record(found):
        return node
    if name not in dict(found.fields):
        raise UnknownNameError(
            f'could not identify column "{name}" in record data type',
            position=position_of(node),
            sqlstate="42703",
        )
    if isinstance(owner, exp.Column) and (places := types.columns.of_row(owner)):
        item = next(item for item, each in places if each == name)
        return put(node, exp.column(name, table=item, quoted=True))
    row = row_of(owner)
    held = owner.copy() if row is None else _typed(owner)
    place = exp.Literal.number([each for each, _ in found.fields].index(name) + 1)
    return put(node, call("struct_extract_at", held, place))


RULES: Mapping[type[exp.Expr], Rule] = {exp.Dot: _field}
"""The rules, by type of node."""
