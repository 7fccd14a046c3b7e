"""The texts of json and jsonb: reading, canonical form, order, paths and changes.

Composing processes import what is here, so it imports no stores.
"""
