"""The credentials of a program at a gateway, from its environment."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping

USER_VARIABLE = "STATEGATE_USER"
PASSWORD_VARIABLE = "STATEGATE_PASSWORD"
TOKEN_VARIABLE = "STATEGATE_TOKEN"


def authorization(environment: Mapping[str, str] | None = None) -> str | None:
    """Return the Authorization header for the credentials in the environment; None without any.

    They are a token in STATEGATE_TOKEN, or a name in STATEGATE_USER and its password in
    STATEGATE_PASSWORD. They are never arguments, which every user of the machine can see.
    """
    variables = os.environ if environment is None else environment
    if token := variables.get(TOKEN_VARIABLE):
        return f"Bearer {token}"
    user, password = variables.get(USER_VARIABLE), variables.get(PASSWORD_VARIABLE)
    if user and password:
        return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"
    return None
