"""Rules for casts that parse, print or round differently in DuckDB, and for interval literals."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.errors import (
    InvalidSyntaxError,
    MismatchedTypeError,
    NotSupportedError,
    QueryError,
)
from stategate.planner.postgres.expressions import object_names
from stategate.planner.postgres.expressions.catalog_values import cast_of_catalog
from stategate.planner.postgres.expressions.dimensions import checked_depth, each_element
from stategate.planner.postgres.expressions.documents.json_values import as_json
from stategate.planner.postgres.expressions.networks import read_address
from stategate.planner.postgres.expressions.printing import printed, printed_elements
from stategate.planner.postgres.expressions.rules import Rule
from stategate.planner.postgres.types.castable import is_castable
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import (
    TIME_KINDS,
    bytes_of,
    check_literal,
    convert_time_literal,
)
from stategate.planner.postgres.types.operators import DOCUMENTS
from stategate.planner.postgres.types.result_types import FLOATS, INTEGERS, NUMERIC, common_type
from stategate.planner.trees.column_names import type_name
from stategate.planner.trees.nodes import built_type, call, cast, position_of, put, strip
from stategate.planner.trees.number_text import plain_numeric
from stategate.planner.values.array_text import DIMENSIONS_MAX
from stategate.planner.values.array_types import array_of, depth_of, leaf_of
from stategate.planner.values.catalog_types import is_inet, is_of_catalog
from stategate.planner.values.constants import fields_of
from stategate.planner.values.documents.json_parts import ANY_NUMERIC
from stategate.planner.values.interval_text import FIELDS, interval_words, last_unit, parse_interval
from stategate.planner.values.moment_text import PLAIN_FORMS
from stategate.planner.values.sqltypes import (
    HELD_AS_TEXT,
    data_type_of,
    duckdb_type,
    format_type,
    innermost,
    is_bare_numeric,
    reading_macro,
    result_type_of,
)
from stategate.planner.values.type_modifiers import length_of, second_digits_of
from stategate.stores.spec.schema import BOOLEAN, INTERVAL, TEXT, DataType, Kind


def _cast(node: exp.Expr, types: Types) -> exp.Expr:
    """Rewrite casts that parse, print or round differently in DuckDB."""
    assert isinstance(node, exp.Cast)
    if isinstance(node.to.this, exp.Interval):
        return _cast_to_fields(node, types)
    target = data_type_of(node.to)
    if target is not None:
        _check_castable(node, types.of(node.this), target)
    fresh = object_names.cast_by_name(node, target, types)
    if fresh is None:
        fresh = cast_of_catalog(node.this, types.of(node.this), target)
    if fresh is not None:
        return put(node, fresh)
    if target is not None and is_inet(target):
        read_address(node, target, types)
    if target is not None and is_of_catalog(target):
        node.set("to", built_type(duckdb_type(target)))
    elif node.to.this is exp.DType.ARRAY and depth_of(types.of(node.this)):
        return _cast_array(node, types)
    _replace_type(node)
    inner = strip(node.this)
    if isinstance(inner, exp.Literal):
        if inner.is_string:
            return _cast_literal(node, inner, target, types)
        _check_range(inner, target)
    _cast_value(node, target, types)
    return node


def _cast_array(node: exp.Cast, types: Types) -> exp.Expr:
    """Cast each element of an array as it would be cast by itself."""
    source, depth = types.of(node.this), checked_depth(node.this, types)
    leaf, known = innermost(node.to), types.of(node)
    _check_castable(node, source, known)
    if (literals := _literals_of(node.this)) is not None:
        _cast_literals(node, literals, leaf, types)
        return node
    inner: list[exp.Expr] = []

    def make(element: exp.Expr) -> exp.Expr:
        types.note(element, None if source is None else leaf_of(source))
        holder = exp.Paren(this=exp.Cast(this=element, to=leaf.copy()))
        inner.append(_cast(holder.this, types))
        return holder

    fresh = each_element(node.this.copy(), depth, make)
    plain = inner[0]
    if isinstance(plain, exp.Cast) and isinstance(plain.this, exp.Column) and not _is_cut(plain.to):
        node.set("to", _nested(plain.to, depth))
        return node
    types.note(fresh, known)
    return put(node, fresh)


def _is_cut(to: exp.DataType) -> bool:
    """Whether values are cut or rounded after the cast; see `type_modifiers`."""
    return length_of(to) is not None or second_digits_of(to) is not None


def _nested(leaf: exp.DataType, depth: int) -> exp.DataType:
    """Return the name of the type of arrays of this many dimensions."""
    for _ in range(depth):
        leaf = exp.DataType(this=exp.DType.ARRAY, expressions=[leaf.copy()], nested=True)
    return leaf


def _literals_of(node: exp.Expr) -> list[exp.Literal] | None:
    """Return the texts of an array that is written out, without its NULLs; None for others."""
    found: list[exp.Literal] = []
    left = [strip(node)]
    while left:
        each = left.pop()
        if isinstance(each, exp.Array):
            left += each.expressions
        elif isinstance(each, exp.Literal) and each.is_string:
            found.append(each)
        elif not isinstance(each, exp.Null):
            return None
    return found


def _cast_literals(
    node: exp.Cast, literals: list[exp.Literal], leaf: exp.DataType, types: Types
) -> None:
    """Read the texts of an array as values of a type, in place."""
    depth, target = depth_of(types.of(node.this)), data_type_of(leaf)
    if is_bare_numeric(leaf) and literals:
        digits = common_type([types.bare_numeric(literal) for literal in literals])
        leaf = built_type(str(digits or NUMERIC).upper())
    for literal in literals:
        holder = exp.Cast(this=literal.copy(), to=leaf.copy())
        kept = exp.Paren(this=holder)
        _cast(holder, types)
        is_plain = kept.this is holder and not _is_cut(leaf)
        put(literal, kept.this.this if is_plain else kept.this)
    if target is not None and (is_of_catalog(target) or _is_cut(leaf)):
        leaf = built_type(duckdb_type(target))
    node.set("to", _nested(leaf, depth))


def _cast_value(node: exp.Cast, target: DataType | None, types: Types) -> None:
    source = types.of(node.this)
    _check_castable(node, source, types.of(node))
    if source is not None and source.kind is Kind.TEXT and node.to.this is exp.DType.ARRAY:
        _read_array(node, types)
        return
    if node.to.this is exp.DType.DECIMAL and not node.to.expressions:
        found = types.of(node)
        if found is not None:
            node.set("to", built_type(str(found).upper()))
        _keep_certain_digits(node, source)
        _take_scalar(node, source, ANY_NUMERIC)
    elif not _print_operand(node, target, types) and target is not None:
        if _is_read(target, source):
            _read(node, target)
        elif source is not None:
            _convert(node, source, target, types)
        if target.kind is Kind.DECIMAL:
            _keep_certain_digits(node, source)


def _read_array(node: exp.Cast, types: Types) -> None:
    """Read a text as an array, of as many dimensions as the cast names."""
    depth = max(depth_of(result_type_of(node.to)), 1)
    texts = call(f"pg_sg_texts{min(depth, DIMENSIONS_MAX)}", node.this.copy())
    types.note(texts, array_of(TEXT, depth))
    node.set("this", texts)
    _cast_array(node, types)


def _check_castable(node: exp.Cast, source: DataType | None, target: DataType | None) -> None:
    if source is not None and target is not None and not is_castable(source, target):
        raise MismatchedTypeError(
            f"cannot cast type {format_type(source)} to {format_type(target)}",
            position=position_of(node.this),
            sqlstate="42846",
        )


def _print_operand(node: exp.Cast, target: DataType | None, types: Types) -> bool:
    """Write the operand of a cast to text or texts as PostgreSQL prints it; False for others."""
    text = None
    if target is not None and target.kind is Kind.TEXT:
        text = printed(node.this, types, is_cast=True)
    elif target is not None and depth_of(target) and leaf_of(target).kind is Kind.TEXT:
        text = printed_elements(node.this, types, is_cast=True)  # it may be an array
    if text is not None:
        node.set("this", text)
    return text is not None


def _check_range(number: exp.Literal, target: DataType | None) -> None:
    if target is not None and target.kind in FLOATS:
        check_literal(number, target)


def _keep_certain_digits(node: exp.Cast, source: DataType | None) -> None:
    """Cast a real or double to numeric with its certain digits, 6 or 15, as PostgreSQL does."""
    if source is not None and source.kind in FLOATS:
        digits = "%.6g" if source.kind is Kind.REAL else "%.15g"
        printed = call("printf", exp.Literal.string(digits), cast(node.this.copy(), "DOUBLE"))
        node.set("this", printed)


def _replace_type(node: exp.Cast) -> None:
    """Write PostgreSQL's types that DuckDB lacks as text or numbers."""
    name = type_name(node.to).removeprefix("_")
    known = {"bpchar": "TEXT", "citext": "TEXT"}
    if name in known and length_of(node.to) is None:
        node.set("to", built_type(known[name]))
    for inner in node.to.expressions:
        is_bare = isinstance(inner, exp.DataType) and not inner.expressions
        if is_bare and inner.this is exp.DType.DECIMAL:
            put(inner, built_type(str(NUMERIC).upper()))  # in DuckDB, a numeric has three places


