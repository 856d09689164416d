"""MQTT: the connection, the topics and payloads, client ids, and an embedded broker."""
