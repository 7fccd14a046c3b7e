"""Statements, portals, cursors and COPY of one session."""
