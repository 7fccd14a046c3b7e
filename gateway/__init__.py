"""The servers: HTTP and the Postgres wire, with users, limits and the command line.

No SQL is read here, and only `main` wires stores to planner to servers.
"""
