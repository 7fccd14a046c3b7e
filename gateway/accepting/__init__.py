"""Connections before a server has them: listening, accepted sockets, PROXY headers, TLS."""
