"""Load cells, inertial sensor and panel on the pins of a Raspberry Pi."""
