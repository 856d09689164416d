"""Commands with which an owner builds, checks and tunes a table; a file or folder for each."""
