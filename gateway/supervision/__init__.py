"""The worker processes of a gateway: their start and end, and the connections that they get."""
