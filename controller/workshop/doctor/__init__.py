"""`topple-table doctor`: checks everything around a table, one line for each check.

It checks the computer, the installation, ports and services, and changes nothing. The sensors
themselves are checked by `topple-table diagnose`.
"""
