"""PostgreSQL's templates of numbers: `to_char(number, template)` and `to_number(text, template)`.

Source: answers of PostgreSQL 15. Rare words of templates are refused, see `_REFUSED`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError, NotSupportedError

_CONTEXT = Context(prec=800)
_TOKEN = re.compile(
    r'"(?P<text>(?:[^"\\]|\\.)*)"?|\\(?P<quote>")'
    r"|(?P<word>FM|PR|MI|PL|SG|SP|TH|EEEE|RN|[09.,DGSLVBC])|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_REFUSED = frozenset({"C", "EEEE", "PL", "PR", "RN", "SG", "SP", "V"})
"""Words that hardly any statement has."""
_HINT = "Use 9, 0, D, G, S, MI, L, TH and FM; write other letters in double quotes."
_DIGITS = {"0", "9"}
_PLACES = {*_DIGITS, "."}
_END = "\0"
"""A place after all places of digits: the end of the text."""
_BLANKS = {"", " "}


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    """The token in capitals, with `.` for D and `,` for G; empty for text."""
    text: str
    """The token as the template writes it."""


class _Template:
    """A parsed template.

    Raises:
        InvalidSyntaxError: its words exclude each other (42601).
        NotSupportedError: it has a word of `_REFUSED`.
    """

    def __init__(self, template: str) -> None:
        self.tokens = tuple(_tokens(template))
        words = [token.word for token in self.tokens]
        if words.count(".") > 1:
            raise InvalidSyntaxError("multiple decimal points")
        if words.count("S") > 1:
            raise InvalidSyntaxError('cannot use "S" twice')
        if "S" in words and "MI" in words:
            raise InvalidSyntaxError('cannot use "S" and "MI" together')
        self.has_point = "." in words
        point = words.index(".") if self.has_point else len(words)
        before = [word for word in words[:point] if word in _DIGITS]
        after = [word for word in words[point:] if word in _DIGITS]
        self.whole, self.fraction = len(before), len(after)
        self.left_out = 0
        """Places after the point that stay empty, because their digits are not certain."""
        self.zeros_from = before.index("0") if "0" in before else None
        """The first place where a leading zero is written."""
        self.fraction_min = "".join(after).rfind("0") + 1
        """Digits after the point that FM keeps."""
        self.blank = "" if "FM" in words else " "
        """The character in a place without a digit."""
        self.has_sign, self.has_minus = "S" in words, "MI" in words
        self.sign_is_last = self.has_sign and not any(
            word in _DIGITS for word in words[words.index("S") : point]
        )


def _tokens(template: str) -> Iterator[_Token]:
    """Yield the tokens of a template.

    Raises:
        NotSupportedError: it has a word of `_REFUSED`.
    """
    for found in _TOKEN.finditer(template):
        if (written := found["word"]) is not None:
            word = written.upper()
            if word in _REFUSED:
                raise NotSupportedError(
                    f"{word} in a template of numbers is not supported", hint=_HINT
                )
            yield _Token({"D": ".", "G": ","}.get(word, word), written)
        elif found["text"] is not None:
            yield _Token("", re.sub(r"\\(.)", r"\1", found["text"]))
        else:
            yield _Token("", found["plain"] or '"')


def float_text(value: float, template: str, digits: int) -> str:
    """Return the text of a double or real, of which a number of digits are certain.

    A half is rounded to the even neighbour. Places beyond the certain digits are left out.

    Raises:
        InvalidSyntaxError: words of the template exclude each other (42601).
        NotSupportedError: the template has a word that is not supported.
    """
    parsed = _Template(template)
    if math.isnan(value):
        return "".join(_pieces(parsed, Decimal("NaN")))
    if math.isinf(value):
        too_large = Decimal(10) ** max(parsed.whole, 1)
        return "".join(_pieces(parsed, too_large.copy_sign(Decimal(value))))
    exact = Decimal(value)
    before = len(f"{exact.copy_abs():.0f}")
    kept = max(0, min(parsed.fraction, digits - before))
    parsed.fraction, parsed.left_out = kept, parsed.fraction - kept
    parsed.fraction_min = min(parsed.fraction_min, parsed.fraction)
    rounded = exact.quantize(Decimal((0, (1,), -parsed.fraction)), ROUND_HALF_EVEN, _CONTEXT)
    return "".join(_pieces(parsed, rounded))


def number_text(number: Decimal, template: str) -> str:
    """Return the text of a number; it has `#` for digits if the number is too large.

    Raises:
        InvalidSyntaxError: words of the template exclude each other (42601).
        NotSupportedError: the template has a word that is not supported.
    """
    parsed = _Template(template)
    rounded = number.quantize(Decimal((0, (1,), -parsed.fraction)), ROUND_HALF_UP, _CONTEXT)
    return "".join(_pieces(parsed, rounded or rounded.copy_abs()))  # a numeric has no -0


def _pieces(parsed: _Template, number: Decimal) -> Iterator[str]:
    """Yield what each token writes."""
    places = _places(parsed, number)
    sign_at = next((i for i, place in enumerate(places) if place not in _BLANKS), None)
    at = 0
    for token in parsed.tokens:
        if token.word not in _PLACES:
            is_behind_digit = at > 0 and places[at - 1] not in {*_BLANKS, "."}
            yield _mark(token, parsed, number, is_behind_digit)
            continue
        if places[at] == _END:
            return
        if at == sign_at and not parsed.sign_is_last:
            yield _sign(parsed, number)
        yield places[at]
        at += 1
        if at == len(places) and parsed.sign_is_last:
            yield _sign(parsed, number)


def _mark(token: _Token, parsed: _Template, number: Decimal, is_behind_digit: bool) -> str:
    """Return what a token writes that is neither a digit nor the point."""
    match token.word:
        case "":
            return token.text
        case ",":
            return "," if is_behind_digit else parsed.blank
        case "MI":
            return "-" if number.is_signed() else parsed.blank
        case "L":
            return " "
        case "TH":
            return _ordinal(token.text, parsed, number)
    return ""


def _sign(parsed: _Template, number: Decimal) -> str:
    """Return the sign before the first digit, or after the last."""
    if parsed.has_minus:
        return ""
    if number.is_signed():
        return "-"
    return "+" if parsed.has_sign else parsed.blank


def _places(parsed: _Template, number: Decimal) -> list[str]:
    """Return the character in the place of each digit and of the point."""
    whole, _, fraction = f"{number.copy_abs():f}".partition(".")
    if is_large := len(whole) > parsed.whole:
        whole, fraction = "#" * parsed.whole, "#" * parsed.fraction
    if not parsed.blank:
        kept = fraction.rstrip("0")
        fraction = fraction[: max(len(kept), parsed.fraction_min)].ljust(parsed.fraction_min, "0")
    if parsed.zeros_from is not None:
        whole = whole.rjust(parsed.whole - parsed.zeros_from, "0")
    elif whole == "0" and fraction:
        whole = ""
    places = [parsed.blank] * (parsed.whole - len(whole)) + [*whole]
    if parsed.has_point:
        # PostgreSQL ends the text at a point that no digit follows.
        is_shown = parsed.fraction and not number.is_nan()
        places.append("." if is_shown or is_large else _END)
        places += [*fraction] + [""] * (parsed.fraction - len(fraction) + parsed.left_out)
    return places


def _ordinal(text: str, parsed: _Template, number: Decimal) -> str:
    if not number.is_finite() or number.is_signed() or parsed.has_point:
        return ""
    if len(f"{number.copy_abs():f}") > parsed.whole:
        return ""
    teen = 10 < number % 100 < 14
    suffix = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(int(number % 10), "th")
    return suffix.upper() if text.isupper() else suffix


def digits_after_point(template: str) -> int:
    """Return how many digits a template has after the point.

    Raises:
        NotSupportedError: the template has a word that is not supported.
    """
    words = [token.word for token in _tokens(template)]
    return sum(word in _DIGITS for word in words[words.index(".") :]) if "." in words else 0


def read_number(text: str, template: str) -> str:
    """Return the digits of a number, with its sign and point.

    Raises:
        InvalidValueError: the text has no digits (22P02), or too many before the point (22003).
        InvalidSyntaxError: words of the template exclude each other (42601).
        NotSupportedError: the template has a word that is not supported.
    """
    parsed = _Template(template)
    reader = _Reader(text, parsed)
    for token in parsed.tokens:
        reader.read(token)
    if not any(each.isdigit() for each in reader.digits):
        raise InvalidValueError('invalid input syntax for type numeric: " "', sqlstate="22P02")
    if len(reader.digits.partition(".")[0].lstrip("0")) > parsed.whole:
        raise InvalidValueError("numeric field overflow", sqlstate="22003")
    return reader.sign.strip("+") + reader.digits


_DATA = frozenset("0123456789.,+-")
"""Characters that words of a template without digits leave to those with digits."""


class _Reader:
    """A position in a text, and what was read before it.

    Source: `NUM_numpart_from_char` of PostgreSQL's `formatting.c`.
    """

    def __init__(self, text: str, parsed: _Template) -> None:
        self._parsed, self._text, self.at = parsed, text, 0
        self.sign, self.digits = "", ""

    @property
    def next(self) -> str:
        """The next character; nothing at the end."""
        return self._text[self.at : self.at + 1]

    def read(self, token: _Token) -> None:
        """Read what a token of the template stands for."""
        if not self.next:
            return
        match token.word:
            case "0" | "9" | ".":
                self._part(is_point=token.word == ".")
            case ",":
                self.at += self.next == ","
            case "MI":
                self._minus_sign()
            case "L":
                self._skip(len(self._text))
            case "TH":
                self._skip(0 if self._parsed.has_point else 2)
            case "":
                self.at += len(token.text)

    def _part(self, *, is_point: bool) -> None:
        """Read a digit or the point, after at most one blank and a sign.

        Any other character in its place is left out. With S, a sign may follow the last digit; with
        MI, it may take the place of one.
        """
        self.at += self.next == " "
        if not is_point and not self.sign and not any(map(str.isdigit, self.digits)):
            self._read_sign()
        if not self.next:
            return
        is_read = True
        if self.next in "0123456789":
            if self._is_full():
                self.at += 1
                return
            self.digits += self.next
        elif self._parsed.has_point and self.next == "." and "." not in self.digits:
            self.digits += "."
        else:
            is_read = False
        self._read_late_sign(is_read=is_read)
        self.at += 1

    def _is_full(self) -> bool:
        _, point, fraction = self.digits.partition(".")
        return bool(point) and len(fraction) == self._parsed.fraction

    def _read_sign(self) -> None:
        if self.next in {"+", "-"}:
            self.sign = self.next
            self.at += 1

    def _read_late_sign(self, *, is_read: bool) -> None:
        """Read a sign behind the last digit, which stands at this place or before it."""
        if self.sign or not any(map(str.isdigit, self.digits)):
            return
        has_sign = self._parsed.has_sign
        at = self.at + 1 if has_sign else self.at
        found = self._text[at : at + 1]
        if found in {"+", "-"} and (
            is_read if has_sign else self._parsed.has_minus and not is_read
        ):
            self.sign, self.at = found, at

    def _minus_sign(self) -> None:
        """Read a minus; leave out one other character that is no part of a number."""
        if self.next == "-":
            self.sign = "-"
            self.at += 1
        else:
            self._skip(1)

    def _skip(self, count: int) -> None:
        """Skip up to this many characters that are no part of a number."""
        while count and self.next and self.next not in _DATA:
            self.at, count = self.at + 1, count - 1
