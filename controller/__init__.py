"""The table as a program: command line, workshop, pipeline, MQTT, journal, league."""
