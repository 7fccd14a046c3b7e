"""Authentication: users, passwords, TLS, limits on attempts. Knows neither protocol."""
