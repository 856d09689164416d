"""How the table is, and the bundle for bug reports."""
