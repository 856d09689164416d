"""Models of the chips, used by the lab, the bench and the tests of the drivers."""
