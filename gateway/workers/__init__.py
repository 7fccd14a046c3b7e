"""How a worker reaches the supervisor and the other workers; a gateway of one process has none."""
