"""Defects that no one thought of: generated statements, messages, loads and histories."""
