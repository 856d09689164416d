"""What every room stands on: configuration, files, errors, and how a process starts and ends."""
