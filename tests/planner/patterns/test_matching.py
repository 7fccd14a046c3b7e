"""Matches and groups of expressions: the longest, the preferred, and what takes part in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import chain, product
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stategate.planner.errors import NotSupportedError, QueryCancelledError, QueryError
from stategate.planner.patterns import automata, functions
from stategate.planner.patterns.automata import Automaton, Conditions, Subject
from stategate.planner.patterns.characters import (
    _MADE,
    LAST,
    _class,
    class_of,
    complement,
    contains,
    with_cases,
)
from stategate.planner.patterns.matching import compiled
from stategate.planner.patterns.parsing import parse
from stategate.planner.patterns.ranges import CLASSES
from stategate.planner.patterns.re2 import fixed_start, for_re2
from stategate.planner.patterns.scanning import Options


@pytest.mark.parametrize(
    ("expression", "text", "groups"),
    [
        ("foo|foobar", "foobar", ["foobar"]),
        ("(a|ab)(c|bcd)(d*)", "abcd", ["ab", "c", "d"]),
        ("(a*?)(b|ab)", "aab", ["a", "ab"]),
        ("(a??)*", "b", [None]),
        ("(a?)*", "b", [""]),
        ("(?:(a)|b)*", "ab", [None]),
        ("(.{1,2}?){0,2}", "abcd", ["cd"]),
        (r"(a+)\1", "aaaa", ["aa"]),
        (r"(a|b)\1?c", "abbc", ["b"]),
        (r"(a|b)(?:\1{2}){2}c", "abbbbbc", ["b"]),
        (r"(?:a|(b))(?:\1){0,2}c", "ac", [None]),
        (r"(?:a|(b))\1{0,2}c", "ac", None),
        (r"(a*?)\1|a", "a", [None]),
        (r"(?:(a*?)\1)+b|ab", "ab", [None]),
        (r"\m\w+\M", "- naïve!", ["naïve"]),
        ("(?<=a)b(?!c)", "abcab", ["b"]),
        ("x(?=(y))", "xy", ["x"]),
        (r"(?<=\ma)b", "x ab", ["b"]),
        ("(?n)(?<=^a)b", "x\nab", ["b"]),
        (r"(?<=\Ya)b", "ab aab", ["b"]),
        ("(?<!x(?=ab)a)b", "xab b", ["b"]),
        ("(?#a)" * 2_000 + "b", "b", ["b"]),
        ("(?i)ÄB", "äb", ["äb"]),
        ("(?x) a b # both", "ab", ["ab"]),
        ("(?n)^b$", "a\nb\nc", ["b"]),
        ("***=a.b", "aab a.b", ["a.b"]),
        ("[[:<:]]b", "ab b", ["b"]),
        ("[^[:alpha:]\\d]", "a1-", ["-"]),
    ],
)
def test_groups(expression: str, text: str, groups: list[str | None] | None) -> None:
    assert functions.regexp_match(text, expression, "") == groups


def test_what_is_not_an_expression() -> None:
    with pytest.raises(QueryError) as caught:
        functions.regexp_match("a", "a{2}{2}", "")
    assert caught.value.sqlstate == "2201B"


@pytest.mark.parametrize("flags", ["g", "z"])
def test_numbers_are_checked_before_flags(flags: str) -> None:
    for call in (
        lambda: functions.regexp_substr("a", "a", 1, 1, flags, -1),
        lambda: functions.regexp_instr("a", "a", 1, 1, 0, flags, -1),
    ):
        with pytest.raises(QueryError, match='"subexpr": -1'):
            call()


@pytest.mark.parametrize("expression", ["(a{255}){255}", "(?b)a", "(" * 200 + ")" * 200])
def test_what_is_not_supported(expression: str) -> None:
    with pytest.raises(NotSupportedError):
        functions.is_match("a", expression)


ATOMS = ["a", "b", "c", ".", "[ab]", "[^a]", "é", r"\w", r"\W"]
PLACES = ["^", "$", r"\A", r"\Z"]
BEHIND = ["a", "é", r"\Aa", r"\y", r"\ya", r"a\y", r"\yab", "[ab]b", r"\m.", "(?!a).b", "(?<=a)b"]
"""What stands in a condition on what is behind. Python wants it to have one length."""
CONDITIONS = [
    *(r"\y", r"\Y", r"\m", r"\M"),
    *(f"(?<{sign}{behind})" for behind in BEHIND for sign in "=!"),
]
IN_PYTHON = {
    r"\y": r"\b",
    r"\Y": r"(?!\b)",
    r"\m": r"(?:(?<!\w)(?=\w))",
    r"\M": r"(?:(?<=\w)(?!\w))",
    "$": r"\Z",
}
"""Places that Python's `re` writes otherwise."""


def _judge(expression: str, *, left: int | None = None) -> re.Pattern[str]:
    """Return Python's expression; for texts that end so many characters before the end."""
    written = re.sub(r"\\[yYmM]|\$", lambda found: IN_PYTHON[found[0]], expression)
    return re.compile(written if left is None else f"(?:{written})(?=.{{{left}}}\\Z)", re.DOTALL)


def _expressions(*, with_conditions: bool = True) -> st.SearchStrategy[str]:
    """Return expressions whose language Python's `re` has, too."""
    atoms = st.sampled_from(ATOMS) | st.sampled_from(
        PLACES + CONDITIONS if with_conditions else PLACES
    ).map(lambda found: f"(?:{found})")

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        quantified = st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?", "??"]))
        ahead = st.tuples(st.sampled_from("=!"), inner)
        return st.one_of(
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map("|".join).map(lambda found: f"(?:{found})"),
            quantified.map(lambda found: f"(?:{found[0]}){found[1]}"),
            inner.map(lambda found: f"({found})"),
            *([ahead.map(lambda found: f"(?:(?{found[0]}{found[1]}))")] * with_conditions),
        )

    return st.recursive(atoms, larger, max_leaves=8)


