"""`topple-table doctor`: everything around a table that can be wrong, one line each.

It looks at the computer, the installation, ports and services, and changes nothing. What the
sensors themselves say is the business of `topple-table diagnose`.
"""
