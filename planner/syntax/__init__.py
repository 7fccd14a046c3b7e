"""Text to tree: statements, our WITH clause and its options.

No name is resolved here.
"""
