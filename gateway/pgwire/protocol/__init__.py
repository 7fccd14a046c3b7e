"""Bytes and messages of the Postgres wire: no SQL, no sockets, no clock."""
