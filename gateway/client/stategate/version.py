"""The version of Stategate, of the gateway as of its client: no other place says it."""

__version__ = "0.1.0"
