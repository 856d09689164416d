"""Messages and ticks of the microcontroller link. Never grams, never games."""
