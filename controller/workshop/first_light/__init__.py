"""First light: one load cell, an HX711 board and a Nano on the desk, before anything is built."""
