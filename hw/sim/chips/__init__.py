"""Models of the chips, shipped: the lab, the bench and the tests of the drivers share them."""
