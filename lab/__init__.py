"""Everything that pretends or learns: no table needs it, and nothing below imports it.

What it offers to the rooms below it are entry points; see pyproject.toml.
"""
