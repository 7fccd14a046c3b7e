"""Stores on several nodes: who holds which partition, and how a node asks the others.

Here are placement, messages, the answers of a node, and the store that asks all of them. There are
no sockets and no threads of its own: a transport implements `links.Link`. Nothing here knows an
engine or the log; the replicas are those of `stategate.stores.hosting`, seen as stores.
"""
