"""The bytes, messages and states of the protocol: no SQL, no sockets, no clock."""
