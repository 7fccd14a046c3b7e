"""Fills stores from files: readers of formats, and the epochs that their rows become."""
