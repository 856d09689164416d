"""The table behind a microcontroller on a serial line."""
