"""The ways in which the part `engine` runs what it has drawn, each with its judge."""
