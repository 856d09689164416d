"""The MQTT contract as documents, made from the code."""
