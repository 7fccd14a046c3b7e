"""The replicas of one node: they follow the log, meet bounds, hold epochs and answer queries."""
