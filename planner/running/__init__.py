"""Plan to rows: scatter to partitions, gather, bounds, snapshots.

The only part of the planner that reads stores.
"""
