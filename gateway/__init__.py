"""The servers: HTTP and the Postgres wire, with users, limits and the command line.

This package parses no SQL. Only `stategate.gateway.wiring` knows stores, planner and servers
together.
"""
