"""Finds a match of an expression, and the texts of its groups.

A match begins as early as it can, and is the longest or the shortest one there, as the expression
prefers. Then the tree takes it apart: of two nodes in a row the first one gets as much as it
prefers, if the rest can match what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from stategate.planner.errors import NotSupportedError
from stategate.planner.patterns.automata import Automaton, Conditions, Subject
from stategate.planner.patterns.characters import lower
from stategate.planner.patterns.parsing import Node, parse, without_groups
from stategate.planner.patterns.scanning import Options

Spans = list[tuple[int, int] | None]
"""Where a match and its groups begin and end; None for a group that took no part."""

PATTERNS_KEPT = 256


class Pattern:
    """A compiled expression. Safe to use from many threads.

    Args:
        text: the expression.
        options: how it is read.
        with_groups: whether its groups are asked for.

    Raises:
        InvalidValueError: it is not an expression (2201B).
        NotSupportedError: it is too large, or has something that is not supported.
    """

    def __init__(self, text: str, options: Options, *, with_groups: bool) -> None:
        parsed = parse(text, options)
        self.groups = parsed.groups
        """The number of groups that the expression has."""
        self.root = parsed.root if with_groups else without_groups(parsed.root)
        self.ignores_case = parsed.options.ignore_case
        self._refers, self._prefers_shorter = self.root.refers, self.root.prefers_shorter
        self._conditions = Conditions()
        self._automata: dict[Node, Automaton] = {}
        self._search = Automaton(self.root.language, self._conditions, is_search=True)

    def automaton(self, node: Node) -> Automaton:
        """Return the automaton of a node."""
        found = self._automata.get(node)
        if found is None:
            found = self._automata[node] = Automaton(node.language, self._conditions)
        return found

    def is_in(self, text: str) -> bool:
        """Whether a text has a match."""
        subject = Subject(text)
        if self._refers:
            return self.find(subject, 0) is not None
        return self._search.search(subject, 0) is not None

    def find(self, subject: Subject, begin: int, *, wants_groups: bool = False) -> Spans | None:
        """Return the first match from a place on; without its groups, if they are not wanted.

        Raises:
            NotSupportedError: the match needs too many steps inside each other.
        """
        candidates = self._candidates(subject, begin)
        if not wants_groups and not self._refers:
            first = next(candidates, None)
            return None if first is None else [first]
        taking_apart = _TakingApart(self, subject)
        try:
            for start, end in candidates:
                spans = taking_apart.spans = [None] * (self.groups + 1)
                if taking_apart.run(self.root, start, end):
                    spans[0] = start, end
                    return spans
        except RecursionError:
            raise NotSupportedError(
                "a regular expression with this many groups is not supported"
            ) from None
        return None

    def _candidates(self, subject: Subject, begin: int) -> Iterator[tuple[int, int]]:
        """Yield the texts that may be the match, in the order of preference."""
        found = self._search.search(subject, begin)
        if found is None:
            return
        automaton, stop = self.automaton(self.root), len(subject.text)
        for start in range(found[0], stop + 1):
            if self._prefers_shorter:
                at = automaton.shortest(subject, start, start, stop)
                while at is not None:
                    yield start, at
                    at = automaton.shortest(subject, start, at + 1, stop) if at < stop else None
            else:
                at = automaton.longest(subject, start, stop)
                while at is not None:
                    yield start, at
                    at = automaton.longest(subject, start, at - 1) if at > start else None


class _TakingApart:
    """Takes one text apart, and notes where its groups begin and end."""

    def __init__(self, pattern: Pattern, subject: Subject) -> None:
        self._pattern, self._subject = pattern, subject
        self.spans: Spans = []

    def run(self, node: Node, begin: int, end: int) -> bool:
        """Take a text apart that is in the node's language; return whether it matches.

        A node that does not match leaves no groups behind: another alternative may match.
        """
        if node.kind != "=" and not _RULES[node.kind](self, node, begin, end):
            self._forget(node)
            return False
        if node.group:
            self.spans[node.group] = begin, end
        return True

    def _forget(self, node: Node) -> None:
        """Forget the groups in a node."""
        if node.group:
            self.spans[node.group] = None
        for child in node.children:
            self._forget(child)

    def _reference(self, node: Node, begin: int, end: int) -> bool:
        span = self.spans[node.reference]
        if span is None:
            return False
        text, ignores_case = self._subject.text, self._pattern.ignores_case
        wanted, given = text[span[0] : span[1]], text[begin:end]
        if not wanted:
            return begin == end
        if begin == end:
            return node.least == 0
        times, rest = divmod(len(given), len(wanted))
        if rest or times < node.least or (node.most is not None and times > node.most):
            return False
        if ignores_case:
            return all(
                one == other or lower(ord(one)) == lower(ord(other))
                for one, other in zip(wanted * times, given, strict=True)
            )
        return wanted * times == given

    def _pair(self, node: Node, begin: int, end: int) -> bool:
        left, right = node.children
        first, second = self._pattern.automaton(left), self._pattern.automaton(right)
        subject, is_shorter = self._subject, left.prefers_shorter
        middle = (
            first.shortest(subject, begin, begin, end)
            if is_shorter
            else first.longest(subject, begin, end)
        )
        while middle is not None:
            if second.spans(subject, middle, end) and self.run(left, begin, middle):
                if self.run(right, middle, end):
                    return True
                self._forget(left)
            if middle == (end if is_shorter else begin):
                return False
            middle = (
                first.shortest(subject, begin, middle + 1, end)
                if is_shorter
                else first.longest(subject, begin, middle - 1)
            )
        return False

    def _choice(self, node: Node, begin: int, end: int) -> bool:
        return any(
            self._pattern.automaton(child).spans(self._subject, begin, end)
            and self.run(child, begin, end)
            for child in node.children
        )

    def _repetition(self, node: Node, begin: int, end: int) -> bool:
        """Cut a text into parts that all match; parts are empty only if `least` needs them.

        An empty text is one part, if it can be, and otherwise none; where shorter parts are
        preferred, none is.
        """
        if node.least == 0 and begin == end and node.children[0].prefers_shorter:
            return True
        child, least = node.children[0], max(node.least, 1)
        most = max(end - begin if node.most is None else min(end - begin, node.most), least)
        is_shorter = child.prefers_shorter
        ends, verified = [begin], 0
        limit: int | None = begin if is_shorter else end
        while limit is not None:
            number = len(ends)
            if is_shorter and number >= most:
                limit = end  # the last part that there may be
            found = self._next_end(child, ends[-1], limit, end, least_left=least - number)
            if found is not None:
                is_needed = number < least and least - number >= end - found
                is_useless = not is_shorter and found == ends[-1] and not is_needed
                ends.append(found)
                verified = min(verified, number - 1)
                if found != end and number < most and not is_useless:
                    limit = found if is_shorter else end
                    continue
                if found != end and number >= most:
                    ends.pop()
                elif found == end and number >= least:
                    verified = self._verify(child, ends, verified)
                    if verified == number:
                        return True
            limit = _changed_limit(ends, end, least, is_shorter=is_shorter)
        return node.least == 0 and begin == end

    def _next_end(
        self, child: Node, begin: int, limit: int, end: int, *, least_left: int
    ) -> int | None:
        """Return where the next part ends.

        Args:
            child: the node of the parts.
            begin: where the part begins.
            limit: the last place where it may end; the first one, if shorter parts are preferred.
            end: where the last part ends.
            least_left: how many parts must follow, this one included; less than 1 if none.
        """
        automaton = self._pattern.automaton(child)
        if not child.prefers_shorter:
            return automaton.longest(self._subject, begin, limit)
        if limit == begin != end and (least_left < 1 or least_left < end - limit):
            limit += 1
        return automaton.shortest(self._subject, begin, limit, end)

    def _verify(self, child: Node, ends: list[int], verified: int) -> int:
        """Return how many of the parts match, the first ones having been verified."""
        while verified + 1 < len(ends):
            self._forget(child)
            if not self.run(child, ends[verified], ends[verified + 1]):
                break
            verified += 1
        return verified


_RULES: Mapping[str, Callable[[_TakingApart, Node, int, int], bool]] = {
    "b": _TakingApart._reference,
    ".": _TakingApart._pair,
    "|": _TakingApart._choice,
    "*": _TakingApart._repetition,
    "(": lambda apart, node, begin, end: apart.run(node.children[0], begin, end),
}
"""What takes a text apart, by the kind of the node."""


def _changed_limit(ends: list[int], end: int, least: int, *, is_shorter: bool) -> int | None:
    """Drop the last part that can end elsewhere; return where it may end, or None."""
    while len(ends) > 1:
        last, number = ends.pop(), len(ends)
        if is_shorter:
            if last < end:
                return last + 1
            continue
        begin = ends[-1]
        may_be_empty = number < least and least - number >= end - begin
        if last > begin and (last - 1 > begin or may_be_empty):
            return last - 1
    return None


@lru_cache(PATTERNS_KEPT)
def compiled(text: str, options: Options, *, with_groups: bool = False) -> Pattern:
    """Return a compiled expression.

    Raises:
        InvalidValueError, NotSupportedError: as `Pattern`.
    """
    return Pattern(text, options, with_groups=with_groups)
