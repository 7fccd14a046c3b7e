"""Statements, portals, cursors and COPY: what a client's messages mean."""
