"""Who may come in: users, passwords, TLS, limits on attempts. No protocol is spoken here."""
