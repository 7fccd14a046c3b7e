"""The stores that users may not read, as variables that macros and views read.

They are known for the user of the session, and for users whom a statement names in a literal or a
parameter: all users at once could be many. Any other name is taken for one who may read no store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, TypeAlias

from sqlglot import exp

from stategate.planner.values.quoting import quote_text
from stategate.planner.values.rights import Rights

Names: TypeAlias = tuple[str, ...]

_OF_USERS = {
    "has_any_column_privilege": 3,
    "has_column_privilege": 4,
    "has_table_privilege": 3,
}
"""Functions about stores → their number of arguments if the first one is a user."""
_ANYONE = ""
"""The key of users who are not known; no user has this name."""


class Refused(NamedTuple):
    """The stores that users may not read; equal whenever the answers about them are."""

    mine: Names = ()
    others: tuple[tuple[str, Names], ...] = ()
    """Those of other users by name, and those of users who are not known."""

    def script(self) -> str:
        """Return the statements that set the variables."""
        names = ", ".join(quote_text(name) for name, _ in self.others)
        stores = ", ".join(_list(refused) for _, refused in self.others)
        return (
            f"SET VARIABLE session_refused = {_list(self.mine)};"
            f"SET VARIABLE refused_of = map([{names}]::VARCHAR[], [{stores}]::VARCHAR[][]);"
        )


def named_users(tree: exp.Expr) -> frozenset[str] | None:
    """Return the texts in a statement that may be users whose rights it asks for.

    None if it does not ask for rights by user.
    """
    calls = (each for each in tree.find_all(exp.Anonymous))
    if not any(_OF_USERS.get(each.name.lower()) == len(each.expressions) for each in calls):
        return None
    return frozenset(each.this for each in tree.find_all(exp.Literal) if each.is_string)


def refused_stores(
    rights: Rights, stores: Collection[str], user: str, named: Iterable[str] | None
) -> Refused:
    """Return the stores that users may not read.

    Args:
        rights: the rights of all users.
        stores: the names of all stores.
        user: the user of the session.
        named: texts of which each may be another user; None if no other one is asked for.
    """
    by_user = rights.by_user
    if by_user is None:
        return Refused()
    listed = tuple(sorted(stores))

    def refused(name: str) -> Names:
        return tuple(store for store in listed if not rights.may_read(name, store))

    if named is None:
        return Refused(mine=refused(user))
    known = sorted(set(by_user).intersection(named))
    others = ((_ANYONE, listed), *((name, refused(name)) for name in known))
    return Refused(mine=refused(user), others=others)


def _list(names: Names) -> str:
    return f"[{', '.join(map(quote_text, names))}]::VARCHAR[]"
