"""What developers run: set-up scripts, and the generator of the schematics."""
