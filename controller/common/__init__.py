"""Used by every other package: configuration, files, errors, start and stop of a process."""
