"""Topple: the tower that the sensors follow."""
