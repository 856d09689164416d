"""What the pages sound like: tones, and the caller's voice."""
