"""Matches and groups of expressions: the longest, the preferred, and what takes part in them."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.errors import NotSupportedError, QueryError
from planner.patterns import functions
from planner.patterns.automata import Subject
from planner.patterns.characters import LAST, class_of, complement, contains, with_cases
from planner.patterns.matching import compiled
from planner.patterns.re2 import fixed_start, for_re2
from planner.patterns.scanning import Options


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
        (r"\m\w+\M", "- naïve!", ["naïve"]),
        ("(?<=a)b(?!c)", "abcab", ["b"]),
        ("x(?=(y))", "xy", ["x"]),
        ("(?i)ÄB", "äb", ["äb"]),
        ("(?x) a b # both", "ab", ["ab"]),
        ("(?n)^b$", "a\nb\nc", ["b"]),
        ("***=a.b", "aab a.b", ["a.b"]),
        ("[[:<:]]b", "ab b", ["b"]),
        ("[^[:alpha:]\\d]", "a1-", ["-"]),
        ("a{2}{2}", "a", None),
    ],
)
def test_groups(expression: str, text: str, groups: list[str | None] | None) -> None:
    if groups is None:
        with pytest.raises(QueryError) as caught:
            functions.regexp_match(text, expression, "")
        assert caught.value.sqlstate == "2201B"
    else:
        assert functions.regexp_match(text, expression, "") == groups


@pytest.mark.parametrize("expression", ["(a{255}){255}", "(?b)a", "(" * 200 + ")" * 200])
def test_what_is_not_supported(expression: str) -> None:
    with pytest.raises(NotSupportedError):
        functions.is_match("a", expression)


ATOMS = ["a", "b", "c", ".", "[ab]", "[^a]", "é", r"\w", r"\W"]


def _expressions() -> st.SearchStrategy[str]:
    """Return expressions whose language Python's `re` has, too."""

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        quantified = st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?", "??"]))
        return st.one_of(
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map("|".join).map(lambda found: f"(?:{found})"),
            quantified.map(lambda found: f"(?:{found[0]}){found[1]}"),
            inner.map(lambda found: f"({found})"),
        )

    return st.recursive(st.sampled_from(ATOMS), larger, max_leaves=8)


@given(expression=_expressions(), text=st.text("abcé\n_", max_size=8))
def test_a_match_is_one_of_the_language(expression: str, text: str) -> None:
    """Python decides which texts are in the language, and so where the first match begins."""
    pattern, judge = compiled(expression, Options(), with_groups=True), re.compile(expression, re.S)
    found = pattern.find(Subject(text), 0, wants_groups=True)
    first = judge.search(text)
    assert pattern.is_in(text) == (first is not None)
    if found is None or first is None:
        assert found is None
        assert first is None
        return
    assert found[0] is not None
    begin, end = found[0]
    assert begin == first.start()
    assert judge.fullmatch(text, begin, end)
    if "?" not in re.sub(r"\(\?:", "", expression):
        ends = [at for at in range(begin, len(text) + 1) if judge.fullmatch(text, begin, at)]
        assert end == ends[-1]
    for group in found[1:]:
        assert group is None or begin <= group[0] <= group[1] <= end


@given(expression=_expressions(), text=st.text("abcé\n_", max_size=8))
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
    "expression", [r"(a)\1", "a(?=b)", "(?<!a)b", r"\ya", r"\ma\M", "(", r"(\w{200}){200}"]
)
def test_what_re2_cannot_match(expression: str) -> None:
    assert for_re2(expression, Options()) is None


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


@given(point=st.integers(0, LAST))
def test_classes(point: int) -> None:
    alpha = class_of("alpha") or ()
    assert contains(alpha, point) != contains(complement(alpha), point)
    assert contains(with_cases(0, LAST), point)
    for name in ("upper", "lower"):
        assert not contains(class_of(name) or (), point) or contains(alpha, point)
