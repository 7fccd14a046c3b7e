"""PostgreSQL's templates of numbers: `to_char(number, template)` and `to_number(text, template)`.

Source: answers of PostgreSQL 15, and the order of decisions in its NUM_processor.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal

from planner.errors import InvalidSyntaxError, InvalidValueError, NotSupportedError

_CONTEXT = Context(prec=200)
_TOKEN = re.compile(
    r'"(?P<text>(?:[^"\\]|\\.)*)"?|\\(?P<quote>")'
    r"|(?P<word>FM|PR|MI|PL|SG|TH|EEEE|RN|[09.,DGSLVB])|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_ROMAN = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L")),
    *((40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)


_SIGNS = {"MI", "PL", "SG"}


@dataclass(slots=True)
class _Template:
    """A parsed template."""

    tokens: list[tuple[str, str]] = field(default_factory=list)
    """Each is (kind, text); the kind is the word in capitals, or `text`."""
    fill: bool = True
    """Whether places without a digit are spaces; with FM, they are not."""
    whole: int = 0
    fraction: int = 0
    shift: int = 0
    """Digits after V; the number is multiplied by this power of ten."""
    has_point: bool = False
    zero_from: int | None = None
    """Index of the first `0` before the point; from it on, leading zeros are written."""
    zero_to: int = 0
    """Digits up to the last `0`."""
    sign_at: int | None = None
    """Digits before S, if S is before the point."""
    words: set[str] = field(default_factory=set)


def number_text(value: Decimal | float, template: str) -> str:
    """Return the text of a number; it has `#` for digits if the number is too large.

    Raises:
        InvalidSyntaxError: words of the template exclude each other (42601).
        NotSupportedError: the template has EEEE.
    """
    number = Decimal(value) if isinstance(value, int | Decimal) else Decimal(repr(value))
    parsed = _parse(template)
    if "RN" in parsed.words:
        return _roman(number, parsed)
    if not number.is_finite():
        return "NaN" if number.is_nan() else "#" * max(parsed.whole, 1)
    rounded = number.scaleb(parsed.shift, _CONTEXT).quantize(
        Decimal((0, (1,), -parsed.fraction)), ROUND_HALF_UP, _CONTEXT
    )
    digits = f"{abs(rounded):f}"
    places = parsed.whole + parsed.shift
    if len(digits.partition(".")[0]) > places:
        digits = "#" * places + "." + "#" * parsed.fraction
    writer = _Writer(parsed, digits, places, "-" if rounded < 0 else "+")
    return writer.written()


def _parse(template: str) -> _Template:
    parsed = _Template()
    for found in _TOKEN.finditer(template):
        written = found["word"] or ""
        word = {"D": ".", "G": ","}.get(written.upper(), written.upper())
        if not word:
            parsed.tokens.append(("text", _plain(found)))
            continue
        _check(parsed, word)
        parsed.words.add(word)
        parsed.tokens.append((word, written))
        if word in {"0", "9"}:
            _count(parsed, word)
        elif word == "S" and not parsed.has_point:
            parsed.sign_at = parsed.whole
        parsed.has_point = parsed.has_point or word == "."
        parsed.fill = parsed.fill and word != "FM"
    return parsed


def _plain(found: re.Match[str]) -> str:
    if found["plain"] is not None or found["quote"] is not None:
        return found["plain"] or '"'
    return re.sub(r"\\(.)", r"\1", found["text"] or "")


def _check(parsed: _Template, word: str) -> None:
    """Refuse words that PostgreSQL refuses together."""
    words = parsed.words
    signs = words & (_SIGNS | {"S", "PR"})
    problem = None
    if word in {"0", "9"} and "PR" in words:
        problem = f'"{word}" must be ahead of "PR"'
    elif word == "S" and signs:
        problem = 'cannot use "S" twice'
        if "S" not in signs:
            problem = 'cannot use "S" and "PL"/"MI"/"SG"/"PR" together'
    elif word in _SIGNS and "S" in words:
        problem = f'cannot use "S" and "{word}" together'
    elif word == "PR" and signs - {"PR"}:
        problem = 'cannot use "PR" and "S"/"PL"/"MI"/"SG" together'
    elif word == "." and parsed.has_point:
        problem = "multiple decimal points"
    elif word in {".", "V"} and words & {".", "V"} - {word}:
        problem = 'cannot use "V" and decimal point together'
    if problem is not None:
        raise InvalidSyntaxError(problem)
    if word == "EEEE":
        raise NotSupportedError("EEEE in a template of to_char is not supported")


def _count(parsed: _Template, word: str) -> None:
    if word == "9" and "V" in parsed.words:
        parsed.shift += 1
        return
    if word == "0" and parsed.zero_from is None and not parsed.has_point:
        parsed.zero_from = parsed.whole
    if parsed.has_point:
        parsed.fraction += 1
    else:
        parsed.whole += 1
    if word == "0":
        parsed.zero_to = parsed.whole + parsed.fraction


class _Writer:
    """Writes a number's digits into the places of a template."""

    def __init__(self, parsed: _Template, digits: str, places: int, sign: str) -> None:
        self._parsed, self._digits, self._sign = parsed, digits, sign
        self._spaces = max(places - len(digits.partition(".")[0]), 0)
        self._at = 0
        """Index of the next digit."""
        self._place = 0
        """Index of the next place of the template; the point is a place."""
        self._shown = False
        """Whether the last place has a digit, after which a comma is written."""
        self._pieces: list[str] = []
        words, fill = parsed.words, parsed.fill
        self._brackets = "PR" in words and (fill or sign == "-")
        if words & _SIGNS:
            self._signed = "PL" not in words or bool(words & {"MI", "SG"})
        else:
            self._signed = sign == "+" and not fill and "S" not in words
        # S after all digits, or after the point, is written last.
        self._trails = "S" in words and parsed.sign_at in {None, places}
        self._last = self._last_kept()
        self._end = places + parsed.fraction + int(parsed.has_point)
        if not self._spaces and self._signed:
            self._end -= 1
        self._has_zeros = parsed.zero_from is not None

    def _last_kept(self) -> int | None:
        """Return the index of the last digit that FM keeps, or of the point; None without FM."""
        parsed, digits = self._parsed, self._digits
        if parsed.fill or not parsed.has_point:
            return None
        start = max(parsed.zero_to - self._spaces, 0)
        found = digits.find(".", start)
        point = start if found < 0 else found
        if point >= len(digits):
            return None
        return max((i for i in range(point + 1, len(digits)) if digits[i] != "0"), default=point)

    def written(self) -> str:
        for kind, text in self._parsed.tokens:
            if kind in {"0", "9", "."}:
                self._digit(kind)
            else:
                self._pieces.append(self._mark(kind, text))
        # PostgreSQL ends the text at a place after the point that has no digit.
        return "".join(self._pieces).partition("\0")[0]

    @property
    def _is_lone_zero(self) -> bool:
        """Whether the next digit is the zero of 0.5, which is written as a space."""
        return (
            not self._has_zeros
            and self._at == 0
            and self._digits[0] == "0"
            and bool(self._parsed.fraction)
        )

    @property
    def _keeps_point_last(self) -> bool:
        return self._last is not None and self._digits[self._last] == "."

    def _digit(self, kind: str) -> None:
        self._shown = False
        zero_from = self._parsed.zero_from or 0
        begins = self._place >= self._spaces or (self._has_zeros and zero_from == self._place)
        if not self._signed and begins and (not self._is_lone_zero or self._keeps_point_last):
            self._write_sign()
        if self._place < self._spaces:
            if self._has_zeros and zero_from <= self._place:
                self._pieces.append("0")
                self._shown = True
            elif self._parsed.fill:
                self._pieces.append(" ")
        else:
            self._write_digit(kind)
            self._at = min(self._at + 1, len(self._digits))
        end = self._place if self._last is not None and self._last == self._at else self._end
        if self._place + 1 == end:
            self._close()
        self._place += 1

    def _write_sign(self) -> None:
        if "S" in self._parsed.words:
            if self._trails:
                return
            self._pieces.append(self._sign)
        elif self._brackets:
            self._pieces.append("<" if self._sign == "-" else " ")
        elif self._sign == "-" or self._parsed.fill:
            self._pieces.append(self._sign.replace("+", " "))
        self._signed = True

    def _write_digit(self, kind: str) -> None:
        digit = self._digits[self._at : self._at + 1] or "\0"
        if digit == ".":
            self._pieces.append(".")
        elif self._last is not None and self._at > self._last and kind != "0":
            return
        elif self._is_lone_zero:
            self._pieces.append(" " if self._parsed.fill else "0" if self._keeps_point_last else "")
        else:
            self._pieces.append(digit)
            self._shown = True

    def _close(self) -> None:
        """Write the sign or bracket after the last digit."""
        if self._signed and self._brackets:
            self._pieces.append(">" if self._sign == "-" else " ")
        elif self._trails:
            self._pieces.append(self._sign)

    def _mark(self, kind: str, text: str) -> str:
        space = " " if self._parsed.fill else ""
        if kind == "TH":
            return self._ordinal(text)
        return {
            ",": "," if self._shown else space,
            "MI": "-" if self._sign == "-" else space,
            "PL": "+" if self._sign == "+" else space,
            "SG": self._sign,
            "L": " ",
            "text": text,
        }.get(kind, "")

    def _ordinal(self, text: str) -> str:
        if self._sign == "-" or self._parsed.has_point or not self._digits.isdigit():
            return ""
        number = int(self._digits)
        teen = 10 < number % 100 < 14
        suffix = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return suffix.upper() if text.isupper() else suffix


