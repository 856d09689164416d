"""Finds what is wrong with a table from its raw samples: findings with figures and limits."""
