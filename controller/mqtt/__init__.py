"""The table at the broker: the connection, all topics and what they carry, ids, our own broker."""
