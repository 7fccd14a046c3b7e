"""Nodes of a cluster in virtual time: real placement, routing and failover, no sockets, no threads.

A seed decides everything that happens, so a failure is repeated by its seed.
"""
