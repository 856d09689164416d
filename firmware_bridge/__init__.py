"""Messages and ticks of the microcontroller link; it knows neither grams nor games."""
