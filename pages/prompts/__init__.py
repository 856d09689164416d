"""What a command at the table asks, on a phone."""
