"""The startup phase: TLS, authentication and the parameters of the session."""
