"""Acts of an operator on the command line, in the audit that the settings name."""

from __future__ import annotations

import getpass
import sys

from stategate.gateway.audit.log import open_audit
from stategate.gateway.errors import GatewayError
from stategate.gateway.settings_sources import load_settings


def note_act(event: str, **fields: object) -> None:
    """Note what was done, and by whom, if the settings name an audit.

    It is done already, so a failure is said and ends nothing.
    """
    try:
        audit = open_audit(load_settings())
    except GatewayError as error:
        print(f"not in the audit: {error.message}", file=sys.stderr)
        return
    if audit is not None:
        audit.note(event, account=getpass.getuser(), **fields)
        audit.close()
