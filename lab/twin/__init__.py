"""The simulated tower: a physical model of board, pieces, hands and sensors."""
