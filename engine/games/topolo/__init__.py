"""Topolo: fill the board, own the largest group."""
