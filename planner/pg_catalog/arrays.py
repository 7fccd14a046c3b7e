"""PostgreSQL's arrays as DuckDB's lists: literals, ANY and ALL, and the vectors of pg_index.

A vector (`int2vector`, `oidvector`) is text like `1 2`, counted from 0, which is how clients read
it; where a statement looks into one it becomes a list.
"""

from __future__ import annotations

from collections.abc import Container

from sqlglot import exp

from planner.errors import ValueProblem
from planner.pg_catalog.relations import LOOKUP_SCHEMA, column_types

VECTORS = frozenset(
    name for name, kind in column_types().items() if kind in {"int2vector", "oidvector"}
)
ARRAYS = frozenset(name for name, kind in column_types().items() if kind.startswith("_"))

_READS_ARRAYS = frozenset(
    [
        "_pg_expandarray",
        "array_length",
        "array_lower",
        "array_position",
        "array_positions",
        "array_remove",
        "array_to_string",
        "array_upper",
        "cardinality",
        "unnest",
    ]
)


def lookup(name: str, *arguments: exp.Expr) -> exp.Expr:
    """A call of one of our own macros."""
    call = exp.Anonymous(this=name, expressions=list(arguments))
    return exp.Dot(this=exp.to_identifier(LOOKUP_SCHEMA), expression=call)


def parse_array(text: str) -> list[str | None]:
    """The elements of PostgreSQL's text form of an array of one dimension.

    Raises:
        ValueProblem: the text is no array (22P02).
    """
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")):
        raise ValueProblem(f'malformed array literal: "{text[:100]}"', sqlstate="22P02")
    elements: list[str | None] = []
    at, inside = 0, stripped[1:-1]
    while at < len(inside):
        if inside[at].isspace():
            at += 1
            continue
        element, at = _quoted(inside, at) if inside[at] == '"' else _bare(inside, at)
        elements.append(element)
    return elements


def _quoted(text: str, at: int) -> tuple[str, int]:
    characters = []
    at += 1
    while at < len(text) and text[at] != '"':
        at += text[at] == "\\"
        characters.append(text[at : at + 1])
        at += 1
    return "".join(characters), _after_comma(text, at + 1)


def _bare(text: str, at: int) -> tuple[str | None, int]:
    end = text.find(",", at)
    end = len(text) if end < 0 else end
    element = text[at:end].strip()
    return (None if element.upper() == "NULL" else element), end + 1


def _after_comma(text: str, at: int) -> int:
    found = text.find(",", at)
    return len(text) if found < 0 else found + 1


def list_of(text: str, *, numeric: bool) -> exp.Expr:
    """An array literal as a list of numbers or texts."""
    elements = [
        exp.null() if element is None else exp.Literal(this=element, is_string=not numeric)
        for element in parse_array(text)
    ]
    target = exp.DataType.build("BIGINT[]" if numeric else "VARCHAR[]", dialect="duckdb")
    return exp.Cast(this=exp.Array(expressions=elements), to=target)


def is_vector(node: exp.Expr, names: Container[str] = VECTORS) -> bool:
    """Whether a node is a column that holds a vector, as far as its name tells."""
    bare = node.unnest()
    return isinstance(bare, exp.Column) and bare.name.lower() in names


def is_array(node: exp.Expr) -> bool:
    """Whether a node's value is a list, as far as its shape and names tell."""
    bare = node.unnest()
    if isinstance(bare, exp.Column):
        return bare.name.lower() in ARRAYS
    if isinstance(bare, exp.Cast):
        return bare.to.is_type(exp.DataType.Type.ARRAY)
    return isinstance(bare, (exp.Array, exp.ArrayAgg))


def rewrite_vectors(tree: exp.Expr) -> None:
    """Turn vectors into lists where they are indexed, unnested, searched or cast to arrays."""
    aliases = (each.alias for each in tree.find_all(exp.Alias) if is_vector(each.this))
    names = VECTORS.union(alias.lower() for alias in aliases)
    for column in [node for node in tree.find_all(exp.Column) if is_vector(node, names)]:
        outer: exp.Expr = column
        while isinstance(outer.parent, exp.Paren):
            outer = outer.parent
        parent = outer.parent
        if isinstance(parent, exp.Bracket) and parent.this is outer:
            _rewrite_subscript(parent, column)
        elif _is_subscripts(parent):
            assert parent is not None
            parent.replace(lookup("subscripts", column.copy()))
        elif _reads_array(parent):
            outer.replace(lookup("vector", column.copy()))


def _rewrite_subscript(bracket: exp.Bracket, column: exp.Column) -> None:
    # sqlglot counts from 0 where PostgreSQL's arrays count from 1; vectors do count from 0
    position = exp.Add(this=exp.Paren(this=bracket.expressions[0]), expression=_one())
    bracket.replace(lookup("element", column.copy(), position))


def _one() -> exp.Expr:
    return exp.Literal.number(1)


def _is_subscripts(parent: exp.Expr | None) -> bool:
    return isinstance(parent, exp.Anonymous) and parent.name.lower() == "generate_subscripts"


def _reads_array(parent: exp.Expr | None) -> bool:
    if isinstance(parent, exp.Anonymous):
        return parent.name.lower() in _READS_ARRAYS
    if isinstance(parent, exp.Cast):
        return parent.to.is_type(exp.DataType.Type.ARRAY)
    return isinstance(parent, (exp.Explode, exp.Unnest, exp.Any, exp.All, exp.ArraySize))


def rewrite_quantified(tree: exp.Expr) -> None:
    """`x = ANY(list)` as a search in the list, `x <> ALL(list)` as its opposite."""
    for call in [*tree.find_all(exp.Anonymous)]:
        if call.name.lower() == "all" and len(call.expressions) == 1:  # as sqlglot reads ALL(…)
            call.replace(exp.All(this=exp.Paren(this=call.expressions[0].copy())))
    for node in reversed([*tree.find_all(exp.Any, exp.All)]):
        comparison = node.parent
        searched = node.this.unnest()
        if isinstance(searched, exp.Query) or not isinstance(comparison, exp.Binary):
            continue
        if comparison.expression is not node:
            continue
        needle = comparison.this
        if isinstance(searched, exp.Literal) and searched.is_string:
            numeric = _is_number(needle)
            searched = list_of(searched.this, numeric=numeric)
        found = exp.Anonymous(this="list_contains", expressions=[searched.copy(), needle.copy()])
        if isinstance(node, exp.Any) and isinstance(comparison, exp.EQ):
            comparison.replace(found)
        elif isinstance(node, exp.All) and isinstance(comparison, exp.NEQ):
            comparison.replace(exp.Not(this=found))
        else:
            node.set("this", exp.Paren(this=searched.copy()))


def rewrite_concatenations(tree: exp.Expr) -> None:
    """`array || array`: for PostgreSQL a NULL array is an empty one there."""
    for node in reversed([*tree.find_all(exp.DPipe)]):
        if is_array(node.this) and is_array(node.expression):
            lists = [node.this.copy(), node.expression.copy()]
            node.replace(exp.Anonymous(this="list_concat", expressions=lists))


def _is_number(node: exp.Expr) -> bool:
    if isinstance(node, exp.Cast):
        return not node.to.is_type(*exp.DataType.TEXT_TYPES)
    bare = node.unnest()
    if not isinstance(bare, exp.Column):
        return isinstance(bare, exp.Literal) and not bare.is_string
    kind = column_types().get(bare.name.lower(), "text")
    return kind in {"oid", "int2", "int4", "int8", "xid"}
