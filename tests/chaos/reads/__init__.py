"""The kinds of reads of a chaos run: threads that ask gateways, and hand on what they are told."""
