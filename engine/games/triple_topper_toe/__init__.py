"""Triple Topper Toe: four in a line through a cube of cards."""
