"""Rules for calls about text and bytes: parts, padding, quoting, `format`, `encode`, `decode`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from planner.errors import InvalidValueError
from planner.postgres.expressions.printing import printed
from planner.postgres.expressions.rules import CallRule, copies, text_of, unsupported
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types
from planner.postgres.types.literals import bytes_of
from planner.trees.nodes import call, cast, position_of
from stores.spec.schema import Kind

_SPEC = re.compile(r"%(?:(\d+)\$)?(-)?(\d+)?([sIL%])|%")
"""A specifier of `format`: position, `-`, width, kind."""
_SHORT_INTEGERS = {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER}


def _substring(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Take a part of a text; positions before the text count, but have no characters.

    The part is one that matches a pattern, if texts follow the text.
    """
    start, *count = given[1:]
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
    template = text_of(given[0]) if given else None
    if template is None:
        raise unsupported(node, "format() requires its template as a literal")
    pieces: list[exp.Expr] = []
    at, following = 0, 1
    for found in _SPEC.finditer(template):
        pieces.append(exp.Literal.string(template[at : found.start()]))
        at = found.end()
        kind = found[4]
        if kind is None:
            raise InvalidValueError(
                "unrecognized format() type specifier", position=position_of(given[0])
            )
        if kind == "%":
            pieces.append(exp.Literal.string("%"))
            continue
        place = int(found[1]) if found[1] else following
        following = place + 1
        if not 0 < place < len(given):
            raise InvalidValueError("too few arguments for format()", position=position_of(node))
        pieces.append(_formatted(given[place], kind, found[2], found[3], types))
    pieces.append(exp.Literal.string(template[at:]))
    return call("concat", *pieces)


def _formatted(
    node: exp.Expr, kind: str, left: str | None, width: str | None, types: Types
) -> exp.Expr:
    text = printed(node, types) or cast(node.copy(), "TEXT")
    macro = {"I": "pg_sg_format_ident", "L": "pg_sg_quote_nullable"}.get(kind)
    shown = text if macro is None else call(macro, text)
    if width is None:
        return shown
    side = "pg_sg_rpadded" if left else "pg_sg_lpadded"
    return call(side, shown, exp.Literal.number(int(width)))


def _pad(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    fill = given[2].copy() if len(given) > 2 else exp.Literal.string(" ")
    length = call("pg_sg_pad_length", given[0].copy(), given[1].copy())
    return call(call_name(node), given[0].copy(), length, fill)


def _overlay(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    count = given[3].copy() if len(given) > 3 else call("length", given[1].copy())
    return call("pg_sg_overlay", *copies(given[:3]), count)


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
    name = "octet_length" if types.kind_of(given[0]) is Kind.BYTEA else "length"
    return cast(call(name, given[0].copy()), "INTEGER")


def _encode(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    form, value = _byte_form(node, given), bytes_of(given[0])
    if form == "base64":
        return call("to_base64", value)
    digits = call("lower", call("hex", value))
    return call("pg_sg_escaped", digits) if form == "escape" else digits


def _decode(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    form = _byte_form(node, given)
    if form == "escape":
        return call("unhex", call("pg_sg_unescaped", given[0].copy()))
    return call(f"pg_sg_from_{form}", given[0].copy())


def _byte_form(node: exp.Expr, given: list[exp.Expr]) -> str:
    form = text_of(given[1])
    if form is None:
        raise unsupported(node, f"{call_name(node)}() requires its format as a literal")
    if form.lower() not in {"hex", "base64", "escape"}:
        raise InvalidValueError(
            f'unrecognized encoding: "{form[:100]}"',
            hint="Use hex, base64 or escape.",
            position=position_of(given[1]),
        )
    return form.lower()


def _convert_from(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    encoding = (text_of(given[1]) or "").lower().replace("-", "").replace("_", "")
    if encoding not in {"utf8", "unicode"}:
        raise unsupported(node, "convert_from() of encodings other than UTF8 is not supported")
    return call("decode", given[0].copy())


def _normalize(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    if len(given) > 1 and given[1].name.upper() != "NFC":
        raise unsupported(node, "normalize() to forms other than NFC is not supported")
    return call("nfc_normalize", given[0].copy())


CALLS: Mapping[str, CallRule] = {
    **dict.fromkeys(("substring", "substr"), _substring),
    **dict.fromkeys(("concat", "concat_ws"), _concat),
    **dict.fromkeys(("lpad", "rpad"), _pad),
    "format": _format,
    "overlay": _overlay,
    "octet_length": _octets,
    "length": _length,
    "to_hex": _to_hex,
    **dict.fromkeys(("quote_literal", "quote_nullable"), _quoted),
    "encode": _encode,
    "decode": _decode,
    "convert_from": _convert_from,
    "sha256": lambda node, given, types: call("unhex", call("sha256", bytes_of(given[0]))),
    "normalize": _normalize,
}
"""The rules, by name of function."""
