"""`topple-table calibrate`: zero, load cells, inertial sensor, and weights of the pieces."""
