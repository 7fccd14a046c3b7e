"""Tree and catalog to resolved names and types, and to what a WHERE says of each relation.

What cannot be expressed as conditions on columns stays in the tree, for the composing database.
"""
