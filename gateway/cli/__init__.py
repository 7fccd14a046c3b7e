"""The command line, but for `serve`: the client, the shell, the demo, users, the state log."""
