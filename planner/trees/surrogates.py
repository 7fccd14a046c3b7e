"""Pairs of surrogates, which escapes of Unicode write as two characters."""

from __future__ import annotations

import re

from stategate.planner.errors import InvalidSyntaxError

_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def with_whole_pairs(text: str, position: int | None = None) -> str:
    """Return a text with each pair of surrogates as one character.

    Raises:
        InvalidSyntaxError: half a pair stands alone (42601); it points at `position`.
    """
    joined = _SURROGATES.sub(
        lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text
    )
    if re.search("[\ud800-\udfff]", joined):
        raise InvalidSyntaxError("invalid Unicode surrogate pair", position=position)
    return joined
