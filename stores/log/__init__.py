"""The state log: definitions, commits, data files and snapshots, on any file system.

Nothing here knows an engine or a replica.
"""
