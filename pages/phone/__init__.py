"""What a player's phone shows and may do."""
