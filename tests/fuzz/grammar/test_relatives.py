"""Relatives of the corpus: which statements they are."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.grammar.relatives import Corpus, Relatives, segments, tokens, tree
from tests.fuzz.tree import Node, smaller, spelled


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.read()


def test_a_tree_spells_its_statement(corpus: Corpus) -> None:
    for _, sql in corpus.statements:
        assert spelled(tree(sql)) == sql


def test_the_same_seed_draws_the_same_relative(corpus: Corpus) -> None:
    one, other = (Relatives(corpus, random.Random(7)).draw() for _ in range(2))
    assert one == other


def test_most_relatives_are_new_statements(corpus: Corpus) -> None:
    known = {sql for _, sql in corpus.statements}
    drawn = [spelled(Relatives(corpus, random.Random(seed)).draw()[1]) for seed in range(100)]
    assert len(set(drawn) - known) > 90


def test_things_between_brackets_and_commas_are_exchanged() -> None:
    words = tokens("f(a, g(1), ARRAY[2])")
    found = ["".join(words[first:last]).strip() for first, last in segments(words)]
    assert sorted(found) == ["1", "2", "ARRAY[2]", "a", "g(1)"]


def test_a_tree_shrinks_by_clauses_and_items() -> None:
    root = tree("SELECT a, b FROM t WHERE a > (1) ORDER BY b")
    assert isinstance(root, Node)
    shorter = {spelled(each) for each in smaller(root)}
    assert {"SELECT a FROM t WHERE a > (1) ORDER BY b", "SELECT a, b FROM t ORDER BY b"} <= {
        " ".join(each.split()) for each in shorter
    }
