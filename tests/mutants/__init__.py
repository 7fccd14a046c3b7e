"""Mutants: small changes of the planner, each of which a law, a statement or a test must notice.

A survivor is a missing law, a missing draw of the fuzz, or code without effect.
"""
