"""The rows of `aclexplode`: what each item of an access control list grants.

An item is `grantee=privileges/grantor`, a privilege is one letter. Everyone is an empty name.
"""

from __future__ import annotations

_PRIVILEGES = {
    "a": "INSERT",
    "r": "SELECT",
    "w": "UPDATE",
    "d": "DELETE",
    "D": "TRUNCATE",
    "x": "REFERENCES",
    "t": "TRIGGER",
    "X": "EXECUTE",
    "U": "USAGE",
    "C": "CREATE",
    "T": "TEMPORARY",
    "c": "CONNECT",
    "s": "SET",
    "A": "ALTER SYSTEM",
}
"""Letter → privilege, in the order in which PostgreSQL lists them."""
_VALUES = ", ".join(f"('{letter}', '{name}')" for letter, name in _PRIVILEGES.items())
_GRANTED = "split_part(split_part(i.item, '=', 2), '/', 1)"
ACL_ROWS = f"""
    SELECT coalesce(to_regrole(split_part(i.item, '/', 2))::oid, 0::oid) AS grantor,
        coalesce(to_regrole(split_part(i.item, '=', 1))::oid, 0::oid) AS grantee,
        p.name AS privilege_type, strpos({_GRANTED}, p.letter || '*') > 0 AS is_grantable
    FROM (SELECT unnest(($1)::text[]) AS item) AS i JOIN (VALUES {_VALUES}) AS p(letter, name)
        ON strpos({_GRANTED}, p.letter) > 0"""
"""The query of a call in FROM; `$1` is the list."""
