"""Nodes on the network: the connections on which they ask each other, and who they are.

What they say, and what is done about it, is in `stategate.stores.nodes`; this package moves it.
"""