def _is_read(target: DataType, source: DataType | None) -> bool:
    """Whether texts must be read as values of a type, or as its elements; unknown ones may be."""
    if depth_of(target):
        return _is_read(leaf_of(target), None if source is None else leaf_of(source))
    if source is not None and source.kind is Kind.JSON:
        return target.kind is Kind.JSONB
    return target.kind in HELD_AS_TEXT and (source is None or source.kind is Kind.TEXT)


def _read(node: exp.Cast, target: DataType) -> None:
    """Read texts as values that are held as texts."""
    if not depth_of(target):
        node.set("this", call(reading_macro(target.kind), cast(node.this.copy(), "TEXT")))
        return
    texts = cast(node.this.copy(), duckdb_type(array_of(TEXT, depth_of(target))))
    macro = reading_macro(leaf_of(target).kind)
    read = each_element(texts, depth_of(target), lambda element: call(macro, element))
    node.set("this", read)


def _convert(node: exp.Cast, source: DataType, target: DataType, types: Types) -> None:
    macro = None
    if source.kind is Kind.TEXT:
        macro = _READ.get(target.kind)
        if target.kind in TIME_KINDS:
            node.set("this", _time_words(node.this, target.kind))
    elif source.kind is Kind.TIMESTAMPTZ and target.kind is Kind.TIME:
        node.set("this", cast(node.this.copy(), "TIMESTAMP"))
    elif (source.kind, target.kind) == (Kind.TIME, Kind.INTERVAL):
        macro = "pg_sg_time_length"
    elif (source.kind, target.kind) == (Kind.INTERVAL, Kind.TIME):
        macro = "pg_sg_length_time"
    elif source.kind in {Kind.STRUCT, Kind.MAP} and target.kind in DOCUMENTS:
        written = as_json(node.this, types)
        node.set("this", call(reading_macro(Kind.JSONB), written))
    else:
        _take_scalar(node, source, format_type(target))
    if macro is not None:
        node.set("this", call(macro, node.this.copy()))


