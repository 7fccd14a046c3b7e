"""SQL types on the wire: OIDs, text and binary, single values and whole columns."""
