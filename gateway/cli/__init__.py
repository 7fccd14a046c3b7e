"""Commands of the command line: client, shell, demo, users, state log."""
