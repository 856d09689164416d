"""The scoreboard, the list of tables, the overlay, and the table's own screen."""
