"""The standings of a club's tables."""
