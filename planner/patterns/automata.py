"""Automata of languages: which texts, from one place of a text on, are in a language.

An automaton's states are made as texts need them. A state is a dictionary: a character leads to the
next state. Where a language has conditions on places, the character leads there together with the
conditions that hold after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from stategate.planner.errors import NotSupportedError
from stategate.planner.patterns.characters import Ranges, class_of, contains
from stategate.planner.patterns.languages import (
    At,
    Chars,
    Choice,
    Language,
    Look,
    Place,
    Repeat,
    Sequence,
)

NODES_MAX = 50_000
"""Most nodes in the graph of a language, with repetitions in braces written out."""
MEMBERS_KEPT_MAX = 200_000
"""Nodes in the states that an automaton keeps before it begins anew; a state may have them all."""
STEPS_KEPT_MAX = 100_000
"""Steps between states that an automaton keeps before it begins anew."""

_FINAL = 0


class Subject:
    """A text, and what is known of its places."""

    __slots__ = ("known", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.known: dict[Any, Any] = {}


class State(dict[Any, "State"]):
    """A state of an automaton: key → next state."""

    __slots__ = ("_owner", "accepts", "is_fresh", "members")

    def __init__(self, owner: Automaton, members: frozenset[int], *, is_fresh: bool) -> None:
        super().__init__()
        self._owner, self.members, self.is_fresh = owner, members, is_fresh
        self.accepts = _FINAL in members

    def __missing__(self, key: Any) -> State:
        found = self._owner.step(self, key)
        self[key] = found
        return found


class Conditions:
    """The conditions of one expression, each made once."""

    def __init__(self) -> None:
        self._made: dict[At | Look, Callable[[Subject, int], bool]] = {}

    def of(self, language: At | Look) -> Callable[[Subject, int], bool]:
        """Return the function that tells whether a condition holds at a place of a text."""
        found = self._made.get(language)
        if found is None:
            found = (
                self._looking(language) if isinstance(language, Look) else _PLACES[language.place]
            )
            self._made[language] = found
        return found

    def _looking(self, look: Look) -> Callable[[Subject, int], bool]:
        automaton = Automaton(look.of, self, is_search=not look.is_ahead)

        def ahead(subject: Subject, at: int) -> bool:
            end = automaton.shortest(subject, at, at, len(subject.text))
            return (end is not None) is look.is_wanted

        def behind(subject: Subject, at: int) -> bool:
            ends = subject.known.get(look)
            if ends is None:
                ends = subject.known[look] = frozenset(automaton.ends(subject))
            return (at in ends) is look.is_wanted

        return ahead if look.is_ahead else behind


class Automaton:
    """Finds texts of a language.

    Args:
        language: the language.
        conditions: those of the whole expression.
        is_search: whether a text may begin at any later place, too.

    Raises:
        NotSupportedError: the language is too large.
    """

    def __init__(
        self, language: Language, conditions: Conditions, *, is_search: bool = False
    ) -> None:
        self._is_search = is_search
        graph = _Graph(language)
        self._graph = graph
        self._conditions = [conditions.of(each) for each in graph.conditions]
        self._states: dict[tuple[frozenset[int], bool], State] = {}
        self._starts: dict[int, State] = {}
        self._steps = self._members = 0
        self._dead = State(self, frozenset(), is_fresh=False)

    def _holding(self, subject: Subject, at: int) -> int:
        """Return the conditions that hold at a place, as bits."""
        if not self._conditions:
            return 0
        key = self, at
        found: int | None = subject.known.get(key)
        if found is None:
            found = 0
            for i, condition in enumerate(self._conditions):
                found |= condition(subject, at) << i
            subject.known[key] = found
        return found

    def _start(self, holding: int) -> State:
        """Return the state before the first character."""
        found = self._starts.get(holding)
        if found is None:
            members = self._graph.closure((self._graph.first,), holding)
            found = self._starts[holding] = self._state(members, is_fresh=True)
        return found

    def _state(self, members: frozenset[int], *, is_fresh: bool) -> State:
        """Return the state with these nodes. Without nodes, only a search can go on."""
        if not members and not self._is_search:
            return self._dead
        found = self._states.get((members, is_fresh))
        if found is None:
            found = self._states[members, is_fresh] = State(self, members, is_fresh=is_fresh)
            self._members += len(members) + 1
        return found

    def step(self, state: State, key: Any) -> State:
        """Return the state after a character, and after the conditions that hold behind it."""
        self._steps += 1
        if self._steps > STEPS_KEPT_MAX or self._members > MEMBERS_KEPT_MAX:
            self._steps = self._members = 0
            self._states, self._starts = {}, {}
        char, holding = key if self._conditions else (key, 0)
        graph = self._graph
        reached = set(graph.after(state.members, ord(char)))
        is_fresh = not reached
        if self._is_search:
            reached.add(graph.first)
        return self._state(graph.closure(reached, holding), is_fresh=is_fresh)

    def longest(self, subject: Subject, begin: int, stop: int) -> int | None:
        """Return the last place, up to `stop`, where a text ends that begins at `begin`."""
        text, dead = subject.text, self._dead
        last: int | None = None
        if self._conditions:
            state = self._start(self._holding(subject, begin))
            last = begin if state.accepts else None
            for at in range(begin, stop):
                state = state[text[at], self._holding(subject, at + 1)]
                if state is dead:
                    break
                if state.accepts:
                    last = at + 1
            return last
        state = self._start(0)
        last = begin if state.accepts else None
        for at in range(begin, stop):
            state = state[text[at]]
            if state is dead:
                break
            if state.accepts:
                last = at + 1
        return last

    def shortest(self, subject: Subject, begin: int, least: int, most: int) -> int | None:
        """Return the first place, from `least` to `most`, where a text ends."""
        return next((at for at in self._ends(subject, begin, most) if at >= least), None)

    def spans(self, subject: Subject, begin: int, end: int) -> bool:
        """Whether a text begins and ends at these places."""
        return self.longest(subject, begin, end) == end

    def ends(self, subject: Subject) -> Iterable[int]:
        """Yield all places where a text ends; for an automaton that searches."""
        return self._ends(subject, 0, len(subject.text))

    def _ends(self, subject: Subject, begin: int, stop: int) -> Iterable[int]:
        text, has_conditions = subject.text, bool(self._conditions)
        state = self._start(self._holding(subject, begin))
        if state.accepts:
            yield begin
        for at in range(begin, stop):
            key: Any = text[at]
            if has_conditions:
                key = key, self._holding(subject, at + 1)
            state = state[key]
            if state is self._dead:
                return
            if state.accepts:
                yield at + 1

    def search(self, subject: Subject, begin: int) -> tuple[int, int] | None:
        """Return a range of places in which the first match begins.

        The earliest end of a match is its last place. None if there is no match.
        """
        text, has_conditions = subject.text, bool(self._conditions)
        state = self._start(self._holding(subject, begin))
        first = begin
        if state.accepts:
            return begin, begin
        for at in range(begin, len(text)):
            if has_conditions:
                state = state[text[at], self._holding(subject, at + 1)]
            else:
                state = state[text[at]]
            if state.is_fresh:
                first = at + 1
            if state.accepts:
                return first, at + 1
        return None


class _Graph:
    """The graph of a language: nodes that take a character, and the ways between them."""

    def __init__(self, language: Language) -> None:
        self.conditions: list[At | Look] = []
        self._chars: list[tuple[Ranges, int] | None] = [None]
        """What a node takes, and the next node; None for nodes that take nothing."""
        self._ways: list[tuple[tuple[int | None, int], ...]] = [()]
        """The nodes that follow at once, with the condition for each."""
        self.first = self._add(language, _FINAL)

    def _node(
        self, chars: tuple[Ranges, int] | None, ways: tuple[tuple[int | None, int], ...] = ()
    ) -> int:
        if len(self._chars) >= NODES_MAX:
            raise NotSupportedError(
                "a regular expression with this many repetitions is not supported"
            )
        self._chars.append(chars)
        self._ways.append(ways)
        return len(self._chars) - 1

    def _add(self, language: Language, following: int) -> int:
        """Return the node where a language begins, which goes on at another node."""
        match language:
            case Chars(ranges):
                return self._node((ranges, following))
            case At() | Look():
                if language not in self.conditions:
                    self.conditions.append(language)
                return self._node(None, ((self.conditions.index(language), following),))
            case Sequence(parts):
                for part in reversed(parts):
                    following = self._add(part, following)
                return following
            case Choice(parts):
                begins = [self._add(part, following) for part in parts]
                return self._node(None, tuple((None, begin) for begin in begins))
            case Repeat(of, least, most):
                return self._repeated(of, least, most, following)

    def _repeated(self, of: Language, least: int, most: int | None, following: int) -> int:
        if most is None:
            begin = self._node(None)
            self._ways[begin] = ((None, self._add(of, begin)), (None, following))
        else:
            begin = following
            for _ in range(most - least):
                begin = self._node(None, ((None, self._add(of, begin)), (None, following)))
        for _ in range(least):
            begin = self._add(of, begin)
        return begin

    def after(self, members: frozenset[int], point: int) -> Iterable[int]:
        """Yield the nodes that follow after a character."""
        for member in members:
            taken = self._chars[member]
            if taken is not None and contains(taken[0], point):
                yield taken[1]

    def closure(self, nodes: Iterable[int], holding: int) -> frozenset[int]:
        """Return the nodes that take a character or end the text, reached without a character."""
        found: set[int] = set()
        seen: set[int] = set()
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if node == _FINAL or self._chars[node] is not None:
                found.add(node)
                continue
            for condition, following in self._ways[node]:
                if condition is None or holding >> condition & 1:
                    waiting.append(following)
        return frozenset(found)


@cache
def _is_word(char: str) -> bool:
    return contains(class_of("word") or (), ord(char))


def _around(subject: Subject, at: int) -> tuple[bool, bool]:
    """Return whether the characters before and after a place are those of words."""
    text = subject.text
    return at > 0 and _is_word(text[at - 1]), at < len(text) and _is_word(text[at])


_EDGES = ((False, True), (True, False))
_PLACES: dict[Place, Callable[[Subject, int], bool]] = {
    Place.TEXT_START: lambda subject, at: at == 0,
    Place.TEXT_END: lambda subject, at: at == len(subject.text),
    Place.LINE_START: lambda subject, at: at == 0 or subject.text[at - 1] == "\n",
    Place.LINE_END: lambda subject, at: at == len(subject.text) or subject.text[at] == "\n",
    Place.WORD_START: lambda subject, at: _around(subject, at) == (False, True),
    Place.WORD_END: lambda subject, at: _around(subject, at) == (True, False),
    Place.WORD_EDGE: lambda subject, at: _around(subject, at) in _EDGES,
    Place.NO_EDGE: lambda subject, at: _around(subject, at) not in _EDGES,
}
