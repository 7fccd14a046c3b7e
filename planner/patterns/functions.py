"""PostgreSQL's functions of regular expressions, for single values.

Each takes its arguments as PostgreSQL does. Positions count characters from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from stategate.planner.errors import InvalidValueError, NotSupportedError
from stategate.planner.patterns.automata import Subject
from stategate.planner.patterns.matching import Pattern, Spans, compiled
from stategate.planner.patterns.scanning import Options, with_letter
from stategate.planner.patterns.similar import similar_expression

_PLAIN = Options()


@lru_cache(256)
def options_of(flags: str) -> Options:
    """Return the options that flags stand for; g is `every`.

    Raises:
        InvalidValueError: there is no such flag (22023).
        NotSupportedError: it is b or e: in PostgreSQL, both make expressions basic ones.
    """
    found = _PLAIN
    if "e" in flags:
        raise NotSupportedError(
            "basic regular expressions, which flag e stands for, are not supported",
            hint="Begin the expression with (?e).",
        )
    for letter in flags:
        changed = found._replace(every=True) if letter == "g" else with_letter(found, letter)
        if changed is None:
            raise InvalidValueError(f'invalid regular expression option: "{letter}"')
        found = changed
    return found


def _options_of_one(flags: str, name: str) -> Options:
    """Return the options of a function that takes one match, or counts all.

    Raises:
        InvalidValueError: they have flag g (22023).
    """
    found = options_of(flags)
    if found.every:
        raise InvalidValueError(f'{name}() does not support the "global" option')
    return found


def _pattern(text: str, options: Options, *, with_groups: bool) -> Pattern:
    return compiled(
        text, options._replace(every=False) if options.every else options, with_groups=with_groups
    )


def _matches(
    pattern: Pattern, text: str, begin: int = 0, *, wants_groups: bool = False
) -> Iterator[Spans]:
    """Yield the matches from a place on, each after the one before it."""
    subject = Subject(text)
    while begin <= len(text):
        found = pattern.find(subject, begin, wants_groups=wants_groups)
        if found is None or found[0] is None:
            return
        start, end = found[0]
        yield found
        begin = end + (start == end)


def _texts(pattern: Pattern, text: str, found: Spans) -> list[str | None]:
    """Return the texts of the groups; that of the whole match, if there are no groups."""
    spans = found[1:] if pattern.groups else found
    return [None if span is None else text[span[0] : span[1]] for span in spans]


def is_match(text: str, expression: str) -> bool:
    """Return `text ~ expression`."""
    return compiled(expression, _PLAIN).is_in(text)


def is_match_in_any_case(text: str, expression: str) -> bool:
    """Return `text ~* expression`."""
    return compiled(expression, _FOLDED).is_in(text)


_FOLDED = Options(ignore_case=True)


def is_similar(text: str, pattern: str, escape: str) -> bool:
    """Return `text SIMILAR TO pattern ESCAPE escape`."""
    return is_match(text, similar_expression(pattern, escape))


def regexp_like(text: str, expression: str, flags: str) -> bool:
    """Return `regexp_like(…)`."""
    options = _options_of_one(flags, "regexp_like")
    return _pattern(expression, options, with_groups=False).is_in(text)


def substring(text: str, expression: str) -> str | None:
    """Return `substring(text FROM expression)`: its first group, or the whole match."""
    pattern = compiled(expression, _PLAIN, with_groups=True)
    found = pattern.find(Subject(text), 0, wants_groups=pattern.groups > 0)
    return None if found is None else _texts(pattern, text, found)[0]


def substring_similar(text: str, pattern: str, escape: str) -> str | None:
    """Return `substring(text SIMILAR pattern ESCAPE escape)`."""
    return substring(text, similar_expression(pattern, escape))


def regexp_match(text: str, expression: str, flags: str) -> list[str | None] | None:
    """Return `regexp_match(…)`."""
    options = options_of(flags)
    if options.every:
        raise InvalidValueError(
            'regexp_match() does not support the "global" option',
            hint="Use the regexp_matches function instead.",
        )
    return next(iter(_all_texts(text, expression, options)), None)


def regexp_matches(text: str, expression: str, flags: str) -> list[list[str | None]]:
    """Return the rows of `regexp_matches(…)`."""
    return _all_texts(text, expression, options_of(flags))


def _all_texts(text: str, expression: str, options: Options) -> list[list[str | None]]:
    pattern = _pattern(expression, options, with_groups=True)
    found = _matches(pattern, text, wants_groups=pattern.groups > 0)
    rows = (_texts(pattern, text, match) for match in found)
    return list(rows if options.every else islice(rows, 1))


def _split(text: str, expression: str, flags: str, name: str) -> list[str]:
    """Return the parts of a text between matches.

    Empty matches at the ends of the text and just after another match do not split.
    """
    options = _options_of_one(flags, name)
    parts: list[str] = []
    begin = last = 0
    for found in _matches(_pattern(expression, options, with_groups=False), text):
        assert found[0] is not None, "a match has a place"
        start, end = found[0]
        if start < len(text) and end > last:
            parts.append(text[begin:start])
            begin = end
        last = end
    return [*parts, text[begin:]]


def regexp_split_to_array(text: str, expression: str, flags: str) -> list[str]:
    """Return `regexp_split_to_array(…)`."""
    return _split(text, expression, flags, "regexp_split_to_array")


def regexp_split_to_table(text: str, expression: str, flags: str) -> list[str]:
    """Return the rows of `regexp_split_to_table(…)`."""
    return _split(text, expression, flags, "regexp_split_to_table")


def _at_least(name: str, number: int, least: int) -> int:
    if number < least:
        raise InvalidValueError(f'invalid value for parameter "{name}": {number}')
    return number


def regexp_count(text: str, expression: str, start: int, flags: str) -> int:
    """Return `regexp_count(…)`."""
    _at_least("start", start, 1)
    pattern = _pattern(expression, _options_of_one(flags, "regexp_count"), with_groups=False)
    return sum(1 for _ in _matches(pattern, text, start - 1))


def _nth(  # noqa: PLR0917 - those of its callers
    text: str, expression: str, start: int, number: int, options: Options, group: int
) -> tuple[int, int] | None:
    """Return where a match, or one of its groups, begins and ends, or None."""
    pattern = _pattern(expression, options, with_groups=group > 0)
    if group == 1 and not pattern.groups:
        group = 0  # the whole match counts as a group then
    if group > pattern.groups:
        return None
    found = _matches(pattern, text, start - 1, wants_groups=group > 0)
    match = next((match for at, match in enumerate(found, 1) if at == number), None)
    return None if match is None else match[group]


def regexp_substr(  # noqa: PLR0917 - PostgreSQL's arguments
    text: str, expression: str, start: int, number: int, flags: str, group: int
) -> str | None:
    """Return `regexp_substr(…)`."""
    _at_least("start", start, 1)
    _at_least("n", number, 1)
    _at_least("subexpr", group, 0)
    options = _options_of_one(flags, "regexp_substr")
    span = _nth(text, expression, start, number, options, group)
    return None if span is None else text[span[0] : span[1]]


def regexp_instr(  # noqa: PLR0917 - PostgreSQL's arguments
    text: str, expression: str, start: int, number: int, end: int, flags: str, group: int
) -> int:
    """Return `regexp_instr(…)`."""
    _at_least("start", start, 1)
    _at_least("n", number, 1)
    if end not in {0, 1}:
        raise InvalidValueError(f'invalid value for parameter "endoption": {end}')
    _at_least("subexpr", group, 0)
    options = _options_of_one(flags, "regexp_instr")
    span = _nth(text, expression, start, number, options, group)
    return 0 if span is None else span[end] + 1


_SPECIAL = re.compile(r"\\([1-9&\\])", re.DOTALL)


def regexp_replace(text: str, expression: str, replacement: str, flags: str) -> str:
    """Return `regexp_replace(text, expression, replacement, flags)`."""
    if flags[:1].isdigit():
        raise InvalidValueError(
            f'invalid regular expression option: "{flags[0]}"',
            hint="If you meant to use regexp_replace() with a start parameter, cast the fourth "
            "argument to integer explicitly.",
        )
    options = options_of(flags)
    return _replaced(text, expression, replacement, 0, 0 if options.every else 1, options)


def regexp_replace_nth(  # noqa: PLR0917 - PostgreSQL's arguments
    text: str, expression: str, replacement: str, start: int, number: int, flags: str
) -> str:
    """Return `regexp_replace(text, expression, replacement, start, number, flags)`."""
    _at_least("start", start, 1)
    _at_least("n", number, 0)
    options = options_of(flags)
    return _replaced(text, expression, replacement, start - 1, number, options)


def _replaced(  # noqa: PLR0917 - those of its callers
    text: str, expression: str, replacement: str, begin: int, number: int, options: Options
) -> str:
    """Return a text with one match replaced, or with all of them if the number is 0."""
    has_groups = any(found[1].isdigit() for found in _SPECIAL.finditer(replacement))
    pattern = _pattern(expression, options, with_groups=has_groups)
    pieces: list[str] = []
    done = 0
    for at, match in enumerate(_matches(pattern, text, begin, wants_groups=has_groups), 1):
        if number and at != number:
            continue
        assert match[0] is not None, "a match has a place"
        start, end = match[0]
        pieces += text[done:start], _filled(replacement, text, match)
        done = end
        if number:
            break
    return "".join((*pieces, text[done:]))


def _filled(replacement: str, text: str, match: Spans) -> str:
    """Return a replacement with the texts of the groups that it names."""

    def fill(found: re.Match[str]) -> str:
        sign = found[1]
        if sign == "\\":
            return sign
        number = 0 if sign == "&" else int(sign)
        span = match[number] if number < len(match) else None
        return "" if span is None else text[span[0] : span[1]]

    return _SPECIAL.sub(fill, replacement) if "\\" in replacement else replacement
