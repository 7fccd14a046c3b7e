"""Regular expressions of generated statements: a sample of the grammar, the same in each run."""

from __future__ import annotations

from random import Random

_ATOMS = (
    *("a", "b", "c", "ab", "ä", ".", "[ab]", "[^a]", "[a-c]", r"\w", r"\W", r"\d", r"\s", r"\S"),
    *("[[:alpha:]]", "[[:upper:]]", r"[\w%]", "x", " "),
)
_PLACES = ("^", "$", r"\y", r"\m", r"\M", r"\Y", r"\A", r"\Z", "(?=a)", "(?!b)", "(?<=a)", "(?<!a)")
_QUANTIFIERS = ("*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}", "{1,2}?", "{2,}", "{0}")
_PREFIXES = ("(?i)", "(?n)", "(?x)", "***=", "***:", "(?p)", "(?w)")
_DEPTH = 4
COUNT = 150


def _expression(chance: Random, depth: int) -> str:
    if depth <= 0 or chance.random() < 0.3:
        return chance.choice(_ATOMS)
    inner = _expression(chance, depth - 1)
    match chance.randrange(8):
        case 0 | 1:
            return inner + _expression(chance, depth - 1)
        case 2 | 3:
            return f"{inner}|{_expression(chance, depth - 1)}"
        case 4:
            return f"({inner})"
        case 5:
            return inner + chance.choice(_PLACES)
        case _:
            return chance.choice(("(", "(?:")) + inner + ")" + chance.choice(_QUANTIFIERS)


def regexes(seed: int = 0) -> list[str]:
    """Return expressions; some have options or a back reference."""
    chance = Random(seed)
    found = []
    for _ in range(COUNT):
        text = _expression(chance, _DEPTH)
        if text.startswith("(") and not text.startswith("(?") and chance.random() < 0.3:
            text += r"\1"
        found.append(chance.choice(_PREFIXES) + text if chance.random() < 0.1 else text)
    return found
