"""`topple-table accuracy-test`: how often the table names the right cell."""
