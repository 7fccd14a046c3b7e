"""Bound statement to plan: accesses, order, joins by lookup, EXPLAIN.

A plan is a value. Nothing is read here.
"""