def _roman(number: Decimal, parsed: _Template) -> str:
    left = int(number.to_integral_value(ROUND_HALF_UP)) if number.is_finite() else 0
    letters = []
    if 0 < left < 4000:
        for value, each in _ROMAN:
            letters.append(each * (left // value))
            left %= value
    roman = "".join(letters) or "#" * 15
    shown = {"RN": roman.rjust(15) if parsed.fill else roman, "L": " "}
    return "".join(
        shown.get(kind, plain if kind == "text" else "") for kind, plain in parsed.tokens
    )


_READ_TOKEN = re.compile(
    r'"(?P<text>[^"]*)"|(?P<word>FM|PR|MI|PL|SG|TH|[09.,DGSL])|(?P<plain>.)', re.I | re.S
)


def digits_behind_point(template: str) -> int:
    """Return how many digits a template has after the point."""
    words = [found["word"].upper() for found in _READ_TOKEN.finditer(template) if found["word"]]
    points = [at for at, word in enumerate(words) if word in {".", "D"}]
    return sum(word in "09" for word in words[points[0] :]) if points else 0


def read_number(text: str, template: str) -> str:
    """Return the digits of a number, with its sign and point.

    Raises:
        InvalidValueError: the text has no digits (22P02).
    """
    reader = _Reader(text)
    for found in _READ_TOKEN.finditer(template):
        word = (found["word"] or "").upper()
        if word in {"0", "9"} and word:
            reader.digit()
        elif word in {".", "D"}:
            reader.point()
        elif word in {",", "G"}:
            reader.skip(",")
        elif word in {"S", "MI", "PL", "SG"}:
            reader.sign()
        elif word == "L":
            reader.currency()
        elif word == "TH":
            reader.at += 2
        elif word == "PR":
            reader.skip(">")
        elif not word:
            reader.at += len(found["text"] if found["text"] is not None else found["plain"])
    return reader.number()


class _Reader:
    """A position in a text, and the digits that were read."""

    def __init__(self, text: str) -> None:
        self._text, self.at = text, 0
        self._digits, self._sign, self._has_point = "", "", False

    @property
    def _next(self) -> str:
        return self._text[self.at : self.at + 1]

    def digit(self) -> None:
        """Read a digit, after at most one blank and a sign, or a point before its place."""
        if self._next == " ":
            self.at += 1
        if not self._digits and not self._sign and self._next in {"-", "+", "<"} and self._next:
            self.sign()
        if self._next.isdigit():
            self._digits += self._next
            self.at += 1
        elif self._next == "." and not self._has_point:
            self.point()

    def point(self) -> None:
        """Read a point, if it is next."""
        if self._next == "." and not self._has_point:
            self._has_point = True
            self._digits += "."
            self.at += 1

    def sign(self) -> None:
        """Read a sign, if it is next."""
        if self._next and self._next in "+-<":
            self._sign = "" if self._next == "+" else "-"
            self.at += 1

    def skip(self, mark: str) -> None:
        """Skip this mark, if it is next."""
        if self._next == mark:
            self.at += 1

    def currency(self) -> None:
        """Skip characters that are neither digits nor signs, such as `$`."""
        while self._next and self._next not in "0123456789.,+-":
            self.at += 1

    def number(self) -> str:
        """Return the sign, digits and point that were read.

        Raises:
            InvalidValueError: no digit was read (22P02).
        """
        if not any(each.isdigit() for each in self._digits):
            raise InvalidValueError('invalid input syntax for type numeric: " "', sqlstate="22P02")
        return self._sign + self._digits