def _take_scalar(node: exp.Cast, source: DataType | None, target: str) -> None:
    """Take the number or boolean that a jsonb is, in a cast to the type of this name."""
    if source is None or source.kind is not Kind.JSONB:
        return
    if target == "boolean":
        node.set("this", call("pg_sg_jsonb_boolean", node.this.copy()))
    elif target not in {"json", "jsonb", "text"}:
        node.set("this", call("pg_sg_jsonb_number", node.this.copy(), exp.Literal.string(target)))


_READ = {
    **dict.fromkeys(INTEGERS, "pg_sg_whole"),
    Kind.BOOLEAN: "pg_sg_boolean",
    Kind.BYTEA: "pg_sg_bytes",
}
"""Macros that read a text as a type that is not held as a text."""


def _time_words(text: exp.Expr, kind: Kind) -> exp.Expr:
    """Return a text in a form that DuckDB reads as PostgreSQL does; most texts have such a form."""
    words = call("pg_sg_time_words", text.copy(), exp.Literal.string(kind.value))
    plain = PLAIN_FORMS.get(kind.value)
    if plain is None:
        return words
    is_plain = call("regexp_full_match", text.copy(), exp.Literal.string(plain))
    return exp.Case(ifs=[exp.If(this=is_plain, true=text.copy())], default=words)


