"""Watches the statements of an engine, for traces and the audit; keeps no records itself."""
