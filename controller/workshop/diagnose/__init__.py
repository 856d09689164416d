"""`topple-table diagnose`: what is wrong with the sensors, and what to check next."""
