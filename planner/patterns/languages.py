"""The languages of regular expressions: trees without groups, references and preferences."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from stategate.planner.patterns.characters import Ranges


class Place(Enum):
    """A condition on the place between two characters."""

    TEXT_START = "start of text"
    TEXT_END = "end of text"
    LINE_START = "start of line"
    LINE_END = "end of line"
    WORD_START = "start of word"
    WORD_END = "end of word"
    WORD_EDGE = "edge of word"
    NO_EDGE = "no edge of word"


@dataclass(frozen=True, slots=True)
class Chars:
    """One of these characters."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class At:
    """The empty text at certain places."""

    place: Place


@dataclass(frozen=True, slots=True)
class Look:
    """The empty text where a language matches, or does not match, ahead or behind."""

    of: Language
    is_ahead: bool
    is_wanted: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """The texts of its parts, one after the other; without parts, the empty text."""

    parts: tuple[Language, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    parts: tuple[Language, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """Several times."""

    of: Language
    least: int
    most: int | None


Language: TypeAlias = Chars | At | Look | Sequence | Choice | Repeat

EMPTY = Sequence(())


def sequence(*parts: Language) -> Language:
    """Return languages one after the other."""
    flat: list[Language] = []
    for part in parts:
        flat += part.parts if isinstance(part, Sequence) else (part,)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def repeat(of: Language, least: int, most: int | None) -> Language:
    """Return a language several times."""
    if (least, most) == (1, 1):
        return of
    return EMPTY if most == 0 else Repeat(of, least, most)


def unplaced(language: Language) -> Language:
    """Return a language without its conditions on places: what a back reference can match."""
    match language:
        case At() | Look():
            return EMPTY
        case Sequence(parts):
            return Sequence(tuple(map(unplaced, parts)))
        case Choice(parts):
            return Choice(tuple(map(unplaced, parts)))
        case Repeat(of, least, most):
            return Repeat(unplaced(of), least, most)
        case Chars():
            return language
