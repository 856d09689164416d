"""The table as a program: command line, pipeline, MQTT, journal, pages."""
