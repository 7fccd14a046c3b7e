"""From the first byte of a connection to the first statement: TLS, startup, login."""
