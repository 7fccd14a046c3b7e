"""Parses an expression to the tree that `matching` takes a match apart with.

Where a part starts and ends depends on the preferences of the parts around it. PostgreSQL keeps
parts together as one node where that does not matter, and its choice decides which of several ways
to match is taken. So this tree is made as PostgreSQL makes its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntFlag

from stategate.planner.errors import NotSupportedError
from stategate.planner.patterns.characters import EVERY, NEWLINE, Ranges, cases_of, complement
from stategate.planner.patterns.languages import (
    EMPTY,
    At,
    Chars,
    Choice,
    Language,
    Look,
    Place,
    repeat,
    sequence,
    unplaced,
)
from stategate.planner.patterns.scanning import (
    PARENTHESES,
    QUANTIFIER,
    REFERENCE,
    Checkpoint,
    Class,
    LookKind,
    Options,
    Quantifier,
    Scanner,
    Token,
    unchecked,
)
from stategate.planner.patterns.sets import SetReader, class_ranges

DEPTH_MAX = 100
"""Deepest parentheses, since parsing and matching recurse."""


class Flag(IntFlag):
    """What is known of a node."""

    NONE = 0
    LONGER = 1
    """It prefers a longer text."""
    SHORTER = 2
    """It prefers a shorter text."""
    MIXED = 4
    """Parts of it have different preferences."""
    CAPTURES = 8
    REFERS = 16
    """A back reference is in it."""


_COMPLEX = Flag.MIXED | Flag.CAPTURES | Flag.REFERS
_PREFERENCES = Flag.LONGER | Flag.SHORTER


def _upwards(flags: Flag) -> Flag:
    """Return what a node inherits from parts with these flags."""
    return (flags & _COMPLEX) | (Flag.MIXED if _PREFERENCES in flags else Flag.NONE)


def _combined(one: Flag, other: Flag) -> Flag:
    """Return the flags of two nodes in a row; the first preference is that of both."""
    return _upwards(one | other) | ((one & _PREFERENCES) or (other & _PREFERENCES))


@dataclass(slots=True, eq=False)
class Node:
    """A part of an expression.

    The kinds: `=` a language that is matched as a whole, `b` a back reference, `.` two nodes in a
    row, `|` alternatives, `*` a node several times, `(` a node that is a group already and becomes
    another one.
    """

    kind: str
    language: Language = EMPTY
    flags: Flag = Flag.NONE
    children: list[Node] = field(default_factory=list)
    group: int = 0
    """The number of the group that it captures; 0 for none."""
    reference: int = 0
    """The number of the group that a back reference repeats."""
    least: int = 1
    most: int | None = 1
    is_referenced: bool = False

    @property
    def prefers_shorter(self) -> bool:
        """Whether it prefers a shorter text."""
        return Flag.SHORTER in self.flags

    @property
    def refers(self) -> bool:
        """Whether a back reference is in it."""
        return Flag.REFERS in self.flags


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed expression."""

    root: Node
    groups: int
    options: Options
    """The options of the caller and of the expression itself."""


def parse(text: str, options: Options, checkpoint: Checkpoint = unchecked) -> Parsed:
    """Parse an expression.

    Raises:
        QueryError: `checkpoint` raised it.
        InvalidValueError: it is not an expression (2201B).
        NotSupportedError: it is nested too deep, or has something that is not supported.
    """
    parser = _Parser(text, options, checkpoint)
    try:
        root = parser.alternatives(is_inner=False, in_look=False)
    except RecursionError:
        raise _too_deep() from None
    return Parsed(root=root, groups=parser.scanner.groups, options=parser.scanner.options)


def _too_deep() -> NotSupportedError:
    return NotSupportedError("a regular expression that is nested this deeply is not supported")


