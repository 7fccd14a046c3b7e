"""Numbers as Postgres's `to_char(number, template)` writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

_CONTEXT = Context(prec=200)
_TOKEN = re.compile(
    r'"(?P<text>[^"]*)"|(?P<word>FM|PR|MI|PL|SG|TH|EEEE|RN|V|[09.,DGSL])|(?P<plain>.)', re.I
)
_ROMAN = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L")),
    *((40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)


@dataclass(slots=True)
class _Template:
    """A template, taken apart."""

    tokens: list[tuple[str, str]]
    """(kind, text): `digit` with 9 or 0, `point`, `group`, `text`, or a sign or suffix by name."""
    fill: bool
    whole: int = 0
    fraction: int = 0
    zero_from: int | None = None
    """The first digit before the point that is written even if it is a leading zero."""


def number_text(value: Decimal | float, template: str) -> str:
    """The text; `#` in place of digits where the number is too large for the template."""
    number = Decimal(value) if isinstance(value, int | Decimal) else Decimal(repr(value))
    parsed = _parse(template)
    if not number.is_finite():
        return "NaN" if number.is_nan() else "#" * max(parsed.whole, 1)
    if any(kind == "RN" for kind, _ in parsed.tokens):
        return _roman(number, parsed)
    quantum = Decimal((0, (1,), -parsed.fraction))
    rounded = number.quantize(quantum, ROUND_HALF_UP, _CONTEXT)
    whole, _, fraction = f"{abs(rounded):f}".partition(".")
    whole = "" if whole == "0" and parsed.whole >= 0 and parsed.zero_from is None else whole
    is_negative = rounded < 0
    if len(whole) > parsed.whole:
        whole, fraction = "#" * parsed.whole, "#" * parsed.fraction
    if not whole and not parsed.fraction:
        whole = "0"
    return _written(parsed, whole, fraction, is_negative=is_negative)


def _parse(template: str) -> _Template:
    parsed = _Template(tokens=[], fill=True)
    seen_point = False
    for found in _TOKEN.finditer(template):
        word = (found["word"] or "").upper()
        if word == "FM":
            parsed.fill = False
        elif word in {"9", "0"} and word:
            if seen_point:
                parsed.fraction += 1
            else:
                if word == "0" and parsed.zero_from is None:
                    parsed.zero_from = parsed.whole
                parsed.whole += 1
            parsed.tokens.append(("digit", word))
        elif word in {".", "D"}:
            seen_point = True
            parsed.tokens.append(("point", "."))
        elif word in {",", "G"}:
            parsed.tokens.append(("group", ","))
        elif word:
            parsed.tokens.append((word, found["word"]))
        else:
            parsed.tokens.append(("text", found["text"] or found["plain"] or ""))
    return parsed


def _written(parsed: _Template, whole: str, fraction: str, *, is_negative: bool) -> str:
    digits = whole.rjust(parsed.whole)
    if parsed.zero_from is not None:
        digits = digits[: parsed.zero_from] + digits[parsed.zero_from :].replace(" ", "0")
    kept = fraction if parsed.fill else _kept_fraction(parsed, fraction)
    names = {kind for kind, _ in parsed.tokens}
    signed = names & {"S", "MI", "SG", "PR", "PL"}
    pieces: list[str] = []
    at, behind, started = 0, 0, False
    sign = "-" if is_negative else ("" if not parsed.fill else " ")
    first = next((i for i, c in enumerate(digits) if c != " "), len(digits))
    for kind, text in parsed.tokens:
        if kind == "digit" and at < parsed.whole:
            if at == first and not signed:
                pieces.append(sign)
                started = True
            pieces.append(digits[at] if digits[at] != " " else (" " if parsed.fill else ""))
            at += 1
        elif kind == "digit":
            pieces.append(kept[behind] if behind < len(kept) else "")
            behind += 1
        elif kind == "point":
            if not started and not signed:
                pieces.append(sign)
                started = True
            pieces.append(".")
        elif kind == "group":
            shown = any(c != " " for c in digits[:at])
            pieces.append("," if shown else (" " if parsed.fill else ""))
        else:
            pieces.append(_mark(kind, text, whole, is_negative=is_negative, fill=parsed.fill))
    body = "".join(pieces)
    if "PR" in names:
        body = _bracketed(body, is_negative=is_negative, fill=parsed.fill)
    return body


def _kept_fraction(parsed: _Template, fraction: str) -> str:
    """FM drops the zeros at the end that stand for a 9."""
    marks = [text for kind, text in parsed.tokens if kind == "digit"][parsed.whole :]
    last = max((i for i, mark in enumerate(marks) if mark == "0"), default=-1)
    kept = fraction
    while len(kept) > last + 1 and kept.endswith("0"):
        kept = kept[:-1]
    return kept


def _mark(kind: str, text: str, whole: str, *, is_negative: bool, fill: bool) -> str:
    if kind in {"S", "SG"}:
        return "-" if is_negative else "+"
    if kind == "MI":
        return "-" if is_negative else (" " if fill else "")
    if kind == "PL":
        return (" " if fill else "") if is_negative else "+"
    if kind == "L":
        return " " if fill else ""
    if kind == "TH":
        number = int(whole) if whole.isdigit() else 0
        teen = 10 < number % 100 < 14
        suffix = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return suffix.upper() if text.isupper() else suffix
    return "" if kind == "PR" else text


def _bracketed(body: str, *, is_negative: bool, fill: bool) -> str:
    inner = body.lstrip(" ")
    pad = " " * (len(body) - len(inner))
    if is_negative:
        return f"{pad}<{inner}>"
    return f"{pad} {inner} " if fill else inner


def _roman(number: Decimal, parsed: _Template) -> str:
    left = int(number.to_integral_value(ROUND_HALF_UP))
    if not 0 < left < 4000:
        return "#" * 15
    pieces = []
    for value, letters in _ROMAN:
        pieces.append(letters * (left // value))
        left %= value
    text = "".join(pieces)
    return text.rjust(15) if parsed.fill else text
