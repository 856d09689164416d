"""The games of an evening, and what stays of them."""