class _Parser:
    """Parses one expression."""

    def __init__(self, text: str, options: Options, checkpoint: Checkpoint) -> None:
        self.scanner = Scanner(text, options, checkpoint)
        self._options = self.scanner.options
        self._groups: dict[int, Node] = {}
        self._depth = 0
        self._advance()

    def _advance(self) -> None:
        self._token, self._value = self.scanner.next()

    def _ends_branch(self, *, is_inner: bool) -> bool:
        if self._token is Token.CLOSE and not is_inner:
            return False
        return self._token in {Token.OR, Token.END, Token.CLOSE}

    def alternatives(self, *, is_inner: bool, in_look: bool) -> Node:
        """Parse branches up to the end, or up to a closing parenthesis."""
        branches: list[Node] = []
        flags = Flag.LONGER
        while True:
            branch = self._branch(is_inner=is_inner, in_look=in_look)
            branches.append(branch)
            flags |= _upwards(flags | branch.flags)
            if self._token is not Token.OR:
                break
            self._advance()
        if is_inner and self._token is not Token.CLOSE:
            self.scanner.fail(PARENTHESES)
        if len(branches) == 1:
            return branches[0]
        language = Choice(tuple(branch.language for branch in branches))
        if not flags & _COMPLEX:
            return Node("=", language, flags)
        return Node("|", language, flags, branches)

    def _branch(self, *, is_inner: bool, in_look: bool) -> Node:
        """Parse parts up to the end of the branch; the rest after a complex part is its sibling."""
        top = Node("=")
        parts: list[Language] = []
        while not self._ends_branch(is_inner=is_inner):
            if self._token is Token.PLACE:
                assert isinstance(self._value, Place)
                parts.append(At(self._value))
                self._advance()
                continue
            if self._token is Token.LOOK:
                parts.append(self._look())
                continue
            is_reference = self._token is Token.REFERENCE
            atom, plain, is_special = self._atom(in_look=in_look)
            given = self._quantifier()
            least, most = (1, 1) if given is None else (given.least, given.most)
            if most == 0:
                parts.append(EMPTY)
                continue
            prefers = Flag.NONE
            if given is not None and given.is_greedy is not None:
                prefers = Flag.LONGER if given.is_greedy else Flag.SHORTER
            flags = top.flags | prefers | (Flag.NONE if atom is None else atom.flags)
            if not is_special and not _upwards(flags) & _COMPLEX:
                language = plain if atom is None else atom.language
                parts.append(repeat(language, least, most))
                top.flags = flags
                continue
            top.language = sequence(*parts)
            atom = atom or Node("=", plain)
            times = _Times(least, most, prefers)
            if is_reference:
                times = _repeat_reference(atom, times)
            return self._split(
                top, atom, times, is_first=not parts, is_inner=is_inner, in_look=in_look
            )
        top.language = sequence(*parts)
        return top

    def _split(
        self,
        top: Node,
        atom: Node,
        times: _Times,
        *,
        is_first: bool,
        is_inner: bool,
        in_look: bool,
    ) -> Node:
        """Return a branch as the parts before a complex one, that one, and all that follow it.

        Args:
            top: the parts before it.
            atom: the complex part, without its quantifier.
            times: its quantifier.
            is_first: whether there are no parts before it.
            is_inner: whether a closing parenthesis ends the branch.
            in_look: whether it is in a condition on what is ahead or behind.
        """
        pair_flags = _combined(times.prefers, atom.flags)
        repeated = _repeated(atom, times)
        before = Node("=", top.language, top.flags)
        if self._ends_branch(is_inner=is_inner):
            flags = top.flags | _combined(top.flags, repeated.flags)
            if is_first:
                return repeated
            language = sequence(before.language, repeated.language)
            return Node(".", language, flags, [before, repeated])
        rest = self._branch(is_inner=is_inner, in_look=in_look)
        pair_flags |= _combined(pair_flags, rest.flags)
        pair_language = sequence(repeated.language, rest.language)
        flags = top.flags | _combined(top.flags, pair_flags)
        if is_first:
            return Node(".", pair_language, flags, [repeated, rest])
        pair = Node(".", pair_language, pair_flags, [repeated, rest])
        is_plain = repeated.kind == rest.kind == "="
        if is_plain and not _upwards(repeated.flags | rest.flags) & _COMPLEX:
            pair = Node("=", pair_language, _combined(repeated.flags, rest.flags))
        return Node(".", sequence(before.language, pair_language), flags, [before, pair])

    def _quantifier(self) -> Quantifier | None:
        if self._token is not Token.QUANTIFIER:
            return None
        found = self._value
        assert isinstance(found, Quantifier)
        self._advance()
        return found

    def _look(self) -> Language:
        kind = self._value
        assert isinstance(kind, LookKind)
        self._advance()
        inner = self._inner(in_look=True)
        return Look(inner.language, is_ahead=kind.is_ahead, is_wanted=kind.is_wanted)

    def _inner(self, *, in_look: bool) -> Node:
        """Parse what stands in parentheses, and the closing one."""
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise _too_deep()
        found = self.alternatives(is_inner=True, in_look=in_look)
        self._depth -= 1
        self._advance()
        return found

    def _atom(self, *, in_look: bool) -> tuple[Node | None, Language, bool]:
        """Return a group or reference as a node, or a language; and whether it must be a node."""
        token, value = self._token, self._value
        match token:
            case Token.OPEN:
                return self._group(is_captured=bool(value) and not in_look, in_look=in_look)
            case Token.REFERENCE:
                return self._reference(in_look=in_look)
            case Token.CLOSE:
                if self._options.syntax != "extended":
                    self.scanner.fail(PARENTHESES)
                ranges = cases_of(ord(")"))
            case Token.CHARACTER:
                assert isinstance(value, int)
                folds = self._options.ignore_case
                ranges = cases_of(value) if folds else ((value, value),)
            case Token.SET:
                ranges = SetReader(self.scanner).read(is_complement=bool(value))
            case Token.CLASS:
                assert isinstance(value, Class)
                ranges = class_ranges(value, ignore_case=self._options.ignore_case)
            case Token.ANY:
                ranges = complement(NEWLINE) if self._options.stops_at_newline else EVERY
            case _:
                self.scanner.fail(QUANTIFIER)
        self._advance()
        return None, Chars(_in_unicode(ranges)), False

    def _group(self, *, is_captured: bool, in_look: bool) -> tuple[Node | None, Language, bool]:
        if is_captured:
            self.scanner.groups += 1
        number = self.scanner.groups
        self._advance()
        node = self._inner(in_look=in_look)
        if is_captured:
            if node.group:
                node = Node("(", node.language, node.flags, [node])
            node.flags |= Flag.CAPTURES
            node.group = number
            self._groups[number] = node
        return node, node.language, is_captured

    def _reference(self, *, in_look: bool) -> tuple[Node | None, Language, bool]:
        number = self._value
        assert isinstance(number, int)
        node = None if in_look else self._groups.get(number)
        if node is None:
            self.scanner.fail(REFERENCE)
        node.is_referenced = True
        self._advance()
        found = Node("b", unplaced(node.language), Flag.REFERS, reference=number)
        return found, found.language, True


