"""Building a table: the steps, what a ruler and a scale tell of the game, and what follows."""
