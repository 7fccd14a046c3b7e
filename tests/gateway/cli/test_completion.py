"""Words are completed by what may stand there."""

from __future__ import annotations

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from stategate.gateway.cli.client import Client
from stategate.gateway.cli.completion import KEYWORDS, StatementCompleter, Vocabulary
from stategate.gateway.cli.names import Names

KNOWN = Vocabulary(
    columns={"clicks": ["usr", "n", "url"], "Hours": ["hour", "Odd name"]},
    functions=["upper", "count"],
)


def completed(text: str, known: Vocabulary = KNOWN) -> list[str]:
    completer = StatementCompleter(["\\d", "\\dt", "\\watch"], lambda: known)
    return [each.text for each in completer.get_completions(Document(text), CompleteEvent())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\d", ["\\dt"]),
        ("\\w", ["\\watch"]),
        ("\\d cl", ["clicks"]),
        ("\\export ro", []),
        ("SELECT * FROM ", ["clicks", '"Hours"']),
        ("SELECT * FROM cl", ["clicks"]),
        ("SELECT 1 FROM a JOIN c", ["clicks"]),
        ("SELECT * FROM clicks WHERE u", ["usr", "url", "upper(", "unbounded"]),
        ("select * from clicks where us", ["usr"]),
        ("SELECT clicks.u", ["clicks.usr", "clicks.url"]),
        ('SELECT "Hours".', ['"Hours".hour', '"Hours"."Odd name"']),
        ("SELECT hours.", []),
        ("SELECT nothing.", []),
        ("selec", ["select"]),
        ("SELEC", ["SELECT"]),
        ("SELECT cou", ["count("]),
    ],
)
def test_what_may_follow_is_offered(text: str, expected: list[str]) -> None:
    assert completed(text) == expected


def test_without_a_gateway_keywords_remain() -> None:
    assert completed("", Vocabulary()) == KEYWORDS
    known = Names(Client("http://127.0.0.1:9")).vocabulary()
    assert known == Vocabulary()
