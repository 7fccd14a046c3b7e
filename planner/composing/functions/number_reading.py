"""Reads numbers from texts, as PostgreSQL's `to_number(text, template)` does."""

from __future__ import annotations

import re

from planner.errors import InvalidValueError

_TOKEN = re.compile(
    r'"(?P<text>[^"]*)"|(?P<word>FM|PR|MI|PL|SG|TH|[09.,DGSL])|(?P<plain>.)', re.I | re.S
)


def digits_behind_point(template: str) -> int:
    """Return how many digits a template has behind the point."""
    words = [found["word"].upper() for found in _TOKEN.finditer(template) if found["word"]]
    points = [at for at, word in enumerate(words) if word in {".", "D"}]
    return sum(word in "09" for word in words[points[0] :]) if points else 0


def number_of(text: str, template: str) -> str:
    """Return the digits of a number, with its sign and point.

    Raises:
        InvalidValueError: the text has no digits (22P02).
    """
    reader = _Reader(text)
    for found in _TOKEN.finditer(template):
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
        """Read a digit, after at most one blank and a sign; or a point that comes early."""
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
