"""Rules for calls about text and bytes: parts, padding, quoting, `format`, `encode`, `decode`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.postgres.expressions.printing import printed
from stategate.planner.postgres.expressions.rules import (
    CallRule,
    Rule,
    copies,
    renamed,
    text_of,
    unsupported,
)
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import bytes_of
from stategate.planner.trees.nodes import call, cast
from stategate.stores.spec.schema import Kind

INT_MAX = (1 << 31) - 1
_SHORT_INTEGERS = {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER}


def _substring(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Take a part of a text; positions before the text count, but have no characters.

    The part is one that matches a pattern, if texts follow the text.
    """
    start, *count = given[1:]
    if types.kind_of(given[0]) is Kind.BYTEA:
        count = count or [exp.Literal.number(INT_MAX)]
        return call("pg_sg_bytes_substring", given[0].copy(), start.copy(), *copies(count))
    if text_of(start) is not None or types.kind_of(start) is Kind.TEXT:
        name = "pg_sg_substring_similar" if count else "pg_sg_substring_matching"
        return call(name, *copies(given))
    if all(isinstance(n, exp.Literal) and n.name.isdigit() and n.name != "0" for n in given[1:]):
        return call("substring", *copies(given))
    return call("pg_sg_substring" if count else "pg_sg_substring_from", *copies(given))


def _concat(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Join values as PostgreSQL prints them."""
    return call(call_name(node), *(printed(each, types) or each.copy() for each in given))


def _format(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Fill a template with the texts of the other arguments."""
    texts = [printed(each, types) or cast(each.copy(), "TEXT") for each in given[1:]]
    listed = cast(exp.Array(expressions=texts), "TEXT[]")
    return call("pg_sg_format", given[0].copy(), listed)


def _pad(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    fill = given[2].copy() if len(given) > 2 else exp.Literal.string(" ")
    length = call("pg_sg_pad_length", given[0].copy(), given[1].copy())
    padded = call(call_name(node), given[0].copy(), length, fill)
    if isinstance(fill, exp.Literal) and fill.name:
        return padded
    # Nothing fills the text, which DuckDB refuses; it is cut all the same.
    is_empty = exp.EQ(this=fill.copy(), expression=exp.Literal.string(""))
    cut = call("left", given[0].copy(), length.copy())
    return exp.Case(ifs=[exp.If(this=is_empty, true=cut)], default=padded)


def _overlay(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    count = given[3].copy() if len(given) > 3 else _length(node, given[1:2], types)
    is_bytes = types.kind_of(given[0]) is Kind.BYTEA
    return call("pg_sg_bytes_overlay" if is_bytes else "pg_sg_overlay", *copies(given[:3]), count)


def _to_hex(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write the 32 bits of an integer; DuckDB writes 64 bits."""
    of = given[0].copy()
    if types.kind_of(given[0]) in _SHORT_INTEGERS:
        of = exp.BitwiseAnd(this=cast(of, "BIGINT"), expression=exp.Literal.number(0xFFFFFFFF))
    return call("pg_sg_to_hex", of)


def _quoted(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Quote a value of any type."""
    text = given[0].copy()
    if types.kind_of(given[0]) is not Kind.TEXT:
        text = printed(given[0], types, is_cast=True) or cast(text, "TEXT")
    return call(f"pg_sg_{call_name(node)}", text)


def _octets(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    name = "octet_length" if types.kind_of(given[0]) is Kind.BYTEA else "strlen"
    return cast(call(name, given[0].copy()), "INTEGER")


def _length(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    if len(given) > 1:
        return call("pg_sg_length_in", *copies(given))
    name = "octet_length" if types.kind_of(given[0]) is Kind.BYTEA else "length"
    return cast(call(name, given[0].copy()), "INTEGER")


def _bit_length(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    bits = exp.Mul(this=_octets(node, given, types), expression=exp.Literal.number(8))
    return exp.Paren(this=bits)


def _encode(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    if (text_of(given[1]) or "").lower() == "hex":
        return call("lower", call("hex", given[0].copy()))
    return call("pg_sg_encode", *copies(given))


def _hashed(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    name = exp.Literal.string(call_name(node))
    return call("pg_sg_hashed", given[0].copy(), name)


def _normalize(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    if len(given) > 1 and given[1].name.upper() != "NFC":
        raise unsupported(node, "normalize() to forms other than NFC is not supported")
    return call("nfc_normalize", given[0].copy())


def _parse_ident(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    if len(given) > 1 and not (isinstance(given[1], exp.Boolean) and given[1].this):
        raise unsupported(node, "parse_ident() that is not strict is not supported")
    return call("pg_sg_parse_ident", given[0].copy())


def _trim(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Trim bytes by bytes; texts are trimmed by DuckDB."""
    if types.kind_of(given[0]) is not Kind.BYTEA or len(given) != 2:
        return None
    side = exp.Literal.string(str(node.args.get("position") or "BOTH"))
    return call("pg_sg_bytes_trim", given[0].copy(), bytes_of(given[1]), side)


def _position(node: exp.Expr, types: Types) -> exp.Expr:
    """Find a text in a text, or bytes in bytes."""
    value, part = node.this, node.args["substr"]
    if Kind.BYTEA in {types.kind_of(value), types.kind_of(part)}:
        return node.replace(call("pg_sg_bytes_position", bytes_of(part), bytes_of(value)))
    found = call("strpos", value.copy(), part.copy())
    return node.replace(cast(found, "INTEGER"))


CALLS: Mapping[str, CallRule] = {
    "parse_ident": _parse_ident,
    **dict.fromkeys(("trim", "btrim", "ltrim", "rtrim"), _trim),
    **dict.fromkeys(("substring", "substr"), _substring),
    **dict.fromkeys(("concat", "concat_ws"), _concat),
    **dict.fromkeys(("lpad", "rpad"), _pad),
    "right": renamed("pg_sg_right"),
    "format": _format,
    "overlay": _overlay,
    "octet_length": _octets,
    "length": _length,
    "bit_length": _bit_length,
    "to_hex": _to_hex,
    **dict.fromkeys(("quote_literal", "quote_nullable"), _quoted),
    "encode": _encode,
    **dict.fromkeys(("sha224", "sha256", "sha384", "sha512"), _hashed),
    "normalize": _normalize,
}
"""The rules, by name of function."""
RULES: Mapping[type[exp.Expr], Rule] = {exp.StrPosition: _position}
"""The rules, by type of node."""