@dataclass(frozen=True, slots=True)
class _Times:
    """How often a part is repeated."""

    least: int
    most: int | None
    prefers: Flag


def _repeat_reference(node: Node, times: _Times) -> _Times:
    """Let a back reference repeat itself; return how often it is repeated beyond that: once."""
    node.language = repeat(node.language, times.least, times.most)
    node.least, node.most = times.least, times.most
    node.flags |= _combined(times.prefers, node.flags)
    return _Times(1, 1, times.prefers)


def _repeated(atom: Node, times: _Times) -> Node:
    """Return the node of a complex part with its quantifier."""
    least, most = times.least, times.most
    flags = _combined(times.prefers, atom.flags)
    language = repeat(atom.language, least, most)
    own = atom.flags & (_PREFERENCES | Flag.MIXED)
    if (least, most) == (1, 1) and (not times.prefers or not own or times.prefers == own):
        return atom
    if not atom.flags & (Flag.CAPTURES | Flag.REFERS):
        return Node("=", language, flags)
    if least > 0 and not atom.refers:
        # Only the last of the repetitions is captured.
        fewer = repeat(atom.language, least - 1, None if most is None else most - 1)
        return Node(".", language, flags, [Node("=", fewer, flags & _PREFERENCES), atom])
    return Node("*", language, flags, [atom], least=least, most=most)


def _in_unicode(ranges: Ranges) -> Ranges:
    """Return ranges without numbers that no character has."""
    if not ranges or ranges[-1][1] <= EVERY[0][1]:
        return ranges
    return tuple((low, high) for low, high in ranges if high <= EVERY[0][1])


def without_groups(node: Node) -> Node:
    """Return a tree with only the groups that are referred to; no one asks for the others.

    PostgreSQL does the same, and then takes other ways through the expression.
    """
    children = [without_groups(child) for child in node.children]
    flags = node.flags if node.is_referenced else node.flags & ~Flag.CAPTURES
    for child in children:
        flags |= child.flags & Flag.CAPTURES
    if not flags & (Flag.CAPTURES | Flag.REFERS):
        return Node("=", node.language, flags & ~Flag.MIXED)
    return Node(
        node.kind,
        node.language,
        flags,
        children,
        group=node.group if node.is_referenced else 0,
        reference=node.reference,
        least=node.least,
        most=node.most,
    )
