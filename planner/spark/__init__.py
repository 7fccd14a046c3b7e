"""Writes bound statements as SQL of Spark, or refuses them.

Spark SQL looks like PostgreSQL's and often means something else. So nothing is passed on as it is:
a statement is written anew from its tree, with a name of ours for each column and a cast for each
conversion. What is not listed here is refused (0A000), never answered differently. Spark itself is
not imported.
"""
