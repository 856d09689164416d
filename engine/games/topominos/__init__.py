"""Topominos: see-through pieces stacked to nine dots."""
