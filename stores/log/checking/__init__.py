"""Looks after a log: lists what it holds, finds damage, and repairs it where that is safe."""