def _cast_literal(
    node: exp.Cast, literal: exp.Literal, target: DataType | None, types: Types
) -> exp.Expr:
    if target is None:
        found = types.of(node)
        if node.to.this is exp.DType.DECIMAL and found is not None:
            node.set("to", built_type(str(found).upper()))
            literal.set("this", plain_numeric(literal.name))
        return node
    if target.kind in INTEGERS or target.kind in FLOATS or target.kind is Kind.BOOLEAN:
        value = check_literal(literal, target)
        if target == BOOLEAN:
            put(literal, exp.Boolean(this=bool(value)))
    elif target.kind in HELD_AS_TEXT:
        literal.set("this", check_literal(literal, target))
    elif target.kind in TIME_KINDS:
        convert_time_literal(literal, target, types.times.literals)
    elif target.kind is Kind.BYTEA:
        fresh = bytes_of(literal)
        return put(node, fresh)
    return node


def _interval(node: exp.Expr, types: Types) -> exp.Expr:
    """Write a literal interval as a cast, which DuckDB takes in every expression."""
    del types
    value = node.this
    if not (isinstance(value, exp.Literal) and value.is_string | value.is_number):
        return node
    return put(node, _interval_of(value, _fields(node, value)))


def _fields(node: exp.Expr, value: exp.Expr) -> str | None:
    """Return the fields of an interval or of its type; refuse those that there are not."""
    fields = fields_of(node)
    if fields not in {None, *FIELDS}:
        raise InvalidSyntaxError(f'syntax error at or near "{fields}"', position=position_of(value))
    return fields


def _interval_of(literal: exp.Literal, fields: str | None) -> exp.Expr:
    try:
        found = parse_interval(literal.name, fields)
    except QueryError as error:
        error.position = position_of(literal)
        raise
    return cast(exp.Literal.string(interval_words(found)), "INTERVAL")


def _cast_to_fields(node: exp.Cast, types: Types) -> exp.Expr:
    """Write a cast to an interval with fields, such as `interval hour to minute`."""
    fields = _fields(node.to.this, node.this)
    assert fields is not None, "the type is a plain interval"
    literal = strip(node.this)
    if isinstance(literal, exp.Literal) and literal.is_string:
        return put(node, _interval_of(literal, fields))
    if types.kind_of(node.this) is Kind.TEXT:
        raise NotSupportedError(
            f"a cast of texts to interval {fields.lower()} is not supported",
            hint="Cast to interval first.",
            position=position_of(node.this),
        )
    part, size = last_unit(fields)
    holder = exp.Paren(this=exp.Cast(this=node.this.copy(), to=built_type("INTERVAL")))
    types.note(holder.this.this, types.of(node.this))
    types.note(holder.this, INTERVAL)
    whole = _cast(holder.this, types)
    given = (exp.Literal.string(part), exp.Literal.number(size))
    fresh = put(node, call("pg_sg_cut_interval", whole.copy(), *given))
    types.note(fresh, INTERVAL)
    return fresh


RULES: Mapping[type[exp.Expr], Rule] = {exp.Cast: _cast, exp.Interval: _interval}
"""The rules, by type of node."""
