"""The names of encodings, as PostgreSQL knows them."""

from __future__ import annotations

from stategate.planner.errors import InvalidValueError

UTF8 = "UTF8"
_NAMES = frozenset(
    [
        *("abc", "alt", "big5", "euccn", "eucjis2004", "eucjp", "euckr", "euctw"),
        *("gb18030", "gbk", "iso88591", "iso885910", "iso885913", "iso885914"),
        *("iso885915", "iso885916", "iso88592", "iso88593", "iso88594", "iso88595"),
        *("iso88596", "iso88597", "iso88598", "iso88599", "johab", "koi8", "koi8r"),
        *("koi8u", "latin1", "latin10", "latin2", "latin3", "latin4", "latin5"),
        *("latin6", "latin7", "latin8", "latin9", "mskanji", "muleinternal", "shiftjis"),
        *("shiftjis2004", "sjis", "sqlascii", "tcvn", "tcvn5712", "uhc", "unicode"),
        *("utf8", "vscii", "win", "win1250", "win1251", "win1252", "win1253", "win1254"),
        *("win1255", "win1256", "win1257", "win1258", "win866", "win874", "win932"),
        *("win936", "win949", "win950", "windows1250", "windows1251", "windows1252"),
        *("windows1253", "windows1254", "windows1255", "windows1256", "windows1257"),
        *("windows1258", "windows866", "windows874", "windows932", "windows936"),
        *("windows949", "windows950"),
    ]
)
"""Their names without what is no letter or digit, which does not count."""


def encoding(name: str) -> str | None:
    """Return an encoding's own name (`UTF8` for any of its aliases); None if it is unknown."""
    bare = "".join(each for each in name.lower() if each.isascii() and each.isalnum())
    if bare in {"utf8", "unicode"}:
        return UTF8
    return bare if bare in _NAMES else None


def read_encoding(setting: str, name: str) -> str:
    """Return the encoding that a setting is set to.

    Raises:
        InvalidValueError: there is no such encoding (22023).
    """
    found = encoding(name)
    if found is None:
        raise InvalidValueError(f'invalid value for parameter "{setting}": "{name[:100]}"')
    return found