TEXTS = st.text("abcé\n_", max_size=8)


@given(expression=_expressions(), text=TEXTS)
def test_a_match_is_one_of_the_language(expression: str, text: str) -> None:
    """Python decides which texts are in the language, and so where the first match begins."""
    pattern = compiled(expression, Options(), with_groups=True)
    found = pattern.find(Subject(text), 0, wants_groups=True)
    first = _judge(expression).search(text)
    assert pattern.is_in(text) == (first is not None)
    if found is None or first is None:
        assert found is None
        assert first is None
        return
    assert found[0] is not None
    begin, end = found[0]
    assert begin == first.start()

    def is_one(at: int) -> bool:
        return _judge(expression, left=len(text) - at).match(text, begin) is not None

    assert is_one(end)
    if "?" not in re.sub(r"\(\?(:|<?[=!])", "", expression):
        assert not any(is_one(at) for at in range(end + 1, len(text) + 1))
    for group in found[1:]:
        assert group is None or begin <= group[0] <= group[1] <= end


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_hold_where_they_hold_in_python(condition: str) -> None:
    """In all short texts."""
    pattern, judge = compiled(f"{condition}[^b]", Options()), _judge(f"{condition}[^b]")
    for letters in chain.from_iterable(product("ab\n", repeat=length) for length in range(5)):
        text = "".join(letters)
        subject = Subject(text)
        for begin in range(len(text)):
            found, wanted = pattern.find(subject, begin), judge.search(text, begin)
            assert (found and found[0]) == (wanted and wanted.span()), (text, begin)


def test_an_automaton_keeps_so_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """This one has a state for each way in which `a` and `b` can be the last ten characters."""
    most, expression, letters = 500, "a[ab]{10}c", Random(1)
    monkeypatch.setattr(automata, "MEMBERS_KEPT_MAX", most)
    search = Automaton(parse(expression, Options()).root.language, Conditions(), is_search=True)
    for _ in range(20):
        text = "".join(letters.choices("ab", k=200)) + "c"
        found, judge = search.search(Subject(text), 0), re.search(expression, text)
        assert (found and found[1]) == (judge and judge.end())
        kept = sum(len(members) + 1 for members, _ in search._states)
        assert kept <= most + 13, "one state more, which has twelve nodes at most"


@given(expression=_expressions(with_conditions=False), text=TEXTS)
def test_re2_has_the_same_texts(expression: str, text: str) -> None:
    written = for_re2(expression, Options())
    assume(written is not None)
    # Python has no \x{…} and no \z.
    assert written is not None
    own = re.sub(r"\\x\{([0-9A-F]+)\}", lambda f: re.escape(chr(int(f[1], 16))), written)
    assert (re.search(own.replace(r"\z", r"\Z"), text) is not None) == functions.is_match(
        text, expression
    )


@pytest.mark.parametrize(
    "expression",
    [
        *(r"(a)\1", "a(?=b)", "(?<!a)b", r"\ya", r"\ma\M", "("),
        *(r"(\w{200}){200}", r"\w{6}", r"\w" * 20_000),
    ],
)
def test_what_re2_cannot_match(expression: str) -> None:
    assert for_re2(expression, Options()) is None


@pytest.mark.parametrize("expression", ["ab" * 500, "[ab]" * 500, f"[{'ab' * 500}]"])
@pytest.mark.parametrize("read", [fixed_start, partial(for_re2, options=Options())])
def test_reading_ends_at_a_checkpoint(expression: str, read: Callable[..., object]) -> None:
    """There is one at each character."""
    left = iter(range(900))

    def checkpoint() -> None:
        if next(left, None) is None:
            raise QueryCancelledError("canceling statement due to statement timeout")

    with pytest.raises(QueryCancelledError):
        read(expression, checkpoint=checkpoint)


@pytest.mark.parametrize(
    ("expression", "start"),
    [
        ("^abc", "abc"),
        (r"^a\.b+c", "a.b"),
        (r"\A(ab)c", "abc"),
        ("^ab?", "a"),
        ("^(a|b)", ""),
        ("^a|b", ""),
        ("abc", ""),
        ("(?i)^abc", ""),
        ("(?n)^abc", ""),
        ("***=^abc", ""),
        ("^(", ""),
    ],
)
def test_the_start_of_all_matches(expression: str, start: str) -> None:
    assert fixed_start(expression) == start


def test_a_name_that_is_no_class_is_not_kept() -> None:
    """Expressions have as many of them as a client likes."""
    for number in range(100):
        assert class_of(f"class {number}") is None
    assert _class.cache_info().currsize <= len({*CLASSES, *_MADE})


@given(expression=_expressions().map("^{}".format), text=TEXTS)
def test_a_match_begins_with_its_fixed_start(expression: str, text: str) -> None:
    assert not functions.is_match(text, expression) or text.startswith(fixed_start(expression))


@given(point=st.integers(0, LAST))
def test_classes(point: int) -> None:
    alpha = class_of("alpha") or ()
    assert contains(alpha, point) != contains(complement(alpha), point)
    assert contains(with_cases(0, LAST), point)
    for name in ("upper", "lower"):
        assert not contains(class_of(name) or (), point) or contains(alpha, point)
